"""Shapes: one file each. SHAPES maps a shape's type key to its class."""

from ..meshes.mass_properties import MassProperties
from .base import Shape
from .box import Box
from .capsule import Capsule
from .compound import Compound, Part
from .convex_hull import ConvexHull
from .cylinder import Cylinder
from .mesh import Mesh
from .sphere import Sphere
from .tetrahedra import Tetrahedra

SHAPES = {shape.type: shape for shape in (Sphere, Box, Capsule, Cylinder, ConvexHull, Mesh, Compound, Tetrahedra)}

__all__ = [
    "SHAPES",
    "Box",
    "Capsule",
    "Compound",
    "ConvexHull",
    "Cylinder",
    "MassProperties",
    "Mesh",
    "Part",
    "Shape",
    "Sphere",
    "Tetrahedra",
]
