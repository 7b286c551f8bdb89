"""Parts of flat mechanisms: prisms over polygons in the x-y plane, upright along z, and what turns in bearings."""

import numpy as np

from ...scene import Body, Joint
from ...shapes import Compound, ConvexHull, Part
from ..base import triple


def prism(points, thick, height=0.0):
    """Convex prism over the corners (n,2) [m] of a polygon, `thick` along z about `height`."""
    points = np.asarray(points, dtype=float)
    low, high = (np.column_stack([points, np.full(len(points), height + z)]) for z in (-thick / 2, thick / 2))
    return ConvexHull(np.concatenate([low, high]))


def compound(shapes):
    """One shape of several."""
    return Compound(tuple(Part(shape) for shape in shapes))


def turning(name, shape, mass, inertia, position=(0.0, 0.0, 0.0), center=(0.0, 0.0, 0.0), **more):
    """A body about an axis along z: inertia [kg m^2] about it through its centre of mass, `center` in its frame."""
    return Body(name, shape, position=triple(position), mass=mass, inertia=(inertia, inertia, inertia),
                center_of_mass=triple(center), **more)  # fmt: skip


def bearing(name, body, position, **more):
    """A hinge of the ground along z."""
    return Joint(name, "hinge", ("world", body), triple(position), (0.0, 0.0, 1.0), **more)


def polar(radius, angle):
    """Points (...,2) at radii and angles [rad]."""
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)


def fan(center, rim):
    """Triangles (n-1 of (3,2)) between a corner (2,) and a rim (n,2)."""
    return [np.stack([center, a, b]) for a, b in zip(rim[:-1], rim[1:], strict=True)]
