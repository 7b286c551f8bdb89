"""The test scenes of "Rigid Body Contact Problems using Proximal Operators" (SCA 2017), Table 1: what is poured.

Numbers of objects, masses and coefficients are the paper's (friction 0.75, torsional friction 0.01 m); the meshes are
our own. The paper's objects hold the ground and the container: 362 = 360 jacks, a glass and the ground.
"""

import numpy as np

from ..scene import Body, Motion, Scene
from ..shapes import Box, Mesh, Sphere
from ..shapes.generators import beaker, chalice, hopper, icosphere, jack, tumbler
from .base import SceneEntry, floor, one_material, preset, quadruple, triple
from .checks import stays_inside

TABLE_1 = "PROX 2017, Table 1"
JACK_MASS, BALL_MASS, GLASS_MASS = 35.0, 68.0, 91.0  # [kg]
JACK_LENGTH, JACK_WIDTH = 0.7, 0.14  # [m]: 35 kg at the density of water
BALL_RADIUS = 0.253  # [m]: 68 kg at the density of water
GLASS_RADIUS, GLASS_WALL = 3.0, 0.2  # of the glass that is poured into [m]
FUNNEL = dict(top=4.0, bottom=1.2, height=4.0, spout=0.3, wall=0.3, square=False)
FUNNEL_FOOT = 2.5  # height of the spout's mouth [m]


def prox_materials(density=1000.0):
    """The one material of the paper."""
    return one_material(0.75, density, torsional_friction=0.01)


