"""A folder in which a run is being written is refused to every other one, also to --overwrite and --resume."""

import os
import signal
import subprocess
import sys
import time

import pytest

from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.scenes import build
from stiction.solver.simulation import SimulationOptions, simulate

SHORT = SimulationOptions(time=0.02, time_step=0.01, steps_per_frame=1)


@pytest.mark.parametrize("how", [{"overwrite": True}, {"resume": True}])
def test_a_live_run_is_not_written_over(tmp_path, how):
    folder, tried = tmp_path / "run", []

    def meanwhile(done, _total, _report):
        if done == 1:
            with pytest.raises(TrajectoryError, match="another run is being written there; wait"):
                simulate(build("stack10"), SHORT, output=folder, **how)
            tried.append(done)

    simulate(build("stack10"), SHORT, output=folder, progress=meanwhile)
    assert tried == [1] and not (folder / ".writing").exists()
    simulate(build("stack10"), SHORT, output=folder, overwrite=True)


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")
def test_a_killed_run_leaves_its_folder_free(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "stiction", "simulate", "stack10", "--time", "6000", "--output", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not (folder / "header.json").exists() and time.monotonic() < until:
            time.sleep(0.05)
        other = subprocess.run([*command, "--overwrite"], capture_output=True, text=True)
        assert other.returncode == 2 and "another run is being written there" in other.stderr
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    simulate(build("stack10"), SHORT, output=folder, overwrite=True)
