"""Every plot of a study survives what a parameter's values may be: numbers, words, true and false, lists, tables."""

from itertools import product

import numpy as np
import pytest
from marks import few
from studies_cases import small_study

from stiction.solver.commands.study import cell_sentence, cells_in
from stiction.solver.studies.coordinator import Outcome
from stiction.solver.studies.measures import COLUMNS, failed_row
from stiction.solver.studies.plan import sensitivity_tasks, tasks_of
from stiction.solver.studies.quality import judged
from stiction.solver.studies.report import write_report

pytest.importorskip("matplotlib")

VALUES = {
    "words": ["default", "accurate"], "flags": [True, False], "mixed": [0, "all", 2.5],
    "lists": [[0.0, 0.0, -9.81], [0.0, 0.0, -1.62]], "tables": [{"relax": 1.0}, {"relax": 0.5}, {}], "one": ["default"],
    "numbers": [1.0, 2.0, 3.0, 4.0],
}  # fmt: skip
# The parameter whose values are tried beside none and beside numbers, on the axis, as curves, or where it falls.
OTHERS = {
    "alone": {}, "with numbers": {"outlet": {"values": [2.0, 3.0, 4.0]}}, "with words": {"law": {"values": ["a", "b"]}},
}  # fmt: skip
REPORTS = {"over": {"over": "tried"}, "curve": {"curve": "tried"}, "unsaid": {}}


def made_up(folder, study, failing=()):
    """The Outcome of a study whose runs have made-up results; those numbered in `failing` have none."""
    tasks = list({task.key: task for task in [*tasks_of(study), *sensitivity_tasks(study)]}.values())
    done = {}
    for number, task in enumerate(tasks):
        jammed, exits = number % 2, [0.1 * k + 0.01 * number for k in range(1, 31)]
        row = dict.fromkeys(COLUMNS[1:], 0.01) | {
            "status": "jammed", "jammed": jammed, "discharged_count": len(exits), "rate": 1.0 + 0.1 * number,
            "steps": 100, "steps_accepted": 100, "message": "",
        }  # fmt: skip
        state = {"bodies": [[0, 0.0, 0.0, 0.0, 0.1], [1, 0.2, 0.0, 0.0, 0.1]], "arch": [0, 1],
                 "contacts": [[0, 1, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.3]]}  # fmt: skip
        detail = {"exits": exits, "walls": {"side": [[0.0, 0.2, 1.0, 0.5]]}, **({"state": state} if jammed else {})}
        if number in failing:
            row, detail = failed_row("failed", "no"), {}
        done[task.key] = {"row": row, "detail": detail}
    outcome = Outcome(study, folder, tasks, done)
    outcome.quality = judged(outcome)
    return outcome


def study_over(values, others=(), report=(), **more):
    """A Study over a parameter called tried."""
    return small_study(parameters={"tried": {"values": values}, **dict(others)}, report=dict(report), **more)


# The kinds that have most to stumble over, and each way to report them.
SHORT = [("words", "alone", "curve"), ("mixed", "with words", "unsaid"), ("tables", "with numbers", "over")]


@pytest.mark.parametrize(("kind", "others", "report"), few(product(VALUES, OTHERS, REPORTS), *SHORT))
def test_every_plot_survives_every_kind_of_value(tmp_path, kind, others, report):
    study = study_over(VALUES[kind], OTHERS[others], REPORTS[report])
    outcome = made_up(tmp_path, study)
    text = write_report(outcome).read_text()
    for name in ("quality", "discharge", "walls", "force_chains", "survival"):
        assert (tmp_path / f"{name}.png").exists()
    if len(VALUES[kind]) > 1 or others != "alone":
        assert "Does it jam?" in text
    assert len(cells_in(outcome)) == len(tasks_of(study)) / 2
    assert all(cell_sentence(cell) for cell in cells_in(outcome))


@pytest.mark.parametrize("failing", ["all", "some"])
def test_runs_without_a_result_leave_a_report(tmp_path, failing):
    study = study_over(["default", "accurate"], {}, {"over": "tried"})
    write_report(made_up(tmp_path, study, range(4) if failing == "all" else range(2)))


