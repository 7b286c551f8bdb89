"""Solves of plain contacts in one call, and quiet steps, have the bits of those that go from kernel to kernel."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from one_call_scenes import SCENES

from stiction.solver import methods
from stiction.solver.mechanisms import Events
from stiction.solver.methods.accelerated import plain
from stiction.solver.methods.accelerated import plain_kernels as kernels
from stiction.solver.methods.accelerated.turn_kernels import CONVERGED
from stiction.solver.scene_io.problem_file import load_problem
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper
from stiction.solver.steppers import StepSettings
from stiction.solver.stepping import substeps
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


# What a report has besides physics, and what it has of a solve in which bodies took part that did not keep it.
BESIDES, OF_SOLVES = ("solve_s", "work", "time", "events"), ("residual", "iterations")


def run(name, steps, given=lambda scene: scene, without=BESIDES, **changes):
    """The bits of a scene's first steps, and what they report but for `without`."""
    scene = given(SCENES[name]() if name in SCENES else build(name))
    options = options_for(scene, **changes)
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    bits = []
    for _ in range(steps):
        state, report, impulse = step(model, state, settings)
        bits += [state.position.tobytes(), state.twist.tobytes(), impulse.tobytes()]
        bits += [value for name, value in report._asdict().items() if name not in without]
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
    """Whether steps were quiet; parts: likewise those of steps; calls of the kernel."""

    def __init__(self):
        super().__init__()
        self.parts, self.calls = [], 0


@pytest.fixture
def tried(monkeypatch):
    """Whether the steps that were tried as quiet ones were; behind them, `parts`: parts of steps."""
    found, real = Tried(), quiet_steps._made

    def noted(*given):
        made = real(*given)
        found.calls += 1
        acted = [True] * made[0] + [False] * (made[0] < len(given[4]))
        (found if given[0].bounds.errs == 1.0 else found.parts).extend(acted)
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
    ("name", "steps", "least", "most"),
    [("whip", 60, 10, 0), ("two_whips", 40, 20, 6), ("long_whip", 12, 15, 7), ("thrown_plates", 40, 1, 2),
     ("slider_crank", 20, 1, 0), ("swung", 20, 2, 2)],
)  # fmt: skip
def test_parts_of_steps_have_the_bits_of_the_general_way(monkeypatch, tried, name, steps, least, most):
    """Halves of a step, of all bodies or of those that need them, are made as quiet ones; at most so many steps and
    parts are left to the scheme: those whose joints ask for halves are not made by it first."""
    made, scheme = [], substeps.Ways
    monkeypatch.setattr(substeps, "Ways", lambda step, *quiet: scheme(lambda *a: made.append(1) or step(*a), *quiet))
    one = run(name, steps, without=(*BESIDES, *OF_SOLVES))
    assert least <= sum(tried.parts)
    assert False in tried.parts or name != "swung"
    assert len(made) <= most
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    assert one == run(name, steps, without=(*BESIDES, *OF_SOLVES))


def test_parts_that_the_pull_of_joints_asks_for_are_made_at_once(monkeypatch, tried):
    """Dozens of parts a step, without a try of halves, of quarters and so on, and in one call of the kernel."""
    one, calls = run("wrecking", 12), tried.calls
    assert len(tried.parts) > 12 * 25
    assert calls < 12 * 20
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    assert one == run("wrecking", 12)


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


def test_friction_about_normals_is_left_to_the_general_way(tried):
    run("stack10", 3, with_torsion)
    assert not tried


LEFT = [False] * 15 + [True] * 2 + [False] * 2 + [True]


@pytest.mark.parametrize("joints, tells", [(0, LEFT), (1, [False] * 4 + [True] * 2 + [False] + [True])])
def test_steps_after_ones_that_are_not_quiet_are_left_up_to_four_and_none_with_joints(monkeypatch, joints, tells):
    quiet, asked, still = iter([0, 0, 0, 0, 1, 1, 0, 1]), [], {**dict.fromkeys(NUMBERS, 0), "events": ()}
    none = [np.zeros((1, 1, 13)), np.zeros((1, 15))]
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: True)
    world = SimpleNamespace(joint_count=joints, times=SimpleNamespace(step=1.0))
    monkeypatch.setattr(quiet_steps, "_world", lambda *_: world)
    monkeypatch.setattr(quiet_steps, "_made", lambda *_: asked.append(None) or (next(quiet), None, None, [], none))
    made = SimpleNamespace(state=SimpleNamespace(), rows=2, reports=[0], report=lambda _: StepReport(**still))
    monkeypatch.setattr(quiet_steps, "_after", lambda *_: made)
    steps, state = quiet_steps.QuietSteps(), SimpleNamespace(time=0.0)
    settings, group = replace(SETTINGS, events=Events()), SimpleNamespace(worlds={})
    assert [steps.step("model", state, settings, group) is not None for _ in tells] == tells
    assert len(asked) == 8
