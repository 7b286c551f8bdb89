"""Regular tetrahedra of simple solids: boxes and balls for scenes, tests and truths."""

import numpy as np

# Five tetrahedra a cell, of two kinds in turn, so that the faces of neighbours meet; corner q is at (q & 1, q >> 1 & 1,
# q >> 2).
ODD = ((0, 1, 2, 4), (3, 1, 2, 7), (5, 1, 4, 7), (6, 2, 4, 7), (1, 2, 4, 7))
EVEN = ((1, 0, 3, 5), (2, 0, 3, 6), (4, 0, 5, 6), (7, 3, 5, 6), (0, 3, 5, 6))
# Six round the diagonal of a cell, all alike (Kuhn).
SIX = ((0, 1, 3, 7), (0, 1, 5, 7), (0, 2, 3, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 4, 6, 7))


FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))


def tet_volumes(vertices, tets):
    """Signed volumes (T,) [m^3]."""
    return np.linalg.det(vertices[tets[:, 1:4]] - vertices[tets[:, :1]]) / 6.0


def boundary(tets):
    """Triangles (F,3) that belong to one of the tets (T,4) alone, outward; ValueError where three share one."""
    faces = np.concatenate([tets[:, face] for face in FACES])
    _, first, uses = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    if np.any(uses > 2):
        raise ValueError("a face belongs to more than two tetrahedra; remove doubled tetrahedra")
    return faces[np.sort(first[uses == 1])]


def folded(tets):
    """Numbers (2,) of two tets of (T,4), all with their corners outward, on the same side of the face that they share;
    None where there are none."""
    faces = np.concatenate([tets[:, face] for face in FACES])
    a, b, c = faces.T
    _, which, uses = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    # Seen from its two sides a face has its corners in an odd order once.
    odd = np.bincount(which, (a > b) ^ (b > c) ^ (a > c))
    wrong = np.flatnonzero((uses == 2) & (odd != 1))
    return np.flatnonzero(which == wrong[0]) % len(tets) if len(wrong) else None


def box_grid(cells, size, low=None, split=5):
    """(vertices (n,3) [m], tets (T,4)) of a box of `cells` (3,) cells and `size` (3,) [m], split in 5 or 6 each.

    low (3,) [m]: its lowest corner; None: the middle of the box is the origin.
    """
    size = np.asarray(size, dtype=float)
    low = -0.5 * size if low is None else np.asarray(low, dtype=float)
    ticks = [low[k] + size[k] * np.arange(cells[k] + 1) / cells[k] for k in range(3)]
    return _cells_split(ticks, split)


def hollow_grid(ticks, filled):
    """(vertices (n,3) [m], tets (T,4)) of those cells of a grid that are `filled`, (X,Y,Z) bool, five tets each; ticks:
    three rising sequences (X+1,), (Y+1,), (Z+1,) [m], where its planes lie."""
    vertices, tets = _cells_split(ticks, 5)
    kept = tets[np.repeat(np.asarray(filled, dtype=bool).ravel(), 5)]
    used, number = np.unique(kept, return_inverse=True)
    return vertices[used], number.reshape(-1, 4)


def _cells_split(ticks, split):
    cells = [len(axis) - 1 for axis in ticks]
    vertices = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    i, j, k = (axis.ravel() for axis in np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"))
    corner = np.stack(
        [((i + (q & 1)) * (cells[1] + 1) + j + (q >> 1 & 1)) * (cells[2] + 1) + k + (q >> 2 & 1) for q in range(8)],
        axis=1,
    )
    if split == 6:
        tets = corner[:, np.array(SIX)]
    else:
        tets = np.where(((i + j + k) % 2 == 1)[:, None, None], corner[:, np.array(ODD)], corner[:, np.array(EVEN)])
    return vertices, outward(vertices, tets.reshape(-1, 4))


def ring_grid(inner, outer, length, cells):
    """(vertices, tets) of a ring about z: cells (3,) around (an even number), across the wall and along.

    Its corners lie on the circles of radius `inner` and `outer` [m].
    """
    around, across, along = cells
    vertices, tets = box_grid(cells, (2.0 * np.pi, 1.0, length), low=(0.0, 0.0, -0.5 * length))
    angle, depth, z = vertices.T
    radius = inner + depth * (outer - inner)
    vertices = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    # Where the ring closes, the last corners are the first ones.
    number = np.arange(len(vertices))
    last = (across + 1) * (along + 1)
    number[-last:] = number[:last]
    return vertices[:-last], outward(vertices[:-last], number[tets])


def ball_grid(radius, cells):
    """(vertices, tets) of a ball about the origin: a cube of cells^3 cells, its shells drawn in to spheres."""
    vertices, tets = box_grid((cells,) * 3, (2.0,) * 3)
    reach = np.abs(vertices).max(axis=1)
    length = np.linalg.norm(vertices, axis=1)
    vertices = vertices * (radius * reach / np.where(length > 0, length, 1.0))[:, None]
    return vertices, outward(vertices, tets)


def outward(vertices, tets):
    """The tets (T,4) with two corners exchanged where their volumes are negative."""
    turned = tet_volumes(vertices, tets) < 0
    tets = tets.copy()
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return tets
