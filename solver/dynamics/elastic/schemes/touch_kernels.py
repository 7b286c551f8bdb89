"""What velocities and places of nodes mean for the contacts of deformable bodies, and contacts for the nodes.

touch: a ContactSet's columns but its key, of C contacts; node, weight (C,2,3): their Stencils; first (R+1,): first node
of each body among all (N); velocity (N,3).
"""

import numpy as np

from ....collision.broadphase.placement_kernels import rotation_matrix
from ....jit import inner, kernel


@inner
def _mean(node, weight, start, values, out):
    """Add the weighted mean of values (N,3) at nodes (3,) of a body, -1 for none, to out (3,); False without any."""
    any_node = False
    for j in range(3):
        if node[j] >= 0:
            any_node = True
            for i in range(3):
                out[i] += weight[j] * values[start + node[j], i]
    return any_node


@kernel
def closing(touch, node, weight, first, velocity, rigid, out):
    """Fill out (C,) [m/s] with how fast contacts close; rigid: (position (R,3), twist (R,6), which (R,) are soft)."""
    bodies, position, normal = touch[:2], touch[2], touch[3]
    center, twist, soft = rigid
    v = np.empty(3)
    for c in range(out.size):
        out[c] = 0.0
        for side in range(2):
            body = bodies[side][c]
            v[:] = 0.0
            if not soft[body]:
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    v[i] = twist[body, i] + twist[body, 3 + j] * (position[c, k] - center[body, k])
                    v[i] -= twist[body, 3 + k] * (position[c, j] - center[body, j])
            _mean(node[c, side], weight[c, side], first[body], velocity, v)
            along = v[0] * normal[c, 0] + v[1] * normal[c, 1] + v[2] * normal[c, 2]
            out[c] += along if side == 0 else -along


@kernel
def least_thickness(touch, node, first, rigid, at_nodes, out):
    """Fill out (C,) with the least thickness where contacts are: rigid (R,), at_nodes (N,)."""
    bodies = touch[:2]
    for c in range(out.size):
        out[c] = min(rigid[touch[0][c]], rigid[touch[1][c]])
        for side in range(2):
            for j in range(3):
                if node[c, side, j] >= 0:
                    out[c] = min(out[c], at_nodes[first[bodies[side][c]] + node[c, side, j]])


@kernel
def press(touch, node, weight, first, shut, pressed, weights):
    """Add the normals of contacts that are shut (C,) bool to what presses nodes, pressed (N,3), weights (N,)."""
    bodies = touch[:2]
    for c in range(shut.size):
        for side in range(2 if shut[c] else 0):
            for j in range(3):
                if node[c, side, j] >= 0:
                    n, own = first[bodies[side][c]] + node[c, side, j], weight[c, side, j]
                    weights[n] += own
                    for i in range(3):
                        pressed[n, i] += (own if side else -own) * touch[3][c, i]


@kernel
def shift(touch, node, weight, first, moved, position, gap):
    """Fill position (C,3) and gap (C,) of contacts whose nodes have moved (N,3) [m]."""
    bodies, way = touch[:2], np.empty(3)
    for c in range(gap.size):
        gap[c] = touch[4][c]
        position[c] = touch[2][c]
        for side in range(2):
            way[:] = 0.0
            _mean(node[c, side], weight[c, side], first[bodies[side][c]], moved, way)
            for i in range(3):
                position[c, i] += 0.5 * way[i]
                gap[c] += (way[i] if side else -way[i]) * touch[3][c, i]


@kernel
def points_before(touch, node, weight, first, side, there, end, out):
    """Fill out (C,3) with the points of one side of contacts found at the poses `end`: (position (R,3), orientation
    (R,4)), where they are at `there`: (position, orientation, nodes (N,3))."""
    bodies, own, away = touch[:2], np.empty(3), np.empty(3)
    A, B = np.empty((3, 3)), np.empty((3, 3))
    for c in range(out.shape[0]):
        body = bodies[side][c]
        own[:] = 0.0
        if _mean(node[c, side], weight[c, side], first[body], there[2], own):
            out[c] = own
            continue
        rotation_matrix(there[1][body], A)
        rotation_matrix(end[1][body], B)
        for i in range(3):
            away[i] = touch[2][c, i] + (side - 0.5) * touch[4][c] * touch[3][c, i] - end[0][body, i]
        for k in range(3):
            own[k] = B[0, k] * away[0] + B[1, k] * away[1] + B[2, k] * away[2]
        for i in range(3):
            out[c, i] = there[0][body, i] + A[i, 0] * own[0] + A[i, 1] * own[1] + A[i, 2] * own[2]
