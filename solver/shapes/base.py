"""What every shape says about itself."""

from typing import NamedTuple, Protocol

import numpy as np


class MassProperties(NamedTuple):
    """Of a solid with density 1: volume [m^3], centre of mass (3,) [m], inertia (3,3) about it [m^5]; shape frame."""

    volume: float
    center: np.ndarray
    inertia: np.ndarray


class Shape(Protocol):
    """A shape is a frozen dataclass with a `type` key (see SHAPES) and these methods."""

    type: str

    def check(self, who: str) -> None:
        """Raise SceneError naming `who` for sizes no solid can have."""

    def mass_properties(self) -> MassProperties:
        """Volume, centre of mass and inertia at density 1."""

    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V,3) [m] and triangles (T,3), outward orientation; for rendering and export."""
