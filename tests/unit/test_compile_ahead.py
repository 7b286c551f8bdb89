"""Compiling the searches for contacts in processes of their own."""

import os
import subprocess
import sys

import pytest

from stiction.solver import jit, simulation
from stiction.solver.base.processes import command_of
from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.collision.convex.narrow_kernels import narrow
from stiction.solver.collision.mesh.mesh_pair_kernels import mesh_chunk
from stiction.solver.collision.mesh.pierce_kernels import piercing_depths
from stiction.solver.kernels.store import Store
from stiction.solver.methods.second_order.proximal_newton_kernels import proximal_steps
from stiction.solver.model import compile_scene
from stiction.solver.runs import compile_ahead
from stiction.solver.runs.simulation_options import EFFORT
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, step_settings

MESHES, BOXES, JOINTS = "hanging_chain", "stack10", "pendulum"


@pytest.fixture
def started(monkeypatch):
    """The kinds that would be started, on a machine of many cores."""
    kinds = []

    class Process:
        def wait(self):
            kinds.append("waited")

    monkeypatch.setattr(compile_ahead, "_started", lambda *many: kinds.extend(many) or Process())
    monkeypatch.setattr(compile_ahead, "core_count", lambda: 8)
    monkeypatch.setattr(compile_ahead, "_begun", set())
    return kinds


def prepare_run(name, step=lambda *_: None, **changes):
    """compile_ahead of a scene whose steps do nothing by default."""
    scene = SCENES[name].build()
    model, state = compile_scene(scene)
    settings = step_settings(options_for(scene, **changes), model, state)
    compile_ahead.compile_ahead(step, model, state, settings)


def test_what_was_compiled_before_is_not_compiled_again(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: True)
    prepare_run(MESHES)
    assert started == []


def test_each_search_that_a_scene_needs_is_compiled_once(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    prepare_run(BOXES)
    assert started[:4] == ["convex", "waited", "newton", "quiet"]
    started.clear()
    prepare_run(MESHES)
    assert started[:5] == ["convex", "mesh", "waited", "waited", "depths"]


def test_the_next_runs_of_a_process_begin_nothing_again_beside_them(started, monkeypatch):
    """A study of many runs in one process had a compiler for each of them at work."""
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    for _ in range(3):
        prepare_run(BOXES)
    assert [started.count(kind) for kind in ("newton", "quiet")] == [1, 1]


def test_the_kernel_of_many_steps_is_compiled_beside_a_run_which_goes_without_it(tmp_path):
    """It takes as long as all others together, and has the bits of the general way."""
    code = (
        "from stiction.solver.scenes import SCENES; from stiction.solver.model import compile_scene\n"
        "from stiction.solver.simulation import options_for, step_settings\n"
        "from stiction.solver.stepping.quiet.steps import QuietSteps, is_able\n"
        "scene = SCENES['stack10'].build(); made = compile_scene(scene)\n"
        "settings = step_settings(options_for(scene), *made)\n"
        "assert is_able(made[0], settings) and not QuietSteps().prepare(made[0], settings)\n"
    )
    environment = {**os.environ, "STICTION_KERNELS": "store", "STICTION_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_runs_that_make_one_step_in_a_call_compile_no_others(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    prepare_run("slot_hopper")
    assert "newton" in started and "quiet" not in started


def test_methods_without_newton_steps_compile_none(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    prepare_run(BOXES, method="pgs")
    assert "newton" not in started


@pytest.mark.parametrize(("name", "effort"), [(BOXES, 1), (JOINTS, EFFORT)])
def test_the_trial_of_the_first_step_solves_stones_with_the_fewest_sweeps(started, name, effort):
    """The Colosseum's first step takes 2,834 sweeps, twice: once before the clock starts."""
    efforts = []
    prepare_run(name, lambda model, state, settings: efforts.append(settings.method_options.effort))
    assert efforts[-1] == effort


def test_one_core_compiles_by_itself(started, monkeypatch):
    monkeypatch.setattr(compile_ahead, "is_compiled", lambda kernel: False)
    monkeypatch.setattr(compile_ahead, "core_count", lambda: 1)
    prepare_run(MESHES)
    assert started == []


def test_a_refused_resume_compiles_nothing(tmp_path, monkeypatch):
    scene = SCENES[BOXES].build()
    simulation.simulate(scene, options_for(scene, time=0.02), tmp_path)
    monkeypatch.setattr(simulation, "compile_ahead", lambda *_: pytest.fail("compiled for a run that is refused"))
    with pytest.raises(TrajectoryError, match="other settings"):
        simulation.simulate(scene, options_for(scene, time=0.02, time_step=0.005), tmp_path, resume=True)


@pytest.mark.skipif(jit.KEEPER is None, reason="numba keeps its own")
def test_a_kernel_counts_as_compiled_once_its_code_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(jit.KEEPER, "store", Store(tmp_path / "a.sqlite"))
    assert not jit.is_compiled(narrow)
    jit.KEEPER.mark(narrow.py_func)
    assert jit.is_compiled(narrow)


@pytest.mark.parametrize(
    ("kind", "kernel"),
    [("convex", narrow), ("mesh", mesh_chunk), ("depths", piercing_depths), ("newton", proximal_steps)],
)
def test_the_other_process_runs(kind, kernel):
    """It finds the code compiled here, and this process what it compiles: nothing is added."""
    assert compile_ahead.main(kind) == 0
    assert jit.is_compiled(kernel)
    done = subprocess.run(command_of("solver.runs.compile_ahead", kind), capture_output=True, text=True,
                          env=dict(os.environ, STICTION_NO_COMPILE="1"))  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
