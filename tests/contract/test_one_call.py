"""Solves of plain contacts in one call, and quiet steps, have the bits of those that go from kernel to kernel."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stiction.solver import methods
from stiction.solver.mechanisms import Events
from stiction.solver.methods.accelerated import plain
from stiction.solver.methods.accelerated import plain_kernels as kernels
from stiction.solver.methods.accelerated.turn_kernels import CONVERGED
from stiction.solver.scene import Body, Joint, Keyed, KeyedPoses, Motion, Motor, Scene
from stiction.solver.scene_io.problem_file import load_problem
from stiction.solver.scenes import build
from stiction.solver.shapes import Box, Compound, Cylinder, Mesh, Part, Sphere
from stiction.solver.shapes.generators import jack, plate, torus
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper
from stiction.solver.steppers import StepSettings
from stiction.solver.stepping.quiet import steps as quiet_steps
from stiction.solver.stepping.step_report import NUMBERS, StepReport

SETTINGS = StepSettings(time_step=0.01)
DATA = Path(__file__).parents[1] / "data" / "contact_problems"
PROBLEMS = ("stack10_t0.5", "boxpile50_t3", "slide60_t0.3", "wall10x10_t0.5")


@pytest.fixture
def ends(monkeypatch):
    """How solves in one call ended, and what was left to do about loads."""
    found = []

    def noted(name):
        kernel = getattr(kernels, name)

        def run(*given):
            answer = kernel(*given)
            found.append((answer[0], answer[3].left if name == "solve_evenly" else None))
            return answer

        return run

    names = ("solve_plain", "solve_evenly")
    monkeypatch.setattr(plain, "kernels", SimpleNamespace(**{**vars(kernels), **{name: noted(name) for name in names}}))
    return found


def solved(problem, method, limit, acceptable):
    impulse = np.zeros(problem.row_count)
    own = {"tolerance": 1e-7, "acceptable": acceptable, "patience": 5_000, "max_iterations": limit}
    options = methods.get_method(method).options(**own)
    report = methods.solve(problem, impulse, method, options, brief=True)
    return impulse, report.iterations, report.status, report.residual


@pytest.mark.parametrize("method", ["accelerated", "accurate"])
def test_problems_have_the_same_answers(monkeypatch, ends, method):
    few, long = ((30, 0.0), (1000, 1e-3), (1000, 0.0)), ((30_000, 0.0),)
    for name, limits in (*((name, few) for name in PROBLEMS), ("boxpile200_t2.5", long)):
        problem = load_problem(DATA / f"{name}.npz")
        for given in limits:
            one = solved(problem, method, *given)
            with monkeypatch.context() as other:
                other.setattr(plain, "fits", lambda *_: False)
                many = solved(problem, method, *given)
            assert one[0].tobytes() == many[0].tobytes(), (name, given)
            assert one[1:] == many[1:], (name, given)
    assert {kernels.HANDED_OVER, kernels.LIMITED} <= {how for how, _ in ends}


def with_torsion(scene):
    """The scene with friction about the normals, which no solve of plain contacts knows."""
    table = scene.materials
    materials = tuple(replace(material, torsional_friction=1e-3) for material in table.materials)
    return replace(scene, materials=replace(table, materials=materials))


def run(name, steps, given=lambda scene: scene, **changes):
    """The bits of a scene's first steps, and what they report but for times and work."""
    scene = given(SCENES[name]() if name in SCENES else build(name))
    options = options_for(scene, **changes)
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    bits = []
    for _ in range(steps):
        state, report, impulse = step(model, state, settings)
        bits += [state.position.tobytes(), state.twist.tobytes(), impulse.tobytes()]
        bits += [value for name, value in report._asdict().items() if name not in ("solve_s", "work", "time", "events")]
        if state.joints is not None:
            bits.append(state.joints.packed().tobytes())
    return bits


@pytest.mark.parametrize(
    ("name", "steps"),
    [("stack10", 12), ("cardhouse3", 6), ("small_cubes", 12), ("heavy_on_five", 12), ("heavy4096", 12),
     ("leaning_stack", 4)],
)  # fmt: skip
def test_scenes_have_the_same_bits(monkeypatch, ends, name, steps):
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    one = run(name, steps)
    assert len(ends) >= steps // 2
    monkeypatch.setattr(plain, "fits", lambda *_: False)
    assert one == run(name, steps)


