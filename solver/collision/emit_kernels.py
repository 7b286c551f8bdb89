"""Writing a contact into the scratch, if it can matter within the step."""

from ..jit import kernel
from .mesh_vectors import add, cross, dot, row, scale, sub

# Kinds of features a key names; the number of the feature of a is shifted by 21 bits.
VERTEX_A, VERTEX_B, EDGES, CORNER, ROUND = 1, 2, 3, 4, 5


@kernel
def feature_key(kind, of_a, of_b):
    """Key of a pair of features: the same in every step in which these two meet."""
    return (kind << 42) | (of_a << 21) | of_b


@kernel
def velocity_at(place, body, p):
    """Velocity of the body's material at the world point p [m/s]."""
    twist = place.twist[body]
    arm = sub(p, row(place.center, body))
    return add((twist[0], twist[1], twist[2]), cross((twist[3], twist[4], twist[5]), arm))


@kernel
def closing_speed(geometry, place, a, b, p, n):
    """Speed at which colliders a and b approach each other at p along n (from a to b) [m/s]."""
    va, vb = velocity_at(place, geometry.body[a], p), velocity_at(place, geometry.body[b], p)
    return dot(sub(va, vb), n)


@kernel
def emit(geometry, place, scratch, count, a, b, p, n, gap, key, h, margin):
    """Append a contact at p with normal n from a to b, unless it stays open for the next h seconds.

    Kept are gaps below margin + h * closing speed. Returns the new count.
    """
    if gap > margin and gap > margin + h * max(0.0, closing_speed(geometry, place, a, b, p, n)):
        return count
    if count < len(scratch.gap):
        for i in range(3):
            scratch.position[count, i] = p[i]
            scratch.normal[count, i] = n[i]
        scratch.gap[count] = gap
        scratch.key[count] = key
    return count + 1


@kernel
def emit_between(geometry, place, scratch, count, a, b, pa, n, gap, key, h, margin):
    """Append the contact half way between the surface point pa of a and the one of b, `gap` along n from it."""
    middle = add(pa, scale(n, 0.5 * gap))
    return emit(geometry, place, scratch, count, a, b, middle, n, gap, key, h, margin)
