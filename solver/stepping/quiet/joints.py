"""What a quiet step does with joints: their rows, the solve for them, and what is left of it after the step."""


import numpy as np

from ...dynamics.assembly_kernels import Linear, Wants, asked, columns_of, contact_arrays
from ...dynamics.goal_kernels import Couples, be_patient_at_first
from ...dynamics.jointed.after_kernels import (
    CLOSED,
    carried,
    closed_poses,
    erring,
    sticking,
    turn_of_rows,
    work_of_joints,
)
from ...dynamics.jointed.row_kernels import JointRows, Moments, fill_bounds, joint_rows, strengths
from ...dynamics.jointed.solution import LOADINGS, SAME
from ...dynamics.jointed.tension_kernels import swings
from ...dynamics.step_kernels import add_change
from ...jit import inner
from ...methods.accelerated.joined_kernels import held_status, solve_joined
from ...methods.accelerated.turn_kernels import ACCEPTABLE
from ...methods.even_islands_kernels import slipping_from_rest, spread_islands
from ...methods.even_kernels import Even
from ...methods.second_order.jointed_kernels import jointed_of, solve_jointed
from ...problems.check_kernels import sound, zero_times_sum
from ...problems.problem_kernels import Arrays, BlockRows, add_velocity_change, diagonal_of
from ...problems.residual_kernels import natural_map
from .world import Answer, JointsNow


@inner
def no_rows():
    """JointRows of a step without joints."""
    none, real, integer = np.zeros(0, np.int64), np.zeros(0), np.zeros(1, np.int64)
    rows = BlockRows(integer, none, none, none, real)
    return JointRows(real, np.zeros((0, 2, 6)), real, none, none, none, none, integer, rows, rows, real, none, real,
                     np.zeros((0, 2)), np.zeros(0, np.bool_), real, np.zeros((0, 3, 3)))  # fmt: skip


@inner
def not_settled(impulse, own, joined):
    """The Answer of a solve that leaves something to the general way."""
    return Answer(False, np.zeros(0), 0, np.inf, 0, impulse, own, joined, np.zeros(0))


@inner
def is_taut(t, bodies, orientation, joints, limit, h):
    """Whether a body swings across the pull of its joints by more than `limit` radians in h seconds, see tension.py."""
    taut = np.zeros(orientation.shape[0], np.bool_)
    swings(bodies, orientation, (t.ends, t.anchor, t.pins), joints.broken, joints.load, limit * limit / h, taut)
    return taut.any()


@inner
def joined_rows(first, second):
    """BlockRows of the blocks of both, in turn."""
    count, more = first.indptr.size - 1, second.indptr.size - 1
    size, extra = first.start.size, second.start.size
    indptr = np.empty(count + more + 1, np.int64)
    start, width, offset = (np.empty(size + extra, np.int64), np.empty(size + extra, np.int64),
                            np.empty(size + extra, np.int64))  # fmt: skip
    for k in range(count + 1):
        indptr[k] = first.indptr[k]
    for k in range(more + 1):
        indptr[count + k] = first.indptr[count] + second.indptr[k]
    for s in range(size):
        start[s], width[s], offset[s] = first.start[s], first.size[s], first.offset[s]
    for s in range(extra):
        start[size + s], width[size + s] = second.start[s], second.size[s]
        offset[size + s] = first.data.size + second.offset[s]
    return BlockRows(indptr, start, width, offset, np.concatenate((first.data, second.data)))


@inner
def whole_arrays(p, joined, b, bounds):
    """The Arrays of contacts `p` with the blocks of joints behind them, which have b (k,) and bounds (n,2)."""
    count, more, rows = p.kind.size, joined.kind.size, p.row_start[p.kind.size]
    kind, law, mu = np.empty(count + more, np.int64), np.zeros(count + more, np.int64), np.zeros((count + more, 3))
    row_start, offset = np.empty(count + more + 1, np.int64), np.empty(count + more, np.int64)
    every = np.empty((count + more, 2))
    for k in range(count):
        kind[k], law[k], offset[k], row_start[k] = p.kind[k], p.law[k], p.compliance_offset[k], p.row_start[k]
        every[k, 0], every[k, 1] = p.bounds[k, 0], p.bounds[k, 1]
        for i in range(3):
            mu[k, i] = p.mu[k, i]
    for x in range(more):
        kind[count + x], offset[count + x] = joined.kind[x], joined.compliance_offset[x]
        every[count + x, 0], every[count + x, 1] = bounds[x, 0], bounds[x, 1]
    for x in range(more + 1):
        row_start[count + x] = rows + joined.row_start[x]
    J, G = joined_rows(p.J, joined.J), joined_rows(p.G, joined.G)
    return Arrays(kind, row_start, J, G, np.concatenate((p.b, b)), law, mu, every, offset, joined.compliance, p.sides)