def drawn_axes(monkeypatch, draw, outcome):
    """The axes of the figure that a plot makes."""
    from stiction.solver.studies.plots import drawing, flow, jam

    kept = []

    def keep(outcome, figure, name, title, sentence):
        kept.append((figure.axes[0], sentence))
        return drawing.Figure(title, sentence, name)

    for module in (flow, jam):
        monkeypatch.setattr(module, "saved", keep)
    assert draw(outcome) is not None
    return kept[0]


def test_words_on_the_axis_have_ticks_and_no_fit(tmp_path, monkeypatch):
    from stiction.solver.studies.plots.flow import beverloo_fit
    from stiction.solver.studies.plots.jam import clog_probability, thresholds

    study = study_over(["default", "accurate"], {"outlet": {"values": [2.0, 3.0]}}, {"over": "tried"})
    outcome = made_up(tmp_path, study)
    axes, sentence = drawn_axes(monkeypatch, clog_probability, outcome)
    # In the order of the study file, not of the alphabet.
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["default", "accurate"]
    assert "logistic" not in sentence and "D50" not in sentence
    assert thresholds(outcome) == [] and beverloo_fit(outcome) is None


def test_flags_are_no_numbers(tmp_path, monkeypatch):
    from stiction.solver.studies.plots.jam import clog_probability, thresholds

    outcome = made_up(tmp_path, study_over([False, True], {}, {"over": "tried"}))
    axes, _ = drawn_axes(monkeypatch, clog_probability, outcome)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["false", "true"]
    assert thresholds(outcome) == []
    assert cell_sentence(cells_in(outcome)[0]).startswith("tried false:")


def test_numbers_keep_their_fit(tmp_path, monkeypatch):
    from stiction.solver.studies.plots.flow import beverloo_fit
    from stiction.solver.studies.plots.jam import clog_probability, thresholds

    outcome = made_up(tmp_path, study_over(VALUES["numbers"], {}, {"over": "tried"}))
    _, sentence = drawn_axes(monkeypatch, clog_probability, outcome)
    assert "D50" in sentence and len(thresholds(outcome)) == 1
    assert beverloo_fit(outcome) is not None


@pytest.mark.slow
def test_a_label_that_is_no_formula_is_drawn_as_it_stands(tmp_path):
    study = small_study(parameters={"outlet": {"values": [1.0, 3.0], "label": "price in $x^$"}})
    write_report(made_up(tmp_path, study))
    assert (tmp_path / "clog_probability.png").stat().st_size > 5000


@pytest.mark.slow
def test_a_run_that_diverged_fails_the_quality_and_leaves_a_report(tmp_path):
    study = study_over(["default", "accurate"], {}, {"over": "tried"})
    outcome = made_up(tmp_path, study)
    rows = [result["row"] for result in outcome.done.values()]
    # Neither first nor last: no comparison with it may hide it.
    rows[1]["energy_unexplained"] = rows[2]["overlap_relative"] = np.nan
    rows[1]["residual_relative"] = rows[2]["residual_relative"] = rows[3]["residual_relative"] = np.nan
    outcome.quality = judged(outcome)
    failed = {check.name.split(",")[0] for check in outcome.quality.checks if not check.passed}
    assert failed == {"energy unexplained", "largest overlap", "largest residual of a run"}
    assert "QUALITY FAILS" in write_report(outcome).read_text()


def test_where_every_run_failed_no_check_holds(tmp_path):
    outcome = made_up(tmp_path, study_over(["default"], {}, {}), range(4))
    assert not outcome.quality.passed
    assert "runs without a result 2" in outcome.quality.sentence
    outcome.done = {}
    assert "runs with a result 0" in judged(outcome).sentence


def test_equal_numbers_are_one_cell_and_flags_are_not():
    from stiction.solver.studies.values import distinct, point_key

    assert point_key({"a": 3}) == point_key({"a": 3.0}) != point_key({"a": "3"})
    assert point_key({"a": True}) != point_key({"a": 1})
    assert distinct([2, 1.0, 1, 2.0]) == [1.0, 2] and distinct(["b", "a", "b"]) == ["b", "a"]
    assert distinct([True, 1, False]) == [True, 1, False]
