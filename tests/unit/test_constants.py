"""Every constant of the step, of contact search and of the methods has a row in docs/constants.md with its value."""

import ast
import functools
import importlib
import math
import re
from pathlib import Path

import numpy as np
from sources import tree

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("solver/stepping/**/*.py", "solver/dynamics/**/*.py", "solver/collision/**/*.py", "solver/methods/**/*.py")


@functools.cache
def constants():
    """{(file, name): value} of the numbers that modules of the rooms name in capitals."""
    found = {}
    for path in (path for room in ROOMS for path in ROOT.glob(room)):
        file = path.relative_to(ROOT).as_posix()
        names = [name.id for node in tree(path).body
                 if isinstance(node, ast.Assign) for target in node.targets for name in ast.walk(target)
                 if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                 and name.id.isupper() and not name.id.startswith("_")]  # fmt: skip
        if names:
            module = importlib.import_module("stiction." + file.removesuffix(".py").replace("/", "."))
            values = {name: getattr(module, name) for name in names}
            found |= {(file, name): float(value) for name, value in values.items()
                      if isinstance(value, (int, float, np.number))}  # fmt: skip
    return found


def on_the_page():
    """({(file, name): value} of the rows, (file, name) of marks, which have no value worth changing)."""
    rows, marks, file = {}, set(), None
    for line in (ROOT / "docs" / "constants.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            file = line[4:-1]
        elif line.startswith("Marks, "):
            marks |= {(file, name) for name in re.findall(r"`(\w+)`", line)}
        elif match := re.match(r"\| `(\w+)` \| ([^|]+) \|", line):
            rows[file, match[1]] = float(match[2])
            assert all(cell.strip() for cell in line.split("|")[1:-1]) and line.count("|") == 7, line
    return rows, marks


def test_every_constant_has_a_row_with_its_value():
    rows, marks = on_the_page()
    known = constants()
    assert rows.keys().isdisjoint(marks)
    assert rows.keys() | marks == known.keys()
    wrong = {key: (value, known[key]) for key, value in rows.items()
             if not math.isclose(value, known[key], rel_tol=1e-6)}  # fmt: skip
    assert wrong == {}


def test_marks_are_whole_numbers():
    known = constants()
    assert all(known[key] == round(known[key]) for key in on_the_page()[1])
