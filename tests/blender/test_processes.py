"""No process outlives what it works for: Blender, the worker, Cancel, the extension."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from marks import few

ROOT = Path(__file__).resolve().parents[2]

# Blender with a simulation of a scene that takes minutes; kernels are compiled anew, by helpers of the worker.
SESSION = """
import sys, time
sys.path.insert(0, "tests"); sys.path.insert(0, "tests/blender")
import conftest, bpy, stiction
stiction.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.mesh.primitive_torus_add()
bpy.context.object.stiction.type = "PASSIVE"
bpy.ops.mesh.primitive_torus_add(location=(0, 0, 1))
bpy.context.object.stiction.type = "ACTIVE"
scene.frame_end, scene.stiction.cache = 100000, sys.argv[1]
from stiction.blender_addon.running import run as runs
run = runs.begin(scene)
print("WORKER", run.job._worker.process.pid, flush=True)
what = sys.stdin.readline().strip()
if what == "cancel":
    run.job.cancel()
    print("CANCELLED", flush=True)
if what == "disable":
    stiction.unregister()
time.sleep(60)
"""


def children(number):
    """Numbers of all processes below one."""
    found = []
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def alive(number):
    """True while a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the tree of processes from /proc")
@pytest.mark.parametrize("killed", few(["blender", "worker", "cancel", "disable"], "blender", "worker"))
def test_no_process_is_left_after_two_seconds(tmp_path, killed):
    environment = dict(os.environ, STICTION_CACHE_DIR=str(tmp_path / "kernels"))
    blender = subprocess.Popen(
        [sys.executable, "-c", SESSION, str(tmp_path)], cwd=ROOT, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        worker = next(int(line.split()[1]) for line in blender.stdout if line.startswith("WORKER"))
        # Helpers that compile, where anything is still to be compiled.
        deadline = time.monotonic() + 15.0
        while not children(worker) and time.monotonic() < deadline:
            time.sleep(0.05)
        # After Cancel the worker itself may stay for the next run, if it answers at once.
        tree = [*children(worker), *([worker] if killed != "cancel" else [])]
        if killed in ("cancel", "disable"):
            blender.stdin.write(f"{killed}\n")
            blender.stdin.flush()
        else:
            os.kill(blender.pid if killed == "blender" else worker, signal.SIGKILL)
        deadline = time.monotonic() + 2.0
        while any(map(alive, tree)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not [number for number in tree if alive(number)]
    finally:
        blender.kill()
        blender.wait()