@inner
def with_joints(p, b, bounds):
    """Arrays `p` with b (K,), and with bounds (n,2) of the joints' blocks, which are the last."""
    every, count = p.bounds.copy(), p.kind.size - bounds.shape[0]
    for x in range(bounds.shape[0]):
        every[count + x, 0], every[count + x, 1] = bounds[x, 0], bounds[x, 1]
    return Arrays(p.kind, p.row_start, p.J, p.G, b, p.law, p.mu, every, p.compliance_offset, p.compliance, p.sides)


@inner
def shares_open(p, start, found, impulse, before, size):
    """Whether loads that statics leaves open are to be spread, or a first answer slips from rest."""
    calm, chosen = found.patience > start.limits.patience, np.zeros(p.kind.size, np.bool_)
    if slipping_from_rest(p, impulse, before, found.tolerance, calm, start.loads, size, chosen) > 0:
        return True
    chosen[:] = False
    even = Even(found.tolerance, found.share, start.loads)
    spread_islands(p, diagonal_of(p), impulse.copy(), before, even, size, chosen)
    return chosen.any()


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
def turned_twice(world, at, joined, solve, found, impulse, twist, own):
    """The Answer after the joints were solved for again with their rows as they turn until the end of the step, see
    jointed.solution.turned_solution; solve: (Arrays of contacts and joints, what their b holds of joints' turning (k,),
    Jointed, sweeps and work so far).

    impulse (K,) and twist (R,6): of the first solve, the impulses are changed in place; own: see Answer.
    """
    t, bodies, times, start = world.joints, world.bodies, world.times, world.solving.start
    p, held, s, sweeps, relaxed = solve
    rows, size = p.b.size - joined.b.size, 6 * np.count_nonzero(bodies.dof_of_body >= 0)
    bounds, goals = joined.bounds.copy(), (found.tolerance, found.acceptable, found.patience, found.effort)
    turned = turn_of_rows(t, bodies, world.symmetry, turning(joined), (at.position, at.orientation), twist,
                          times.step - times.elapsed)  # fmt: skip
    by_loads, alone, b = bounds_by_loads(t, joined, impulse[rows:], times.step, bounds), s.rest.size == 0, p.b
    residual, change, how = np.zeros(p.kind.size), np.zeros(size), 0
    # As it is added to another problem's.
    own_b = b[rows:] + ((b[rows:] - (turned - held)) - b[rows:])
    for _ in range(LOADINGS if by_loads else 1):
        p = with_joints(p, np.concatenate((b[:rows], own_b)), bounds)
        done, more, work = solve_jointed(p, s, goals, start, impulse)
        if not done:
            return not_settled(impulse, own, joined)
        sweeps, relaxed = more + 1 if alone else sweeps + more + 1, relaxed + work
        before = bounds.copy()
        if not bounds_by_loads(t, joined, impulse[rows:], times.step, bounds):
            break
        some, every = unsettled(bounds, before, found.of_block[found.hit.size :])
        if some == 0:
            break
        # An island whose friction is settled keeps it: the general way solves for the others alone.
        if some < every:
            return not_settled(impulse, own, joined)
    add_velocity_change(p, impulse, change)
    offset, diagonal = diagonal_of(p)
    natural_map(p, offset, diagonal, impulse, change, residual)
    how = held_status(p, s, goals, residual)
    return Answer(how <= ACCEPTABLE, change, sweeps, residual.max(), relaxed, impulse, own, joined,
                  found.tolerance[found.hit.size :])  # fmt: skip


@inner
def first_effort(found, joined, solving):
    """Effort (B,) before contacts are searched for again: islands with joints have all of theirs."""
    contacts, effort = found.hit.size, found.effort.copy()
    jointed = np.zeros(found.of_body.size, np.bool_)
    for x in range(joined.blocks.size):
        jointed[found.of_block[contacts + x]] = True
    for k in range(effort.size):
        if effort[k] == solving.effort and not jointed[found.of_block[k]]:
            effort[k] = solving.first_effort
    return effort


