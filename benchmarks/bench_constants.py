"""What half and double of a constant come to: python benchmarks/bench_constants.py [NAME ...] [--room ROOM] [--write]

Each constant of docs/constants.md is halved and doubled, and four small scenes run: 50 jacks poured into the funnel,
throws of cards, boxes and jacks at a thin plate, a stack of ten boxes, and a heap of concave bodies. Those of the
methods solve the recorded contact problems instead: `accelerated` to 1e-6, `accurate` to 1e-8. A constant that no
kernel reads is changed where it stands; one in a kernel in a copy of the solver, with a process of its own, which
compiles what depends on it: minutes for one of the narrow phase. Without `--kernels` those are left out. `--write` puts
the figures into the page's table of measured constants.
"""

import argparse
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "constants.md"
SCENE_FIGURES = (
    "pour: mean overlap [um]", "pour: deepest [mm]", "pour: not accepted", "pour: CPU [s]", "throws: through",
    "throws: sunk [mm]", "stack: drift [um]", "heap: deepest [mm]", "heap: CPU [s]",
)  # fmt: skip
PROBLEM_FIGURES = (
    "accelerated: reached 1e-6", "contacts relaxed [1e6]", "CPU [s]", "accurate: reached 1e-8", "relaxed [1e6]",
    "its CPU [s]",
)  # fmt: skip
# Sweeps at most on a recorded problem.
SWEEPS = 3000


def of_scenes():
    """SCENE_FIGURES of the solver as it is."""
    from stiction.solver.scenes import SCENES
    from stiction.solver.scenes.granular import concave_pile, funnel
    from stiction.solver.simulation import options_for, simulate
    from stiction.solver.validation.throws import volley

    def run(scene, time):
        return simulate(scene, options_for(scene, time=time, threads=1))

    pour, heap = run(funnel(50, "j"), 1.2), run(concave_pile(8), 1.0)
    flights = [volley(name, range(12), threads=1) for name in ("card", "box", "jack")]
    stack = run(SCENES["stack10"].build(), 0.5)
    return [
        1e6 * float(pour.steps["overlap"].mean()), 1e3 * float(pour.steps["overlap"].max()),
        int((pour.steps["converged"] == 0).sum()), pour.header["cpu_s"],
        int(sum((one.through | one.pierced).sum() for one in flights)),
        1e3 * max(float(one.sunk.max()) for one in flights),
        1e6 * float(np.abs(stack.positions[-1] - stack.positions[0]).max()),
        1e3 * float(heap.steps["overlap"].max()), heap.header["cpu_s"],
    ]  # fmt: skip


def of_problems():
    """PROBLEM_FIGURES of the solver as it is."""
    from stiction.solver.methods import METHODS, Status, solve
    from stiction.solver.scene_io.problem_file import load_problem

    found = []
    problems = [load_problem(path) for path in sorted((ROOT / "tests" / "data" / "contact_problems").glob("*.npz"))]
    for key, tolerance in (("accelerated", 1e-6), ("accurate", 1e-8)):
        options = METHODS[key].options(tolerance=tolerance, max_iterations=SWEEPS)
        reports = [solve(problem, None, key, options, brief=True) for problem in problems]
        found += [
            sum(report.status == Status.CONVERGED for report in reports),
            1e-6 * sum(r.iterations * p.block_count for r, p in zip(reports, problems, strict=True)),
            sum(report.cpu_s for report in reports),
        ]
    return found


class Table(NamedTuple):
    """Files whose constants it shows, its heading, its figures, and the function that measures them."""

    room: str
    head: str
    figures: tuple
    measured: Callable


# The first whose room holds a file is its table.
TABLES = (
    Table("solver/methods/", "## Measured on contact problems", PROBLEM_FIGURES, of_problems),
    Table("solver/", "## Measured on scenes", SCENE_FIGURES, of_scenes),
)


def table_of(file):
    """The Table of a file's constants."""
    return next(table for table in TABLES if file.startswith(table.room))


def rows_of(page):
    """{(file, name): value text} of the page's rows."""
    found, file = {}, None
    for line in page.splitlines():
        if line.startswith("## "):
            file = line[4:-1]
        elif match := re.match(r"\| `(\w+)` \| ([^|]+) \|", line):
            found[file, match[1]] = match[2].strip()
    return {key: value for key, value in found.items() if key[0].startswith("solver/")}


def changed_source(text, name, factor):
    """The source with the constant times `factor`, a whole number where it is one; ValueError where it has no such
    line."""
    match = re.search(rf"^((?:\w+, )*{name}(?:, \w+)*) = (.+?)(  #.*)?$", text, re.MULTILINE)
    if match is None:
        raise ValueError(f"no line sets {name}")
    names, values = match[1].split(", "), match[2]
    parts = [values] if len(names) == 1 else values.split(", ")
    k = names.index(name)
    parts[k] = f"type({parts[k]})({factor} * ({parts[k]}))"
    return text[: match.start()] + f"{match[1]} = {', '.join(parts)}" + text[match.end() :]


