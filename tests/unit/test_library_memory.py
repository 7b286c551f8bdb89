"""Memory of the library's arrays: what a thread keeps for its next arrays goes back when it ends."""

import os
import threading
from pathlib import Path

import pytest

from stiction.solver.kernels.ways import LIBRARY, way
from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate

STATUS = Path("/proc/self/statm")
pytestmark = pytest.mark.skipif(
    way() != LIBRARY or not STATUS.exists(), reason="kernels come from no library, or the system tells no memory"
)


def resident():
    """Memory of this process [MiB]."""
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run_in_threads(count, scene, options):
    for _ in range(count):
        thread = threading.Thread(target=simulate, args=(scene, options))
        thread.start()
        thread.join()


@pytest.mark.slow
def test_threads_that_end_leave_no_memory():
    scene = build("stack10")
    options = options_for(scene, time=0.05)
    run_in_threads(5, scene, options)
    before = resident()
    run_in_threads(100, scene, options)
    # Each thread keeps some 100 KiB while it lives.
    assert resident() - before < 4.0
