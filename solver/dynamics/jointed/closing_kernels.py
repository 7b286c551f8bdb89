"""Kernels: poses in which joints are closed, all rounds in one call."""

import numpy as np

from ...jit import inner, kernel
from ...methods.second_order import profile_kernels as profiles
from ...methods.second_order.profile_layout_kernels import profile_of
from ..step_kernels import move, rotation_matrices
from .function_kernels import add_displacement, evaluate, row_values, segments_of

# Rounds of closing at most, and how much less a round must leave for the next to keep its derivatives.
ROUNDS, GOOD = 8, 1e-3


@inner
def opened(t, joints, g, off, left):
    """How far [m] the widest block of each group is open beyond its `limit` (B,), into left (groups,); marks such
    blocks in off (B,). Returns whether there are any. joints: see closed."""
    (limits, allowed, limit), group = joints, t.group
    left[:] = 0.0
    for q in range(limit.size):
        first = t.blocks.row_start[q]
        wide = -g[first] if limits[q] else 0.0
        if not limits[q]:
            for k in range(first, t.blocks.row_start[q + 1]):
                wide = max(wide, abs(g[k]))
        off[q] = allowed[q] and wide > limit[q]
        if off[q]:
            left[group[q]] = max(left[group[q]], wide)
    return left.any()


@inner
def chosen_blocks(t, joints, off, left, last, used, stale):
    """Numbers (n,) of the blocks that are closed: those of groups that are `left` open, of limits the passed ones.

    Marks in stale (groups,) the groups whose derivatives are to be taken anew: other blocks than in used (B,), which
    gets those of now, or too little gained on what was left open `last`, likewise.
    """
    limits, allowed, group = joints[0], joints[1], t.group
    chosen, many = np.empty(limits.size, np.int64), 0
    for i in range(left.size):
        stale[i] = left[i] > GOOD * last[i]
        last[i] = left[i]
    for q in range(limits.size):
        now = allowed[q] and left[group[q]] > 0.0 and (off[q] or not limits[q])
        if now != used[q] and left[group[q]] > 0.0:
            stale[group[q]] = True
        used[q] = now
        if now:
            chosen[many] = q
            many += 1
    return chosen[:many].copy()


@inner
def refresh(t, stale, J, R, held_J, held_R):
    """Take over derivatives J (F,2,6) and orientations R (R,3,3) of the groups that are stale."""
    b, r, group = t.blocks, t.rows, t.group
    for q in range(group.size):
        if not stale[group[q]]:
            continue
        for k in range(r.start[b.row_start[q]], r.start[b.row_start[q + 1]]):
            held_J[r.function[k]] = J[r.function[k]]
        for s in range(b.body_start[q], b.body_start[q + 1]):
            held_R[b.body[s]] = R[b.body[s]]


@inner
def factorised(t, bodies, use, J, R):
    """(G, rows (k,) of the tables, Profile) of the blocks `use` (n,)."""
    row_start, J_rows, G_rows = segments_of(t, use, bodies, R, J)
    blocks = np.arange(use.size)
    held = profile_of(row_start, J_rows, G_rows, (np.full(use.size, -1), np.zeros(0)), blocks, True)
    rows = np.empty(held.rows.size, np.int64)
    for x in range(use.size):
        k = held.blocks[x]
        for i in range(held.place[x], held.place[x + 1]):
            rows[i] = held.rows[i] - row_start[k] + t.blocks.row_start[use[k]]
    return G_rows, rows, held


@inner
def displacement(bodies, factors, g, body_count):
    """dq = W J^T mu (R,6) [m, rad] with J dq = -g, with what `factorised` returned."""
    G, rows, held = factors
    rhs = np.empty((1, rows.size))
    for k in range(rows.size):
        rhs[0, k] = -g[rows[k]]
    change = np.zeros(6 * body_count)
    add_displacement(G, held.blocks, held.place, profiles.solve(held, rhs)[0], change)
    shift = np.zeros((body_count, 6))
    for i in range(body_count):
        dof = bodies.dof_of_body[i]
        if dof >= 0:
            shift[i] = change[dof : dof + 6]
    return shift


@kernel
def displacement_of(t, bodies, use, J, R, g):
    """dq = W J^T mu (R,6) of the blocks `use` (n,) with J dq = -g, for derivatives J (F,2,6) at orientations R
    (R,3,3)."""
    return displacement(bodies, factorised(t, bodies, use, J, R), g, R.shape[0])


@kernel
def closed(t, bodies, joints, position, orientation, before, value):
    """(position (R,3), orientation (R,4)) with the joints closed, see projection.closed_poses; fills value (F,).

    t: Tables; joints: (limits (B,), allowed (B,), limit (B,) [m]); before (F,): values a moment ago. Nothing about a
    group is decided from another.
    """
    count, size = position.shape[0], joints[0].size
    J, g, R = np.empty((before.size, 2, 6)), np.empty(t.rows.role.size), np.empty((count, 3, 3))
    off, used, stale = np.zeros(size, np.bool_), np.zeros(size, np.bool_), np.zeros(count + 1, np.bool_)
    left, last = np.zeros(count + 1), np.full(count + 1, np.inf)
    rotation_matrices(orientation, R)
    evaluate(t.functions, position, R, before, value, J)
    row_values(t.rows, value, g)
    if not opened(t, joints, g, off, left):
        return position, orientation
    # Of each group the derivatives that its factors were made of: another one's need of new ones changes nothing of it.
    held_J, held_R, use = J.copy(), R.copy(), chosen_blocks(t, joints, off, left, last, used, stale)
    held = factorised(t, bodies, use, held_J, held_R)
    for k in range(ROUNDS):
        if k > 0 and not opened(t, joints, g, off, left):
            break
        chosen = chosen_blocks(t, joints, off, left, last, used, stale) if k > 0 else use
        if k > 0 and (stale.any() or not np.array_equal(chosen, use)):
            refresh(t, stale, J, R, held_J, held_R)
            use = chosen
            held = factorised(t, bodies, use, held_J, held_R)
        shift = displacement(bodies, held, g, count)
        old, position, orientation = (position, orientation), np.empty_like(position), np.empty_like(orientation)
        move(old[0], old[1], shift, 1.0, position, orientation)
        rotation_matrices(orientation, R)
        evaluate(t.functions, position, R, before, value, J)
        row_values(t.rows, value, g)
    return position, orientation
