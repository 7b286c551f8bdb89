"""The contact problem of one time step: frames, coefficients, rows, right-hand sides, and impulses to begin with."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..base.records import record
from ..mechanisms import off
from ..options import made
from ..problem import BlockRows, ContactProblem, InverseMass
from . import rotation
from . import step_kernels as kernels
from .assembly_kernels import Earlier, Linear, Motion, Wants, asked, assembled, first_asked
from .carry_kernels import carry, spread_rows
from .goals import BlockIslands, count_raised, couples_of, goal_numbers
from .tables import StepColumns


@record
class ContactStep:
    """Contacts of one step with what the right-hand sides need (C contacts); rows of other kinds come behind theirs.

    frame (C,3,3) rows n, s, t; rows (C,) 1, 3 or 4; restitution (C,) and tangential_restitution (C,); before and free
    (C,4): contact velocities of the bodies before the step and after the step without impulses [m/s, rad/s]; late (C,)
    bool: contacts that other impulses of the step make meet; joints: the JointStep, None where there are none.
    """

    contacts: object
    frame: np.ndarray
    rows: np.ndarray
    restitution: np.ndarray
    tangential_restitution: np.ndarray
    before: np.ndarray
    free: np.ndarray
    late: np.ndarray
    problem: ContactProblem
    joints: object = None

    @property
    def first(self):
        """First row (C,) of each contact, the normal one."""
        return self.problem.row_start[: len(self.rows)]

    @property
    def contact_rows(self):
        """How many of the problem's rows are those of contacts: the first."""
        return int(self.problem.row_start[len(self.rows)])


@record
class StepSolution:
    """step: ContactStep; problem: the velocity problem as it was solved, by the impulses beyond those that acted before
    an impact, `held` (K,); impulse (K,): all of them; twist (R,6) after the step;
    motion (R,6): velocity that moves the bodies over the remaining time, and the impulses that give it, moving (K,);
    closed: how closing overlap at the end coupled the bodies, see jointed.momentum_kernels; None: nothing was;
    hit (C,): contacts that bounce; solved: what the method says of its work; report: the SolveReport, of the last
    solution alone; searched_with: the twists with which contacts were searched for, see `relative.unsearched`; islands:
    BlockIslands of the blocks; tolerance (B,) [m/s]: what was asked of each block."""

    step: object
    problem: object
    impulse: np.ndarray
    twist: np.ndarray
    motion: np.ndarray
    hit: np.ndarray
    solved: object
    searched_with: tuple
    islands: BlockIslands
    held: np.ndarray
    tolerance: np.ndarray
    report: object = None
    moving: np.ndarray | None = None
    closed: tuple | None = None

    @property
    def answer(self):
        """Impulses (K,) that solve `problem`."""
        return self.impulse - self.held

    @property
    def carried(self):
        """Impulses (C,5) for the next step's warm start."""
        return from_rows(self.impulse, self.step.frame, self.step.rows)


class StepTimes(NamedTuple):
    """step: its length [s]; elapsed: how far into it contacts were found; horizon: how long from there until they are
    searched for again."""

    step: float
    elapsed: float
    horizon: float

    @property
    def remaining(self):
        """From where contacts were found to the end of the step [s]."""
        return self.step - self.elapsed


def contact_velocity(twist, position, contacts, frame):
    """Velocity of b relative to a at the contacts, in the frames: (C,4) n, s, t [m/s] and spin about n [rad/s]."""
    v = np.empty((contacts.count, 4))
    kernels.contact_velocities(twist, position, contacts, frame, v)
    return v


def normal_velocity(twist, position, contacts):
    """Velocity (C,) [m/s] with which the bodies part at the contacts, along the normals."""
    frame = np.zeros((contacts.count, 3, 3))
    frame[:, 0] = contacts.normal
    return contact_velocity(twist, position, contacts, frame)[:, 0]


def contact_step(model, position, orientation, before, free, contacts):
    """Return the ContactStep of `contacts` between bodies at the given poses; b of its problem is J u_f."""
    motion = Motion(position, orientation, before, free)
    return step_of(contacts, assembled(model.bodies, model.pairs, contacts, motion))


