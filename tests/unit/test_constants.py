"""Every constant of the step has a row in docs/constants.md that states its value."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("solver/stepping", "solver/dynamics")


def constants():
    """{(file, name): value} of the numbers that modules of the rooms name in capitals."""
    found = {}
    for path in (path for room in ROOMS for path in (ROOT / room).glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign):
                continue
            target, value = node.targets[0], node.value
            pairs = zip(target.elts, value.elts, strict=True) if isinstance(value, ast.Tuple) and isinstance(
                target, ast.Tuple) else [(target, value)]  # fmt: skip
            for name, expression in pairs:
                number = number_of(expression)
                if isinstance(name, ast.Name) and name.id.isupper() and number is not None:
                    found[path.relative_to(ROOT).as_posix(), name.id] = number
    return found


def number_of(expression):
    try:
        value = ast.literal_eval(expression)
    except ValueError:
        return None
    return float(value) if isinstance(value, (int, float)) else None


def test_every_constant_has_a_row_with_its_value():
    rows, room = {}, None
    for line in (ROOT / "docs" / "constants.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            room = line[4:-1]
        elif match := re.match(r"\| `(\w+)` \| ([^|]+) \|", line):
            rows[room, match[1]] = float(match[2])
            assert all(cell.strip() for cell in line.split("|")[1:-1]) and line.count("|") == 7, line
    assert rows == constants()
