"""What lets a study have 100,000 runs: tables by time, results on disk, points looked at as they come; parts of other
machines, and the cost before."""

import json
import tracemalloc

import pytest
from studies_cases import TOYS, small_study
from test_study_runs import Here, table

from stiction.solver.base.refusal import StudyError
from stiction.solver.cli import main
from stiction.solver.studies import store as stores
from stiction.solver.studies.checks import points
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.measures import COLUMNS
from stiction.solver.studies.store import Store
from stiction.solver.studies.task import result_of

ROW = dict.fromkeys(COLUMNS[1:], 0.5) | {"status": "jammed", "jammed": 1, "message": ""}


class MadeUp(Here):
    """A pool whose runs take no time, and give curves of so many points."""

    def __init__(self, points=40):
        super().__init__()
        self.points = points

    def take(self):
        tasks, curve = self.queue.pop(0), [[0.1 * k, k] for k in range(self.points)]
        return tasks, [result_of(task, dict(ROW), {"curve": curve}) for task in tasks]


def many(count):
    """A Study of so many runs at two points."""
    return small_study(repeats={"count": count // 2})


def test_tables_are_written_by_time_and_not_by_runs(tmp_path, monkeypatch):
    """Every 15 s, and so seldom that they take no more than a two-hundredth of the time."""
    now, written = [0.0], []
    monkeypatch.setattr(stores.time, "monotonic", lambda: now[0])

    def slow(store, tasks):
        written.append(now[0])
        now[0] += 1.0

    monkeypatch.setattr(Store, "write_tables", slow)
    store = Store(tmp_path)
    for _ in range(4000):
        now[0] += 0.1
        store.write_tables_now_and_then([])
    store.close()
    assert len(written) == 2 and written[1] - written[0] == pytest.approx(201.0, abs=0.2)


@pytest.mark.slow
def test_results_are_on_the_disk_and_not_in_memory(tmp_path):
    """1,000 runs with curves ten times as long take megabytes more in runs.jsonl, and nothing more in memory; a run
    takes less there than the 3 kB of 100,000 in 300 MB."""
    run_study(many(100), tmp_path / "first", MadeUp())
    used, sizes = [], []
    for length in (40, 400):
        folder = tmp_path / str(length)
        tracemalloc.start()
        outcome = run_study(many(1000), folder, MadeUp(length))
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(outcome.done) == 1000 and len(table(folder)) == 1000
        sizes.append((folder / "runs.jsonl").stat().st_size)
    assert sizes[1] - sizes[0] > 4e6
    assert used[1] - used[0] < (sizes[1] - sizes[0]) / 10
    assert max(used) < 1000 * 3e3


def test_of_many_points_some_are_looked_at_before_the_first_run(tmp_path, monkeypatch):
    """What is wrong with another is said in its row, when it comes."""
    looked = []
    real = points._check_point
    monkeypatch.setattr(points, "LOOKED_AT", 3)
    monkeypatch.setattr(points, "_check_point", lambda task, *more: looked.append(task.values) or real(task, *more))
    # Of an outlet as wide as this there is no hopper.
    study = small_study(**TOYS, parameters={"outlet": {"values": [1.0, 40.0, 2.0, 3.0, 3.5, 4.0]}},
                        repeats={"count": 1})  # fmt: skip
    outcome = run_study(study, tmp_path / "out", Here())
    assert [values["outlet"] for values in looked] == [1.0, 2.0, 3.5, 4.0]
    rows = table(tmp_path / "out")
    assert rows[1]["status"] == "refused" and "outlet is 40.0" in rows[1]["message"] and outcome.failed == 1
    with pytest.raises(StudyError, match=r"study at outlet 40: .+outlet is 40"):
        run_study(small_study(parameters={"outlet": {"values": [1.0, 2.0, 40.0]}}), tmp_path / "none", Here())


TOML = (
    'stiction_study = 1\nname = "s"\n[scene]\nname = "slot_hopper"\n[scene.parameters]\ncount = 2\nopen_time = 0.05\n'
    "time_step = 0.01\n[settings]\ntime = 0.1\nmethod = 'pgs'\nmax_iterations = 20\n[stop]\nquiet = 0.05\n"
    "[parameters.outlet]\nvalues = [1.0, 2.0, 3.0]\n[repeats]\ncount = 2\n[quality]\nrepeats = 0\n"
)


def studied(*arguments):
    """The exit code of `stiction study` in this process with one worker."""
    return main(["study", *map(str, arguments), "--workers", "1", "--no-report"])


@pytest.mark.slow
def test_parts_from_two_machines_are_joined(tmp_path, capsys):
    toml = tmp_path / "study.toml"
    toml.write_text(TOML)
    studied(toml, "--output", tmp_path / "whole")
    for i in (1, 2):
        studied(toml, "--output", tmp_path / f"machine{i}", "--part", f"{i}/2")
    parts = [tmp_path / f"machine{i}" / f"part_{i}_of_2" for i in (1, 2)]
    assert [len(table(part)) for part in parts] == [3, 3]
    capsys.readouterr()
    main(["study", "join", str(toml), *map(str, parts), "--output", str(tmp_path / "out"), "--no-report"])
    assert "6 runs of 2 parts joined" in capsys.readouterr().err
    assert table(tmp_path / "out") == table(tmp_path / "whole")


@pytest.mark.slow
def test_the_command_says_what_a_study_will_cost_and_keeps_no_run(tmp_path, capsys):
    toml = tmp_path / "study.toml"
    toml.write_text(TOML)
    assert studied(toml, "--output", tmp_path / "out", "--dry-run", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["runs"], found["done"], len(found["tried"]), found["workers"]) == (6, 0, 3, 1)
    assert studied(toml, "--output", tmp_path / "out", "--dry-run") == 0
    said = capsys.readouterr().out
    assert said.startswith("6 runs, 0 of them done; 3 tried, which are not kept:") and "CPU hours" in said
    assert not (tmp_path / "out" / "runs.jsonl").exists()