def problem_of(arrays, b):
    """The ContactProblem of StepArrays with another b (K,)."""
    rows = arrays.indptr, arrays.start, arrays.size, arrays.offset
    return made(
        ContactProblem, kind=arrays.kind, row_start=arrays.row_start, J=BlockRows(*rows, arrays.J),
        G=BlockRows(*rows, arrays.G), b=b, law=arrays.law, mu=arrays.mu, bounds=arrays.bounds,
        compliance_offset=arrays.compliance_offset, compliance=arrays.compliance, dof_count=len(arrays.W) // 6,
        inverse_mass=InverseMass(arrays.mass_start, arrays.mass_offset, arrays.W, arrays.M), name="step",
    ).made_by_kernels()  # fmt: skip


def step_of(contacts, arrays):
    """The ContactStep of contacts with their StepArrays."""
    return made(
        ContactStep, contacts=contacts, frame=arrays.frame, rows=arrays.rows, restitution=arrays.restitution,
        tangential_restitution=arrays.tangential_restitution, before=arrays.before, free=arrays.free,
        late=np.zeros(contacts.count, dtype=bool), problem=problem_of(arrays, arrays.b),
    )  # fmt: skip


def bounces(step, times, threshold):
    """Contacts that meet within the step with restitution, and their target velocity (C,) [m/s].

    A contact bounces if e > 0, it closes faster than `threshold` and than the free forces alone would make
    it in two steps, and its gap vanishes before the next search, or if it is late. With the acceleration a between the
    bodies the speed of impact follows from v_imp^2 = v^2 - 2 a g0, g0 the gap at the start of the step; the
    velocity given at the end of the step, where a gap d may be left, keeps the energy: v'^2 = e^2 v_imp^2 + 2 a d.
    So the height of a bounce does not depend on where in the step the impact falls. times: StepTimes.
    """
    count = step.contacts.count
    hit, target = np.empty(count, dtype=bool), np.empty(count)
    kernels.bounce_targets(columns_of_step(step), times, threshold, hit, target)
    return hit, target


def velocity_b(step, horizon, hit, target):
    """b of the velocity problem: v_n >= target for bounces, v_n >= -gap/horizon for open contacts, v_n >= 0 else.

    A bounce that grips turns its sliding velocity round by the tangential restitution (Newton's law, e_T): friction
    opposes v_T + e_T v_T-, so with e_T <= 1 a sphere gains no energy.
    """
    b = step.problem.b.copy()
    kernels.add_velocity_targets(step.problem.row_start, columns_of_step(step), horizon, hit, target, b)
    return b


def times_of(poses, h):
    """StepTimes of a step of h [s] from Poses."""
    return StepTimes(h, h - poses.remaining, poses.horizon)


def first_step(model, state, poses, contacts, settings):
    """(ContactStep, Asked, impulses (K,) of the warm start) of the contacts that the search found first; of scenes
    without joints."""
    arrays, found, impulse = first_asked(
        model.bodies, model.pairs, contacts, _earlier(state), _motion(poses),
        _wants(model, poses, contacts, None, settings), ContactProblem.sides,
    )  # fmt: skip
    return step_of(contacts, arrays), found, impulse


def asked_of_step(model, state, poses, step, impulse, settings):
    """What a ContactStep Asks that begins with impulses (K,)."""
    mass, wants = step.problem.inverse_mass, _wants(model, poses, step.contacts, step.joints, settings)
    linear = Linear(step.problem.arrays, mass.data, mass.mass)
    found = asked(model.bodies, linear, columns_of_step(step), _earlier(state), _motion(poses), wants, impulse)
    return found._replace(share=np.ones_like(found.share)) if off("inner_ring") else found


def columns_of_step(step):
    """The StepColumns of a ContactStep."""
    return StepColumns(*(getattr(step, name) for name in StepColumns._fields))


def _motion(poses):
    """The Motion of Poses."""
    return Motion(poses.position, poses.orientation, poses.before, poses.free)


def count_terms(model, state, poses, step, found, settings):
    """Count what acted in what a ContactStep Asks, `found`."""
    contacts, count = step.contacts, step.contacts.count
    settings.events.count("inner_ring", np.count_nonzero(found.share != 1.0))
    settings.events.some("impact_within_step", model, contacts, found.lands)
    settings.events.some("passed_contacts", model, contacts, found.passed)
    count_raised(model, poses.before, step, found, settings)
    if state.contacts.count == 0 or len(state.since) == 0 or count == 0:
        return
    b = step.problem.velocity(found.held) if found.held.any() else step.problem.b
    straight = b[step.first] + np.maximum(contacts.gap, 0.0) / poses.horizon
    moved = (np.abs(found.b[step.first] - straight) > found.tolerance[:count]) & ~(found.hit | found.lands)
    settings.events.some("jacobian_rate", model, contacts, moved)