def readers(file, name):
    """Names of the solver's modules that read the constant of a file, and whether any of them has kernels."""
    found, compiled, stem = [], False, Path(file).stem
    for path in (ROOT / "solver").rglob("*.py"):
        text, own = path.read_text(encoding="utf-8"), path == ROOT / file
        imported = re.search(rf"from [.\w]*\b{stem} import (\([^)]*\b{name}\b|[^(\n]*\b{name}\b)", text)
        if own or imported:
            found.append("stiction." + path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))
            compiled = compiled or re.search(r"^@(inner|kernel)", text, re.MULTILINE) is not None
    return found, compiled


def changed_here(measured, modules, name, factor):
    """Figures with the constant that these modules read times `factor`; None where it does not run."""
    loaded = [importlib.import_module(module) for module in modules]
    old = getattr(loaded[0], name)
    for module in loaded:
        setattr(module, name, type(old)(factor * old))
    try:
        return measured()
    except Exception as error:  # A run that ends in an error is a figure, too.
        print(error, file=sys.stderr)
        return None
    finally:
        for module in loaded:
            setattr(module, name, old)


def changed_in_copy(measured, file, name, factor):
    """The same in a copy of the solver, whose kernels are compiled anew."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "stiction"
        tree.mkdir()
        (tree / "__init__.py").touch()
        shutil.copytree(ROOT / "solver", tree / "solver", ignore=shutil.ignore_patterns("__pycache__"))
        path = tree / file
        path.write_text(changed_source(path.read_text(), name, factor))
        environment = os.environ | {"PYTHONPATH": f"{folder}:{Path(__file__).parent}", "PYTHONDONTWRITEBYTECODE": "1"}
        # The first run compiles.
        own = f"b.{measured.__name__}()"
        call = f"import bench_constants as b, json; {own}; print('FIGURES', json.dumps({own}))"
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, env=environment)
    line = next((line for line in done.stdout.splitlines() if line.startswith("FIGURES")), None)
    if line is None:
        print(done.stderr[-400:], file=sys.stderr)
        return None
    return json.loads(line.removeprefix("FIGURES"))


def row_text(table, label, values):
    """A row of a Table."""
    cells = ["does not run"] * len(table.figures) if values is None else [f"{value:.3g}" for value in values]
    return f"| {label} | {' | '.join(cells)} |"


def main():
    """Measure, print and, if asked to, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="constants; all if none is given")
    parser.add_argument("--room", default="solver/", help="files that begin with this")
    parser.add_argument("--write", action="store_true", help="put the rows into docs/constants.md")
    parser.add_argument("--kernels", action="store_true", help="those that kernels read, too")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    wanted = [
        key for key in rows_of(page)
        if key[0].startswith(options.room) and (not options.names or key[1] in options.names)
    ]  # fmt: skip
    for table in TABLES:
        own = [(file, name) for file, name in wanted if table_of(file) is table]
        if own:
            lines = measured_rows(table, own, options.kernels)
            page = with_rows(page, table, lines)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")


def measured_rows(table, wanted, kernels):
    """{label: row} of the constants (file, name) of a Table, printed as they come."""
    table.measured()
    lines = {"as it is": row_text(table, "as it is", table.measured())}
    print(lines["as it is"], flush=True)
    for file, name in wanted:
        modules, compiled = readers(file, name)
        if compiled and not kernels:
            continue
        for word, factor in (("half", 0.5), ("double", 2.0)):
            label = f"{Path(file).stem}: {name}, {word}"
            values = (changed_in_copy(table.measured, file, name, factor) if compiled
                      else changed_here(table.measured, modules, name, factor))  # fmt: skip
            lines[label] = row_text(table, label, values)
            print(lines[label], flush=True)
    return lines


def with_rows(page, table, lines):
    """The page with rows {label: row} added to those of a Table measured before, or in their place."""
    before, _, rest = page.partition(f"{table.head}\n")
    own, mark, after = rest.partition("\n## ")
    intro, *rest = own.split("\n| constant |")
    rows = rest[0].splitlines()[2:] if rest else []
    old = {row.split("|")[1].strip(): row for row in rows if row.startswith("|")}
    head = f"| constant | {' | '.join(table.figures)} |\n|{'---|' * (1 + len(table.figures))}"
    body = "\n".join((old | lines).values())
    return f"{before}{table.head}\n{intro.rstrip()}\n\n{head}\n{body}\n{mark}{after}"


if __name__ == "__main__":
    main()
