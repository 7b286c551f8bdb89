"""Gas of a given pressure in the cavities of a deformable body: its volume, forces and stiffness.

The gas of pressure p in cavities of volume V pulls at the nodes with p dV/dx: a load that follows the surface, with a
symmetric stiffness, for the surface of a cavity is closed.
"""

import numpy as np

from ...jit import kernel


@kernel
def cavity_volume(x, triangles, origin):
    """Volume [m^3] that triangles (F,3) of nodes x (n,3) enclose, outward from the solid: into the cavity."""
    total = 0.0
    a, b, c = np.empty(3), np.empty(3), np.empty(3)
    for f in range(triangles.shape[0]):
        for i in range(3):
            a[i] = x[triangles[f, 0], i] - origin[i]
            b[i] = x[triangles[f, 1], i] - origin[i]
            c[i] = x[triangles[f, 2], i] - origin[i]
        total -= a[0] * (b[1] * c[2] - b[2] * c[1])
        total -= a[1] * (b[2] * c[0] - b[0] * c[2])
        total -= a[2] * (b[0] * c[1] - b[1] * c[0])
    return total / 6.0


@kernel
def add_pressure(x, triangles, slot, origin, p, force, blocks):
    """force (n,3) += p dV/dx; blocks (s,3,3) -= p d2V/dx2: see Deformable.forces; slot (F,6): of the pairs of nodes."""
    y = np.empty((3, 3))
    for f in range(triangles.shape[0]):
        for j in range(3):
            for i in range(3):
                y[j, i] = x[triangles[f, j], i] - origin[i]
        for j in range(3):
            b, c = y[(j + 1) % 3], y[(j + 2) % 3]
            n = triangles[f, j]
            force[n, 0] -= p / 6.0 * (b[1] * c[2] - b[2] * c[1])
            force[n, 1] -= p / 6.0 * (b[2] * c[0] - b[0] * c[2])
            force[n, 2] -= p / 6.0 * (b[0] * c[1] - b[1] * c[0])
        if blocks.size == 0:
            continue
        # d2V/dx_j dx_k is the cross product with the third corner, with the sign of the order of j and k.
        pair = 0
        for j in range(3):
            for k in range(j, 3):
                s = slot[f, pair]
                pair += 1
                if j == k:
                    continue
                third = 3 - j - k
                sign = 1.0 if (k - j) % 3 == 1 else -1.0
                t, q = y[third], sign * p / 6.0
                # -q [t]x, the stiffness; with the slot turned its transposed.
                if s < 0:
                    s, q = -1 - s, -q
                blocks[s, 0, 1] += -q * -t[2]
                blocks[s, 0, 2] += -q * t[1]
                blocks[s, 1, 0] += -q * t[2]
                blocks[s, 1, 2] += -q * -t[0]
                blocks[s, 2, 0] += -q * -t[1]
                blocks[s, 2, 1] += -q * t[0]
