"""Springs, dampers and servos over a step: the exact solution of an oscillator with the mass that they move.

A coordinate q of mass m with m q'' = F - k (q - q*) - c q' and a force F that does not change in a step has in places a
step h apart, and velocities u = (q' - q) / h between these, the solution

    u+ = E^2 u - s (q - q* - F/k),      E = exp(-g),   g = c h / (2 m),   w h = h sqrt(k / m) = t,
    s h = 1 - 2 E cos(b) + E^2,         b^2 = t^2 - g^2    (cosh of -b^2 where it is over-damped).

As a row v + C lambda + bias = 0 with A = 1/m it is that with

    p = f / (1 - f),   f = s h / t^2,   C = p / m,   bias = p h k / m (q - q*) + (p - (1 + p) E^2) u.

At rest q - q* is F/k, and a damper never turns a velocity round. What moves several drives has no one mass: m is then
one that is never above it. The row is of second order for any m, stable and without turning round for any m that is
not above.
"""

from typing import NamedTuple

import numpy as np

from .tables import Role

# Rows that a joint holds at most, and its springs and servos: two for each of six coordinates.
HELD, DRIVEN = 6, 12
# A drive turns by so much in a step at most [rad]; a faster one is damped until it does.
RESOLVED = 1.0
# A coordinate that is left less than this part of its mobility does not move.
STILL = 1e-12


class Coefficients(NamedTuple):
    """Each (n,): compliance [1/kg]; place [1/s] and rate: what the offset and the velocity before have in the bias; lag
    [s]: how far behind a target that moves the drive's own target is; turn [rad]: how far it would turn in a step."""

    compliance: np.ndarray
    place: np.ndarray
    rate: np.ndarray
    lag: np.ndarray
    turn: np.ndarray


def coefficients(stiffness, damping, mobility, h):
    """Coefficients of drives: stiffness (n,) [N/m], damping (n,) [N s/m], mobility 1/m (n,) [1/kg], step h [s]."""
    square, g = stiffness * mobility * h**2, 0.5 * damping * mobility * h
    turn = np.sqrt(np.maximum(square - g**2, 0.0))
    g = np.where(turn > RESOLVED, np.sqrt(np.maximum(square - RESOLVED**2, 0.0)), g)
    b = np.minimum(turn, RESOLVED)
    slow_and_fast = g + np.sqrt(np.maximum(g**2 - square, 0.0))
    slow = square / np.where(slow_and_fast > 0.0, slow_and_fast, 1.0)
    swinging = np.expm1(-g) ** 2 + 4.0 * np.exp(-g) * np.sin(0.5 * b) ** 2
    f = np.where(b > 0.0, swinging / np.where(b > 0.0, square, 1.0), _shown(slow) * _shown(slow_and_fast))
    # One that is soft beyond all measure is one of that softness: its force keeps its size.
    f = np.minimum(f, 1.0 - STILL)
    p, decay = f / (1.0 - f), np.exp(-2.0 * g)
    k = np.where(stiffness > 0.0, stiffness, np.inf)
    lag = -np.expm1(-2.0 * g) / (f * np.where(mobility > 0.0, mobility, np.inf) * h * k) - damping / k
    return Coefficients(p * mobility, p * h * stiffness * mobility, p - (1.0 + p) * decay, lag, turn)


def _shown(x):
    """(1 - exp(-x)) / x."""
    return np.where(x > 0.0, -np.expm1(-x) / np.where(x > 0.0, x, 1.0), 1.0)


