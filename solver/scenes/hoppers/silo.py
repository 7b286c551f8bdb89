"""The slot silo of the discharge studies: a flat floor with an outlet in its middle, grains between two plates."""

import numpy as np

from ...base.refusal import SceneError
from ...scene import Body, Motion
from ...shapes import Box, Sphere
from ..base import SceneEntry, triple
from .slot import JITTER, PITCH, SLOT, THICK, between_plates, gate_of, plates

# Thickness of the floor in diameters.
FLOOR = 1.0


def slot_silo(diameter=0.1, outlet=6.0, friction=0.5, wall_friction=None, count=600, width=30.0, time_step=0.005,
              seed=1, open_time=4.0):  # fmt: skip
    """`count` spheres on a flat floor one grain deep; the gate in its middle opens when they rest, or at open_time.

    diameter [m] of the grains; outlet and width of the silo [1] in diameters; friction between grains, wall_friction
    [1] at walls, floor and gate (None: the same), none at the plates; time_step [s] that the scene suggests; seed of
    the places the grains fall from; open_time [s]. Raises SceneError for a silo that cannot be built.
    """
    for label, value, low, high in (
        ("diameter", diameter, 0.0, 1e3), ("width", width, 3.0, 1e4), ("outlet", outlet, 0.0, width - 2.0),
        ("count", count, 0, 1e6), ("time_step", time_step, 0.0, 1.0),
    ):  # fmt: skip
        if not low < value <= high:
            raise SceneError(f"slot_silo: {label} is {value}; give a value above {low:g}, at most {high:g}")
    d = float(diameter)
    grains = _grains(d, width, int(count), seed)
    top = max(grain.position[2] for grain in grains) + 2.0 * d
    bodies = (*_walls(d, outlet, width, top), gate_of(d, outlet), *grains)
    return between_plates("slot_silo", bodies, d, friction, wall_friction, time_step, open_time, width)


def _grains(d, width, count, seed):
    """Spheres on a square lattice, row by row from the floor up, each moved a little at random."""
    per_row = max(1, int((width - 1.0 - 2.0 * JITTER) / PITCH) + 1)
    row, column = np.divmod(np.arange(count), per_row)
    places = np.zeros((count, 3))
    places[:, 0] = (column - 0.5 * (per_row - 1)) * PITCH * d
    places[:, 2] = (0.5 + 2.0 * JITTER + row * PITCH) * d
    places += np.random.default_rng(seed).uniform(-JITTER * d, JITTER * d, (count, 3)) * [1.0, 0.25, 1.0]
    return [Body(f"grain{i}", Sphere(0.5 * d), "grain", position=triple(place)) for i, place in enumerate(places)]


def _walls(d, outlet, width, top):
    """Floor left and right of the outlet, two sides, two plates."""
    thick, floor, side, depth, walls = THICK * d, FLOOR * d, 0.5 * width * d, (SLOT + 1.0) * d, []
    half = 0.5 * (side - 0.5 * outlet * d)
    for name, sign in (("left", -1.0), ("right", 1.0)):
        walls.append(Body(f"floor_{name}", Box((2.0 * half, depth, floor)), "wall", Motion.STATIC,
                          (sign * (side - half), 0.0, -0.5 * floor)))  # fmt: skip
        walls.append(Body(f"side_{name}", Box((thick, depth, top + floor)), "wall", Motion.STATIC,
                          (sign * (side + 0.5 * thick), 0.0, 0.5 * (top - floor))))  # fmt: skip
    return walls + plates(d, width * d, top)


ENTRIES = (
    SceneEntry("slot_silo", "Slot silo", "grains on a flat floor one grain deep: how fast do they run out?", slot_silo,
               6.0),  # fmt: skip
)
