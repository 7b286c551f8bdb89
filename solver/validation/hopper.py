"""The slot hopper, coarsely: what jams, what flows, and how friction and height of the bed change it.

Full studies with error bars are examples/jam_vs_friction.toml and examples/beverloo.toml.
"""

import numpy as np
from scipy.optimize import brentq

from ..dynamics.step_kernels import tangent_frames
from ..materials import Material, MaterialPair, MaterialTable
from ..scene import Body, KeyedPoses, Motion, Scene
from ..shapes import Box, Sphere
from ..simulation import options_for, simulate
from ..studies.plan import in_groups, tasks_of
from ..studies.rates import count_rates
from ..studies.statistics import beverloo, wilson
from ..studies.study import study_from_data
from ..studies.task import perform
from .lines import Case, demanded, within

# Jams of runs that a code of soft, damped spheres (YADE 2023.02, contact stiffness 1e7 Pa) gives in the same hopper:
# (outlet in diameters, friction): (jams, runs).
SOFT_SPHERES = {(2.5, 0.5): (30, 30), (3.0, 0.1): (2, 30), (4.0, 0.5): (0, 30)}
SEEDS = 3


def _runs(points, **parameters):
    """{point: [result, ...]} of runs of the slot hopper at points (outlet, friction)."""
    found = {}
    for outlet, friction in points:
        study = study_from_data({
            "stiction_study": 1,
            "scene": {"name": "slot_hopper", "parameters": {"outlet": outlet, "friction": friction, **parameters}},
            "settings": {"time": 30.0}, "repeats": {"count": SEEDS},
        }, checked=False)  # fmt: skip
        found[outlet, friction] = [perform([task])[0] for task in tasks_of(study)]
    return found


def jams():
    """Share of jams at three points where soft spheres jam always, seldom and never: inside the joint interval."""
    lines = []
    for (outlet, friction), results in _runs(SOFT_SPHERES, open_time=1.5).items():
        jammed, (k, n) = sum(r["row"]["jammed"] for r in results), SOFT_SPHERES[outlet, friction]
        low, high = wilson(k + jammed, n + SEEDS, 3.0)
        # The pooled interval, widened by what so few runs can tell.
        slack = 1.0 / SEEDS
        lines.append(within(f"share of jams, D/d {outlet:g}, mu {friction:g}", max(low - slack, 0.0),
                            min(high + slack, 1.0), jammed / SEEDS))  # fmt: skip
    return lines


def silo_study():
    """The Study of the rates: examples/beverloo.toml with one run a point."""
    return study_from_data({
        "stiction_study": 1,
        "scene": {"name": "slot_silo", "parameters": {"count": 400, "width": 20.0, "open_time": 1.0}},
        "settings": {"time": 30.0}, "fill": {"shared": ["friction"]}, "stop": {"count": 280},
        "parameters": {"friction": {"values": [0.2, 0.5]}, "outlet": {"values": [5.0, 6.0, 7.0, 8.0, 10.0]}},
    }, checked=False)  # fmt: skip


def discharge():
    """Silo with a flat floor: rate independent of the height of the bed (0.9 to 1.1), 0 to 20 % lower at friction 0.5
    than at 0.2, and Beverloo's law with exponent 3/2."""
    results = [result for group in in_groups(tasks_of(silo_study())) for result in perform(group)]
    rates, ratios = {}, []
    for result in results:
        exits = [result["detail"]["exits"]]
        (early,), (late,) = (count_rates(exits, *part) for part in ((0.15, 0.45), (0.45, 0.75)))
        ratios.append(late / early)
        by_outlet = rates.setdefault(result["values"]["friction"], {})
        by_outlet[result["values"]["outlet"]] = count_rates(exits, 0.15, 0.75)[0]
    by_friction = np.array(list(rates[0.5].values())) / np.array(list(rates[0.2].values()))
    lines = [
        demanded(within("rate late / rate early in the discharge", 0.9, 1.1, float(np.mean(ratios))),
                 f"Its standard error over these {len(ratios)} runs is {_error(ratios):.2f}."),
        demanded(within("rate at mu 0.5 / rate at mu 0.2", 0.8, 1.0, float(np.mean(by_friction))),
                 f"Its standard error over these {len(by_friction)} outlets is {_error(by_friction):.2f}."),
    ]  # fmt: skip
    for friction, found in rates.items():
        fit = beverloo(list(found), list(found.values()))
        words = f"One run an outlet; k to {1.96 * fit.k_error:.2f}, exponent if free {fit.free_exponent:.2f}."
        lines += [
            demanded(within(f"R^2 of Beverloo's law, exponent 3/2, mu {friction:g}", 0.99, 1.0, fit.r_squared), words),
            demanded(within(f"k of Beverloo's law, mu {friction:g}", 1.0, 2.0, fit.k), words),
        ]  # fmt: skip
    return lines


