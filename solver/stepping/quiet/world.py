"""What a quiet step is made from and ends in, as kernels take it."""

from typing import Any, NamedTuple

import numpy as np

from ...collision.contacts import ContactSet
from ...collision.surface.mesh_pool import MeshPool
from ...dynamics.assembly_kernels import Asked
from ...dynamics.contact_step import StepTimes
from ...dynamics.jointed.after_kernels import Read
from ...dynamics.jointed.row_kernels import JointRows, Tables
from ...dynamics.kinematic import Paths
from ...dynamics.report_kernels import Limits
from ...dynamics.tables import BodyTables, PairTables
from ...methods.accelerated.plain_kernels import Start
from ...problem import Arrays
from .search import Known

# Columns of the reports of quiet steps; `work` is in contacts relaxed. Behind them how often mechanisms acted.
COLUMNS = ("contact_count", "impact_loss", "friction_work", "overlap", "kinetic", "potential", "residual", "iterations",
           "work", "stabilisation_work", "joint_work")  # fmt: skip
COUNTED = ("impact_within_step", "passed_contacts", "bounce_displacement", "penetration_correction")


class Search(NamedTuple):
    """What the search for contacts reads of a CollisionModel, see few_pairs, narrow and mesh_chunk; none (C,): zeros;
    first (R+1,): first collider of each body; compound, surfaces: whether a body has several, and is a mesh."""

    geometry: Any
    inflation: np.ndarray
    allowed: Any
    colliders: Any
    sizes: tuple
    none: np.ndarray
    meshes: MeshPool
    first: np.ndarray
    compound: bool
    surfaces: bool


class Bounds(NamedTuple):
    """Within what a step is quiet: reach, allowed, thickness (R,) [m] of a Group; parts and lengths as quiet_bounds.py
    and push_velocities take them; turn, fly [m]: least that turning and flying may take a body off; turns: part of what
    a body allows that it turns off its path; again: part of what a
    pair allows that is no new overlap; late: part of the smaller body that may be met late; taut: radians that bodies
    may swing across the pull of joints, ahead and back."""

    reach: np.ndarray
    allowed: np.ndarray
    thickness: np.ndarray
    grown: float
    turn: float
    fly: float
    margin: float
    push: tuple
    locked: tuple
    turns: float
    again: float
    late: float
    taut: tuple
    errs: float
    closing: Limits
    unseen: np.ndarray


class Solving(NamedTuple):
    """How a quiet step is solved: see plain_kernels.Start, and the same with friction that is given; part: of its
    effort that an island may use before contacts are searched for again; limit: work of a step, 0 for none; numbers:
    of the goals, and where a displacement is asked for; threshold [m/s]: of a bounce; sides: see ContactProblem."""

    start: Start
    given: Start
    part: float
    limit: int
    numbers: tuple
    impatient: tuple
    threshold: float
    sides: int


class World(NamedTuple):
    """What all steps of a group have in common; symmetry (R,3) and decay (R,2): see Model and free_motion; joints:
    Tables, read: what readings take of them, and how many there are; aimed (n,): rows of motors whose targets are
    keyed, which each step writes into the tables; slow [m/s]: a speed that nobody calls fast."""

    search: Search
    bodies: BodyTables
    symmetry: np.ndarray
    decay: np.ndarray
    pairs: PairTables
    times: StepTimes
    bounds: Bounds
    solving: Solving
    joints: Tables
    read: Read
    joint_count: int
    aimed: np.ndarray
    paths: Paths
    slow: float


class JointsNow(NamedTuple):
    """What changes of joints, see JointState: value (F,), impulse and sticks (K,), load (J,6), strain, broken (J,)."""

    value: np.ndarray
    impulse: np.ndarray
    load: np.ndarray
    strain: np.ndarray
    broken: np.ndarray
    sticks: np.ndarray


class Moment(NamedTuple):
    """What a step begins with and ends in: poses (R,3), (R,4), twist (R,6), the contacts with their impulses (C,5),
    since (R,) when they were found, horizon (R,) how far they are searched for; columns (C,4): impulses by rows;
    joints: JointsNow; known: what the search leaves to the next."""

    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    contacts: ContactSet
    impulses: np.ndarray
    since: np.ndarray
    horizon: np.ndarray
    columns: np.ndarray
    joints: JointsNow
    known: Known


class Places(NamedTuple):
    """Where bodies are in the middle of a step, where joints push; before, free (R,6): velocities there, and at the end
    without impulses."""

    position: np.ndarray
    orientation: np.ndarray
    pushed: tuple
    before: np.ndarray
    free: np.ndarray


class Answer(NamedTuple):
    """A solve: whether it settled the step; change (N,) of velocities, sweeps, residual [m/s], sweeps times blocks,
    impulses (K,) of all rows; own: Arrays with b of the rows without what contacts ask for; problem: as it was solved,
    by the impulses beyond those held; what was Asked; joined: JointRows, and the tolerance (n,) of their blocks."""

    settled: bool
    change: np.ndarray
    sweeps: int
    residual: float
    relaxed: int
    impulse: np.ndarray
    own: Arrays
    problem: Arrays
    found: Asked
    joined: JointRows
    tolerance: np.ndarray
