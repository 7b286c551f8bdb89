"""1,000 throws of each body at a plate of 3 mm and 1,000 past its edge, 5 to 50 m/s, up to 60 rad/s, dt = 10 ms.

Prints how many got through, how many pierced the plate, how many were hit by nothing (a ghost), and the CPU time of
a throw. `--substeps 1` shows the plain stepper; the default is the simulator's own.
"""

import argparse
import time

from stiction.solver.validation.throws import SHAPES, target, throw


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--substeps", type=int)
    parser.add_argument("--stepper")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    chosen = parser.parse_args()
    print("body     throws  through  pierced  ghosts  sunk, mm  CPU, ms a throw")
    for name in chosen.shapes:
        where = target(name, substeps=chosen.substeps, stepper=chosen.stepper)
        throw(where, 0), throw(where, 0, beside=True)
        seeds = range(chosen.first, chosen.first + chosen.count)
        start = time.process_time()
        at = [throw(where, seed) for seed in seeds]
        cpu = time.process_time() - start
        ghosts = [throw(where, seed, beside=True).hits for seed in seeds]
        print(f"{name:8} {len(at):6} {sum(f.through for f in at):8} {sum(f.pierced for f in at):8} {sum(ghosts):7}"
              f" {1e3 * max(f.sunk for f in at):9.3g} {1e3 * cpu / len(at):16.1f}", flush=True)  # fmt: skip
        lost = [seed for seed, flight in zip(seeds, at, strict=True) if flight.through or flight.pierced]
        if lost:
            print("         lost seeds:", *lost)
        if any(ghosts):
            print("         ghosts at seeds:", *[seed for seed, ghost in zip(seeds, ghosts, strict=True) if ghost])


if __name__ == "__main__":
    main()