def test_newton_steps_on_small_islands_are_made_in_the_same_call(ends):
    problem = load_problem(DATA / "stack10_t0.5.npz")
    _, sweeps, *_ = solved(problem, "accurate", 3000, 0.0)
    assert ends and {how for how, _ in ends} == {CONVERGED}
    options = methods.get_method("accurate").options(tolerance=1e-7, patience=5_000, max_iterations=3000, newton=False)
    assert methods.solve(problem, None, "accurate", options).iterations > 2 * sweeps


def test_loads_are_spread_in_the_same_call(monkeypatch, ends):
    """Loads that statics leaves open are spread, and solved for again, where they were found."""
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    kept, real = [], methods._made_even
    monkeypatch.setattr(methods, "_made_even", lambda *given: kept.append(1) or real(*given))
    one = run("overhang", 3)
    assert {left for _, left in ends} == {kernels.SETTLED}
    assert not kept
    monkeypatch.setattr(plain, "fits", lambda *_: False)
    assert one == run("overhang", 3)
    assert kept


class Tried(list):
    """Whether steps were quiet."""

    def __init__(self):
        super().__init__()
        self.parts = []


@pytest.fixture
def tried(monkeypatch):
    """Whether the steps that were tried as quiet ones were; behind them, `parts`: parts of steps."""
    found, real = Tried(), quiet_steps._made

    def noted(*given):
        made = real(*given)
        (found if given[0].bounds.errs == 1.0 else found.parts).append(made[0] == given[4])
        return made

    monkeypatch.setattr(quiet_steps, "_made", noted)
    return found


@pytest.mark.parametrize(
    ("name", "steps", "least", "most"),
    [("stack10", 8, 8, 8), ("cardhouse3", 6, 6, 6), ("heavy4096", 6, 6, 6), ("drop10", 60, 1, 59), ("wall85", 9, 1, 9),
     ("overhang", 3, 1, 3), ("sliding_block", 60, 55, 60), ("incline", 20, 1, 20), ("pendulum", 10, 8, 10),
     ("grip", 10, 8, 10), ("door", 10, 8, 10), ("four_bar", 10, 8, 10), ("slider_crank", 20, 1, 20),
     ("chain", 6, 1, 6), ("peg", 6, 1, 6), ("ratchet", 12, 0, 12), ("rocking_block", 90, 70, 90),
     ("drop10", 200, 180, 200), ("dominoes", 120, 25, 80), ("bouncing_box", 60, 40, 60), ("pressed", 20, 15, 20),
     ("carried", 60, 50, 60), ("turned", 40, 35, 40), ("towed", 40, 30, 40),
     ("surfaces", 60, 40, 60), ("tables", 40, 30, 40), ("rolling", 120, 110, 120), ("loose", 60, 30, 60),
     ("columns", 14, 6, 14), ("cards", 12, 11, 12), ("spun", 40, 38, 40), ("swung", 20, 8, 20)],
)  # fmt: skip
def test_quiet_steps_have_the_bits_of_the_general_way(monkeypatch, tried, name, steps, least, most):
    one = run(name, steps)
    assert least <= sum(tried) <= most
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    assert one == run(name, steps)


@pytest.mark.parametrize(
    ("name", "steps", "least"),
    [("whip", 60, 10), ("two_whips", 40, 20), ("thrown_plates", 40, 1), ("slider_crank", 20, 1), ("swung", 20, 2)],
)
def test_parts_of_steps_have_the_bits_of_the_general_way(monkeypatch, tried, name, steps, least):
    """Halves of a step, of all bodies or of those that need them, are made as quiet ones."""
    one = run(name, steps)
    assert least <= sum(tried.parts)
    assert False in tried.parts or name != "swung"
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    assert one == run(name, steps)


