"""What type checkers and editors read in place of the lazy `__init__.py`."""

from .solver.api.run import Run
from .solver.api.simulating import load, simulate
from .solver.api.solving import compare, solve
from .solver.api.studying import study
from .solver.api.verifying import verify
from .solver.materials import Material, MaterialPair, MaterialTable
from .solver.scene import (
    Attachment,
    Body,
    Counter,
    Elastic,
    Emitter,
    Gate,
    Joint,
    Keyed,
    KeyedPoses,
    Motion,
    Motor,
    Reduction,
    Scene,
    Servo,
    Sink,
    Spring,
)
from .solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Mesh, Part, Sphere, Tetrahedra

__all__ = [
    "Attachment",
    "Body",
    "Box",
    "Capsule",
    "Compound",
    "ConvexHull",
    "Counter",
    "Cylinder",
    "Elastic",
    "Emitter",
    "Gate",
    "Joint",
    "Keyed",
    "KeyedPoses",
    "Material",
    "MaterialPair",
    "MaterialTable",
    "Mesh",
    "Motion",
    "Motor",
    "Part",
    "Reduction",
    "Run",
    "Scene",
    "Servo",
    "Sink",
    "Sphere",
    "Spring",
    "Tetrahedra",
    "compare",
    "load",
    "simulate",
    "solve",
    "study",
    "verify",
]

def register() -> None: ...
def unregister() -> None: ...
