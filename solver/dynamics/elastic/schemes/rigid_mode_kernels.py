"""Sums over the nodes of connected pieces, and rigid motions of these, for rigid_modes.py.

n nodes, k pieces: piece (n,), -1 for nodes of none, weight (n,), arm (n,3) [m] from the centre of the piece. A rigid
motion is (6,): velocity of the centre, angular velocity.
"""

from ....jit import inner, kernel


@inner
def _axes(arm, a, way):
    """Velocity of a node in way (3,) for the rigid motion a of six."""
    way[0] = way[1] = way[2] = 0.0
    if a < 3:
        way[a] = 1.0
        return
    i, j = (a - 2) % 3, (a - 1) % 3
    way[i], way[j] = -arm[j], arm[i]


@inner
def _leave(way, pressed):
    """Take from way (3,) what is along a unit vector pressed (3,), or nothing where that is 0."""
    along = way[0] * pressed[0] + way[1] * pressed[1] + way[2] * pressed[2]
    for i in range(3):
        way[i] -= along * pressed[i]


@kernel
def arms(piece, weight, x, whole, center, arm):
    """Fill whole (k,), center (k,3) with the sums of the weights and the centres of points x (n,3), and arm."""
    whole[:], center[:] = 0.0, 0.0
    for n in range(piece.size):
        if piece[n] >= 0:
            whole[piece[n]] += weight[n]
            for i in range(3):
                center[piece[n], i] += weight[n] * x[n, i]
    for k in range(whole.size):
        for i in range(3):
            center[k, i] /= max(whole[k], 1e-300)
    for n in range(piece.size):
        for i in range(3):
            arm[n, i] = x[n, i] - center[piece[n], i] if piece[n] >= 0 else 0.0


@kernel
def squares(piece, weight, arm, pressed, held, ways, out):
    """Fill out (k,6,6) with R^T M Q R: R the rigid motions, M the weights, Q what pressed (n,3), held (n,) leave, see
    RigidModes.kept_apart; ways (6,3): work space."""
    out[:] = 0.0
    for n in range(piece.size):
        if piece[n] < 0 or held[n]:
            continue
        for a in range(6):
            _axes(arm[n], a, ways[a])
            _leave(ways[a], pressed[n])
        for a in range(6):
            for b in range(6):
                product = ways[a, 0] * ways[b, 0] + ways[a, 1] * ways[b, 1] + ways[a, 2] * ways[b, 2]
                out[piece[n], a, b] += weight[n] * product


@kernel
def sums(piece, weight, arm, v, out):
    """Fill out (k,6) with the sums and moments of weight times v (n,3)."""
    out[:] = 0.0
    for n in range(piece.size):
        if piece[n] < 0:
            continue
        own, r = out[piece[n]], arm[n]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            own[i] += weight[n] * v[n, i]
            own[3 + i] += weight[n] * (r[j] * v[n, k] - r[k] * v[n, j])


@kernel
def moved(piece, weight, arm, motion, out):
    """Fill out (n,3) with weight times the velocities of the rigid motion (k,6) of each node's piece, 0 without one."""
    for n in range(piece.size):
        if piece[n] < 0:
            out[n] = 0.0
            continue
        own, r = motion[piece[n]], arm[n]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[n, i] = weight[n] * (own[i] + own[3 + j] * r[k] - own[3 + k] * r[j])


@kernel
def left_of(v, pressed, held, out):
    """Fill out (n,3) with v (n,3) less what is along pressed (n,3), 0 where held (n,)."""
    for n in range(held.size):
        out[n] = 0.0
        if not held[n]:
            out[n] = v[n]
            _leave(out[n], pressed[n])


@kernel
def columns(piece, arm, out):
    """Fill out (n,3,6) with the velocities of the nodes for each rigid motion of their piece, 0 without one."""
    for n in range(piece.size):
        out[n] = 0.0
        if piece[n] >= 0:
            for a in range(6):
                _axes(arm[n], a, out[n, :, a])
