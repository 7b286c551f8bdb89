"""What every shape says about itself."""

from typing import Protocol

import numpy as np

from ..meshes.mass_properties import MassProperties
from .form import Form


class Shape(Protocol):
    """A shape is a frozen dataclass with a `type` key (see SHAPES) and these methods."""

    type: str

    def check(self, who: str) -> None:
        """Raise SceneError naming `who` for sizes no solid can have."""

    def mass_properties(self) -> MassProperties:
        """Volume, centre of mass and inertia at density 1."""

    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V,3) [m] and triangles (T,3), outward orientation; for rendering and export."""

    def identity(self) -> tuple:
        """Equal for shapes of the same form."""

    def form(self) -> Form:
        """What contact search needs to know; not of a shape with `parts`, whose parts are asked."""
