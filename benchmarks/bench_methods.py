"""Every method and Siconos on whole time steps from files: time to 1e-3, 1e-4, 1e-6, 1e-8 by Siconos' relative error.

    python benchmarks/bench_methods.py [--problems stack10,wall] [--methods accurate,prox] [--limit 5] [--output DIR]

One thread (CPU time counts all of them). Times are those of the solve alone, from zero impulses, the shortest of five
for short ones; reading files and converting to Siconos' storage are not counted, our own preparation of a problem is.
A method that has an option for this error stops by it; the others are run with falling tolerances until their error
is small enough.
Siconos is run with SICONOS_PYTHON (default /usr/bin/python3, Debian's python3-siconos), and left out, saying so,
where that has none. Writes a table (methods.md, methods.csv) and performance profiles (profile-*.png).
"""

import argparse
import csv
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from stiction.solver import methods
from stiction.solver.problem_file import load_problem
from stiction.solver.warm_up import warm_up_method

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE.parent / "tests" / "data" / "contact_problems", HERE / "data" / "contact_problems")
TARGETS = (1e-3, 1e-4, 1e-6, 1e-8)
OURS = ("accelerated", "accurate", "prox", "nncg", "newton", "staggered")
SICONOS_PYTHON = os.environ.get("SICONOS_PYTHON", "/usr/bin/python3")
LARGE = 700


def all_problems(wanted):
    """Paths of the problems whose name holds one of the words in `wanted`; all for no words."""
    found = sorted((path for folder in FOLDERS for path in folder.glob("*.npz")), key=lambda path: path.stem)
    return [path for path in found if not wanted or any(word in path.stem for word in wanted)]


def shortest(problem, key, options):
    """(seconds, error) of a solve from zero; short ones are run five times."""
    report = methods.solve(problem, None, key, options)
    best = min(report.cpu_s, report.wall_s)
    for _ in range(4 if best < 0.05 else 0):
        again = methods.solve(problem, None, key, options, brief=True)
        best = min(best, again.cpu_s, again.wall_s)
    return best, report.siconos_error


def time_to(problem, key, target, limit):
    """Seconds of CPU until Siconos' error is at most `target`, or None."""
    kind = methods.get_method(key).options
    names = {field.name for field in dataclasses.fields(kind)}
    common = {"max_iterations": 1_000_000, "time_limit": limit}
    if "siconos_tolerance" in names:
        # The limit of a solve is wall time, and other work on the machine must not count.
        common["time_limit"] = 8 * limit
        seconds, error = shortest(problem, key, kind(siconos_tolerance=target, tolerance=1e-14, **common))
        return seconds if error <= target and seconds <= limit else None
    tolerance = 10.0 * target
    while tolerance > 1e-13:
        seconds, error = shortest(problem, key, kind(tolerance=tolerance, **common))
        if error <= target:
            return seconds
        if seconds >= 0.9 * limit:
            return None
        tolerance *= 0.1
    return None


def run_ours(paths, keys, limit):
    """{(problem, method, target): seconds or None} of our methods."""
    found = {}
    for key in keys:
        warm_up_method(key, methods.get_method(key).options())
    for path in paths:
        problem = load_problem(path)
        for key in keys:
            for target in TARGETS:
                seconds = time_to(problem, key, target, limit)
                found[path.stem, key, target] = seconds
                if seconds is None:
                    break
        fastest = [f"{target:g}: {best_of(found, path.stem, keys, target)[0]}" for target in TARGETS]
        print(f"{path.stem}: {', '.join(fastest)}", file=sys.stderr, flush=True)
    return found


def run_siconos(paths, limit):
    """The same of Siconos' solvers, and a reason where there are none."""
    test = subprocess.run([SICONOS_PYTHON, "-c", "import siconos.numerics"], capture_output=True, check=False)
    if test.returncode != 0:
        return {}, f"Siconos left out: {SICONOS_PYTHON} has no siconos.numerics (Debian: apt install python3-siconos)"
    request = {"problems": [str(path) for path in paths], "targets": TARGETS, "limit": limit, "large": LARGE}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request, file)
        file.flush()
        command = [SICONOS_PYTHON, str(HERE / "siconos_worker.py"), file.name]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = {}
    for line in run.stdout.splitlines():
        entry = json.loads(line)
        found[Path(entry["problem"]).stem, "Siconos " + entry["method"], entry["target"]] = entry["seconds"]
    return found, None


