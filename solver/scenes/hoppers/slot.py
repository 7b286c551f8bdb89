"""The slot hopper of the jamming studies: spheres between two frictionless plates, over an outlet with a gate."""

from math import cos, radians, sin, sqrt

import numpy as np

from ...base.refusal import SceneError
from ...materials import Material, MaterialPair, MaterialTable
from ...scene import Body, Counter, Gate, Motion, Scene, Sink
from ...shapes import Box, Sphere
from ..base import SceneEntry, axis_angle, quadruple, triple

# Lengths in grain diameters: width of the bin, of the slot between the plates, thickness of walls.
WIDTH, SLOT, THICK = 16.0, 1.05, 4.0
# Distance of grains in the lattice they start from, and how far each is moved from there at random.
PITCH, JITTER = 1.1, 0.03
# Distance in diameters below the outlet at which grains have left, and at which they are taken out of the scene.
OUT, GONE = 1.0, 4.0
# Speed [m/s] of all grains below which the gate opens, for grains of 0.1 m; it scales as the root of their size.
AT_REST = 0.02


def slot_hopper(diameter=0.1, outlet=3.0, friction=0.5, wall_friction=None, count=200, half_angle=34.0,
                time_step=0.005, seed=1, open_time=4.0, slot=SLOT):  # fmt: skip
    """`count` spheres in a wedge one grain thick; its gate opens when they rest, at open_time at the latest.

    diameter [m] of the grains; outlet [1]: its width in diameters; friction between grains, wall_friction [1] at walls
    and gate (None: the same), none at the plates in front and behind; half_angle [degrees] of the walls against the
    vertical; time_step [s] that the scene suggests; seed of the places the grains fall from; open_time [s]; slot [1]:
    room between the plates in diameters: arches buckle out of the plane where it is 1.05, and cannot where it is 1.005.
    Raises SceneError for a hopper that cannot be built.
    """
    _check(diameter, outlet, count, half_angle, time_step, slot)
    d, half = float(diameter), radians(half_angle)
    grains = _grains(d, outlet, half, int(count), seed, slot)
    top = max(grain.position[2] for grain in grains) + 2.0 * d
    bodies = (*_walls(d, outlet, half, top, slot), gate_of(d, outlet, slot), *grains)
    return between_plates("slot_hopper", bodies, d, friction, wall_friction, time_step, open_time)


def between_plates(name, bodies, d, friction, wall_friction, time_step, open_time, width=WIDTH):
    """The Scene of bodies in a slot: its materials, the gate that opens, counter and sink below.

    d [m] of the grains, width of the bin in diameters; friction, wall_friction and open_time as in slot_hopper.
    """
    wall = friction if wall_friction is None else wall_friction
    materials = MaterialTable(
        (Material("grain", 1000.0, friction), Material("wall", 1000.0, wall), Material("plate", 1000.0, 0.0)),
        (MaterialPair(("grain", "wall"), friction=wall), MaterialPair(("grain", "plate"), friction=0.0)),
    )
    settings = {"time_step": time_step, "accuracy": 1e-3}
    gate = Gate("gate", "gate", float(open_time), AT_REST * sqrt(d / 0.1))
    low, high = (-2.0 * width * d, -width * d, -1e3 * d), (2.0 * width * d, width * d, -GONE * d)
    return Scene(
        bodies, materials, name=name, settings=settings, gates=(gate,),
        counters=(Counter("outlet", (0.0, 0.0, -OUT * d)),), sinks=(Sink("bin", (low, high)),),
    )  # fmt: skip


def _check(diameter, outlet, count, half_angle, time_step, slot):
    for label, value, low, high in (
        ("diameter", diameter, 0.0, 1e3), ("outlet", outlet, 0.0, WIDTH), ("count", count, 0, 1e6),
        ("half_angle", half_angle, 0.0, 90.0), ("time_step", time_step, 0.0, 1.0), ("slot", slot, 1.0, 2.0),
    ):  # fmt: skip
        if not low < value <= high:
            raise SceneError(f"slot_hopper: {label} is {value}; give a value above {low:g}, at most {high:g}")


def _grains(d, outlet, half, count, seed, slot):
    """Spheres on a square lattice inside the hopper, row by row from the gate up."""
    rng = np.random.default_rng(seed)
    places, z = [], 0.5 * d + 2.0 * JITTER * d
    while len(places) < count:
        # Where the wall's face leaves room for a sphere at this height.
        reach = min(0.5 * (WIDTH - 1.0) * d, 0.5 * outlet * d + (z * sin(half) - 0.5 * d) / cos(half)) - 2 * JITTER * d
        per_row = int(2.0 * reach / (PITCH * d)) + 1 if reach >= 0.0 else 0
        line = (np.arange(per_row) - 0.5 * (per_row - 1)) * PITCH * d
        places += [(x, 0.0, z) for x in line][: count - len(places)]
        z += PITCH * d
    # Within the room that the plates leave.
    across = min(0.25, 0.4 * (slot - 1.0) / JITTER)
    shift = rng.uniform(-JITTER * d, JITTER * d, (count, 3)) * [1.0, across, 1.0]
    return [
        Body(f"grain{i}", Sphere(0.5 * d), "grain", position=triple(np.add(place, move)))
        for i, (place, move) in enumerate(zip(places, shift, strict=True))
    ]


def _walls(d, outlet, half, top, slot):
    """Two slopes from the outlet's edges, two sides above them, two plates."""
    thick, lip, side = THICK * d, 0.5 * outlet * d, 0.5 * WIDTH * d
    length = (side - lip) / sin(half)
    shoulder = length * cos(half)
    depth, walls = (slot + 1.0) * d, []
    for name, sign in (("left", -1.0), ("right", 1.0)):
        # The inner face runs from the lip, up and outwards.
        middle = np.array([sign * lip, 0.0, 0.0]) + 0.5 * length * np.array([sign * sin(half), 0.0, cos(half)])
        middle += 0.5 * thick * np.array([sign * cos(half), 0.0, -sin(half)])
        turn = axis_angle((0, 1, 0), sign * half)
        walls.append(Body(f"slope_{name}", Box((thick, depth, length)), "wall", Motion.STATIC, triple(middle),
                          quadruple(turn)))  # fmt: skip
        low = shoulder - thick * sin(half)
        height = max(top - low, thick)
        walls.append(Body(f"side_{name}", Box((thick, depth, height)), "wall", Motion.STATIC,
                          (sign * (side + 0.5 * thick), 0.0, low + 0.5 * height)))  # fmt: skip
    return walls + plates(d, 2.0 * side, top, slot)


def plates(d, width, top, slot=SLOT):
    """The two smooth plates [Body] in front of and behind the grains, from below the outlet to `top` [m], `slot`
    diameters apart."""
    thick = THICK * d
    size, middle = (width, thick, top + thick), 0.5 * (slot * d + thick)
    return [Body(f"plate_{name}", Box(size), "plate", Motion.STATIC, (0.0, sign * middle, 0.5 * (top - thick)))
            for name, sign in (("front", -1.0), ("back", 1.0))]  # fmt: skip


def gate_of(d, outlet, slot=SLOT):
    """Box under the outlet."""
    return Body("gate", Box((outlet * d, slot * d, d)), "wall", Motion.STATIC, (0.0, 0.0, -0.5 * d))


ENTRIES = (
    SceneEntry(
        "slot_hopper",
        "Slot hopper",
        "grains in a wedge one grain thick: do they flow, or jam?",
        slot_hopper,
        6.0,
    ),
)
