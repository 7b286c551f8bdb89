"""1,000 throws of each body at a plate of 3 mm and 1,000 past its edge, 5 to 50 m/s, up to 60 rad/s, dt = 10 ms.

Prints how many got through, how many pierced the plate, how many were hit by nothing (a ghost), and the CPU time of
a throw. `--substeps 1` shows the plain stepper; the default is the simulator's own.
"""

import argparse
import time

import numpy as np

from stiction.solver.validation.throws import SHAPES, volley


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--substeps", type=int)
    parser.add_argument("--stepper")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--volley", type=int, default=50, help="throws in one scene")
    chosen = parser.parse_args()
    print("body     throws  through  pierced  ghosts  sunk, mm  parts  unresolved steps  CPU, ms a throw")
    changes = {"substeps": chosen.substeps, "stepper": chosen.stepper}
    for name in chosen.shapes:
        volley(name, range(2), **changes)
        total, sunk, cut, unresolved, cpu = np.zeros(4, dtype=int), 0.0, 1, 0, 0.0
        lost, ghosts = [], []
        for first in range(chosen.first, chosen.first + chosen.count, chosen.volley):
            seeds = np.arange(first, min(first + chosen.volley, chosen.first + chosen.count))
            start = time.process_time()
            at = volley(name, seeds, **changes)
            cpu += time.process_time() - start
            past = volley(name, seeds, beside=True, **changes)
            total += (len(seeds), at.through.sum(), at.pierced.sum(), past.hit.sum())
            sunk, cut, unresolved = max(sunk, at.sunk.max()), max(cut, at.substeps), unresolved + at.unresolved
            lost += [*seeds[at.through | at.pierced]]
            ghosts += [*seeds[past.hit]]
        print(f"{name:8} {total[0]:6} {total[1]:8} {total[2]:8} {total[3]:7} {1e3 * sunk:9.3g} {cut:6} {unresolved:17}"
              f" {1e3 * cpu / total[0]:16.1f}", flush=True)  # fmt: skip
        if lost:
            print("         lost seeds:", *lost)
        if ghosts:
            print("         ghosts at seeds:", *ghosts)


if __name__ == "__main__":
    main()