def disk_layer(radius, spacing):
    """Places (n,2) [m] of a square grid within `radius` of the origin."""
    half = int(radius / spacing)
    line = spacing * np.arange(-half, half + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    inside = np.hypot(x, y) <= radius
    return np.column_stack((x[inside], y[inside]))


def poured(name, shape, count, layer, bottom, spacing, mass, seed=1):
    """`count` bodies in layers above the height `bottom` [m], each turned at random and up to 1 cm off its place."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(count):
        level, cell = divmod(i, len(layer))
        place = np.append(layer[cell], bottom + level * spacing) + rng.uniform(-0.01, 0.01, 3)
        turn = rng.normal(size=4)
        turn = quadruple(turn / np.linalg.norm(turn))
        bodies.append(Body(f"{name}{i}", shape, position=triple(place), orientation=turn, mass=mass))
    return bodies


def into_glass(name, shape, count, spacing, mass, height, seed):
    """Scene of bodies poured into a large glass that stands on the ground."""
    glass = Body("glass", Mesh(*beaker(GLASS_RADIUS, height, GLASS_WALL)), motion=Motion.STATIC,
                 position=(0.0, 0.0, GLASS_WALL))  # fmt: skip
    layer = disk_layer(GLASS_RADIUS - 0.6 * spacing, spacing)
    bodies = poured(name, shape, count, layer, GLASS_WALL + spacing, spacing, mass, seed)
    return Scene((floor(), glass, *bodies), prox_materials(), name=f"prox_{name}")


def jacks(count=360, seed=1):
    """Jacks, each three square bars of 0.7 m, poured into a glass of 6 m across."""
    return into_glass("jacks", Mesh(*jack(JACK_LENGTH, JACK_WIDTH)), count, 0.75, JACK_MASS, 4.0, seed)


def glasses(count=None, full=False, seed=1):
    """Small glasses of 0.66 m poured into a large one: 120, or the paper's 360."""
    count = (360 if full else 120) if count is None else count
    return into_glass("glasses", Mesh(*tumbler()), count, 0.85, GLASS_MASS, 4.0, seed)


def spheres(count=1728, meshes=False, seed=1):
    """Balls poured into a glass: exact spheres, or with `meshes` icospheres of 320 triangles (162 corners)."""
    shape = Mesh(*icosphere(BALL_RADIUS, 2)) if meshes else Sphere(BALL_RADIUS)
    return into_glass("spheres", shape, count, 0.53, BALL_MASS, 8.0, seed)


def funnel_radius(z):
    """Inner radius (n,) [m] of the funnel at heights z (n,) [m]; infinite above and below it."""
    low, high = FUNNEL_FOOT + FUNNEL["spout"], FUNNEL_FOOT + FUNNEL["spout"] + FUNNEL["height"]
    radius = np.interp(z, [low, high], [FUNNEL["bottom"], FUNNEL["top"]])
    return np.where((z < FUNNEL_FOOT) | (z > high), np.inf, radius)


def funnel(count=None, full=False, seed=1):
    """Jacks in a funnel, where friction decides whether they jam: 300, or the paper's 2000."""
    count = (2000 if full else 300) if count is None else count
    wall = Body("funnel", Mesh(*hopper(**FUNNEL)), motion=Motion.STATIC, position=(0.0, 0.0, FUNNEL_FOOT))
    layer = disk_layer(2.9, 0.75)
    shape = Mesh(*jack(JACK_LENGTH, JACK_WIDTH))
    bodies = poured("jack", shape, count, layer, FUNNEL_FOOT + 3.9, 0.75, JACK_MASS, seed)
    return Scene((floor(), wall, *bodies), prox_materials(), name="prox_funnel")


CHALICE_HEIGHT = 0.5  # [m]
BIN_HEIGHT, BIN_WALL = 3.0, 0.4  # of the chalices' container [m]


def chalices(count=None, full=False, segments=12, seed=1):
    """Chalices of 0.5 m poured into a container: 200, or the paper's 4000 (in a wider container)."""
    count = (4000 if full else 200) if count is None else count
    half, height, thick = 3.6 if full else 1.5, BIN_HEIGHT, BIN_WALL
    walls = []
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = (thick, 2 * (half + thick), height) if x else (2 * half, thick, height)
        place = (x * (half + 0.5 * thick), y * (half + 0.5 * thick), 0.5 * height)
        walls.append(Body(f"wall{k}", Box(size), motion=Motion.STATIC, position=place))
    cells = int((2 * half - 0.7) / 0.6) + 1
    line = 0.6 * (np.arange(cells) - 0.5 * (cells - 1))
    layer = np.column_stack([axis.ravel() for axis in np.meshgrid(line, line, indexing="ij")])
    bodies = poured("chalice", Mesh(*chalice(CHALICE_HEIGHT, segments)), count, layer, 0.4, 0.6, None, seed)
    return Scene((floor(), *walls, *bodies), prox_materials(2500.0), name="prox_chalices")


def glass_radius(height):
    """radius_at for the glass: its inner radius below the rim, infinite above."""
    return lambda z: np.where(z < GLASS_WALL + height, GLASS_RADIUS, np.inf)


def stays_in_bin(trajectory):
    """A check: no chalice leaves the container, whose half width follows from the place of its first wall."""
    half = trajectory.center_of_mass[0, list(trajectory.header["names"]).index("wall0"), 0] - 0.5 * BIN_WALL
    return stays_inside(lambda z: np.where(z < BIN_HEIGHT, half, np.inf), square=True)(trajectory)


ENTRIES = (
    SceneEntry(
        "prox_glasses", "Glasses in a glass", "hollow bodies poured into a hollow body (full: 360)", glasses, 3.0,
        stays_inside(glass_radius(4.0)), f"{TABLE_1}, Glasses (362 objects); Fig. 3", full=True,
    ),
    SceneEntry(
        "prox_jacks", "Jacks in a glass", "360 jacks that interlock, poured into a glass", preset("prox_jacks", jacks),
        3.0, stays_inside(glass_radius(4.0)), f"{TABLE_1}, Jacks (362 objects); Fig. 3",
    ),
    SceneEntry(
        "prox_spheres", "Spheres in a glass", "1728 balls poured into a glass", spheres, 3.0,
        stays_inside(glass_radius(8.0)), f"{TABLE_1}, Spheres (1730 objects); Fig. 3",
    ),
    SceneEntry(
        "prox_funnel", "Jacks in a funnel", "jacks jam or flow through a round funnel (full: 2000)", funnel, 4.0,
        stays_inside(funnel_radius), f"{TABLE_1}, Funnel (2002 objects); Fig. 1, top", full=True,
    ),
    SceneEntry(
        "prox_chalices", "Chalices", "chalices packed into a container (full: 4000)", chalices, 3.0,
        stays_in_bin, f"{TABLE_1}, Chalices (4004 objects); Fig. 1", full=True,
    ),
)  # fmt: skip
