"""Scenes and methods end the same whichever way kernels come to run. Where nothing is compiled (NUMBA_DISABLE_JIT)
Python divides by no zero, finds no root of a negative number, and has no functions that only LLVM has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from soft_scenes import FLOOR, cube
from soft_scenes import scene as soft_scene

from stiction.solver import methods
from stiction.solver.kernels import load
from stiction.solver.kernels.ways import LIBRARY, STORE, way
from stiction.solver.scene import Body
from stiction.solver.scene_io.problem_file import load_problem
from stiction.solver.scenes import build
from stiction.solver.shapes import Mesh, generators
from stiction.solver.simulation import options_for, simulate

ROOT = Path(__file__).resolve().parents[2]
SCENES = {
    "stack10": 3, "incline": 1, "four_spheres": 3, "elliptic_path": 3, "disk": 3, "bouncing_ball": 3, "bricard": 2,
    "pendulum": 3, "clock": 3, "mesh": 2, "soft": 1,
}  # fmt: skip
# What takes tenths of a second: contacts, joints, a deformable body.
FEW = ("four_spheres", "bricard", "pendulum", "soft")
PROBLEM = ROOT / "tests" / "data" / "contact_problems" / "stack10_t0.5.npz"
# Not `staggered`: its projections alone take 7 s as plain Python.
KEYS = ("accelerated", "accurate", "prox", "pgs", "nncg", "prox_literal", "jacobi", "newton")


def made(name):
    """The scene of a name in SCENES."""
    if name == "mesh":
        return soft_scene(FLOOR, Body("jack", Mesh(*generators.jack(0.4, 0.1)), position=(0.0, 0.0, 0.199)))
    return soft_scene(FLOOR, cube(cells=1, position=(0.0, 0.0, 0.0999))) if name == "soft" else build(name)


def ends(scenes=tuple(SCENES)):
    """Poses and velocities at the end of scenes, and what each method makes of a problem, as lists."""
    found = {}
    for name in scenes:
        scene = made(name)
        run = simulate(scene, options_for(scene, time=SCENES[name] * options_for(scene).time_step, threads=1))
        found[name] = run.positions[-1].tolist()
    problem = load_problem(PROBLEM)
    for key in KEYS:
        impulse = np.zeros(problem.row_count)
        methods.solve(problem, impulse, key, methods.METHODS[key].options(tolerance=1e-300, max_iterations=20))
        found[key] = impulse.tolist()
    return found


@pytest.fixture(scope="module")
def expected():
    """What this process comes to, whichever way its kernels come."""
    return ends()


def ends_in_a_process(scenes=tuple(SCENES), **environment):
    """The same in a process of its own."""
    code = "import sys, json; sys.path[:0] = ['tests', 'tests/unit']; import conftest, test_interpreted\n"
    code += f"print(json.dumps(test_interpreted.ends({scenes!r})))"
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", **environment}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_another_way_gives_the_same_bits(expected):
    """The store's where this process has the library's, else the library's: `make test-numba` and the like go here."""
    other = STORE if way() == LIBRARY else LIBRARY
    if other == LIBRARY and load.find() is None:
        pytest.skip("no library of these sources; make kernels")
    assert ends_in_a_process(STICTION_KERNELS=other) == expected


@pytest.mark.parametrize("scenes", [FEW, pytest.param(tuple(SCENES), marks=pytest.mark.slow)])
def test_scenes_and_methods_end_as_where_they_are_compiled(expected, scenes):
    found = ends_in_a_process(scenes, NUMBA_DISABLE_JIT="1", STICTION_KERNELS="")
    assert found.keys() == {*scenes, *KEYS}
    for name, values in ((name, expected[name]) for name in found):
        size = np.abs(values).max()
        assert np.asarray(found[name]) == pytest.approx(np.asarray(values), abs=1e-9 * size), name
