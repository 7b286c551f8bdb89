"""What a quiet step does with joints: their rows, the solve for them, and what is left of it after the step."""

import numpy as np

from ...dynamics.assembly_kernels import Linear, Wants, asked, columns_of, contact_arrays
from ...dynamics.goal_kernels import Couples, be_patient_at_first, effort_before_search
from ...dynamics.jointed.after_kernels import (
    CLOSED,
    carried,
    closed_poses,
    erring,
    snaps,
    sticking,
    turn_of_rows,
    work_of_joints,
)
from ...dynamics.jointed.block_kernels import acts_anew, with_blocks
from ...dynamics.jointed.row_kernels import Moments, fill_bounds, joint_rows, strengths
from ...dynamics.jointed.solution import LOADINGS, SAME
from ...dynamics.jointed.tension_kernels import swings
from ...dynamics.step_kernels import add_change
from ...jit import inner
from ...methods.accelerated.joined_kernels import held_status, solve_held, solve_joined
from ...methods.accelerated.plain_kernels import NOT_PLAIN
from ...methods.accelerated.turn_kernels import ACCEPTABLE, CONVERGED
from ...methods.base import EVEN_ROUNDS
from ...methods.even_islands_kernels import slipping_from_rest, spread_islands
from ...methods.even_kernels import Even
from ...methods.second_order.jointed_kernels import jointed_of
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.problem_kernels import add_velocity_change, diagonal_of
from ...problems.residual_kernels import natural_map
from .answers import BOTH, not_settled, with_numbers
from .contacts import answer_of_contacts
from .world import Answer, JointsNow


@inner
def are_taut(world, orientation, joints, pressed, limit):
    """Which bodies (R,) swing across the pull of joints and contacts by more than `limit` radians, see tension.py;
    pressed: see swings."""
    taut, t, most = np.zeros(orientation.shape[0], np.bool_), world.joints, limit * limit / world.times.step
    held = t.ends, t.anchor, t.pins
    swings(world.bodies, orientation, held, joints.broken, joints.load, pressed, most, taut)
    return taut


@inner
def with_joints(p, b, bounds):
    """The Arrays with b (k,) and bounds (n,2) of the joints, whose rows and blocks are the last."""
    every, rows = p.bounds.copy(), p.b.size - b.size
    every[every.shape[0] - bounds.shape[0] :] = bounds
    return with_numbers(p, np.concatenate((p.b[:rows], b)), p.mu, every)


@inner
def evened(p, mass, s, found, start, goals, impulse, before, size):
    """(whether that is done here, sweeps, sweeps times blocks) of the solves that spread loads which statics leaves
    open and bring impulses (K,), in place, in line with them, see methods._made_even; before (K,): those of the warm
    start; s: the Jointed. What slips from rest is left to the general way."""
    chosen, calm = np.zeros(p.kind.size, np.bool_), found.patience > start.limits.patience
    if slipping_from_rest(p, impulse, before, found.tolerance, calm, start.loads, size, chosen) > 0:
        return False, 0, 0
    even, diagonal, sweeps, relaxed = Even(found.tolerance, found.share, start.loads), diagonal_of(p), 0, 0
    for _ in range(EVEN_ROUNDS):
        last = impulse.copy()
        chosen[:] = False
        spread_islands(p, diagonal, impulse, before, even, size, chosen)
        if not chosen.any():
            break
        before, wanted = impulse.copy(), np.where(chosen, found.tolerance, np.inf)
        how, more, work, _, _, _ = solve_joined(p, mass, s, (wanted, goals[1], goals[2], goals[3]), start, impulse,
                                                size)  # fmt: skip
        if how == NOT_PLAIN:
            return False, 0, 0
        if how != CONVERGED:
            impulse[:] = last
            break
        sweeps, relaxed = sweeps + more, relaxed + work
    return True, sweeps, relaxed


@inner
def bounds_by_loads(t, joined, own, h, bounds):
    """Whether friction in bearings hangs on loads: then bounds (n,2) are those of the impulses own (k,) of the rows."""
    found = False
    for k in range(t.rows.role.size):
        found = found or t.rows.grip[k] != 0.0
    if found:
        impulse, most = np.zeros(t.rows.role.size), np.empty(t.rows.role.size)
        for i in range(joined.rows.size):
            impulse[joined.rows[i]] = own[i]
        strengths(t.rows, impulse, h, most)
        fill_bounds(t, joined.blocks, most, bounds)
    return found


