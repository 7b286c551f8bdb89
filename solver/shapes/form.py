"""What contact search needs to know of a shape."""

from typing import NamedTuple

import numpy as np


class Form(NamedTuple):
    """The form of one solid, in its own frame.

    family: the kernels that find its contacts: "sphere", "capsule", "cylinder", "box" (points are its corners),
    "convex_hull" (points span it), "plate" (points go round it) or "mesh". points (V,3) [m]: the core,
    which `radius` swells in round families. middle, half (3,) [m]: its box; extent [m]: radius about the middle.
    half_length [m]: of the axis of a capsule or cylinder. surface: whether a mesh meets it by its triangles.
    """

    family: str
    points: np.ndarray
    middle: np.ndarray
    half: np.ndarray
    extent: float
    radius: float = 0.0
    half_length: float = 0.0
    surface: bool = True


def form_of_points(family, points):
    """Form of what `points` (V,3) span, or of a surface with these vertices where the family keeps no core."""
    points = np.asarray(points, dtype=float)
    low, high = points.min(axis=0), points.max(axis=0)
    half = 0.5 * (high - low)
    core = np.zeros((0, 3)) if family == "mesh" else points
    return Form(family, core, 0.5 * (low + high), half, float(np.linalg.norm(half)))
