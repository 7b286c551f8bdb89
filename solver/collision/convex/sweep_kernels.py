"""Fast pairs: when and how two cores that move along straight lines first touch."""

import math

from ...base.vectors import dot, scale, sub
from ...jit import inner
from .gjk_kernels import closest_points


@inner
def shift_vertices(vertex, shift, out):
    """Copy of the vertices moved by shift in the first rows of out; returns these rows."""
    for v in range(len(vertex)):
        for i in range(3):
            out[v, i] = vertex[v, i] + shift[i]
    return out[: len(vertex)]


@inner
def time_of_impact(vertex_a, vertex_b, radius, velocity, h, tolerance, work):
    """First time at which b, moving relative to a with `velocity`, is within radius + tolerance of it.

    Conservative advancement (Mirtich 1996): by the distance along the closest direction. Returns infinity if that
    does not happen within h seconds.
    """
    time = 0.0
    # Every advance is safe: after the last one the time is early rather than late.
    for _ in range(48):
        moved = shift_vertices(vertex_b, scale(velocity, time), work.moved)
        distance, pa, pb = closest_points(vertex_a, moved, math.inf, work.simplex)
        if distance <= radius + tolerance:
            return time
        closing = dot(velocity, sub(pa, pb)) / distance
        if closing * (h - time) < distance - radius - tolerance:
            return math.inf
        time += (distance - radius - 0.5 * tolerance) / closing
    return time
