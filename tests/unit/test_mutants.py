"""The table of mutants stays applicable: every change still finds its place, exactly once, and its tests."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from mutation_table import TABLE  # noqa: E402


def test_there_are_enough_of_them_and_no_name_twice():
    assert len({mutant.name for mutant in TABLE}) == len(TABLE) >= 60


@pytest.mark.parametrize("mutant", TABLE, ids=lambda mutant: mutant.name)
def test_a_mutant_finds_its_place(mutant):
    text = (ROOT / "solver" / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.file} holds this {text.count(mutant.old)} times: {mutant.old}"
    compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
    assert all((ROOT / name).exists() for name in mutant.tests)
