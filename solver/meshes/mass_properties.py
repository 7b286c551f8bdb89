"""What the solid of a shape weighs, and how that is spread."""

from typing import NamedTuple

import numpy as np


class MassProperties(NamedTuple):
    """Of a solid with density 1: volume [m^3], centre of mass (3,) [m], inertia (3,3) about it [m^5]; shape frame."""

    volume: float
    center: np.ndarray
    inertia: np.ndarray