def _earlier(state):
    since = np.zeros(0) if off("jacobian_rate") else state.since
    return Earlier(state.contacts, state.impulses, since, state.position)


def _wants(model, poses, contacts, joints, settings):
    """What a step with contacts and a JointStep, None for none, Wants."""
    times, numbers = times_of(poses, settings.time_step), goal_numbers(model, settings)
    acts = not off("impact_within_step"), not off("passed_contacts")
    return Wants(times, settings.bounce_threshold, numbers, couples_of(model, joints), acts)


def rows_at_end(model, poses, ends, step, hit, target, motion, free):
    """(ContactStep, b) with gaps and rows as they are where `motion` (R,6) ends, in the poses `ends` (R,3), (R,4): one
    Newton step on the level of positions, (48), (59) and (63) of the paper of 2019. model: with the masses of the step;
    free (R,6): velocities without impulses.

    Contacts are two points that ride on the bodies along a normal that stays. With the gap d and the rows J of the end
    of the step, reached with the velocities u, the next velocities u' obey d + h J (u' - u) >= 0, but no overlap that
    was there before becomes a velocity.
    """
    contacts, time = step.contacts, poses.remaining
    position, orientation = ends
    points = []
    for bodies, side in ((contacts.body_a, -0.5), (contacts.body_b, 0.5)):
        point = contacts.position + side * np.maximum(contacts.gap, 0.0)[:, None] * contacts.normal
        arm = point - poses.position[bodies]
        turn = rotation.matrix(orientation[bodies]) @ np.swapaxes(rotation.matrix(poses.orientation[bodies]), 1, 2)
        points.append(position[bodies] + np.einsum("cij,cj->ci", turn, arm))
    gap = np.einsum("ci,ci->c", points[1] - points[0], contacts.normal) + np.minimum(contacts.gap, 0.0)
    # Each body's point is its own, so that the arms are those of bodies that touch.
    moved = contacts._replace(position=0.5 * (points[0] + points[1]), gap=np.maximum(gap, 0.0))
    there = contact_step(model, position, orientation, poses.before, free, moved)
    b = velocity_b(replace(there, contacts=moved._replace(gap=np.zeros(contacts.count))), poses.horizon, hit, target)
    speed = contact_velocity(motion, position, moved, there.frame)[:, 0]
    asked = (gap - np.minimum(contacts.gap, 0.0)) / time - speed
    b[there.first] += np.where(hit, 0.0, asked)
    return replace(there, contacts=contacts, before=step.before), b


def carried_impulses(old, old_impulses, new, size, reach=None):
    """Impulses (C,5) for the contacts `new`: those of the same body pair and key in `old`, or of contacts that were in
    the same place, see carry_kernels.py.

    size (R,) [m] of the bodies; reach (R,) [m]: how far their points can have moved since, None: not known.
    """
    carried = np.zeros((new.count, 5))
    if off("carried_by_place"):
        source = _sources(old, new)
        carried[source >= 0] = old_impulses[source[source >= 0]]
        return carried
    carry(old, old_impulses, new, size, np.full(len(size), np.inf) if reach is None else reach, carried)
    return carried


def _sources(old, new):
    """Which contact (C,) of `old` has the bodies and key of each of `new`, -1 for none."""
    source = np.empty(new.count, dtype=np.int64)
    kernels.match(old, new, source)
    return source


def count_carried(model, state, contacts, events):
    """Count the loaded contacts of the last step whose keys none of `contacts` has."""
    lost = np.append(state.impulses[:, 0] > 0.0, False)
    lost[_sources(state.contacts, contacts)] = False
    events.some("carried_by_place", model, state.contacts, lost[:-1])


def to_rows(carried, frame, rows):
    """Row impulses (K,) of impulses (C,5) in the contact frames (C,3,3)."""
    impulse = np.empty(int(rows.sum()))
    kernels.world_to_rows(carried, frame, rows, impulse)
    return impulse


def four_columns(impulse, rows):
    """Row impulses (K,) as (C,4): normal, s, t, torsion, zero where a contact has no such row."""
    full = np.zeros((len(rows), 4))
    spread_rows(impulse, rows, full)
    return full


def from_rows(impulse, frame, rows):
    """Impulses (C,5) of row impulses (K,): normal, friction vector in the world frame, torsion."""
    carried = np.empty((len(rows), 5))
    kernels.rows_to_world(impulse, frame, rows, carried)
    return carried
