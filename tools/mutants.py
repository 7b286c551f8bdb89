"""Change the solver's mathematics in one place after another and see that the tests notice: `make mutants`.

    python tools/mutants.py                 all of tools/mutation_table.py
    python tools/mutants.py --only PROX     those whose name holds a text
    python tools/mutants.py --jobs 2        so many at once

Each change is made in a copy of the repository of its own; a mutant survives if all tests named for it pass. Prints a
line each and the score; exit code 1 if any survived.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from mutation_table import TABLE  # noqa: E402

IN_CI = "not slow(hours=True)"  # tests that continuous integration runs
TIME_LIMIT = 900.0  # seconds a mutant; one that never ends has been noticed
SKIP = shutil.ignore_patterns(".git", ".venv*", "out", "dist", "build", "__pycache__", "*.egg-info", "docs")


def main(arguments=None):
    """Run the table; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose name holds this")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried at once")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in TABLE if options.only.lower() in mutant.name.lower()]
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(_told, chosen))
    survivors = [mutant.name for mutant, killed in zip(chosen, verdicts, strict=True) if not killed]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants killed")
    for name in survivors:
        print(f"survived: {name}")
    return 1 if survivors else 0


def _told(mutant):
    start = time.perf_counter()
    killed = killed_by_tests(mutant)
    word = "killed  " if killed else "SURVIVED"
    print(f"{word}  {time.perf_counter() - start:5.0f} s  {mutant.name}  ({mutant.file})", flush=True)
    return killed


def killed_by_tests(mutant):
    """True if one of the mutant's tests fails in a copy of the repository with that change."""
    with tempfile.TemporaryDirectory(prefix="stiction-mutant-") as folder:
        copy = Path(folder) / "stiction"
        shutil.copytree(ROOT, copy, ignore=SKIP)
        path = copy / "solver" / mutant.file
        path.write_text(path.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
        tests = [name for name in mutant.tests if (copy / name).exists()]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n0", "-m", IN_CI, *tests]
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, timeout=TIME_LIMIT, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            return True
        # 1: tests failed; a crash of the interpreter is below 0. Anything else means that no test was run.
        if done.returncode not in (0, 1) and done.returncode > 0:
            sys.exit(f"{mutant.name}: the tests could not be run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
