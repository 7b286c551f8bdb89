"""What is compiled ahead of everything: it follows from the tables, and a scene compiles nothing after it."""

import importlib.util
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from stiction.solver.commands import compile_all, kernel_jobs, kernel_trials
from stiction.solver.kernels import signatures
from stiction.solver.meshes.solid_field import SolidField
from stiction.solver.methods import METHODS
from stiction.solver.methods.second_order.proximal_newton import ProximalNewton
from stiction.solver.runs import warm_up
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import compiled, options_for


def test_every_scene_method_and_choice_is_a_job():
    found = kernel_jobs.jobs()
    assert len(found) == len(set(found))
    assert {name for kind, name in found if kind == "scene"} == set(SCENES)
    assert {name for kind, name in found if kind == "method"} == set(METHODS)
    assert {("option", text) for text in ("sleeping=yes", "overlap=projection", "stepper=semi_implicit")} <= set(found)


@pytest.mark.parametrize("trial", [name for kind, name in kernel_jobs.jobs() if kind == "option"])
def test_no_choice_is_refused_by_the_scene_of_its_trial(trial):
    """It would fail, and with it the list of kernels."""
    scene, changes = kernel_jobs.scene_and_choice(trial)
    options = options_for(scene, **changes)
    compiled(scene, options)


@pytest.mark.parametrize("there", [True, False])
def test_a_choice_without_its_package_is_no_job(monkeypatch, there):
    """It would fail, and no zip could be built where clarabel is missing."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: there or None if name == "clarabel" else find(name))
    assert (("choice", "staggered.subproblems=clarabel") in kernel_jobs.jobs()) == there


def test_what_fails_is_named_and_the_rest_goes_on():
    jobs = [("scene", "no_such"), ("method", "pgs"), ("option", "overlap=all")]
    seen = []
    failed = kernel_jobs.run_jobs(lambda *state: seen.append(state), jobs)
    assert sorted(line.split(":")[0] for line in failed) == ["option overlap=all", "scene no_such"]
    assert sorted(seen) == [(1, 3), (2, 3), (3, 3)]


def test_everything_in_the_list_is_there():
    """A kernel that was renamed, or that takes others than it did, is missing until `make signatures` was run."""
    written = json.loads(signatures.FILE.read_text())["kernels"]
    entries = signatures.read()
    assert len(entries) == len(written)
    assert [one.kernel for one in entries if one.dispatcher() is None] == []


def test_nobody_waits_for_what_is_compiled_beside_a_run():
    """The demo's first picture came a minute and a half later with it."""
    beside = [one for one in signatures.read() if one.kernel.startswith("solver.stepping.quiet.")]
    assert beside and not any(one.uses for one in beside)


def test_the_list_of_kernels_survives_being_written(tmp_path, monkeypatch):
    entries = signatures.read()[:40]
    monkeypatch.setattr(signatures, "FILE", tmp_path / "list.json")
    signatures.write(entries)
    assert signatures.read() == entries


@pytest.mark.parametrize("lines", [["! solver.a:b: why"], ["all 3.0", "0:a 1.0", "1:b 2.0"]])
def test_what_workers_say_is_gathered(lines):
    seen = []
    gathered = compile_all._Gathered(lambda *state: seen.append(state))
    gathered.read(SimpleNamespace(stdout=[line + "\n" for line in lines], wait=lambda: 0, returncode=0))
    if lines[0].startswith("!"):
        assert gathered.failed == {"solver.a:b: why"} and seen == []
    else:
        assert gathered.failed == set() and seen == [(0, 3), (1, 3), (3, 3)]


def test_what_is_complete_is_not_looked_at_again(monkeypatch):
    monkeypatch.setattr(compile_all, "KEEPER", SimpleNamespace(is_complete=lambda *use: True))
    assert compile_all.compile_all() == []


NOTHING_COMPILED = [pytest.param(name, marks=() if name in ("stack10", "gear_train") else pytest.mark.slow(hours=True))
                    for name in SCENES]  # fmt: skip


@pytest.mark.parametrize("name", NOTHING_COMPILED)
def test_scene_compiles_nothing(name, tmp_path):
    """What `make setup` compiled is all that 40 steps of a scene need."""
    time = f"{40 * SCENES[name].build().settings.get('time_step', 0.01):.6f}"
    arguments = ["simulate", name, "--time", time, "--output", str(tmp_path / "run")]
    done = subprocess.run([sys.executable, "-m", "stiction", *arguments], capture_output=True, text=True,
                          env=dict(os.environ, STICTION_NO_COMPILE="1"))  # fmt: skip
    assert done.returncode in (0, 1), done.stderr


def test_a_run_of_boxes_loads_no_sparse_matrices(tmp_path):
    """It would take as long as all the rest of the start."""
    command = ["simulate", "drop10", "--time", "0.02", "--output", str(tmp_path / "run")]
    code = ("import sys; from stiction.__main__ import main; main(sys.argv[1:]); "
            "print([name for name in sys.modules if name in ('scipy.sparse', 'scipy.spatial')])")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_every_choice_of_every_option_of_a_method_is_a_job(monkeypatch):
    found = {name for kind, name in kernel_jobs.jobs() if kind == "choice"}
    assert {"nncg.line_search=yes", "accelerated.newton=no", "newton.linear_solver=gauss_seidel"} <= found
    reached = []
    monkeypatch.setattr(warm_up.methods, "solve", lambda problem, start, *chosen: reached.append(chosen))
    for name in ("nncg.line_search=yes", "nncg.merit_tolerance=1e-7", "accelerated.newton=no"):
        kernel_jobs.KINDS["choice"](name)
    assert {key for key, _ in reached} == {"nncg", "accelerated"}
    assert reached[0][1].line_search and reached[3][1].stopping == "paper" and not reached[6][1].newton


def test_trials_come_to_what_only_hard_problems_need(monkeypatch):
    """What accurate answers need once compiled in the middle of a run."""
    reached, kept = [], ProximalNewton.run
    monkeypatch.setattr(ProximalNewton, "run", lambda *values: reached.append(True) or kept(*values))
    kernel_trials.trials()["newton_turns"]()
    assert reached


def test_trials_need_what_no_scene_does(monkeypatch):
    """A mesh filled, a motor alone or against a limit: the first bake of these once compiled although kernels came
    with the zip."""
    found = {name for kind, name in kernel_jobs.jobs() if kind == "trial"}
    assert {"drive_alone", "drive_at_limit", "soft_t4", "repair_winding", "repair_proxy"} <= found
    reached = []
    for owner, name in ((SolidField, "distance"), (ProximalNewton, "run")):
        kept = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *values, kept=kept, name=name: reached.append(name) or kept(*values))
    trials = kernel_trials.trials()
    trials["drive_alone"](), trials["soft_t4"](), trials["drive_at_limit"]()
    assert set(reached) == {"distance", "run"}
