"""Stacks and walls of boxes: high, heavy on light, dropped, very small and very large."""

from dataclasses import replace

import numpy as np

from ..materials import Material, MaterialTable
from ..scene import Motion, Scene
from .base import SceneEntry, axis_angle, box, floor, one_material, preset, quadruple
from .checks import falls, stands


def stack(count=10, size=0.5, friction=0.5, density=1000.0):
    """`count` cubes of edge `size` [m], exactly touching."""
    cubes = tuple(box(f"box{i}", (size,) * 3, (0.0, 0.0, size / 2 + i * size)) for i in range(count))
    return Scene((floor(), *cubes), one_material(friction, density), name=f"stack{count}")


def drop(count=10, size=0.5, friction=0.5, gap=0.01, seed=3):
    """Cubes dropped on each other: `gap` [m] of air under each, laid up to 10 mm and 3 degrees askew."""
    rng = np.random.default_rng(seed)
    cubes = []
    for i in range(count):
        x, y = rng.uniform(-0.01, 0.01, 2)
        turn = axis_angle((0, 0, 1), rng.uniform(-0.052, 0.052))
        z = size / 2 + i * size + (i + 1) * gap
        cubes.append(box(f"box{i}", (size,) * 3, (x, y, z), orientation=quadruple(turn)))
    return Scene((floor(), *cubes), one_material(friction), name="drop10")


def heavy100(friction=0.5):
    """A 1000 kg slab on four columns of three 10 kg cubes."""
    bodies = [floor()]
    for ix in (-1, 1):
        for iy in (-1, 1):
            for k in range(3):
                bodies.append(box(f"l{ix}{iy}{k}", (0.5,) * 3, (0.3 * ix, 0.3 * iy, 0.25 + 0.5 * k), mass=10.0))
    bodies.append(box("heavy", (1.2, 1.2, 0.5), (0.0, 0.0, 1.75), mass=1000.0))
    return Scene(tuple(bodies), one_material(friction), name="heavy100")


def heavy4096(friction=0.5):
    """Five equal 1 m cubes of 8, 64, 512, 4096 and 32768 kg, the heaviest on top."""
    cubes = tuple(box(f"box{k}", (1.0,) * 3, (0.0, 0.0, 0.5 + k), mass=8.0 * 8**k) for k in range(5))
    return Scene((floor(), *cubes), one_material(friction), name="heavy4096")


def heavygrow(friction=0.5):
    """The same masses as cubes of 0.2, 0.4 ... 3.2 m at one density, the largest on top."""
    cubes, z = [], 0.0
    for k in range(5):
        edge = 0.2 * 2**k
        cubes.append(box(f"box{k}", (edge,) * 3, (0.0, 0.0, z + edge / 2)))
        z += edge
    return Scene((floor(), *cubes), one_material(friction), name="heavygrow")


def heavy_on_five(ratio=1000.0, friction=0.5, offset=0.0):
    """Five 1 kg cubes with one of `ratio` kg on top; `offset` [m] shifts each cube sideways on the one below."""
    cubes = [box(f"box{k}", (0.5,) * 3, (offset * (k + 1), 0.0, 0.25 + 0.5 * k), mass=1.0) for k in range(5)]
    cubes.append(box("heavy", (0.5,) * 3, (6 * offset, 0.0, 2.75), mass=ratio))
    return Scene((floor(), *cubes), one_material(friction), name="heavy_on_five")


def leaning_stack(count=10, size=0.5, friction=0.5, offset=0.11):
    """A stack with every cube shifted by `offset` of the edge: it falls once the upper ones' centre passes an edge."""
    cubes = tuple(box(f"box{i}", (size,) * 3, (offset * size * i, 0.0, size / 2 + i * size)) for i in range(count))
    return Scene((floor(), *cubes), one_material(friction), name="leaning_stack")


def leaning_stack_limit(count):
    """Largest stable offset of leaning_stack: the upper cubes' centre lies above the lowest one's edge."""
    return 1.0 / count


