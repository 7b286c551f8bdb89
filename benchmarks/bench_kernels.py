"""What kernels cost before anything moves: compiling, the first step, its memory, a step's CPU, the library.

    python benchmarks/bench_kernels.py [REFERENCE] [--update] [--compile]

REFERENCE: another state of this repository (`git worktree add ../before 013d00c`), whose steps are timed beside ours.
--compile: compile all kernels into an empty store, too: minutes. --update writes the table of docs/performance.md; run
it with nothing else running.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_speed import PAGE, ROOT, Row, canonical, import_path, measured

from stiction.solver.kernels import load
from stiction.solver.scenes.granular import concave_pile

BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
FIRST = """
import time
start = time.perf_counter()
import resource, sys
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
scene = SCENES[sys.argv[1]].build()
simulate(scene, options_for(scene, time=0.01, threads=1))
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
# Scenes and the seconds that are simulated of each.
SECONDS = {"stack10": 2.0, "cardhouse3": 2.0, "funnel500j": 0.5, "pendulum": 1.0, "soft_drop": 0.3}
CPU_OF_A_STEP = (*(Row(key, key, "", canonical(key), seconds=seconds) for key, seconds in SECONDS.items()),
                 Row("concave500", "concave500", "", lambda: concave_pile(500), seconds=0.1))  # fmt: skip
# Goals of the first step [s], by scene.
STARTS = {"stack10": 0.2, "pendulum": 0.2, "funnel500j": 0.35}
REPEATS = 3


def said(code, *arguments, tree=ROOT, **environment):
    """The numbers that code prints in a process of its own, None where it fails, which is said."""
    home = import_path(tree)
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], cwd=home, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(home), **environment))  # fmt: skip
    if done.returncode:
        print(f"{' '.join(map(str, arguments))} in {tree}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return [float(word) for word in done.stdout.split()]


def least(code, *arguments, **options):
    """The least of what some processes say, a number a column; None where they fail."""
    found = [said(code, *arguments, **options) for _ in range(REPEATS)]
    return None if None in found else [min(column) for column in zip(*found, strict=True)]


def least_step(row, tree, folder):
    """CPU [ms] of a step in a tree, None where it does not run."""
    found = [measured(row, tree, folder) for _ in range(REPEATS)]
    return None if None in found else min(one["ms"] for one in found)


def text(value, digits=3):
    """A number of the table."""
    return "-" if value is None else f"{value:.{digits}g}"


def starts():
    """Rows of the first step and its memory, by the library and by the store."""
    for scene, goal in STARTS.items():
        ours = {way: least(FIRST, scene, STICTION_KERNELS=way) for way in ("library", "store")}
        for way, found in ours.items():
            yield (f"import to the end of the first step, {scene}, {way}", "wall s", text(found and found[0]),
                   f"{goal:g}" if way == "library" else "-")  # fmt: skip
        if scene == "stack10":
            found = ours["library"]
            yield "memory after the first step, stack10, library", "MiB", text(found and found[1]), "50"


def steps(reference):
    """Rows of a step's CPU time beside the reference's, and the mean ratio."""
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for row in CPU_OF_A_STEP:
            now, before = (least_step(row, tree, folder) if tree else None for tree in (ROOT, reference))
            if now and before:
                ratios.append(now / before)
            yield f"CPU of a step, {row.what}", "ms", text(now), f"at most {text(before)}"
    yield "the same, mean ratio to the reference", "-", text(statistics.mean(ratios) if ratios else None), "0.8"


def library():
    """Rows of the library's size and of loading it."""
    folder = load.need().folder
    size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
    code = ("import time; from stiction.solver.kernels import load; import numpy; start = time.perf_counter(); "
            "load.need(); print(1e3 * (time.perf_counter() - start))")  # fmt: skip
    loaded = least(code, STICTION_KERNELS="library")
    yield "library, size", "MiB", text(size), "3"
    yield "library, load with its digests", "ms", text(loaded and loaded[0]), "10"
    with tempfile.TemporaryDirectory() as name:
        for python in ("3.11", "any"):
            tool = ROOT / "tools" / "build_extension.py"
            done = subprocess.run([sys.executable, tool, "--wheels", "--python", python, "--output", name],
                                  capture_output=True, text=True)  # fmt: skip
            path = Path(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else None
            yield f"zip for Linux, Python {python}", "MB", text(path and path.stat().st_size / 1e6), "22"


def compiling():
    """Rows of compiling into an empty store: what the demo's scene reaches, then everything."""
    for use, goal in (("demo", "-; 60"), ("all", "200; 110")):
        with tempfile.TemporaryDirectory() as cache:
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            environment = dict(os.environ, STICTION_CACHE_DIR=cache, STICTION_KERNELS="store")
            command = [sys.executable, "-m", "stiction", "compile", "--use", use]
            done = subprocess.run(command, env=environment, cwd=ROOT)
            wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            failed = "" if done.returncode == 0 else " (some failed)"
            yield f"stiction compile --use {use}{failed}", "CPU s; wall s", f"{cpu:.0f}; {wall:.0f}", goal


def main():
    """Print a row a line; write the table where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", nargs="?", default="")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    rows = []
    for part in (compiling() if given.compile else (), starts(), steps(given.reference), library()):
        for row in part:
            rows.append(row)
            print(" | ".join(row), flush=True)
    if given.update:
        write(rows)


def write(rows):
    """Put the table between its marks in docs/performance.md."""
    load_now = os.getloadavg()[0]
    words = ("Written by `make bench-kernels REFERENCE=folder`, each row the least of three processes of its own, one "
             f"thread; load of the machine at the end {load_now:.1f}.")  # fmt: skip
    table = ["| what | unit | now | goal |", "|---|---|---|---|", *("| " + " | ".join(row) + " |" for row in rows)]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    made = "\n".join([BEGIN, "", words, "", *table, "", END])
    PAGE.write_text(before + made + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