def mobilities(tables, blocks, parts):
    """1/m [1/kg] (k,) of the springs and servos among the rows of `blocks` (n,) of JointTables, 0 for other rows; m is
    never above the mass that moves them.

    parts: (row_start, J, G) of the blocks. A body's inertia is shared alike by the joints with drives on it, which is
    what keeps the sum of all below the true one; the rows that a joint of two bodies holds without compliance are
    eliminated, and several drives of one joint share what is left by the sums of the entries of its inverse.
    """
    row_start, J, G = parts
    owner, role = tables.blocks.joint[blocks], tables.block_role[blocks]
    drives = (role == Role.SPRING) | (role == Role.SERVO)
    hard = (role == Role.HOLD) & (tables.rows.compliance[tables.blocks.row_start[blocks]] == 0)
    two = np.diff(J.indptr) <= 2
    joints, joint_of = np.unique(owner[drives], return_inverse=True)
    use = drives | (hard & two & np.isin(owner, joints))
    row_joint, slot, own_rows, is_drive = _slots(row_start, owner, joints, use, drives)
    Jd, Gd = _dense(J, G, row_start, row_joint, slot, own_rows, len(joints))
    A = Jd @ Gd.transpose(0, 2, 1)
    left = _left(A)
    out = np.zeros(row_start[-1])
    rows = own_rows[is_drive]
    out[rows] = left[row_joint[is_drive], slot[is_drive] - HELD]
    return out


def _slots(row_start, owner, joints, use, drives):
    """(joint's number (r,), its slot (r,) among HELD held and DRIVEN driven rows, row (r,), whether it is a drive (r,))
    of the rows of the blocks `use`; held rows beyond HELD are left out, which makes a mass less."""
    heights = np.diff(row_start)
    blocks = np.flatnonzero(use)
    rows = np.concatenate([np.arange(row_start[q], row_start[q + 1]) for q in blocks]) if len(blocks) else blocks
    number = np.repeat(np.searchsorted(joints, owner[blocks]), heights[blocks])
    is_drive = np.repeat(drives[blocks], heights[blocks])
    slot = np.empty(len(rows), dtype=np.int64)
    for kind, first, most in ((False, 0, HELD), (True, HELD, DRIVEN)):
        mine = np.flatnonzero(is_drive == kind)
        order = mine[np.argsort(number[mine], kind="stable")]
        counts = np.bincount(number[order], minlength=len(joints))
        slot[order] = first + np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        slot[order[slot[order] >= first + most]] = -1
    keep = slot >= 0
    return number[keep], slot[keep], rows[keep], is_drive[keep]


def _dense(J, G, row_start, row_joint, slot, rows, count):
    """J and G = W J^T (joints, HELD + DRIVEN, 12) of the rows; G for a body's share in each of its joints."""
    block_of = np.searchsorted(row_start, rows, side="right") - 1
    Jd, Gd = np.zeros((count, HELD + DRIVEN, 2, 6)), np.zeros((count, HELD + DRIVEN, 2, 6))
    ends = np.full((count, 2), -1, dtype=np.int64)
    for side in range(2):
        # All blocks of a joint of two bodies have the same segments.
        own = np.flatnonzero(J.indptr[block_of] + side < J.indptr[block_of + 1])
        s = J.indptr[block_of[own]] + side
        ends[row_joint[own], side] = J.start[s]
        entries = (J.offset[s] + 6 * (rows - row_start[block_of])[own])[:, None] + np.arange(6)
        Jd[row_joint[own], slot[own], side] = J.data[entries]
        Gd[row_joint[own], slot[own], side] = G.data[entries]
    shared = np.bincount(ends[ends >= 0], minlength=1)
    Gd *= np.where(ends >= 0, shared[ends], 1)[:, None, :, None]
    return Jd.reshape(count, -1, 12), Gd.reshape(count, -1, 12)


def _left(A):
    """Sums (n, DRIVEN) of the absolute entries of the driven rows of A (n,r,r), the held ones eliminated."""
    own = np.einsum("nii->ni", A)
    scale = 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0))
    held = (A * scale[:, :, None] * scale[:, None, :])[:, :HELD]
    whole = held[:, :, :HELD] + np.eye(HELD) * np.where(own[:, :HELD, None] > 0.0, STILL, 1.0)
    across = held[:, :, HELD:]
    given = A[:, HELD:, HELD:] * scale[:, HELD:, None] * scale[:, None, HELD:]
    rest = given - across.transpose(0, 2, 1) @ np.linalg.solve(whole, across)
    sums = (np.abs(rest) / scale[:, None, HELD:]).sum(axis=2) / scale[:, HELD:]
    # What is held fast anyway keeps the mass of its bodies.
    return np.where(np.einsum("nii->ni", rest) > 1e3 * STILL, sums, own[:, HELD:])
