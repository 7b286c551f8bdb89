"""Verify runs of bodies thrown at each other at random (tests/unit/flying_scenes.py), each recorded as it is made.

    python tools/verify_throws.py FIRST COUNT [--workers N] [--time S] [--time-step S]

Prints a line for each seed whose run does not pass, with the checks that it fails, then how many passed; exits 1 where
one does not. Needs numpy, scipy and the library of kernels.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "unit")]


def failed(seed, **options):
    """Sentences on what does not hold in the run of a seed; CPU time [s] that simulating and verifying took."""
    from flying_scenes import drawn
    from verified_scenes import recorded

    from stiction.solver.verify import verify

    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        recorded(drawn(seed), Path(folder) / "run", **options)
        found = verify(Path(folder) / "run")
    said = [f"{check['name']}: {check['found']:.3g} {check['unit']}, allowed {check['allowed']:.3g}, step "
            f"{check['step']}, {check['where']}" for check in found["checks"] if not check["passed"]]  # fmt: skip
    return said, time.process_time() - began


def main():
    """Verify all of them; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--time", type=float, default=0.4)
    parser.add_argument("--time-step", type=float, default=0.01)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.count)
    passed, cpu, began = 0, 0.0, time.monotonic()
    work = partial(failed, time=given.time, time_step=given.time_step)
    # Forking a process with threads of numpy at work may hang.
    with ProcessPoolExecutor(given.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for seed, (said, took) in zip(seeds, pool.map(work, seeds), strict=True):
            passed, cpu = passed + (not said), cpu + took
            if said:
                print(f"seed {seed}: " + "; ".join(said), flush=True)
    print(f"{passed} of {given.count} runs passed, seeds {seeds[0]} to {seeds[-1]}: {time.monotonic() - began:.0f} s, "
          f"{cpu:.0f} CPU s")  # fmt: skip
    return 0 if passed == given.count else 1


if __name__ == "__main__":
    sys.exit(main())
