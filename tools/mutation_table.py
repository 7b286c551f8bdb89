"""Changes of the solver's mathematics that the tests must notice.

Each: file, what stands there, what to put in its place, and the tests that are to fail. `make mutants` applies them one
by one; `tests/unit/test_mutants.py` holds the table to the code.
"""

from typing import NamedTuple

import mutations_of_methods
import mutations_of_newer
import mutations_of_steps
import mutations_of_theory


class Mutant(NamedTuple):
    """One change: a short name, a file below solver/, its old and new text, and the tests meant to notice."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple


TABLES = mutations_of_methods, mutations_of_steps, mutations_of_newer, mutations_of_theory
TABLE = tuple(Mutant(*row) for rows in TABLES for row in rows.TABLE)
