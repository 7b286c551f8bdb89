"""Gas of a given pressure in the cavities of a deformable body: its volume, forces and stiffness.

The gas of pressure p in cavities of volume V pulls at the nodes with p dV/dx: a load that follows the surface, with a
symmetric stiffness, for the surface of a cavity is closed. The volume below a face is a sum of the determinants of
three of its nodes, see elements.volume_terms; so nodes of quadratic faces get the forces that belong to their shapes.
"""

import numpy as np

from ...base.vectors import cross, dot
from ...jit import inner, kernel


@inner
def _corners(x, faces, f, y):
    """Nodes y of face f from the first node of all faces on."""
    for j in range(faces.shape[1]):
        for i in range(3):
            y[j, i] = x[faces[f, j], i] - x[faces[0, 0], i]


@kernel
def cavity_volume(x, faces, terms):
    """Volume [m^3] that faces (F,3 or 6) of nodes x (n,3) enclose, outward from the solid: into the cavity; terms: see
    elements.volume_terms."""
    triple, share = terms
    total, y = 0.0, np.empty((faces.shape[1], 3))
    for f in range(faces.shape[0]):
        _corners(x, faces, f, y)
        for k in range(triple.shape[0]):
            total -= share[k] * dot(y[triple[k, 0]], cross(y[triple[k, 1]], y[triple[k, 2]]))
    return total


@kernel
def add_pressure(x, faces, slot, terms, p, force, blocks):
    """force (n,3) += p dV/dx; blocks (s,3,3) -= p d2V/dx2: see Deformable.forces; slot (F,6 or 21): of the pairs of a
    face's nodes, row by row; terms: see cavity_volume."""
    triple, share = terms
    nodes = faces.shape[1]
    y = np.empty((nodes, 3))
    for f in range(faces.shape[0]):
        _corners(x, faces, f, y)
        for t in range(triple.shape[0]):
            scaled = p * share[t]
            for j in range(3):
                across = cross(y[triple[t, (j + 1) % 3]], y[triple[t, (j + 2) % 3]])
                for i in range(3):
                    force[faces[f, triple[t, j]], i] -= scaled * across[i]
            if blocks.size == 0:
                continue
            # d2V/dx_j dx_k is the cross product with the third node, with the sign of the order of j and k.
            for third in range(3):
                j, k = triple[t, 0 if third else 1], triple[t, 1 if third == 2 else 2]
                q = -scaled if third == 1 else scaled
                s = slot[f, j * nodes - j * (j - 1) // 2 + k - j]
                _add_cross(y[triple[t, third]], s, q, blocks)


@inner
def _add_cross(t, s, q, blocks):
    # -q [t]x, the stiffness; with the slot turned its transposed.
    if s < 0:
        s, q = -1 - s, -q
    blocks[s, 0, 1] += q * t[2]
    blocks[s, 0, 2] -= q * t[1]
    blocks[s, 1, 0] -= q * t[2]
    blocks[s, 1, 2] += q * t[0]
    blocks[s, 2, 0] += q * t[1]
    blocks[s, 2, 1] -= q * t[0]
