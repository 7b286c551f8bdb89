"""`make ablate`: its suite fits the table of mechanisms, and its page says what was measured."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from ablate import PAGE, STORE, chosen  # noqa: E402
from ablation_page import REFERENCE, changes, noticed, page  # noqa: E402
from ablation_suite import SCENES, TESTS, cases  # noqa: E402

from stiction.solver.mechanisms import MECHANISMS  # noqa: E402


def figures(**changed):
    return {"overlap": 1e-4, "residual": 1e-9, "refused": 0, "deep": 0, "gain": 0.0, "lift": 0.0, "cpu": 2.0,
            "work": 1e6, "fault": "", "verdict": "good", "events": {}, **changed}  # fmt: skip


def row(**changed):
    """The table's row of a made-up measurement of `late_contacts`: columns as texts."""
    before = figures(events={"late_contacts": 3})
    store = {REFERENCE: {"suite": {"scene:pile": before, "case:slope": {"failed": {}, "events": {}, "cpu": 1.0}}},
             "late_contacts": {"suite": {"scene:pile": figures(**changed)}, "tests": []}}  # fmt: skip
    (line,) = [line for line in page(store).splitlines() if line.startswith("| late_contacts |")]
    return [cell.strip() for cell in line.split("|")[1:-1]], store


def test_every_mechanism_has_tests_that_are_there():
    assert TESTS.keys() == MECHANISMS.keys()
    assert all((ROOT / "tests" / file).exists() for files in TESTS.values() for file in files)


@pytest.mark.parametrize("name", SCENES)
def test_scenes_of_the_suite_can_be_built(name):
    assert SCENES[name].make().bodies


def test_dear_cases_are_left_out():
    assert "grip" in cases({"grip": 0.9}) and "dominoes" not in cases({"dominoes": 160.0})


def test_what_gets_worse_is_said_with_both_figures():
    cells, store = row(overlap=7e-4, cpu=1.5)
    assert cells[2] == "`pile` overlap [mm] 0.1 to 0.7"
    assert cells[4].startswith("+25 % CPU")
    assert noticed("late_contacts", store)


def test_what_gets_better_is_said_too():
    cells, store = row(work=2e5)
    assert cells[2] == "no figure of the suite. better without it: `pile` work 1e+06 to 2e+05"
    assert not noticed("late_contacts", store)


def test_small_differences_are_none():
    assert changes(figures(), figures(overlap=1.4e-4, residual=1e-8, lift=1e-4)) == ([], [])


def test_a_run_that_ends_is_the_worst():
    worse, _ = changes(figures(), figures(fault="step 3: not finite", overlap=1.0))
    assert max(worse)[1] == "ends: step 3: not finite"


def test_lines_of_cases_and_tests_that_fail_are_named():
    _, store = row()
    store["late_contacts"]["suite"]["case:slope"] = {"failed": {"slides": "0.3 m"}, "events": {}, "cpu": 1.0}
    store["late_contacts"]["tests"] = ["test_a.py::test_b"]
    text = page(store)
    assert "slope: slides is 0.3 m; tests: `test_a.py::test_b`" in text


def test_only_that_is_run_again_in_which_it_acted():
    counts = {"scene:a": {"late_contacts": 2}, "case:b": {"late_contacts": 0}, "case:c": {},
              "case:d": {"late_contacts": 1}}  # fmt: skip
    reference = {key: {"events": events, "cpu": 2.0 if key == "case:d" else 1.0} for key, events in counts.items()}
    assert chosen(reference, "late_contacts") == ["scene:a", "case:d"]
    assert chosen(reference, "late_contacts", 1.5) == ["scene:a"]


def test_the_page_is_made_of_what_was_measured():
    store = json.loads(STORE.read_text())
    assert PAGE.read_text() == page(store)
    assert store.keys() - {"all"} <= MECHANISMS.keys()
