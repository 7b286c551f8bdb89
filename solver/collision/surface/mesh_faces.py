"""Faces of a MeshPool: their corners, how high these lie over a plane, and what the faces own."""

from ...base.inlining import inlined
from ...base.vectors import add, dot, part, rotate, sub
from .mesh_pool import CORNERS, OWN_EDGES, OWN_VERTICES


@inlined
def corners_of(face_real, f):
    """The three corners of face f [m], in the axes of its body."""
    return part(face_real, f, CORNERS), part(face_real, f, CORNERS + 3), part(face_real, f, CORNERS + 6)


@inlined
def corners_in(face_real, f, rel):
    """The three corners of face f of b [m], in the axes of a."""
    return (
        add(rotate(rel.rotation, part(face_real, f, CORNERS)), rel.shift),
        add(rotate(rel.rotation, part(face_real, f, CORNERS + 3)), rel.shift),
        add(rotate(rel.rotation, part(face_real, f, CORNERS + 6)), rel.shift),
    )


@inlined
def heights_over(n, base, corners):
    """Heights [m] of three corners over the plane through `base` with the unit normal n."""
    return dot(n, sub(corners[0], base)), dot(n, sub(corners[1], base)), dot(n, sub(corners[2], base))


@inlined
def own_nothing(ints, fa, fb):
    """True if two faces own nothing that could touch: no vertex in either, and edges in one at most.

    Numbers are below zero where there is none, and so are three of them and-ed where none is not.
    """
    vertices = ints[fa, OWN_VERTICES] & ints[fa, OWN_VERTICES + 1] & ints[fa, OWN_VERTICES + 2]
    vertices &= ints[fb, OWN_VERTICES] & ints[fb, OWN_VERTICES + 1] & ints[fb, OWN_VERTICES + 2]
    edges_a = ints[fa, OWN_EDGES] & ints[fa, OWN_EDGES + 1] & ints[fa, OWN_EDGES + 2]
    edges_b = ints[fb, OWN_EDGES] & ints[fb, OWN_EDGES + 1] & ints[fb, OWN_EDGES + 2]
    return vertices < 0 and (edges_a < 0 or edges_b < 0)