def empties():
    """A dozen grains over a wide outlet all come out, and all that came out is counted."""
    results = _runs([(5.0, 0.3)], count=12, open_time=0.3)[5.0, 0.3]
    out = [result["row"]["discharged_count"] for result in results]
    return [within("fewest grains that came out, of 12", 12, 12, min(out)),
            within("most", 12, 12, max(out))]  # fmt: skip


def _error(values):
    """Standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


# Diameter of the grains [m] and its spread, width of the silo and room between the plates in diameters, rows of grains.
D, SPREAD, WIDTH, SLOT, ROWS = 0.1, 0.1, 10, 1.155, 22
# Friction between grains, and at walls and floor: walls as rough as the grains are not slid along but rolled along.
FRICTION, WALL_FRICTION = 0.5, 0.3
# Time to settle, to sink at SPEED, and the part of it at the end that is averaged [s], [m/s]; seeds of the fillings.
SETTLE, SINK, MEAN, SPEED = 1.5, 1.5, 1.0, 0.01
FILLINGS = (1, 2, 3)
# Ratio of horizontal to vertical pressure that slot silos show.
RATIO = 0.6


def silo(seed=1, friction=FRICTION, wall_friction=WALL_FRICTION):
    """The Scene: grains on a floor that sinks, between two walls and two smooth plates."""
    side, height, thick = 0.5 * WIDTH * D, 1.4 * ROWS * D, D
    fixed = [Body(f"wall{sign:+d}", Box((thick, 2 * D, height)), "wall", Motion.STATIC,
                  (sign * (side + 0.5 * thick), 0.0, 0.5 * height - 2 * D)) for sign in (-1, 1)]  # fmt: skip
    fixed += [Body(f"plate{sign:+d}", Box((2 * side, thick, height)), "plate", Motion.STATIC,
                   (0.0, sign * 0.5 * (SLOT * D + thick), 0.5 * height - 2 * D)) for sign in (-1, 1)]  # fmt: skip
    times = np.array([0.0, SETTLE, SETTLE + SINK + 1.0])
    places = np.array([[0.0, 0.0, -0.5 * thick]] * 3)
    places[2, 2] -= SPEED * (times[2] - times[1])
    keys = KeyedPoses(times, places, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))
    floor = Body("floor", Box((2 * side - 0.02 * D, SLOT * D, thick)), "wall", Motion.KINEMATIC, tuple(places[0]),
                 keys=keys)  # fmt: skip
    materials = MaterialTable(
        (Material("grain", 1000.0, friction), Material("wall", 1000.0, wall_friction), Material("plate", 1000.0, 0.0)),
        (MaterialPair(("grain", "wall"), friction=wall_friction), MaterialPair(("grain", "plate"), friction=0.0)),
    )
    return Scene((*fixed, floor, *_grains(seed)), materials, name="silo",
                 settings={"time_step": 0.005, "accuracy": 1e-3})  # fmt: skip


def _grains(seed):
    """Rows of spheres of several sizes (equal ones would make a crystal, whose pressures have a ratio of their own)."""
    rng, grains, pitch = np.random.default_rng(seed), [], 1.02 * (1 + SPREAD)
    count = int((WIDTH - 0.2) / pitch)
    for row in range(ROWS):
        for k in range(count):
            d = D * (1 + SPREAD * rng.uniform(-1, 1))
            x = (k - 0.5 * (count - 1)) * pitch * D + 0.01 * D * rng.uniform(-1, 1)
            place = (float(x), float(0.01 * D * rng.uniform(-1, 1)), (0.6 + pitch * row) * D)
            grains.append(Body(f"grain{len(grains)}", Sphere(0.5 * d), "grain", position=place))
    return grains


def janssen_load(height, width, friction, ratio=RATIO):
    """Load of the floor of a slot silo over the weight of a column as high as the slot is wide; height and width in one
    unit: (lam / width) (1 - exp(-height / lam)), lam = width / (2 friction ratio)."""
    length = width / (2.0 * friction * ratio)
    return length / width * (1.0 - np.exp(-height / length))


def on_second(contacts, rows):
    """Impulses (C,3) [N s] in world axes on the second bodies of contacts, from those in contact axes."""
    frame = np.empty((contacts.count, 3, 3))
    tangent_frames(np.ascontiguousarray(contacts.normal), frame)
    return np.einsum("ck,ckj->cj", rows[:, :3], frame)


def silo_loads(seed, friction=FRICTION, wall_friction=WALL_FRICTION):
    """Means as the floor sinks: forces over the weight of all grains, on the floor, normal to the walls, and upwards by
    friction of the walls; the height of the bed over its width; and the ratio of horizontal to vertical stress between
    the grains of its middle (Love 1927, Weber 1966: impulses times the ways between centres)."""
    scene = silo(seed, friction, wall_friction)
    options = options_for(scene, time=SETTLE + SINK, threads=1)
    names = [body.name for body in scene.bodies]
    floor, sides = names.index("floor"), [k for k, name in enumerate(names) if name.startswith("wall")]
    moving = np.array([body.motion == Motion.DYNAMIC for body in scene.bodies])
    found = []

    def look(_done, state, _report, rows):
        if state.time < SETTLE + SINK - MEAN:
            return None
        c, force, ground = state.contacts, on_second(state.contacts, rows), floor_height(state.time)
        up = {}
        for name, chosen in (("floor", [floor]), ("walls", sides)):
            first, second = np.isin(c.body_a, chosen), np.isin(c.body_b, chosen)
            up[name] = np.sum(force[first, 2]) - np.sum(force[second, 2])
        on_wall = np.isin(c.body_a, sides) | np.isin(c.body_b, sides)
        height = float(np.percentile(state.position[moving, 2], 97)) + 0.5 * D - ground
        inside = moving[c.body_a] & moving[c.body_b] & (np.abs(c.position[:, 0]) < 0.3 * WIDTH * D)
        inside &= np.abs((c.position[:, 2] - ground) / height - 0.5) < 0.35
        way = state.position[c.body_b[inside]] - state.position[c.body_a[inside]]
        stress = np.sum(force[inside] * way, axis=0)
        found.append((up["floor"], np.sum(rows[on_wall, 0]), up["walls"], height, stress[0], stress[2]))
        return None

    run = simulate(scene, options, watch=look)
    weight = 9.81 * float(np.sum(np.array(run.header["mass"])[moving]))
    *forces, height, across, along = np.mean(found, axis=0)
    return np.array(forces) / options.time_step / weight, float(height) / (WIDTH * D), float(across / along)


def floor_height(time):
    """Height [m] of the floor's face."""
    return -SPEED * max(0.0, time - SETTLE)


