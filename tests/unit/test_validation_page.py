"""The list at the head of docs/validation.md names cases that exist; a case's energy ledger is checked."""

from stiction.solver.scenes import build
from stiction.solver.validation import CASES
from stiction.solver.validation.coverage import covered
from stiction.solver.validation.lines import Case
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