def read_siconos(path):
    """The same from the table of an earlier run."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"].startswith("Siconos")]
    times = {(row["problem"], row["method"], float(row["target"])): row["seconds"] for row in rows}
    return {key: float(seconds) if seconds else None for key, seconds in times.items()}, None


def best_of(found, problem, keys, target):
    """(text, seconds) of the fastest of `keys`, ("-", None) where none got there."""
    reached = [(found.get((problem, key, target)), key) for key in keys]
    reached = [(seconds, key) for seconds, key in reached if seconds is not None]
    if not reached:
        return "-", None
    seconds, key = min(reached)
    return f"{1e3 * seconds:.3g} ({key.removeprefix('Siconos ')})", seconds


def table(found, paths, ours, theirs):
    """Markdown lines: the fastest of ours and of theirs for every problem and target, in milliseconds."""
    head = " | ".join(f"ours {t:g} | Siconos {t:g}" for t in TARGETS)
    lines = [f"| problem | contacts | {head} |", "|---|---|" + "---|" * (2 * len(TARGETS))]
    for path in paths:
        cells = [path.stem, str(load_problem(path).contact_count)]
        for target in TARGETS:
            mine, my_time = best_of(found, path.stem, ours, target)
            other, other_time = best_of(found, path.stem, theirs, target)
            ahead = my_time is not None and (other_time is None or my_time <= other_time)
            cells += [f"**{mine}**" if ahead and theirs else mine, other]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def counts(found, paths, keys):
    """Markdown lines: how many problems each method solved."""
    lines = ["| method | " + " | ".join(f"{t:g}" for t in TARGETS) + " |", "|---|" + "---|" * len(TARGETS)]
    for key in keys:
        solved = [sum(found.get((path.stem, key, t)) is not None for path in paths) for t in TARGETS]
        lines.append(f"| {key} | " + " | ".join(f"{n} of {len(paths)}" for n in solved) + " |")
    return lines


def plot_profiles(found, paths, keys, folder):
    """One performance profile a target: share of problems solved within a factor of the fastest method."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for target in TARGETS:
        figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
        fastest = {path.stem: best_of(found, path.stem, keys, target)[1] for path in paths}
        for key in keys:
            times = {name: found.get((name, key, target)) for name in fastest}
            ratios = sorted(seconds / fastest[name] for name, seconds in times.items() if seconds is not None)
            if ratios:
                share = [(i + 1) / len(paths) for i in range(len(ratios))]
                style = "--" if key.startswith("Siconos") else "-"
                axes.step([*ratios, 1e4], [*share, share[-1]], where="post", linestyle=style, label=key)
        axes.set(xscale="log", xlim=(1, 1e4), ylim=(0, 1.02), title=f"Siconos' relative error {target:g}, one thread",
                 xlabel="time / time of the fastest method", ylabel="share of problems solved")  # fmt: skip
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, ncols=2, loc="lower right")
        figure.savefig(folder / f"profile-{target:g}.png", dpi=120)
        pyplot.close(figure)


def write_csv(found, path):
    """All times [s], one line each."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "method", "target", "seconds"])
        for (problem, key, target), seconds in sorted(found.items()):
            writer.writerow([problem, key, target, "" if seconds is None else f"{seconds:.6g}"])


def main():
    """Run the benchmark and write table and plots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="", help="only problems whose name holds one of these words")
    parser.add_argument("--methods", default=",".join(OURS), help="our methods to run")
    parser.add_argument("--limit", type=float, default=5.0, help="CPU seconds a solve may take")
    parser.add_argument("--reuse", type=Path, help="take Siconos' times from this methods.csv of an earlier run")
    parser.add_argument("--output", type=Path, default=Path("out") / "bench-methods")
    arguments = parser.parse_args()
    paths = all_problems([word for word in arguments.problems.split(",") if word])
    ours = arguments.methods.split(",")
    found = run_ours(paths, ours, arguments.limit)
    siconos, reason = read_siconos(arguments.reuse) if arguments.reuse else run_siconos(paths, arguments.limit)
    theirs = sorted({key for _, key, _ in siconos})
    found |= siconos
    arguments.output.mkdir(parents=True, exist_ok=True)
    lines = [f"Milliseconds of CPU, one thread, at most {arguments.limit:g} s a solve; bold: ours is ahead.", ""]
    lines += [reason, ""] if reason else []
    lines += [*table(found, paths, ours, theirs), "", *counts(found, paths, ours + theirs)]
    (arguments.output / "methods.md").write_text("\n".join(lines) + "\n")
    write_csv(found, arguments.output / "methods.csv")
    plot_profiles(found, paths, ours + theirs, arguments.output)
    print("\n".join(lines))
    print(f"\ntable and profiles are in {arguments.output}")


if __name__ == "__main__":
    main()