def wall(rows=10, columns=8, friction=0.75, density=2000.0):
    """A brick wall in running bond with 1 mm joints at the sides: 85 bricks; rows 12, columns 14: 174."""
    length, depth, height, gap = 0.4, 0.2, 0.2, 0.001
    bricks = []
    for r in range(rows):
        z = height / 2 + r * height
        for c in range(columns + r % 2):
            half, x = length / 2, (c + 0.5) * length
            if r % 2:
                end = c in (0, columns)
                half = length / 4 if end else length / 2
                x = min(max(c * length, length / 4), columns * length - length / 4)
            bricks.append(box(f"b{r}_{c}", (2 * half - gap, depth, height), (x, 0.0, z)))
    return Scene((floor(), *bricks), one_material(friction, density), name=f"wall{len(bricks)}")


def small_cubes(count=10, size=0.02, friction=0.5):
    """A stack of 2 cm cubes."""
    return replace(stack(count, size, friction), name="small_cubes")


def extremes(friction=0.5):
    """From a 1 g cube of 5 mm to a cube of 1000 t, side by side and upon each other, in one scene."""
    materials = MaterialTable((Material("default", 1000.0, friction), Material("steel", 8000.0, friction)))
    bodies = (
        floor(200.0, 50.0),
        box("thousand_tonnes", (10.0,) * 3, (0.0, 0.0, 5.0)),
        box("cube_on_top", (1.0,) * 3, (0.0, 0.0, 10.5)),
        box("gram_on_top", (0.005,) * 3, (0.0, 0.0, 11.0025), material="steel"),
        box("gram_on_floor", (0.005,) * 3, (8.0, 0.0, 0.0025), material="steel"),
        box("fifty_metres", (50.0, 50.0, 5.0), (0.0, 60.0, 2.5)),
    )
    return Scene(bodies, materials, name="extremes")


def overhang(count=5, scale=0.995, size=(1.0, 0.5, 0.2), friction=0.6):
    """The harmonic overhang over a table's edge, each offset 1/(2k) multiplied by `scale`."""
    length, _, height = size
    table = box("table", (4.0, 2.0, 1.0), (-2.0, 0.0, -0.5), motion=Motion.STATIC)
    blocks, reach = [], 0.0
    for i in range(count):
        reach += scale * length / (2 * (count - i))
        blocks.append(box(f"block{i}", size, (reach - length / 2, 0.0, height / 2 + i * height)))
    return Scene((table, *blocks), one_material(friction), name="overhang")


ENTRIES = (
    SceneEntry("stack10", "Stack of 10", "ten cubes stand", preset("stack10", stack, count=10), check=stands(0.5)),
    SceneEntry(
        "stack100",
        "Stack of 100",
        "a column of a hundred cubes stands",
        preset("stack100", stack, count=100),
        check=stands(0.5),
    ),
    SceneEntry("drop10", "Ten cubes dropped", "a dropped, askew stack comes to rest", drop),
    SceneEntry("heavy100", "1000 kg on 10 kg columns", "mass ratio 100 on four columns", heavy100, check=stands(0.5)),
    SceneEntry(
        "heavy4096", "Masses 8 to 32768 kg", "the heaviest of five equal cubes on top", heavy4096, check=stands(1.0)
    ),
    SceneEntry("heavygrow", "Growing cubes", "the largest of five cubes on top", heavygrow, check=stands(0.2)),
    SceneEntry(
        "heavy_on_five", "1000:1 on five", "a thousand kilograms on five 1 kg cubes", heavy_on_five, check=stands(0.5)
    ),
    SceneEntry(
        "leaning_stack", "Leaning stack", "a stair of cubes that must fall", leaning_stack, 4.0, check=falls(0.5)
    ),
    SceneEntry(
        "wall85",
        "Wall of 85 bricks",
        "running bond, ten courses",
        preset("wall85", wall, rows=10, columns=8),
        check=stands(0.2),
    ),
    SceneEntry(
        "wall174",
        "Wall of 174 bricks",
        "running bond, twelve courses",
        preset("wall174", wall, rows=12, columns=14),
        check=stands(0.2),
    ),
    SceneEntry("small_cubes", "2 cm cubes", "small objects stand like large ones", small_cubes, check=stands(0.02)),
    SceneEntry("extremes", "1 g to 1000 t", "5 mm to 50 m with one setting", extremes),
    SceneEntry(
        "overhang",
        "Harmonic overhang",
        "stands just inside, falls just outside its limit",
        overhang,
        4.0,
        check=stands(0.2),
    ),
)
