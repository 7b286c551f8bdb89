"""Corners of the faces of a MeshPool, and how high they lie over a plane."""

from .inlining import inlined
from .mesh_pool import CORNERS
from .mesh_vectors import add, dot, part, rotate, sub


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
