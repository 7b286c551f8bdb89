"""A few of the steps of `make monkey`, each in a Blender of its own: what this finds may end the process."""

import subprocess
import sys
from pathlib import Path

import pytest
from marks import few

MONKEY = Path(__file__).with_name("monkey.py")


@pytest.mark.parametrize(("seed", "steps"), few([(1, 40), (13, 40)], (1, 40)))
def test_nothing_goes_wrong(seed, steps, tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, str(MONKEY), str(steps), str(seed), str(log)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=300)
    last = log.read_text().splitlines()[-5:]
    assert child.returncode == 0, f"{last}\n{child.stdout[-2000:]}\n{child.stderr[-2000:]}"
    assert len(log.read_text().splitlines()) == steps