@inner
def answer_with_joints(world, now, at, contacts, earlier, begun):
    """The Answer of a step with joints; begun: StepArrays of its contacts, impulses of the warm start, loaded (C,)."""
    t, bodies, times, solving = world.joints, world.bodies, world.times, world.solving
    out, warm, loaded = begun
    start, size, joints = solving.start, out.W.size // 6, now.joints
    state = joints.value, joints.impulse, joints.broken, np.zeros(joints.impulse.size)
    joined = joint_rows(t, bodies, state, at.pushed, at.orientation, at.free, at.before,
                        Moments(times.step, times.horizon, False))  # fmt: skip
    impulse = np.concatenate((warm, joints.impulse[joined.rows]))
    turned = turn_of_rows(t, bodies, world.symmetry, turning(joined), (at.position, at.orientation), at.before,
                          times.step - times.elapsed)  # fmt: skip
    own = whole_arrays(contact_arrays(out, out.b, solving.sides), joined, joined.b - turned, joined.bounds)
    couples = Couples(t.coupled, joined.bodies, t.blocks.body, joined.driven)
    wants = Wants(times, solving.threshold, np.zeros(0), 0.0, solving.numbers, couples)
    found = asked(bodies, Linear(own, out.W, out.M), columns_of(out, contacts), earlier, at, wants, impulse)
    hard = found.onset or found.hit.any()
    for k in range(found.hit.size):
        hard = hard or out.before[k, 0] < -solving.fast
    if hard or joined.blocks.size == 0 or zero_times_sum(impulse) != 0.0:
        return not_settled(impulse, own, joined)
    every = np.concatenate((loaded, np.ones(joined.blocks.size, np.bool_)))
    be_patient_at_first(found.of_block, every, solving.numbers[2][2], found.patience, found.effort)
    p = with_joints(own, np.concatenate((found.b[: warm.size], own.b[warm.size :])), joined.bounds)
    if not sound(p):
        return not_settled(impulse, own, joined)
    effort = first_effort(found, joined, solving)
    s, goals = jointed_of(p, size), (found.tolerance, found.acceptable, found.patience, effort)
    if not s.fits:
        return not_settled(impulse, own, joined)
    before, mass = impulse.copy(), (out.mass_start, out.mass_offset, out.W)
    how, sweeps, relaxed, _, change, _ = solve_joined(p, mass, s, goals, start, impulse, size)
    if how > ACCEPTABLE or shares_open(p, start, found, impulse, before, size):
        return not_settled(impulse, own, joined)
    # What a solve leaves at -0 is 0.
    impulse, twist = impulse + 0.0, at.free.copy()
    add_change(bodies.dof_of_body, change, twist)
    solve = p, turned, s, sweeps, relaxed
    return turned_twice(world, at, joined, solve, found, impulse, twist, own)


@inner
def after_joints(world, now, joined, own, position, orientation):
    """(position, orientation, JointsNow) after a step whose joints carried the impulses own (k,), closed."""
    t, joints, h = world.joints, now.joints, world.times.step
    impulse, load, value = np.empty_like(joints.impulse), np.empty_like(joints.load), np.empty_like(joints.value)
    strain, broken = joints.strain.copy(), joints.broken.copy()
    carried(t, (joined.derivative, joined.orientation, joined.rows), own, h, impulse, load, strain, broken)
    sticks = sticking(t, joints.sticks, impulse, h)
    position, orientation = closed_poses(t, world.bodies, broken, joints.value, position, orientation, CLOSED, value)
    return position, orientation, JointsNow(value, impulse, load, strain, broken, sticks)


@inner
def errs(world, answer, own, before, twist):
    """Whether held rows did too much work, see solution.erring_bodies."""
    return erring(world.joints, world.bodies, answer.joined, own, answer.tolerance, before, twist, 1.0).any()


@inner
def worked(world, answer, own, free, twist):
    """Work [J] of all joints in a step."""
    every = np.ones(world.bodies.mass.size, np.bool_)
    return work_of_joints(world.joints, world.bodies, answer.joined, own, every, free, twist, world.times.step)
