"""Calm steps: nothing hits, turns or flies far, nothing is pushed out of overlap, and one solve is enough.

Most steps of what stands or slides are such. They are made in five calls of kernels instead of some fifteen, for small
scenes spend most of their time between kernels. The bits are those of the general way (substeps.py), which makes every
step that turns out not to be calm, from its start.
"""

import numpy as np

from .. import methods
from ..collision.broadphase.broad import MANY
from ..collision.contacts import ContactSet
from ..collision.convex.narrow_kernels import narrow
from ..dynamics.assembly_kernels import Earlier, first_asked
from ..dynamics.contact_step import StepTimes, problem_of
from ..dynamics.goals import goal_numbers
from ..dynamics.impulses import BEFORE_SEARCH, SEARCH_MARGIN
from ..dynamics.jointed.state import joints_of
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
# What first_asked takes for `sooner` where no body turns.
NONE_TURNS = np.zeros(0)


class CalmSteps:
    """Tries to make steps of the midpoint scheme as calm ones."""

    def __init__(self):
        self._group = self._settings = self._given = None
        # Steps to leave to the general way, now and after the next one that is not calm.
        self._left = self._next = 0

    def step(self, group, state, settings):
        """The Part of a step of all bodies; None where it is not calm, or nobody has tried."""
        if self._group is not group or self._settings is not settings:
            self._group, self._settings = group, settings
            self._given = _given(group, settings) if _able(group.model, settings) else None
        if self._given is None:
            return None
        if self._left > 0:
            self._left -= 1
            return None
        part = _calm(group, state, settings, self._given)
        self._next = 0 if part is not None else min(MOST_LEFT, 2 * self._next + 1)
        self._left = self._next
        return part


def _able(model, settings):
    """Whether steps of a model may be made so: small scenes of convex bodies that no joint and no path holds."""
    collision = model.collision
    convex = collision.meshes is None and collision.tetrahedra is None and not collision.compound
    free = model.joints.count == 0 and not model.kinematic and 0 < len(collision.geometry.kind) < MANY
    usual = settings.overlap == "soft" and settings.next_step is None and settings.record is None
    return convex and free and usual and getattr(settings.method_options, "effort", 0) > 0


def _given(group, settings):
    """What all steps have in common: what the broad and the narrow phase read, Moved, StepTimes, Bounds, numbers of the
    goals, and the speed [m/s] of a blow that changes too much."""
    model, h, collision = group.model, settings.time_step, group.model.collision
    searched = collision.geometry, collision.inflation, collision.allowed
    sizes = collision.most_vertices, collision.most_edges, collision.most_corners
    moved = kernels.Moved(model.bodies, model.symmetry, np.exp(-h * model.damping))
    push = settings.overlap_tolerance, settings.push_rate, settings.largest_push
    bounds = kernels.Bounds(group.reach, group.allowed, GROWN, 0.5 * group.least[0], SEARCH_MARGIN, push, LOCKED)
    times = StepTimes(h, h - 0.5 * h, 0.5 * h + 0.5 * h)
    fast = 0.5 * SEARCH_MARGIN * model.size[group.moving].min(initial=np.inf) / times.horizon
    return searched, (collision.colliders, sizes), moved, times, bounds, goal_numbers(model, settings), fast


def _calm(group, state, settings, given):
    """The Part of a step of a group, None if it is not calm."""
    (geometry, inflation, allowed), (colliders, sizes), moved, times, bounds, numbers, fast = given
    h, (turn, fly), model = settings.time_step, group.least, group.model
    # As look_ahead, see there.
    if not calm_ahead(group.reach, state.twist, 1.5 * h, 0.5 * turn, 0.5 * fly):
        return None
    position, orientation, twist, free, place, pairs, lost = kernels.begun(
        geometry, inflation, allowed, moved, state.position, state.orientation, state.twist, times
    )
    if lost >= 0:
        return None
    contacts = ContactSet(*narrow(colliders, place, pairs, 0, len(pairs), times.horizon, -1.0, sizes))
    earlier = Earlier(state.contacts, state.impulses, state.since, state.position)
    arrays, found, impulse = first_asked(
        model.bodies, model.pairs, contacts, earlier, position, orientation, twist, free, times,
        settings.bounce_threshold, NONE_TURNS, 0.0, numbers, ContactProblem.sides,
    )  # fmt: skip
    # What is stopped from such a speed will have left where contacts were searched for.
    if found.onset or found.hit.any() or (arrays.before[:, 0] < -fast).any():
        return None
    options = settings.method_options
    effort = np.where(found.effort == options.effort, max(1, int(BEFORE_SEARCH * options.effort)), found.effort)
    goals = methods.Goals(found.tolerance, found.acceptable, found.patience, effort)
    problem = changed(problem_of(arrays, found.b), forms={})
    solved = methods.improve(problem, impulse, settings.method, options, goals, found.share)
    if not solved.outcome.status.accepted:
        return None
    # What a solve leaves at -0 is 0.
    impulse = impulse + 0.0
    judged = solved.outcome.judged
    change = problem.velocity_change(impulse) if judged is None else judged[1]
    calm, end = kernels.ended(
        moved, bounds, arrays, contacts, impulse, change, (position, orientation, twist), free, state.twist, times,
        ContactProblem.sides,
    )  # fmt: skip
    if not calm:
        return None
    report = _report(state.time + h, methods.grade(problem, impulse, solved, True), end.work)
    count, remaining = len(position), times.remaining
    after = State(state.time + h, end.position, end.orientation, end.twist, contacts, end.carried,
                  horizon=np.full(count, times.horizon) - remaining, since=np.full(count, remaining),
                  joints=joints_of(state))  # fmt: skip
    return Part(after, report, end.columns)


def _report(time, graded, work):
    """The StepReport of an accepted solve, from what work_of_step returned."""
    count, normal, friction, overlap, kinetic, potential = work
    return StepReport(
        time=time, contact_count=count, overlap=overlap, kinetic=kinetic, potential=potential, friction_work=friction,
        impact_loss=normal, stabilisation_work=0.0, residual=graded.residual, iterations=graded.iterations,
        converged=graded.status.accepted, solve_s=graded.wall_s,
    )  # fmt: skip
