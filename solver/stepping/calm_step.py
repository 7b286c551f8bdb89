"""Calm steps: nothing hits, turns or flies far, nothing is pushed out of overlap, and one solve is enough.

Most steps of what stands or slides are such. They are made in four calls of kernels instead of some fifteen, for small
scenes spend most of their time between kernels. The bits are those of the general way (substeps.py), which makes every
step that turns out not to be calm, from its start.
"""

import time
from typing import Any, NamedTuple

import numpy as np

from .. import methods
from ..collision.broadphase.broad import MANY
from ..collision.contacts import ContactSet
from ..collision.convex.narrow_kernels import narrow
from ..dynamics.assembly_kernels import Earlier
from ..dynamics.contact_step import StepTimes, problem_of
from ..dynamics.goals import goal_numbers
from ..dynamics.impulses import BEFORE_SEARCH, SEARCH_MARGIN
from ..dynamics.jointed.state import joints_of
from ..jit import OfKnownTypes
from ..mechanisms import off
from ..methods.accelerated.plain_kernels import NOT_PLAIN
from ..methods.counted import improve_within
from ..options import changed
from ..problem import ContactProblem
from ..state import State
from . import calm_step_kernels as kernels
from .calm_kernels import calm_ahead
from .step_parts import Part
from .step_report import StepReport
from .step_review import GROWN, LOCKED

# Most steps that are left to the general way without a try, after such that were not calm.
MOST_LEFT = 16


class CalmSteps:
    """Tries to make steps of the midpoint scheme as calm ones."""

    def __init__(self):
        self._group = self._settings = self._given = self._made = None
        # Steps to leave to the general way, now and after the next one that is not calm.
        self._left = self._next = 0

    def step(self, group, state, settings):
        """The Part of a step of all bodies; None where it is not calm, or nobody has tried."""
        if self._group is not group or self._settings is not settings:
            self._group, self._settings, self._made = group, settings, None
            self._given = _given(group, settings) if _able(group.model, settings) else None
        if self._given is None:
            return None
        if self._left > 0:
            self._left -= 1
            return None
        # Kernels made what they are given: they need not ask for its types.
        part = _calm(group, state, settings, self._given, _are(state, self._made))
        self._made = None if part is None else _arrays(part.state)
        if part is not None:
            settings.work.solve(part.report.iterations * part.state.contacts.count)
            settings.events.count("calm_steps")
        self._next = 0 if part is not None else min(MOST_LEFT, 2 * self._next + 1)
        self._left = self._next
        return part


def _able(model, settings):
    """Whether steps of a model may be made so: small scenes of convex bodies that no joint and no path holds."""
    collision = model.collision
    convex = collision.meshes is None and collision.tetrahedra is None and not collision.compound
    free = model.joints.count == 0 and not model.kinematic and 0 < len(collision.geometry.kind) < MANY
    watched = settings.log is not None or settings.record is not None
    usual = settings.overlap == "soft" and settings.next_step is None and not watched
    if not (convex and free and usual and getattr(settings.method_options, "effort", 0) > 0):
        return False
    return not off("calm_steps") and methods.start_of(settings.method, settings.method_options) is not None


def _arrays(state):
    """What kernels are given of a state."""
    return state.position, state.orientation, state.twist, state.contacts, state.impulses, state.since


def _are(state, arrays):
    """Whether kernels are given these very `arrays` of a state; None: no."""
    if arrays is None:
        return False
    position, orientation, twist, contacts, impulses, since = arrays
    poses = state.position is position and state.orientation is orientation and state.twist is twist
    return poses and state.contacts is contacts and state.impulses is impulses and state.since is since


class Given(NamedTuple):
    """What all steps of a group have in common: what the broad phase and the narrow phase read, see begun and narrow;
    numbers: of the goals; calls: begun, narrow and solved, OfKnownTypes; horizon, since (R,): of the states after."""

    broad: tuple
    colliders: Any
    sizes: tuple
    moved: kernels.Moved
    times: StepTimes
    bounds: kernels.Bounds
    numbers: tuple
    solving: kernels.Solving
    calls: tuple
    horizon: np.ndarray
    since: np.ndarray