@pytest.mark.parametrize(
    ("name", "time", "each", "sleeping"),
    [("stack10", 0.3, 1, False), ("drop10", 1.0, 3, False), ("incline", 0.5, 4, False), ("grip", 0.3, 2, False),
     ("stack10", 1.2, 3, True), ("drop10", 3.0, 4, True), ("shelf", 2.0, 2, True),
     ("pendulum", 1.0, 2, True), ("carried", 1.0, 3, False), ("carried", 2.5, 3, True), ("woken", 3.0, 3, True),
     ("surfaces", 1.0, 3, False), ("tables", 1.5, 3, True)],
)  # fmt: skip
def test_a_run_of_quiet_steps_writes_what_single_steps_write(monkeypatch, tmp_path, name, time, each, sleeping):
    """Many steps of one call leave the same files as one after the other, whatever frames end in them, and whoever
    falls asleep or is woken in them."""
    scene = SCENES[name]() if name in SCENES else build(name)
    options = options_for(scene, time=time, steps_per_frame=each, sleeping=sleeping)
    made, real = [], quiet_steps.QuietSteps.several

    def noted(*given):
        found = real(*given)
        made.append(0 if found is None else len(found.reports))
        return found

    monkeypatch.setattr(quiet_steps.QuietSteps, "several", noted)
    many = simulate(scene, options, tmp_path / "many")
    assert max(made) > 2
    calls = len(made)
    one = simulate(scene, options, tmp_path / "one", watch=lambda *_: None)
    assert len(made) == calls
    for name in ("frames.bin", "contacts.bin", "nodes.bin", "joints.bin"):
        written = [(tmp_path / way / name).read_bytes() for way in ("many", "one") if (tmp_path / way / name).exists()]
        assert len(written) in (0, 2) and written[:1] == written[1:], name
    for field in one.steps:
        if field not in ("solve_s", "work"):
            assert np.array_equal(many.steps[field], one.steps[field]), field


def shelf():
    """Boxes that begin at rest on a floor and a shelf, one of which falls upon another that sleeps by then."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.5)) for k in range(3)]
    boxes += [Body("on one", Box((0.5, 0.5, 0.5)), position=(0.0, 0.0, 1.25)),
              Body("late", Box((0.3, 0.3, 0.3)), position=(1.6, 0.0, 6.0))]  # fmt: skip
    return Scene(name="shelf", bodies=(floor, *boxes))


def keyed(name, size, *keys, **more):
    """A box on a path through keys (time, place, turn about z)."""
    times, places, turns = zip(*keys, strict=True)
    poses = KeyedPoses(times, places, [(np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)) for turn in turns])
    return Body(name, Box(size), position=places[0], motion=Motion.KINEMATIC, keys=poses, **more)


def whip(name="whip", count=6, at=0.0, speed=0.0):
    """A chain of rods that falls from the side, and cracks."""
    rods = [Body(f"{name} {k}", Box((0.2, 0.04, 0.04)), position=(0.1 + 0.2 * k, at, 2.0)) for k in range(count)]
    rods[-1] = replace(rods[-1], velocity=(0.0, speed, -speed))
    ends = ["world", *(rod.name for rod in rods)]
    joints = [Joint(f"{name} joint {k}", "ball", (ends[k], ends[k + 1]), (0.2 * k, at, 2.0)) for k in range(count)]
    return Scene(name=name, bodies=tuple(rods), joints=tuple(joints))


def two_whips():
    """One of which cracks, while the other hangs far away beside a ball that falls."""
    one, other = whip(speed=6.0), whip("other", 2, at=5.0)
    ball = Body("ball", Sphere(0.1), position=(0.0, -5.0, 2.0))
    return replace(one, name="two_whips", bodies=(*one.bodies, *other.bodies, ball), joints=one.joints + other.joints)


def thrown_plates():
    """Thin plates that spin fast above a floor, near each other."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    plates = [Body(f"plate {k}", Box((0.3, 0.2, 0.004)), position=(0.0, 0.0, 0.3 + 0.02 * k),
                   angular_velocity=(12.0 + k, 3.0, 0.0)) for k in range(3)]  # fmt: skip
    return Scene(name="thrown_plates", bodies=(floor, *plates))


def swung():
    """Rings in rings, of which the last is thrown aside: edges turn into each other within each step."""
    shape, half, bodies = Mesh(*torus(0.1, 0.02, 12, 6)), np.sqrt(0.5), []
    for k in range(4):
        turned = (half, half, 0.0, 0.0) if k % 2 == 0 else (0.5,) * 4
        flies = (4.0, 3.0, 0.0) if k == 3 else (0.0, 0.0, 0.0)
        bodies.append(Body(f"ring {k}", shape, motion=Motion.DYNAMIC if k else Motion.STATIC, orientation=turned,
                           position=(0.0, 0.0, -0.156 * k), velocity=flies))  # fmt: skip
    return Scene(name="swung", bodies=tuple(bodies))