@inner
def unsettled(bounds, before, label):
    """(how many islands have bounds (n,2) that changed, of how many); label (n,): of their blocks."""
    islands, changed = np.zeros(label.max() + 1, np.bool_), np.zeros(label.max() + 1, np.bool_)
    for x in range(bounds.shape[0]):
        islands[label[x]] = True
        for i in range(2):
            if np.isfinite(bounds[x, i]) and not abs(bounds[x, i] - before[x, i]) <= SAME * abs(bounds[x, i]):
                changed[label[x]] = True
    return changed.sum(), islands.sum()


@inner
def turning(joined):
    """What turn_of_rows takes of JointRows."""
    return joined.value, joined.derivative, joined.rows, joined.stiff


@inner
def turned_twice(world, at, joined, solve, found, total, twist):
    """The Answer after the joints were solved for again with their rows as they turn until the end of the step, see
    jointed.solution.turned_solution; solve: (Arrays, those with b = J u_f of contacts, what their b holds of joints'
    turning (k,), Jointed, mass as in solve_plain, sweeps and work so far).

    total (K,) and twist (R,6): impulses and velocities of the first solve.
    """
    t, bodies, times, start = world.joints, world.bodies, world.times, world.solving.start
    p, own, turned_at_first, s, mass, sweeps, relaxed = solve
    rows, size = p.b.size - joined.b.size, 6 * np.count_nonzero(bodies.dof_of_body >= 0)
    bounds, goals = joined.bounds.copy(), (found.tolerance, found.acceptable, found.patience, found.effort)
    turned = turn_of_rows(t, bodies, world.symmetry, turning(joined), (at.position, at.orientation), twist,
                          times.step - times.elapsed)  # fmt: skip
    impulse, anew = total - found.held, acts_anew(t, joined, found.of_block)
    by_loads, before, idle = bounds_by_loads(t, joined, impulse[rows:], times.step, bounds), impulse.copy(), 0
    for k in s.held.blocks:
        idle += not anew[k]
    if idle > 0 and s.carried.fits and anew.any():
        return not_settled(impulse, p, found, joined)
    asked = np.where(anew, goals[0], np.inf), goals[1], goals[2], goals[3]
    residual, change, b = np.zeros(p.kind.size), np.zeros(size), own.b[rows:]
    # As it is added to another problem's.
    later = b - (turned - turned_at_first)
    for _ in range((LOADINGS if by_loads else 1) if anew.any() else 0):
        p = with_joints(p, b + (later - b), bounds)
        done, more, work = solve_held(p, mass, s, asked, start, impulse, size)
        if not done:
            return not_settled(impulse, p, found, joined)
        sweeps, relaxed = more + 1 if anew.all() else sweeps + more + 1, relaxed + work - idle
        for k in range(anew.size):
            if not anew[k]:
                for i in range(p.row_start[k], p.row_start[k + 1]):
                    impulse[i] = before[i]
        last = bounds.copy()
        if not bounds_by_loads(t, joined, impulse[rows:], times.step, bounds):
            break
        some, every = unsettled(bounds, last, found.of_block[found.hit.size :])
        if some == 0:
            break
        # An island whose friction is settled keeps it: the general way solves for the others alone.
        if some < every:
            return not_settled(impulse, p, found, joined)
    (offset, diagonal), mine = diagonal_of(p), np.zeros(size)
    total = impulse + found.held if anew.any() else total
    impulse = total - found.held
    add_velocity_change(p, impulse, mine)
    natural_map(p, offset, diagonal, impulse, mine, residual)
    how = held_status(p, s, goals, residual)
    add_velocity_change(p, total, change)
    own = with_joints(own, later, bounds)
    return Answer(how <= ACCEPTABLE, change, sweeps, residual.max(), relaxed, total, own, p, found, joined,
                  found.tolerance[found.hit.size :])  # fmt: skip


