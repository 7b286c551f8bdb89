"""The list at the head of docs/validation.md names cases that exist; a case's energy ledger is checked."""

from stiction.solver.scenes import build
from stiction.solver.validation import CASES
from stiction.solver.validation.__main__ import main
from stiction.solver.validation.coverage import covered
from stiction.solver.validation.execute import CaseResult
from stiction.solver.validation.lines import Case, Outcome, below, close, demanded
from stiction.solver.validation.report import _head, parts_of, replace_part
from stiction.solver.validation.run import LEDGERS, run, unexplained


def test_the_topics_name_cases_that_exist():
    named = [key for _, keys in covered() for key in keys]
    assert not [key for key in named if key not in CASES]
    assert len(named) == len(set(named))


def test_a_ledger_that_does_not_close_fails_its_case():
    def case():
        result = run(build("bouncing_ball"), 0.6)
        result.reports[:] = [report._replace(impact_loss=0.9 * report.impact_loss) for report in result.reports]
        LEDGERS.append(unexplained(result))
        return []

    line = Case("wrong", "none", case).outcome().lines[-1]
    assert not line.passed and line.measured > 0.01
    assert Case("right", "none", lambda: [] if run(build("bouncing_ball"), 0.6) else []).outcome().lines[-1].passed


def test_every_chapter_has_a_quick_case():
    chapters = {case.chapter for case in CASES.values()}
    assert chapters == {case.chapter for case in CASES.values() if case.quick}


def test_shortfalls_stand_first():
    short = demanded(below("error", 0.3, 0.2), "The step is too long.")
    result = CaseResult("free_fall", Outcome((close("height", 1.0, 1.0, 0.1), short)), 0.0)
    assert result.passed and result.shortfalls == [short]
    head = _head([result], mixed=False).splitlines()
    assert head[2].startswith("**1 figures that were asked for")
    assert head[4] == "- `free_fall`, error: asked 0 (< 0.2), measured 0.3. The step is too long."


def test_an_update_does_not_lose_cases_that_are_unknown_here(tmp_path, capsys):
    store = tmp_path / "validation.json"
    store.write_text('{"of_another_branch": {}}')
    assert main(["--only", "free_fall", "--update", "--output", str(tmp_path)]) == 2
    assert "of_another_branch" in capsys.readouterr().err and store.read_text() == '{"of_another_branch": {}}'


def test_parts_that_others_write_are_replaced_and_kept_apart():
    page = replace_part("# Page\n", "links", "\none\n| a |")
    page = replace_part(page, "speed", "\nfast")
    assert page.startswith("# Page\n") and parts_of(page) == {"links": "\none\n| a |", "speed": "\nfast"}
    again = replace_part(page, "links", "\ntwo")
    assert parts_of(again) == {"links": "\ntwo", "speed": "\nfast"} and "one" not in again
