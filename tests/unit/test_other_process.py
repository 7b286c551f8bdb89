"""Processes end with the one that started them, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A process that starts a helper, which starts another, and says their numbers.
STARTER = """
import sys, time
sys.path.insert(0, "tests")
import conftest
from stiction.solver.base.processes import start_helper
helper = start_helper("tests.unit.helper_of_helpers", sys.argv[1])
time.sleep(60)
"""


def alive(number):
    """True while the process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the state of processes from /proc")
@pytest.mark.parametrize("killed", ["starter", "helper"])
def test_no_process_is_left_two_seconds_after_a_kill(tmp_path, killed):
    starter = subprocess.Popen([sys.executable, "-c", STARTER, str(tmp_path)], cwd=ROOT)
    try:
        numbers = _numbers(tmp_path)
        assert all(map(alive, numbers.values()))
        os.kill(starter.pid if killed == "starter" else numbers["helper"], signal.SIGKILL)
        deadline = time.monotonic() + 2.0
        while any(map(alive, numbers.values())) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not [name for name, number in numbers.items() if alive(number)]
    finally:
        starter.kill()
        starter.wait()


def _numbers(folder):
    deadline = time.monotonic() + 30.0
    while len(list(folder.glob("*.pid"))) < 2:
        assert time.monotonic() < deadline, "the helpers did not start"
        time.sleep(0.05)
    return {path.stem: int(path.read_text()) for path in folder.glob("*.pid")}
