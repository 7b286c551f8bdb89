"""Cold and warm start: seconds from nothing to the first simulated step, with an empty and with a full kernel cache."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

CODE = """
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
scene = SCENES["cardhouse3"].build()
simulate(scene, options_for(scene, time=0.01))
"""


def seconds(cache):
    """Wall time of a fresh process that simulates one step."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", CODE], env=dict(os.environ, STICTION_CACHE_DIR=cache), check=True)
    return time.perf_counter() - start


def main():
    """Print one cold start and the median of five warm ones."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(cache)
        warm = [seconds(cache) for _ in range(5)]
    print(f"cold start, kernels compiled once   {cold:6.1f} s")
    print(f"warm start, kernels from the cache  {statistics.median(warm):6.2f} s (median of {len(warm)})")


if __name__ == "__main__":
    main()