def product_of(load, height, wall_friction):
    """K times the part of Coulomb's limit in use at which Janssen's law gives a load of the floor, over the weight of
    all grains; height of the bed over its width."""
    return brentq(lambda ratio: janssen_load(height, 1.0, wall_friction, ratio) / height - load, 1e-3, 10.0)


def janssen():
    """Load of the sinking floor and pressure on the walls against Janssen's with K = 0.6: within 10 %."""
    forces, heights, ratios = zip(*(silo_loads(seed) for seed in FILLINGS), strict=True)
    (load, normal, friction), height = np.mean(forces, axis=0), float(np.mean(heights))
    law = janssen_load(height, 1.0, WALL_FRICTION) / height
    part = friction / (WALL_FRICTION * normal)
    product, each = product_of(load, height, WALL_FRICTION), ", ".join(f"{ratio:.2f}" for ratio in ratios)
    why = (f"The floor's load tells K only times the part of Coulomb's limit that holds the bed up, {part:.2f} here: "
           f"that product is {product:.2f}, so K is {product / part:.2f}, and {np.mean(ratios):.2f} from the forces "
           f"between the grains ({each}). The pressure asked for is that of K = {RATIO} with all of the limit in use. "
           f"Floor load of each filling over the law: {', '.join(f'{found[0] / law:.2f}' for found in forces)}.")
    return [
        within(f"floor load over Janssen's at H/W {height:.2f}", 0.9, 1.1, load / law),
        demanded(within("pressure on the walls over Janssen's", 0.9, 1.1, WALL_FRICTION * normal / (1.0 - law)), why),
        within("what floor and walls carry over the weight of all", 0.99, 1.01, load + friction),
    ]  # fmt: skip


CASES = (
    Case("hopper_empties", "Granular", empties, quick=True), Case("hopper_jams", "Granular", jams),
    Case("hopper_discharge", "Granular", discharge), Case("hopper_janssen", "Granular", janssen),
)  # fmt: skip