@inner
def answer_with_joints(world, now, at, contacts, earlier, begun):
    """The Answer of a step with joints; begun: StepArrays of its contacts, impulses of the warm start, loaded (C,)."""
    t, bodies, times, solving = world.joints, world.bodies, world.times, world.solving
    out, warm, loaded = begun
    start, size, joints = solving.start, out.W.size // 6, now.joints
    state = joints.value, joints.impulse, joints.broken, np.zeros(joints.impulse.size)
    joined = joint_rows(t, bodies, state, at.pushed, at.orientation, at.free, at.before,
                        Moments(times.step, times.horizon, False))  # fmt: skip
    if joined.blocks.size == 0:
        # All have broken, let go or are between their limits.
        free = answer_of_contacts(world, contacts, at, earlier, begun)
        return Answer(free.settled, free.change, free.sweeps, free.residual, free.relaxed, free.impulse, free.own,
                      free.problem, free.found, joined, free.tolerance)  # fmt: skip
    impulse = np.concatenate((warm, joints.impulse[joined.rows]))
    turned = turn_of_rows(t, bodies, world.symmetry, turning(joined), (at.position, at.orientation), at.before,
                          times.step - times.elapsed)  # fmt: skip
    own = with_blocks(t, contact_arrays(out, out.b, solving.sides), contacts, joined, joined.b - turned)
    couples = Couples(t.coupled, joined.bodies, t.blocks.body, joined.driven)
    wants = Wants(times, solving.threshold, solving.numbers, couples, BOTH)
    found = asked(bodies, Linear(own, out.W, out.M), columns_of(out, contacts), earlier, at, wants, impulse)
    if zero_times_sum(impulse) != 0.0:
        return not_settled(impulse, own, found, joined)
    every = np.concatenate((loaded, np.ones(joined.blocks.size, np.bool_)))
    be_patient_at_first(found.of_block, every, solving.numbers[2][1], found.patience, found.effort)
    p = with_numbers(own, np.concatenate((found.b[: warm.size], own.b[warm.size :])), own.mu, own.bounds)
    if not sound(p):
        return not_settled(impulse, own, found, joined)
    effort = effort_before_search(found.of_block, found.hit.size, solving.part, found.small, found.effort)
    goals, mass = (found.tolerance, found.acceptable, found.patience, effort), (out.mass_start, out.mass_offset, out.W)
    s = jointed_of(p, mass, size)
    if not s.fits:
        return not_settled(impulse, own, found, joined)
    answer, change = impulse - found.held, np.zeros(size)
    before = answer.copy()
    how, sweeps, relaxed, _, _, _ = solve_joined(p, mass, s, goals, start, answer, size)
    if how > ACCEPTABLE:
        return not_settled(impulse, own, found, joined)
    here, more, work = evened(p, mass, s, found, start, goals, answer, before, size)
    if not here:
        return not_settled(impulse, own, found, joined)
    sweeps, relaxed = sweeps + more, relaxed + work
    # What a solve leaves at -0 is 0.
    impulse, twist = answer + found.held, at.free.copy()
    add_velocity_change(p, impulse, change)
    add_change(bodies.dof_of_body, change, twist)
    solve = p, own, turned, s, mass, sweeps, relaxed
    return turned_twice(world, at, joined, solve, found, impulse, twist)


@inner
def after_joints(world, now, joined, own, position, orientation):
    """(whether one snapped, (position, orientation), JointsNow) after a step whose joints carried the impulses own
    (k,), closed."""
    t, joints, h = world.joints, now.joints, world.times.step
    impulse, load, value = np.empty_like(joints.impulse), np.empty_like(joints.load), np.empty_like(joints.value)
    strain, broken = joints.strain.copy(), joints.broken.copy()
    carried(t, (joined.derivative, joined.orientation, joined.rows), own, h, impulse, load, strain, broken)
    snapped = snaps(joints.broken, broken, strain).any()
    sticks = sticking(t, joints.sticks, impulse, h)
    position, orientation = closed_poses(t, world.bodies, broken, joints.value, position, orientation, CLOSED, value)
    return snapped, (position, orientation), JointsNow(value, impulse, load, strain, broken, sticks)


@inner
def ask_for_halves(world, answer, taut, own, twists, asking):
    """Whether bodies ask for halves of a step by what it made of their joints: then asking (R,3) has those that are
    `taut` (R,), those by the work of held rows, see solution.erring_bodies, and the island of each body; twists (R,6):
    in its middle, at the end of the step before, and of the solution."""
    bodies, bounds, (before, former, twist) = world.bodies, world.bounds, twists
    errs = erring(world.joints, bodies, answer.joined, own, answer.tolerance, (before, former, twist), bounds.errs)
    asking[:, 0], asking[:, 1], asking[:, 2] = taut, errs, answer.found.of_body
    return taut.any() or errs.any()


@inner
def worked(world, answer, own, free, twist):
    """Work [J] of all joints in a step."""
    every = np.ones(world.bodies.mass.size, np.bool_)
    return work_of_joints(world.joints, world.bodies, answer.joined, own, every, free, twist, world.times.step)
