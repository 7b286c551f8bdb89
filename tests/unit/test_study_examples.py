"""Every example study can be read, and each of its values makes a scene; every plot is drawn of a small one."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from marks import few
from studies_cases import small_study
from test_study_runs import Here

from stiction.solver.studies.adaptive import next_batch
from stiction.solver.studies.checks.points import check_points
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.measures import COLUMNS
from stiction.solver.studies.plan import task_at, tasks_of
from stiction.solver.studies.report import write_report
from stiction.solver.studies.study import load_study
from stiction.solver.studies.task import result_of

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))


@pytest.mark.parametrize("path", few(EXAMPLES, *EXAMPLES[:2]), ids=lambda path: path.stem)
def test_example(path):
    study = load_study(path)
    assert study.name == path.stem and study.description
    if "blend" in study.scene:
        pytest.skip("needs Blender")
    if study.adaptive is not None:
        check_points([task_at(study, {study.adaptive.parameter: study.adaptive.low}, 0)])
    else:
        check_points(tasks_of(study))


@pytest.mark.slow
def test_report_has_its_verdict_first_and_its_plots_inside(tmp_path):
    pytest.importorskip("matplotlib")
    study = small_study(
        parameters={"outlet": {"values": [1.0, 1.4, 3.0]}, "friction": {"values": [0.1, 0.9]}},
        keep=["curve", "state", "walls"], quality={"repeats": 2, "accepted": 1.0},
        sensitivity={"change": 0.2, "around": {"outlet": 2.0, "friction": 0.5}, "parameters": ["friction"]},
    )  # fmt: skip
    outcome = run_study(study, tmp_path, Here())
    text = write_report(outcome, ["<p>What it says.</p>"]).read_text()
    body = text.split("<body>")[1]
    assert body.index("QUALITY FAILS") < body.index("<p>What it says.</p>") < body.index("<img")
    assert body.lstrip().startswith('<p class="bad">QUALITY FAILS')
    assert "share of steps accepted" in body.split("</p>")[0]
    for name in ("clog_probability", "jam_map", "discharge", "quality", "sensitivity"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert body.count("data:image/png;base64") >= 5 and 'src="http' not in text
    assert set(outcome.quality.comparisons) == {"half_step", "five_times_iterations"}


class MadeUp(Here):
    """A hopper whose chance to jam is a known logistic; the run that was queued `place`-th comes back first."""

    def __init__(self, place=0):
        super().__init__()
        self.place, self.waiting = place, []

    def take(self):
        self.waiting.append(len(self.queue))
        tasks, results = self.queue.pop(min(self.place, len(self.queue) - 1)), []
        for task in tasks:
            outlet = task.values["outlet"]
            rng = np.random.default_rng([task.seed, int(outlet * 1e6)])
            jammed = int(rng.random() < 1 / (1 + np.exp((outlet - 3.4) / 0.15)))
            results.append(result_of(task, dict.fromkeys(COLUMNS[1:], 0) | {"jammed": jammed}, {}))
        return tasks, results


def test_batches_of_an_adaptive_study_wait_for_no_other(tmp_path):
    """The next one is queued before the last run of a batch is back; who comes back first changes no run."""
    adaptive = {"parameter": "outlet", "low": 2.0, "high": 6.0, "target": 0.01, "batch": 4}
    tables = []
    for place in (0, 2):
        pool = MadeUp(place)
        outcome = run_study(small_study(parameters={}, repeats={}, adaptive=adaptive), tmp_path / str(place), pool)
        assert outcome.plan["reached"] and outcome.plan["runs"] == len(outcome.tasks) == len(outcome.rows()) >= 28
        # But for the first look and the last batch; where later ones come first, the one before may end last.
        assert min(pool.waiting[12:-4]) > (4 if place == 0 else 0)
        tables.append((tmp_path / str(place) / "results.csv").read_text())
    assert tables[0] == tables[1]
    again = run_study(small_study(parameters={}, repeats={}, adaptive=adaptive), tmp_path / "0", None, resume=True)
    assert again.plan == outcome.plan


@pytest.mark.slow
def test_adaptive_study_finds_a_known_threshold(tmp_path):
    """Found to its tolerance, with fewer runs than a grid."""
    found = {}
    for target in (0.5, 0.01):
        study = small_study(parameters={}, repeats={},
                            adaptive={"parameter": "outlet", "low": 2.0, "high": 6.0, "target": target})  # fmt: skip
        outcome = run_study(study, tmp_path / str(target), MadeUp())
        plan = found[target] = outcome.plan
        assert plan["reached"] and plan["runs"] < 0.45 * plan["grid_runs"]
    assert found[0.5]["value"] == pytest.approx(3.4, rel=0.05)
    assert found[0.01]["value"] == pytest.approx(3.4 + 0.15 * np.log(99), rel=0.08)


def test_runs_for_a_rare_share_go_where_they_tell_most():
    """Three of four where 8 % jam, the fourth where 92 % do: runs at 1 % would nearly all end alike."""
    study = small_study(parameters={}, repeats={}, adaptive={"parameter": "outlet", "low": 2.0, "high": 6.0,
                                                             "target": 0.01, "tolerance": 0.02})  # fmt: skip
    truth = [(outlet, 1 / (1 + np.exp((outlet - 3.4) / 0.2))) for outlet in np.linspace(2.4, 4.4, 11)]
    rows = [(task_at(study, {"outlet": outlet}, k), {"jammed": int(k < round(40 * share))}, {})
            for outlet, share in truth for k in range(40)]  # fmt: skip
    tasks = [task for task, _, _ in rows]
    batch, known = next_batch(SimpleNamespace(study=study, tasks=tasks, rows=lambda tasks: rows), tasks)
    values = sorted(task.values["outlet"] for task in batch)
    assert not known["reached"] and len(batch) == 16
    assert values[:4] == pytest.approx([3.4 - 2.4 * 0.2] * 4, abs=0.12)
    assert values[4:] == pytest.approx([3.4 + 2.4 * 0.2] * 12, abs=0.12)


@pytest.mark.slow
def test_values_of_a_parameter_may_be_words(tmp_path):
    pytest.importorskip("matplotlib")
    study = small_study(
        scene={"name": "shape_hopper", "parameters": {"count": 2, "open_time": 0.1, "time_step": 0.01}},
        parameters={"shape": {"values": ["sphere", "cube"]}, "outlet": {"values": [2.0, 4.0]}},
        repeats={"count": 1}, quality={"repeats": 0}, report={"curve": "shape", "over": "outlet"},
    )  # fmt: skip
    text = write_report(run_study(study, tmp_path, Here())).read_text()
    assert "Where it jams" in text and (tmp_path / "jam_map.png").exists()