def _given(group, settings):
    """The Given of a group."""
    model, h, collision = group.model, settings.time_step, group.model.collision
    broad = collision.geometry, collision.inflation, collision.allowed
    sizes = collision.most_vertices, collision.most_edges, collision.most_corners
    moved = kernels.Moved(model.bodies, model.symmetry, np.exp(-h * model.damping))
    push = settings.overlap_tolerance, settings.push_rate, settings.largest_push
    bounds = kernels.Bounds(group.reach, group.allowed, GROWN, 0.5 * group.least[0], SEARCH_MARGIN, push, LOCKED)
    times = StepTimes(h, h - 0.5 * h, 0.5 * h + 0.5 * h)
    fast = 0.5 * SEARCH_MARGIN * model.size[group.moving].min(initial=np.inf) / times.horizon
    options = settings.method_options
    effort = options.effort, max(1, int(BEFORE_SEARCH * options.effort))
    solving = kernels.Solving(methods.start_of(settings.method, options), *effort, float(fast))
    calls = tuple(OfKnownTypes(kernel) for kernel in (kernels.begun, narrow, kernels.solved))
    count, remaining = model.body_count, times.remaining
    return Given(broad, collision.colliders, sizes, moved, times, bounds, goal_numbers(model, settings), solving, calls,
                 np.full(count, times.horizon) - remaining, np.full(count, remaining))  # fmt: skip


def _calm(group, state, settings, given, same):
    """The Part of a step of a group, None if it is not calm; same: whether the arrays of the state are of the types of
    the state before."""
    broad, colliders, sizes, moved, times, bounds, numbers, solving, (begun, find, solved), *_ = given
    h, (turn, fly), model = settings.time_step, group.least, group.model
    # As look_ahead, see there.
    if not calm_ahead(group.reach, state.twist, 1.5 * h, 0.5 * turn, 0.5 * fly):
        return None
    position, orientation, twist, free, place, pairs, lost = begun(
        same, *broad, moved, state.position, state.orientation, state.twist, times
    )
    if lost >= 0:
        return None
    contacts = ContactSet(*find(same, colliders, place, pairs, 0, len(pairs), times.horizon, -1.0, sizes))
    earlier = Earlier(state.contacts, state.impulses, state.since, state.position)
    there = position, orientation, twist
    began = time.perf_counter()
    calm, end, sweeps, residual, rest = solved(
        same, moved, bounds, model.pairs, contacts, earlier, there, free, state.twist, times, settings.bounce_threshold,
        numbers, solving, ContactProblem.sides,
    )  # fmt: skip
    if not calm:
        return None
    wall = time.perf_counter() - began
    if rest is not None:
        found = _gone_on(state, settings, given, contacts, there, free, rest)
        if found is None:
            return None
        end, graded = found
        sweeps, residual, wall = graded.iterations, graded.residual, wall + graded.wall_s
    after = State(state.time + h, end.position, end.orientation, end.twist, contacts, end.carried,
                  horizon=given.horizon, since=given.since, joints=joints_of(state))  # fmt: skip
    return Part(after, _report(state.time + h, sweeps, residual, wall, end.work), end.columns)


def _gone_on(state, settings, given, contacts, there, free, rest):
    """(Ended, SolveReport) after a solve that a kernel left Open, `rest`; None if the step is not calm."""
    moved, times, bounds = given.moved, given.times, given.bounds
    asked, options, impulse = rest.asked, settings.method_options, rest.impulse
    problem = changed(problem_of(rest.arrays, asked.b), forms={})
    goals = methods.Goals(asked.tolerance, asked.acceptable, asked.patience, rest.effort)
    if rest.solved[0] == NOT_PLAIN:
        solved = improve_within(problem, impulse, settings, goals, asked.share)
    else:
        solved = methods.gone_on(problem, impulse, rest.before, rest.solved, settings.method, options, goals,
                                 asked.share)  # fmt: skip
    if not solved.outcome.status.accepted:
        return None
    # What a solve leaves at -0 is 0.
    impulse = impulse + 0.0
    judged = solved.outcome.judged
    change = problem.velocity_change(impulse) if judged is None else judged[1]
    calm, end = kernels.ended(
        moved, bounds, rest.arrays, contacts, impulse, change, there, free, state.twist, times, ContactProblem.sides
    )
    if not calm:
        return None
    settings.events.all_of(solved.outcome.events)
    return end, methods.grade(problem, impulse, solved, True)


def _report(at, sweeps, residual, wall, work):
    """The StepReport of an accepted solve, from what work_of_step returned; wall [s]: of the calls that it took."""
    count, normal, friction, overlap, kinetic, potential = work
    return StepReport(
        time=at, contact_count=count, overlap=overlap, kinetic=kinetic, potential=potential, friction_work=friction,
        impact_loss=normal, stabilisation_work=0.0, residual=residual, iterations=sweeps,
        converged=True, solve_s=wall,
    )  # fmt: skip
