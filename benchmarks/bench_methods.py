"""Every method and Siconos on whole time steps from files: time to 1e-3, 1e-4, 1e-6, 1e-8 by Siconos' relative error.

    python benchmarks/bench_methods.py [--problems stack10,wall] [--methods accurate,prox] [--limit 5] [--output DIR]
                                       [--resume] [--update]

One thread a solve, ours and Siconos' side by side in two processes. Times are CPU times from zero impulses, the
shortest of 31 below 0.2 ms, of 5 below 50 ms. Reading files and converting to Siconos' storage are not counted; our
own preparation is.
Methods whose defaults are a paper's own run in the form named in FORMS: scalar r and the judge's stop, for one.
Methods stop by the residual: each is run with falling tolerances until Siconos' error is small enough, and the time is
that of the run which gets there.

Every time is written to DIR/methods.csv as soon as it is known; --resume goes on after an interruption. At the end
tables (methods.md) and performance profiles (profile-*.png) are drawn; --update puts them into docs/.
Siconos is run with SICONOS_PYTHON (default /usr/bin/python3, Debian's python3-siconos and python3-scipy), and left
out, saying so, where that has none.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import method_report
from corpus import all_problems

from stiction.solver import methods
from stiction.solver.runs.warm_up import warm_up_method
from stiction.solver.scene_io.problem_file import load_problem

HERE = Path(__file__).resolve().parent
TARGETS = method_report.TARGETS
OURS = ("accelerated", "accurate", "prox", "nncg", "newton", "staggered", "prox_literal", "jacobi", "pgs")
# What a method takes where its defaults are the paper's own, which stop by its rule at a merit that is no error: the
# form in which it comes nearest to a stated error. All others run with their defaults.
FORMS = {
    "prox_literal": {"strategy": "scalar", "stopping": "judge"},
    "jacobi": {"strategy": "scalar", "stopping": "judge"},
    "newton": {"friction_factor": 0.5, "linear_solver": "auto", "patience": 12, "start": "warm",
               "least_denominator": 0.01},
    "staggered": {"extrapolation": 5},
}
SICONOS_PYTHON = os.environ.get("SICONOS_PYTHON", "/usr/bin/python3")
LARGE = 700
COLUMNS = ("problem", "method", "target", "seconds")


class Times:
    """The times [s] found so far, in a file: {(problem, method, target): seconds}, None: failed."""

    def __init__(self, path, resume):
        self.path, self.lock, self.found = path, threading.Lock(), {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume and path.exists():
            self.found = method_report.read(path)
            return
        with path.open("w", newline="") as file:
            csv.writer(file).writerow(COLUMNS)

    def done(self, problem, method):
        """True if every target of this pair is known."""
        return all((problem, method, target) in self.found for target in TARGETS)

    def add(self, problem, method, target, seconds):
        """Keep one result and write it down."""
        with self.lock, self.path.open("a", newline="") as file:
            self.found[problem, method, target] = seconds
            text = "" if seconds is None else f"{seconds:.6g}"
            csv.writer(file).writerow([problem, method, f"{target:g}", text])


def shortest(problem, key, options):
    """(seconds, error) of a solve from zero; the shortest of several."""
    report = methods.solve(problem, None, key, options)
    best = min(report.cpu_s, report.wall_s)
    for _ in range(30 if best < 2e-4 else 4 if best < 0.05 else 1 if best < 0.5 else 0):
        again = methods.solve(problem, None, key, options, brief=True)
        best = min(best, again.cpu_s, again.wall_s)
    return best, report.siconos_error


def time_to(problem, key, target, limit):
    """Seconds of CPU until Siconos' error is at most `target`, or None."""
    kind = methods.get_method(key).options
    # The limit of a solve is wall time, and other work on the machine must not count.
    common = {"max_iterations": 1_000_000, "time_limit": 8 * limit, **FORMS.get(key, {})}
    tolerance = 10.0 * target
    while tolerance > 1e-13:
        seconds, error = shortest(problem, key, kind(tolerance=tolerance, **common))
        if seconds > limit:
            return None
        if error <= target:
            return seconds
        tolerance *= 0.1
    return None


def run_ours(paths, keys, limit, times):
    """Add the times of our methods."""
    for key in keys:
        kind = methods.get_method(key).options
        warm_up_method(key, kind(**FORMS.get(key, {})))
    for path in paths:
        problem = load_problem(path)
        for key in keys:
            if times.done(path.stem, key):
                continue
            seconds = 0.0
            for target in TARGETS:
                # What failed at one target is not tried at a smaller one.
                seconds = None if seconds is None else time_to(problem, key, target, limit)
                times.add(path.stem, key, target, seconds)
        fastest = [f"{t:g}: {method_report.best_of(times.found, path.stem, keys, t)[0]}" for t in TARGETS]
        print(f"ours {path.stem}: {', '.join(fastest)}", file=sys.stderr, flush=True)


def run_siconos(paths, limit, times):
    """Add the times of Siconos' solvers."""
    known = {(problem, method) for problem, method, _ in times.found if times.done(problem, method)}
    request = {"problems": [str(path) for path in paths], "targets": TARGETS, "limit": limit, "large": LARGE,
               "known": [[problem, method.removeprefix("Siconos ")] for problem, method in known]}  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request, file)
        file.flush()
        command = [SICONOS_PYTHON, str(HERE / "siconos_worker.py"), file.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                entry = json.loads(line)
                problem = Path(entry["problem"]).stem
                times.add(problem, "Siconos " + entry["method"], entry["target"], entry["seconds"])
    if process.returncode != 0:
        print(f"siconos_worker.py ended with {process.returncode}: go on with --resume", file=sys.stderr)


def siconos_missing():
    """Why Siconos cannot be run, or None."""
    code = "import scipy.sparse.coo, siconos.numerics"
    if subprocess.run([SICONOS_PYTHON, "-c", code], capture_output=True, check=False).returncode == 0:
        return None
    remedy = "Debian: apt install python3-siconos python3-scipy"
    return f"Siconos left out: {SICONOS_PYTHON} has no siconos.numerics ({remedy})"


def main():
    """Run the benchmark and write tables and plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="", help="only problems whose name holds one of these words")
    parser.add_argument("--methods", default=",".join(OURS), help="our methods to run")
    parser.add_argument("--limit", type=float, default=5.0, help="CPU seconds a solve may take")
    parser.add_argument("--resume", action="store_true", help="keep what DIR/methods.csv holds and go on")
    parser.add_argument("--update", action="store_true", help="write docs/methods-benchmark.md and its picture too")
    parser.add_argument("--output", type=Path, default=Path("out") / "bench-methods")
    arguments = parser.parse_args()
    paths = all_problems([word for word in arguments.problems.split(",") if word])
    paths.sort(key=lambda path: load_problem(path).contact_count)
    ours = arguments.methods.split(",")
    times = Times(arguments.output / "methods.csv", arguments.resume)
    reason = siconos_missing()
    other = threading.Thread(target=run_siconos, args=(paths, arguments.limit, times))
    if reason is None:
        other.start()
    run_ours(paths, ours, arguments.limit, times)
    if reason is None:
        other.join()
    method_report.write(times.found, paths, arguments.limit, reason, arguments.output, arguments.update)


if __name__ == "__main__":
    main()