def cards():
    """Thin cards that turn as they fly side by side, further in half a step than they are thick."""
    flight = {"velocity": (8.0, 0.0, 4.0), "angular_velocity": (0.0, 8.0, 0.0)}
    thrown = [Body(f"card {k}", Box((0.28, 0.28, 0.02)), position=(0.3 * k, 0.0, 2.0), **flight) for k in range(3)]
    return Scene(name="cards", bodies=tuple(thrown))


def rolling():
    """A car rolls over a floor, each wheel on its two edges: rows that say nearly the same twice."""
    floor = Body("floor", Box((40.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    car = [Body("chassis", Box((2.0, 0.8, 0.3)), position=(0.0, 0.0, 0.45), velocity=(0.5, 0.0, 0.0))]
    joints, upright = [], (np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0)
    for k, (x, y) in enumerate(((0.7, 0.6), (0.7, -0.6), (-0.7, 0.6), (-0.7, -0.6))):
        car.append(Body(f"wheel {k}", Cylinder(0.3, 0.2), position=(x, y, 0.3001), orientation=upright,
                        velocity=(0.5, 0.0, 0.0)))  # fmt: skip
        joints.append(Joint(f"axle {k}", "hinge", ("chassis", f"wheel {k}"), (x, y, 0.3001), (0.0, 1.0, 0.0)))
    return Scene(name="rolling", bodies=(floor, *car), joints=tuple(joints))


def pressed():
    """Boxes that begin in the floor and in each other, and are pushed out."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(0.1 * k, 0.0, 0.4996 + 0.9994 * k)) for k in range(3)]
    return Scene(name="pressed", bodies=(floor, *boxes))


def carried():
    """A plate lifts two boxes, and stops."""
    plate = keyed("plate", (3.0, 3.0, 0.2), (0.1, (0.0, 0.0, -0.1), 0.0), (0.7, (0.0, 0.0, 0.4), 0.0))
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5 + k)) for k in range(2)]
    return Scene(name="carried", bodies=(plate, *boxes))


def turned():
    """A box rides on a table that turns, and falls on it first."""
    table = keyed("table", (6.0, 6.0, 0.2), (0.0, (0.0, 0.0, -0.1), 0.0), (1.0, (0.0, 0.0, -0.1), 0.8))
    return Scene(name="turned", bodies=(table, Body("box", Box((1.0, 1.0, 1.0)), position=(1.5, 0.0, 0.51))))


def towed():
    """A sledge on a hinge is drawn over the floor."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    horse = keyed("horse", (0.4, 0.4, 0.4), (0.0, (2.0, 0.0, 1.0), 0.0), (1.0, (3.0, 0.0, 1.0), 0.0))
    sledge = Body("sledge", Box((2.0, 1.0, 0.4)), position=(0.0, 0.0, 0.2))
    rod = Joint("rod", "distance", ("horse", "sledge"), positions=((2.0, 0.0, 1.0), (1.0, 0.0, 0.2)))
    return Scene(name="towed", bodies=(floor, horse, sledge), joints=(rod,))


def loose():
    """Two boxes that slide and fall, and a joint that holds neither while they are between its limits."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    boxes = [Body(f"box {k}", Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.5 + 0.1 * k), velocity=(1.0, 0.0, 0.0))
             for k in range(2)]  # fmt: skip
    joint = Joint("joint", "generic", ("box 0", "box 1"), (0.75, 0.0, 0.5), (0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0),
                  free=("x", "y", "z", "rx", "ry", "rz"), limits={"x": (-3.0, 3.0)}, collide=True)  # fmt: skip
    return Scene(name="loose", bodies=(floor, *boxes), joints=(joint,))


def woken():
    """A box that has fallen asleep is struck by another, on keys."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    ram = keyed("ram", (0.5, 0.5, 0.5), (1.0, (-2.0, 0.0, 0.5), 0.0), (2.5, (0.0, 0.0, 0.5), 0.3))
    return Scene(name="woken", bodies=(floor, Body("box", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5)), ram))


def surfaces():
    """A ball, a box and a jack, a mesh, fall on a mesh."""
    floor = Body("floor", Mesh(*plate((6.0, 6.0, 0.5))), position=(0.0, 0.0, -0.25), motion=Motion.STATIC)
    bodies = (Body("ball", Sphere(0.3), position=(-1.5, 0.0, 0.4), velocity=(1.0, 0.0, 0.0)),
              Body("box", Box((0.6, 0.5, 0.4)), position=(0.0, 1.2, 0.22)),
              Body("jack", Mesh(*jack(0.8, 0.2)), position=(1.2, 0.0, 0.42)))  # fmt: skip
    return Scene(name="surfaces", bodies=(floor, *bodies))


def tables():
    """Two tables of five boxes, the one on the other."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    legs = [Part(Box((0.1, 0.1, 0.6)), (x, y, -0.35)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    table = Compound((Part(Box((1.0, 0.8, 0.1))), *legs))
    high = [Body(f"table {k}", table, position=(0.1 * k, 0.0, 0.651 + 0.702 * k)) for k in range(2)]
    return Scene(name="tables", bodies=(floor, *high))


def columns():
    """Forty columns of balls that lean, more bodies than a search goes through one by one."""
    floor = Body("floor", Box((20.0, 20.0, 1.0)), position=(0.0, 0.0, -0.5), motion=Motion.STATIC)
    places = [(0.7 * (k % 8) - 2.0, 0.7 * (k // 8) - 2.0) for k in range(40)]
    balls = [Body(f"ball {k} {i}", Sphere(0.1), position=(x + 0.01 * i, y, 0.1 + 0.2 * i))
             for k, (x, y) in enumerate(places) for i in range(5)]  # fmt: skip
    return Scene(name="columns", bodies=(floor, *balls))


def spun():
    """A wheel on the floor's post whose motor turns round, and a box on a slider that is pushed on."""
    wheel = Body("wheel", Cylinder(0.3, 0.1), position=(0.0, 0.0, 1.0))
    box = Body("box", Box((0.4, 0.4, 0.4)), position=(2.0, 0.0, 0.5))
    turned = Motor(Keyed((0.0, 0.1, 0.3), (0.0, 4.0, -4.0)))
    pushed = Motor(Keyed((0.05, 0.2), (1.0, 2.0)), 20.0)
    return Scene(name="spun", bodies=(wheel, box), joints=(
        Joint("axle", "hinge", ("world", "wheel"), (0.0, 0.0, 1.0), motor=turned),
        Joint("rail", "slider", ("world", "box"), (2.0, 0.0, 0.5), (1.0, 0.0, 0.0), motor=pushed),
    ))  # fmt: skip


MADE_HERE = (shelf, whip, two_whips, thrown_plates, cards, swung, rolling, pressed, carried, turned, towed, loose,
             woken, surfaces, tables, columns, spun)  # fmt: skip
SCENES = {scene.__name__: scene for scene in MADE_HERE}


def test_friction_about_normals_is_left_to_the_general_way(tried):
    run("stack10", 3, with_torsion)
    assert not tried


LEFT = [False] * 15 + [True] * 2 + [False] * 2 + [True]


@pytest.mark.parametrize("joints, tells", [(0, LEFT), (1, [False] * 4 + [True] * 2 + [False] + [True])])
def test_steps_after_ones_that_are_not_quiet_are_left_up_to_four_and_none_with_joints(monkeypatch, joints, tells):
    quiet, asked, still = iter([0, 0, 0, 0, 1, 1, 0, 1]), [], {**dict.fromkeys(NUMBERS, 0), "events": ()}
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: True)
    monkeypatch.setattr(quiet_steps, "_world", lambda *_: SimpleNamespace(joint_count=joints))
    monkeypatch.setattr(quiet_steps, "_made", lambda *_: asked.append(None) or (next(quiet), None, None, [], []))
    made = SimpleNamespace(state=SimpleNamespace(), rows=2, report=lambda _: StepReport(**still))
    monkeypatch.setattr(quiet_steps, "_after", lambda *_: made)
    steps, state = quiet_steps.QuietSteps(), SimpleNamespace(time=0.0)
    settings, group = replace(SETTINGS, events=Events()), SimpleNamespace(worlds={})
    assert [steps.step("model", state, settings, group) is not None for _ in tells] == tells
    assert len(asked) == 8
