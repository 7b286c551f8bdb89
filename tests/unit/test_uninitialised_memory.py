"""No number comes from memory that nobody wrote: runs whose fresh memory holds other bytes have the same bits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import hashlib, importlib.util, sys
spec = importlib.util.spec_from_file_location("stiction", r"{root}/__init__.py", submodule_search_locations=[r"{root}"])
sys.modules["stiction"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["stiction"])
from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate
scene = build("{scene}")
run = simulate(scene, options_for(scene, time={time}, threads=2, **{options}))
found = hashlib.sha256()
for array in (run.positions, run.orientations, run.velocities, *(run.steps[name] for name in {columns})):
    found.update(array.tobytes())
print(found.hexdigest())
"""
COLUMNS = ("kinetic", "potential", "friction_work", "residual", "iterations", "overlap", "contact_count")
CASES = (
    ("stack10", 0.1, {}),
    ("funnel500j", 0.15, {}),
    ("cardhouse3", 0.1, {"method": "accurate"}),
    ("prox_glasses", 0.05, {}),
    ("chain", 0.2, {}),
    ("nncg_gears6", 0.05, {"method": "newton"}),
    ("nncg_slope", 0.05, {"method": "staggered"}),
    ("cardhouse3", 0.05, {"method": "nncg"}),
)


def bits(scene, time, options, perturb):
    """Digest of a run whose fresh memory glibc fills with the complement of `perturb`; 0: left as it is."""
    environment = {**os.environ, "MALLOC_PERTURB_": str(perturb)}
    text = RUN.format(root=ROOT, scene=scene, time=time, options=options, columns=COLUMNS)
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_library_fills_fresh_memory():
    environment = {**os.environ, "MALLOC_PERTURB_": "85"}
    text = "import numpy; print(set(numpy.empty(9000, dtype='u1')[:8000]))"
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "{170}"


@pytest.mark.slow(hours=True)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="MALLOC_PERTURB_ is of the GNU C library")
@pytest.mark.parametrize(("scene", "time", "options"), CASES)
def test_fresh_memory_changes_no_bit(scene, time, options):
    assert bits(scene, time, options, 0) == bits(scene, time, options, 255) == bits(scene, time, options, 85)
