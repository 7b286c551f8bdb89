"""A friction law is one file and one line: one that is added to a copy of the solver works with every method."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy_shape import Wedge

from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

ROOT = Path(__file__).resolve().parents[2]
LAW = '''"""Half of Coulomb's friction: a ball of half the radius."""

from math import sqrt

from .base import Law


def project(radius, y, count, sides):
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    if square > 0.25 * radius * radius:
        for i in range(count):
            y[i] *= 0.5 * radius / sqrt(square)


def gauge(y, count, sides):
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    return 2.0 * sqrt(square)


def support(v, count, sides):
    square = 0.0
    for i in range(count):
        square += v[i] * v[i]
    return 0.5 * sqrt(square)


LAW = Law("half", "Half", "Half of Coulomb's friction", 3, project, gauge, support)
'''
CHECK = """
import numpy as np
from stiction.solver import methods
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.problem import ProblemError, from_delassus
from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

material = Material("ice", density=700.0, friction=0.6, law="half")
floor = Body("floor", Box((9.0, 9.0, 1.0)), "ice", Motion.STATIC, position=(0.0, 0.0, -0.5))
block = Body("block", Box((0.2, 0.2, 0.2)), "ice", position=(0.0, 0.0, 0.1), velocity=(2.0, 0.0, 0.0))
run = simulate(Scene((floor, block), MaterialTable((material,))), SimulationOptions(time=1.0))
slid = run.positions[-1, 1, 0]
assert abs(slid - 2.0**2 / (2.0 * 0.3 * 9.81)) < 0.02 * slid, slid
assert run.steps["residual"].max() < 1e-8

rng = np.random.default_rng(3)
half = rng.normal(size=(12, 20))
A, b = half @ half.T / 20.0 + np.eye(12), rng.normal(size=12) - 1.0
problem = from_delassus(A, b, np.full((4, 1), 0.8), law=FrictionLaw.HALF)
# Half of the friction is the ellipsoid's with half of the coefficient, method by method.
same = from_delassus(A, b, np.full((4, 1), 0.4))
converged = []
for key in methods.METHODS:
    impulse, known = np.zeros(12), np.zeros(12)
    try:
        report = methods.solve(problem, impulse, key)
    except ProblemError as error:
        assert key == "newton" and "half friction" in str(error), (key, error)
        continue
    methods.solve(same, known, key)
    # pgs has a friction law of its own, the box of its paper.
    assert key == "pgs" or np.abs(impulse - known).max() < 1e-4, (key, impulse - known)
    if report.residual < 1e-4:
        assert np.abs(known[1::3]).max() > 0.05, known
        converged.append(key)
assert {"accelerated", "accurate", "prox", "nncg", "staggered"} <= set(converged), converged
"""


def with_the_law(folder, *parts):
    """A copy of the solver in a folder with the law added by one file and one line; returns the environment for it."""
    package = folder / "stiction"
    for part in ("solver", *parts):
        shutil.copytree(ROOT / part, package / part, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    for file in ("__init__.py", "pyproject.toml"):
        shutil.copy(ROOT / file, package)
    (package / "solver" / "laws" / "half.py").write_text(LAW)
    table = package / "solver" / "laws" / "friction_laws.py"
    text = table.read_text().replace("from . import box, ellipsoid, ", "from . import box, ellipsoid, half, ")
    table.write_text(text.replace("polygon.LAW)", "polygon.LAW, half.LAW)"))
    return {**os.environ, "STICTION_KERNELS": "", "PYTHONPATH": str(folder),
            "STICTION_CACHE_DIR": str(folder / "cache")}  # fmt: skip


def test_a_law_is_one_file_and_one_line(tmp_path):
    environment = with_the_law(tmp_path)
    # As plain Python: a law changes every kernel of every method, and to compile them takes minutes.
    environment["NUMBA_DISABLE_JIT"] = "1"
    done = subprocess.run([sys.executable, "-c", CHECK], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow(hours=True)
def test_an_added_law_keeps_every_contract_of_the_methods(tmp_path):
    environment = with_the_law(tmp_path, "tests") | {"CONTRACT_LAW": "HALF", "CONTRACT_RADIUS": "0.5"}
    files = [f"tests/contract/test_{name}.py" for name in ("methods", "solver_cases", "kernel_invariants")]
    # Newton's method needs a generalised derivative of the law, and refuses one without (above).
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "not newton", *files]
    done = subprocess.run(command, env=environment, cwd=tmp_path / "stiction", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]


def test_a_shape_is_what_it_says_of_itself():
    floor = Body("floor", Box((9.0, 9.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    bodies = [Body(f"w{k}", Wedge(0.1), position=(0.5 * k, 0.0, 0.1)) for k in range(2)]
    table = MaterialTable((Material("default", density=1000.0),))
    run = simulate(Scene((floor, *bodies), table), SimulationOptions(time=0.3))
    assert np.abs(run.positions[-1] - run.positions[0]).max() < 1e-7
    assert run.header["mass"][1] == pytest.approx(1000.0 * 0.5 * 0.2**3)
    with pytest.raises(SceneError, match="w0.*above 0"):
        simulate(Scene((floor, Body("w0", Wedge(-1.0)))), SimulationOptions(time=0.1))
