"""What half and double of a constant come to: python benchmarks/bench_constants.py [NAME ...] [--room ROOM] [--write]

Each constant of docs/constants.md is halved and doubled, and four small scenes run: 50 jacks poured into the funnel,
throws of cards, boxes and jacks at a thin plate, a stack of ten boxes, and a heap of concave bodies. A constant that no
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
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "constants.md"
HEAD = "## Measured"
FIGURES = (
    "pour: mean overlap [um]", "pour: deepest [mm]", "pour: not accepted", "pour: CPU [s]", "throws: through",
    "throws: sunk [mm]", "stack: drift [um]", "heap: deepest [mm]", "heap: CPU [s]",
)  # fmt: skip


def measured():
    """FIGURES of the solver as it is."""
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


def changed_here(modules, name, factor):
    """FIGURES with the constant that these modules read times `factor`; None where the scenes do not run."""
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


def changed_in_copy(file, name, factor):
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
        call = "import bench_constants as b, json; b.measured(); print('FIGURES', json.dumps(b.measured()))"
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, env=environment)
    line = next((line for line in done.stdout.splitlines() if line.startswith("FIGURES")), None)
    if line is None:
        print(done.stderr[-400:], file=sys.stderr)
        return None
    return json.loads(line.removeprefix("FIGURES"))


def row_text(label, values):
    """A row of the table."""
    cells = ["does not run"] * len(FIGURES) if values is None else [f"{value:.3g}" for value in values]
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
    measured()
    lines = {"as it is": row_text("as it is", measured())}
    print(lines["as it is"], flush=True)
    for file, name in wanted:
        modules, compiled = readers(file, name)
        if compiled and not options.kernels:
            continue
        for word, factor in (("half", 0.5), ("double", 2.0)):
            label = f"{Path(file).stem}: {name}, {word}"
            lines[label] = row_text(
                label, changed_in_copy(file, name, factor) if compiled else changed_here(modules, name, factor)
            )
            print(lines[label], flush=True)
    if options.write:
        PAGE.write_text(with_rows(page, lines), encoding="utf-8")


def with_rows(page, lines):
    """The page with rows {label: row} added to those measured before, or in their place."""
    before, _, table = page.partition(f"{HEAD}\n")
    intro, *rest = table.split("\n| constant |")
    rows = rest[0].splitlines()[2:] if rest else []
    old = {row.split("|")[1].strip(): row for row in rows if row.startswith("|")}
    head = f"| constant | {' | '.join(FIGURES)} |\n|{'---|' * (1 + len(FIGURES))}"
    return f"{before}{HEAD}\n{intro.rstrip()}\n\n{head}\n" + "\n".join((old | lines).values()) + "\n"


if __name__ == "__main__":
    main()
