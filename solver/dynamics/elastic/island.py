"""What the step of an island with deformable bodies takes and gives."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..jointed.state import EMPTY
from .attachments import NO_ATTACHMENTS
from .schemes.multistep import SCHEMES

NO_STENCILS = np.zeros((0, 2, 3), dtype=np.int64), np.zeros((0, 2, 3))


class Demands(NamedTuple):
    """rounds: most linearisations of a step, None for those of the scheme; tolerance: change of velocity from one to
    the next at which they end, in parts of the speed; scheme: key of SCHEMES; rho: spectral radius at infinity of
    the midpoint scheme; parts: into how many the step of the run is divided that this one is a part of."""

    rounds: int | None = None
    tolerance: float = 1e-5
    scheme: str = "bdf2"
    rho: float = 0.8
    parts: int = 1

    @property
    def middle(self):
        """Whether contacts are found in the middle of the step."""
        return SCHEMES[self.scheme].middle


@dataclass
class Island:
    """What an island's step needs. model: of its bodies alone; start: the same of their State, poses: their
    impulses.Poses where contacts were found; velocities 0 for deformable ones; contacts, stencils, carried (C,5)
    between them; nodes: Nodes of the whole scene, spans: of each deformable body in it; remembers, targets: whether
    BDF2 may look back, and where pinned nodes go, by number; time [s] at the end of the step; guess: velocities (n,3)
    of nodes at its end, by number, where they are known from a solve with fewer contacts; starts: MidpointParts by
    number.

    joints: JointState; attached: Attachments by the island's numbers, attached_number (A,) in the scene, attached_at,
    attached_gap (A,3): where they are held, and from the nodes to there [m]; attached_stencils.
    """

    model: Any
    start: Any
    poses: Any
    contacts: Any
    stencils: Any
    carried: np.ndarray
    nodes: Any
    spans: dict
    remembers: dict
    targets: dict
    time: float
    guess: Any = ()
    starts: Any = ()
    joints: Any = EMPTY
    attached: Any = NO_ATTACHMENTS
    attached_number: Any = ()
    attached_at: Any = None
    attached_gap: Any = None
    attached_stencils: Any = NO_STENCILS


@dataclass
class Solved:
    """parts: SoftParts with their velocities; twist (R,6) of the rigid bodies; impulse (K,); step: ContactStep; report:
    SolveReport or None without contacts; rounds: linearisations; problem: the last one, rows (K',): which of the step's
    are in it, chosen: the Chosen blocks; soft: SoftRows; settled: whether they ended by their tolerance; restless:
    number of the deformable body whose velocities changed most in the last one; of_problem: impulses of the problem's
    rows; again: whether the step was made twice; change, aim [m/s]: of velocities in the last linearisation, and what
    was asked; late: whether contacts were found in it; base (K,): of the rows
    without nodes and impulses, with what is asked of them [m/s]."""

    parts: list
    twist: np.ndarray
    impulse: np.ndarray
    step: Any
    report: Any
    rounds: int
    problem: Any
    rows: Any
    chosen: Any
    soft: Any
    settled: bool
    restless: int
    of_problem: np.ndarray
    again: bool = False
    change: float = 0.0
    aim: float = 0.0
    late: bool = False
    base: np.ndarray | None = None

    @property
    def contact_rows(self):
        """How many of the rows are those of contacts: the first."""
        return self.step.contact_rows

    @property
    def held_rows(self):
        """Rows of attachments, a slice."""
        start = self.step.problem.row_start
        return slice(int(start[self.soft.held.start]), int(start[self.soft.held.stop]))
