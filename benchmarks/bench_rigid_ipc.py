"""The suite of a peer for intersection-free rigid bodies (Ferguson et al. 2021), by the columns of bench_links.py.

python benchmarks/bench_rigid_ipc.py ROOT [NAME ...] [--steps N] [--limit SECONDS] [--workers N] [--out FILE]

ROOT: a copy of the repository ipc-sim/rigid-ipc, which is not part of this project. NAME: a part of the name of a
scene under fixtures/3D; none: all. Each scene takes its own time step, and --steps of them, in a process of its own.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench_links import line, row_apart, run
from links.base import Case
from links.rigid_ipc import fixtures, read_fixture

from stiction.solver.base.refusal import SceneError


def one(root, path, steps, limit):
    """The row of a scene, a dict."""
    scene, step = read_fixture(root, path)
    return run(Case(scene.name, lambda: (scene, {}), steps * step), 1.0, limit)


def one_apart(name, path, chosen):
    """The line of a scene."""
    arguments = [__file__, chosen.root, "--one", str(path), "--steps", str(chosen.steps), "--limit", str(chosen.limit)]
    return line(name, row_apart(arguments, 4 * chosen.limit))


def main():
    """Run what is asked for and print a line a scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--limit", type=float, default=60.0, help="CPU s of a scene, after which it ends and says so")
    parser.add_argument("--workers", type=int, default=1, help="scenes that are made at a time")
    parser.add_argument("--out", type=Path, help="file that the lines are added to")
    parser.add_argument("--one", type=Path, help="run the scene of this file here and print its row as JSON")
    chosen = parser.parse_args()
    if chosen.one:
        try:
            print(json.dumps(one(chosen.root, chosen.one, chosen.steps, chosen.limit)))
        except SceneError as error:
            print(f"refused: {error}")
            return 1
        return 0
    known = fixtures(chosen.root)
    wanted = {name: path for name, path in known.items()
              if not chosen.names or any(part in name for part in chosen.names)}  # fmt: skip
    if not wanted:
        parser.error(f"no scene with {' or '.join(chosen.names)} in its name; there are {len(known)}")
    with ThreadPoolExecutor(chosen.workers) as pool:
        for text in pool.map(lambda item: one_apart(*item, chosen), wanted.items()):
            print(text, flush=True)
            if chosen.out:
                with chosen.out.open("a", encoding="utf-8") as file:
                    file.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
