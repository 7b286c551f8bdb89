"""A square hopper for bodies of several shapes and one volume: does the shape decide whether it jams?"""

from math import cos, pi, sin

import numpy as np

from ...base.refusal import SceneError
from ...materials import Material, MaterialPair, MaterialTable
from ...scene import Body, Counter, Gate, Motion, Scene, Sink
from ...shapes import Box, Mesh, Sphere
from ...shapes.generators import gear, jack
from ...shapes.scaling import scaled_shape
from ..base import SceneEntry, axis_angle, quadruple, triple

# Lengths in diameters of the ball of the same volume: width of the bin, thickness of walls, pitch of the first lattice.
WIDTH, THICK, PITCH = 8.0, 2.0, 1.7
# Slope of the walls against the vertical.
HALF_ANGLE = 0.6
OUT, GONE = 1.0, 5.0
AT_REST = 0.02


def shape_hopper(shape="sphere", diameter=0.1, outlet=3.0, friction=0.5, count=40, time_step=0.005, seed=1,
                 open_time=1.5):  # fmt: skip
    """`count` bodies of a shape ("sphere", "cube", "jack" or "gear") over a square outlet with a gate.

    diameter [m] of the ball that has the volume of a body; outlet [1]: its side in diameters; friction [1] everywhere;
    time_step [s] that the scene suggests; seed of places and turns; open_time [s]: the gate opens then at the latest.
    Raises SceneError for a hopper that cannot be built.
    """
    if shape not in SHAPES:
        raise SceneError(f"shape_hopper: shape is {shape!r}; choose one of {', '.join(SHAPES)}")
    for label, value, high in (("diameter", diameter, 1e3), ("outlet", outlet, WIDTH), ("count", count, 1e5)):
        if not 0 < value <= high:
            raise SceneError(f"shape_hopper: {label} is {value}; give a value above 0, at most {high:g}")
    d = float(diameter)
    grains = _grains(_of_volume(SHAPES[shape](), pi / 6 * d**3), d, int(count), seed)
    top = max(grain.position[2] for grain in grains) + 2 * d
    bodies = (*_walls(d, outlet, top), Body("gate", Box((1.5 * outlet * d, 1.5 * outlet * d, d)), "wall", Motion.STATIC,
                                            (0.0, 0.0, -0.5 * d)), *grains)  # fmt: skip
    materials = MaterialTable(
        (Material("grain", 1000.0, friction), Material("wall", 1000.0, friction)),
        (MaterialPair(("grain", "wall"), friction=friction),),
    )
    reach = 2 * WIDTH * d
    return Scene(
        bodies, materials, name="shape_hopper", settings={"time_step": time_step, "accuracy": 1e-3},
        gates=(Gate("gate", "gate", float(open_time), AT_REST * (d / 0.1) ** 0.5),),
        counters=(Counter("outlet", (0.0, 0.0, -OUT * d)),),
        sinks=(Sink("bin", ((-reach, -reach, -1e3 * d), (reach, reach, -GONE * d))),),
    )  # fmt: skip


SHAPES = {
    "sphere": lambda: Sphere(0.5), "cube": lambda: Box((1.0, 1.0, 1.0)),
    "jack": lambda: Mesh(*jack(1.0, 0.24)), "gear": lambda: Mesh(*gear(8, 0.35, 0.5, 0.25, 0.12)),
}  # fmt: skip


def _of_volume(shape, volume):
    """A shape of the given volume [m^3]."""
    return scaled_shape(shape, (volume / shape.mass_properties().volume) ** (1 / 3))


def _grains(shape, d, count, seed):
    """Bodies on a cubic lattice above the slopes, each turned at random."""
    rng = np.random.default_rng(seed)
    per_row = int((WIDTH - PITCH) / PITCH) + 1
    index = np.arange(count)
    layer, cell = np.divmod(index, per_row * per_row)
    row, column = np.divmod(cell, per_row)
    half = 0.5 * (per_row - 1)
    places = np.stack([column - half, row - half, layer], axis=1) * PITCH * d
    places[:, 2] += 0.5 * WIDTH * d / np.tan(HALF_ANGLE)
    places += 0.05 * d * rng.uniform(-1.0, 1.0, places.shape)
    turns = rng.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    return [Body(f"grain{i}", shape, "grain", position=triple(places[i]), orientation=quadruple(turns[i]))
            for i in range(count)]  # fmt: skip


def _walls(d, outlet, top):
    """Four slopes from the edges of the outlet and four sides above them."""
    lip, side, thick, walls = 0.5 * outlet * d, 0.5 * WIDTH * d, THICK * d, []
    length = (side - lip) / sin(HALF_ANGLE)
    low = length * cos(HALF_ANGLE) - thick
    for k in range(4):
        around = 0.5 * pi * k
        turn = axis_angle((0, 0, 1), around)
        along = np.array([sin(HALF_ANGLE), 0.0, cos(HALF_ANGLE)])
        outwards = np.array([cos(HALF_ANGLE), 0.0, -sin(HALF_ANGLE)])
        middle = np.array([lip, 0.0, 0.0]) + 0.5 * length * along + 0.5 * thick * outwards
        tilt = axis_angle((0, 1, 0), HALF_ANGLE)
        walls.append(Body(f"slope{k}", Box((thick, 2 * side, length)), "wall", Motion.STATIC,
                          triple(_around(middle, around)), quadruple(_product(turn, tilt))))  # fmt: skip
        place = np.array([side + 0.5 * thick, 0.0, 0.5 * (low + top)])
        walls.append(Body(f"side{k}", Box((thick, 2 * side + 2 * thick, top - low)), "wall", Motion.STATIC,
                          triple(_around(place, around)), quadruple(turn)))  # fmt: skip
    return walls


def _around(point, angle):
    x, y, z = point
    return np.array([x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z])


def _product(a, b):
    """Quaternion a b."""
    w, v = a[0], np.array(a[1:])
    s, u = b[0], np.array(b[1:])
    return np.array([w * s - v @ u, *(w * u + s * v + np.cross(v, u))])


ENTRIES = (
    SceneEntry(
        "shape_hopper",
        "Hopper for shapes",
        "balls, cubes, jacks or gears of one volume over a square outlet: which jam?",
        shape_hopper,
        6.0,
    ),
)
