"""The table of a study's runs as the panel shows it; plain Python."""

import csv
from pathlib import Path

TABLE = "results.csv"
# What of a row is not a parameter begins with this column.
FIRST = "seed"
_known: dict = {}


def rows_of(folder):
    """Rows of a study's results.csv as dicts; read again once the file has changed. Empty without one."""
    path = Path(folder or ".") / TABLE
    try:
        key = str(path), path.stat().st_mtime_ns
    except OSError:
        return []
    if key not in _known:
        _known.clear()
        with open(path, newline="", encoding="utf-8") as handle:
            _known[key] = list(csv.DictReader(handle))
    return _known[key]


def values_of(row):
    """{parameter: text} of a row."""
    names = list(row)
    return {name: row[name] for name in names[: names.index(FIRST)]}


def sentence(row):
    """A row in a few words: its parameters, its seed, what became of it."""
    said = [f"{name.rpartition('.')[2]} {value}" for name, value in values_of(row).items()]
    out = f"{row['status']} after {row['discharged_count']} out" if row["jammed"] != "" else row["status"]
    return ", ".join([*said, f"seed {row['seed']}: {out}"])


def first_of_each_point(rows, most=12):
    """Numbers, from 1, of the first row of each point with a result; at most so many, evenly chosen."""
    found = {}
    for number, row in enumerate(rows, start=1):
        if row["jammed"] != "":
            found.setdefault(tuple(values_of(row).values()), number)
    numbers = list(found.values())
    step = -(-len(numbers) // most) if numbers else 1
    return numbers[::step]
