"""Tables and performance profiles of bench_methods.py: read the times, write Markdown and pictures.

    python benchmarks/method_report.py DIR [--update]      draws them again from DIR/methods.csv
"""

import argparse
import csv
import os
import platform
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from corpus import all_problems
from matplotlib import pyplot

from stiction.solver.scene_io.problem_file import load_problem

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
TARGETS = (1e-3, 1e-4, 1e-6, 1e-8)
HEAD = """# Every method and Siconos on the same problems

Written by `make bench-methods`. Times to Siconos' relative error from zero impulses, milliseconds of CPU, one thread,
at most {limit:g} s a solve; {machine}. "ours": the fastest of our methods, from the plain arrays. "Siconos": the
fastest of its solvers, without the conversion to its storage. Bold: ours is ahead. "-": not reached.

"""


def read(path):
    """The times of a methods.csv: {(problem, method, target): seconds or None}."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["problem"], row["method"], float(row["target"])): float(row["seconds"]) if row["seconds"] else None
        for row in rows
    }


def best_of(found, problem, keys, target):
    """(text in ms, seconds) of the fastest of `keys`, ("-", None) where none got there."""
    reached = [(found.get((problem, key, target)), key) for key in keys]
    reached = [entry for entry in reached if entry[0] is not None]
    if not reached:
        return "-", None
    seconds, key = min(reached)
    return f"{1e3 * seconds:.3g} {key.removeprefix('Siconos ')}", seconds


def table(found, sizes, ours, theirs, targets):
    """Markdown lines: the fastest of ours and of theirs for every problem and target."""
    head = " | ".join(f"ours {t:g} | Siconos {t:g}" for t in targets)
    lines = [f"| problem | contacts | {head} |", "|---|---|" + "---|" * (2 * len(targets))]
    for problem, contacts in sizes.items():
        cells = [problem, str(contacts)]
        for target in targets:
            mine, my_time = best_of(found, problem, ours, target)
            other, other_time = best_of(found, problem, theirs, target)
            ahead = my_time is not None and (other_time is None or my_time <= other_time)
            mine = f"**{mine}**" if ahead and theirs else mine
            cells += [mine, other]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def summary(found, sizes, ours, theirs):
    """Markdown lines: on how many problems ours is ahead."""
    lines = ["| target | solved by ours | by Siconos | ours ahead |", "|---|---|---|---|"]
    for target in TARGETS:
        mine = {p: best_of(found, p, ours, target) for p in sizes}
        other = {p: best_of(found, p, theirs, target)[1] for p in sizes}
        inf = float("inf")
        ahead = sum(mine[p][1] is not None and mine[p][1] <= (other[p] or inf) for p in sizes)
        solved = [sum(x is not None for x in times) for times in ([m[1] for m in mine.values()], other.values())]
        lines.append(f"| {target:g} | {solved[0]} of {len(sizes)} | {solved[1]} | {ahead} |")
    return lines


def counts(found, sizes, keys):
    """Markdown lines: how many problems each method solved."""
    lines = ["| method | " + " | ".join(f"{t:g}" for t in TARGETS) + " |", "|---|" + "---|" * len(TARGETS)]
    for key in keys:
        solved = [sum(found.get((problem, key, t)) is not None for problem in sizes) for t in TARGETS]
        lines.append(f"| {key} | " + " | ".join(f"{n} of {len(sizes)}" for n in solved) + " |")
    return lines


def profile(axes, found, sizes, ours, theirs, target):
    """Share of problems solved within a factor of the fastest method."""
    keys = [*ours, *theirs]
    fastest = {problem: best_of(found, problem, keys, target)[1] for problem in sizes}
    curves = {key: {p: found.get((p, key, target)) for p in sizes} for key in keys}
    if theirs:
        curves["best of Siconos"] = {p: best_of(found, p, theirs, target)[1] for p in sizes}
    for key, times in curves.items():
        ratios = sorted(seconds / fastest[p] for p, seconds in times.items() if seconds is not None)
        if ratios:
            share = [(i + 1) / len(sizes) for i in range(len(ratios))]
            style = {"linestyle": "--" if "Siconos" in key else "-", "linewidth": 2.2 if "best" in key else 1.2}
            axes.step([1, *ratios, 1e4], [0, *share, share[-1]], where="post", label=key, **style)
    axes.set(xscale="log", xlim=(1, 1e4), ylim=(0, 1.02), title=f"relative error {target:g}",
             xlabel="time / time of the fastest method", ylabel="share of problems solved")  # fmt: skip
    axes.grid(alpha=0.3)


def plot_profiles(found, sizes, ours, theirs, path):
    """All performance profiles in one picture."""
    columns = (len(TARGETS) + 1) // 2
    figure, grid = pyplot.subplots(2, columns, figsize=(6.5 * columns, 9), layout="constrained", squeeze=False)
    for axes, target in zip(grid.flat, TARGETS, strict=False):
        profile(axes, found, sizes, ours, theirs, target)
    grid[0, 0].legend(fontsize=7, ncols=2, loc="lower right")
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def machine():
    """The processor and the number of cores, in words."""
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as file:
            name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), name)
    return f"{name}, {os.cpu_count()} cores"


def write(found, paths, limit, reason, folder, update):
    """Write methods.md and profiles.png to `folder`, and with `update` to docs/."""
    sizes = {path.stem: load_problem(path).contact_count for path in paths}
    known = {key for _, key, _ in found}
    theirs = sorted(key for key in known if key.startswith("Siconos"))
    ours = list(dict.fromkeys(key for _, key, _ in found if not key.startswith("Siconos")))
    lines = [reason, ""] if reason else []
    lines += [*summary(found, sizes, ours, theirs), ""]
    for targets in (TARGETS[1::2], TARGETS[::2]):
        lines += [*table(found, sizes, ours, theirs, targets), ""]
    lines += ["Problems each method solved:", "", *counts(found, sizes, ours + theirs), ""]
    picture = "Performance profiles: the share of problems a method solves within a factor of the fastest one.\n\n"
    picture += "![performance profiles]({})\n"
    text = HEAD.format(limit=limit, machine=machine()) + "\n".join(lines) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "methods.md").write_text(text + picture.format("profiles.png"))
    plot_profiles(found, sizes, ours, theirs, folder / "profiles.png")
    if update:
        (DOCS / "methods-benchmark.md").write_text(text + picture.format("images/methods-profiles.png"))
        plot_profiles(found, sizes, ours, theirs, DOCS / "images" / "methods-profiles.png")
    print("\n".join(summary(found, sizes, ours, theirs)))
    print(f"tables and profiles are in {folder}" + (" and in docs/methods-benchmark.md" if update else ""))


def main():
    """Draw an earlier run again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=5.0, help="the limit that run had")
    parser.add_argument("--update", action="store_true", help="write docs/methods-benchmark.md and its picture too")
    arguments = parser.parse_args()
    found = read(arguments.folder / "methods.csv")
    known = {problem for problem, _, _ in found}
    paths = [path for path in all_problems([]) if path.stem in known]
    paths.sort(key=lambda path: load_problem(path).contact_count)
    write(found, paths, arguments.limit, None, arguments.folder, arguments.update)


if __name__ == "__main__":
    main()
