"""Solves of plain contacts in one call, and calm steps in few, have the bits of those that go from kernel to kernel."""

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
from stiction.solver.methods.base import EVENED
from stiction.solver.scene_io.problem_file import load_problem
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings, stepper
from stiction.solver.stepping import calm_step, calm_step_kernels

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
    for name in PROBLEMS:
        problem = load_problem(DATA / f"{name}.npz")
        for given in ((30, 0.0), (1000, 1e-3), (1000, 0.0)):
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
    """The bits of a scene's first steps."""
    scene = given(build(name))
    options = options_for(scene, **changes)
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    bits = []
    for _ in range(steps):
        state, report, impulse = step(model, state, settings)
        bits += [state.position.tobytes(), state.twist.tobytes(), impulse.tobytes(), report.iterations, report.residual]
    return bits


@pytest.mark.parametrize(
    ("name", "steps"),
    [("stack10", 12), ("cardhouse3", 6), ("small_cubes", 12), ("heavy_on_five", 12), ("heavy4096", 12),
     ("leaning_stack", 4)],
)  # fmt: skip
def test_scenes_have_the_same_bits(monkeypatch, ends, name, steps):
    monkeypatch.setattr(calm_step, "_able", lambda *_: False)
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


def test_loads_are_looked_at_in_the_same_call(monkeypatch, ends):
    monkeypatch.setattr(calm_step, "_able", lambda *_: False)
    run("overhang", 3)
    assert {left for _, left in ends} >= {kernels.SETTLED, kernels.EVENED}


@pytest.fixture
def gone_on(monkeypatch):
    """How solves of calm steps ended that a kernel left open, and what was left to do about loads."""
    found, real = [], calm_step._gone_on

    def noted(*given):
        how, _, _, looked = given[-1].solved
        found.append((how, looked.left if how < kernels.HANDED_OVER else None))
        return real(*given)

    monkeypatch.setattr(calm_step, "_gone_on", noted)
    return found


@pytest.fixture
def tried(monkeypatch):
    """Whether the steps that were tried as calm ones were."""
    found, real = [], calm_step._calm

    def noted(*given):
        part = real(*given)
        found.append(part is not None)
        return part

    monkeypatch.setattr(calm_step, "_calm", noted)
    return found


@pytest.mark.parametrize(
    ("name", "steps", "least", "most"),
    [("stack10", 8, 8, 8), ("cardhouse3", 6, 6, 6), ("heavy4096", 6, 6, 6), ("drop10", 60, 1, 59),
     ("incline", 20, 1, 19)],
)  # fmt: skip
def test_calm_steps_have_the_bits_of_the_general_way(monkeypatch, tried, name, steps, least, most):
    one = run(name, steps)
    assert least <= sum(tried) <= most
    monkeypatch.setattr(calm_step, "_able", lambda *_: False)
    assert one == run(name, steps)


@pytest.mark.parametrize(
    ("name", "steps", "given", "how"),
    [("wall85", 3, lambda scene: scene, (kernels.HANDED_OVER, None)),
     ("overhang", 3, lambda scene: scene, (CONVERGED, EVENED)),
     ("stack10", 3, with_torsion, (kernels.NOT_PLAIN, None))],
)  # fmt: skip
def test_solves_that_calm_steps_leave_open_go_on(monkeypatch, tried, gone_on, name, steps, given, how):
    one = run(name, steps, given)
    assert any(tried)
    assert how in gone_on
    monkeypatch.setattr(calm_step, "_able", lambda *_: False)
    assert one == run(name, steps, given)


@pytest.mark.parametrize("given", [{"onset": True}, {"hit": np.array([False, True])}, {"before": -1.01}])
def test_a_step_in_which_something_lands_bounces_or_comes_fast_is_not_calm(given):
    hits_hard = getattr(calm_step_kernels.hits_hard, "py_func", calm_step_kernels.hits_hard)
    found, before = SimpleNamespace(onset=False, hit=np.zeros(2, dtype=bool)), np.zeros((2, 4))
    before[:, 0] = -1.0, 9.0
    assert not hits_hard(found, before, 1.0)
    before[0, 0] = given.pop("before", -1.0)
    vars(found).update(given)
    assert hits_hard(found, before, 1.0)


def test_kernels_ask_for_types_only_where_arrays_came_from_elsewhere(monkeypatch):
    """A state from elsewhere may hold arrays of other layouts, which compiled code of known types would misread."""
    scene = build("stack10")
    options = options_for(scene)
    model, state = compiled(scene, options)
    settings, step, known, real = step_settings(options, model, state), stepper(options), [], calm_step._calm
    monkeypatch.setattr(calm_step, "_calm", lambda *given: known.append(given[-1]) or real(*given))

    def after(state):
        return step(model, state, settings)[0]

    for _ in range(3):
        state = after(state)
    made, again = after(state), after(replace(state, twist=state.twist.copy()))
    assert known == [False, True, True, True, False]
    assert made.position.tobytes() == again.position.tobytes()
    assert after(again).position.tobytes() == after(made).position.tobytes()
    assert known[5:] == [True, False]


def test_more_and_more_steps_are_left_after_those_that_are_not_calm(monkeypatch):
    contacts = SimpleNamespace(contacts=SimpleNamespace(count=3))
    calm, asked, work = SimpleNamespace(state=contacts, report=SimpleNamespace(iterations=5)), [], []
    monkeypatch.setattr(calm_step, "_arrays", lambda _: None)
    monkeypatch.setattr(calm_step, "_able", lambda *_: True)
    monkeypatch.setattr(calm_step, "_given", lambda *_: True)
    monkeypatch.setattr(calm_step, "_calm", lambda *_: asked.append(None) or (calm if len(asked) >= 3 else None))
    steps, group = calm_step.CalmSteps(), SimpleNamespace(model=None)
    settings = SimpleNamespace(work=SimpleNamespace(solve=work.append), events=Events())
    found = [steps.step(group, None, settings) for _ in range(8)]
    assert [part is calm for part in found] == [False] * 6 + [True] * 2
    assert work == [15, 15]
    assert len(asked) == 4
