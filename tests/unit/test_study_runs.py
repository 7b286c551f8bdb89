"""Studies run: the same results for any number of workers; nothing finished is lost to a kill or a full disk."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from studies_cases import SMALL, TOYS, small_study

from stiction.solver.base.refusal import StudyError
from stiction.solver.studies import store as store_module
from stiction.solver.studies.coordinator import FINER, run_study
from stiction.solver.studies.plan import tasks_of
from stiction.solver.studies.pool import LocalPool
from stiction.solver.studies.store import Store, read_runs
from stiction.solver.studies.task import perform

BINDING = ["outlet", "seed", "status", "jammed", "discharged_count", "discharged_mass", "jam_time", "rate", "steps",
           "steps_accepted", "residual_max", "overlap_max", "energy_unexplained", "cpu_s"]  # fmt: skip


class Here:
    """A pool that is this process."""

    def __init__(self):
        self.queue, self.performed = [], []

    def submit(self, tasks):
        self.queue.append(tasks)

    def take(self):
        tasks = self.queue.pop(0)
        self.performed += tasks
        return tasks, perform(tasks)

    def close(self):
        pass


def table(folder):
    with open(Path(folder) / "results.csv", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        del row["cpu_s"]
    return rows


def test_results_table(tmp_path):
    outcome = run_study(small_study(), tmp_path, Here())
    header = (tmp_path / "results.csv").read_text().splitlines()[0].split(",")
    assert header[: len(BINDING)] == BINDING
    rows = table(tmp_path)
    assert [(row["outlet"], row["seed"]) for row in rows] == [
        ("1.0", "1000"), ("1.0", "1001"), ("3.0", "1000"), ("3.0", "1001")
    ]  # fmt: skip
    # An outlet as wide as a grain jams, one of three grains empties six of them.
    assert [row["status"] for row in rows] == ["jammed", "jammed", "emptied", "emptied"]
    assert [row["discharged_count"] for row in rows[2:]] == ["6", "6"]
    assert outcome.failed == 0


def test_resume_makes_no_run_again(tmp_path):
    first = Here()
    run_study(small_study(repeats={"count": 1}), tmp_path, first)
    with pytest.raises(StudyError, match="holds runs already"):
        run_study(small_study(), tmp_path, Here())
    second = Here()
    run_study(small_study(), tmp_path, second, resume=True)
    assert (len(first.performed), len(second.performed)) == (2, 2)
    assert len(table(tmp_path)) == 4


def test_torn_and_damaged_lines_cost_their_own_runs_alone(tmp_path):
    run_study(small_study(), tmp_path, Here())
    before, path = table(tmp_path), tmp_path / "runs.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"jammed", b"jbmmed", 1) + lines[2] + lines[3][:40])
    assert len(read_runs(path)[0]) == 2
    again = Here()
    run_study(small_study(), tmp_path, again, resume=True)
    assert len(again.performed) == 2
    assert table(tmp_path) == before


def test_full_disk_loses_nothing_finished(tmp_path, monkeypatch):
    """The third line does not fit: half of it is written, then there is no room."""
    study, results = small_study(), [perform([task])[0] for task in tasks_of(small_study())]
    store = Store(tmp_path)
    store.add(results[0])
    store.add(results[1])

    class Full:
        def __init__(self, handle):
            self.handle = handle

        def write(self, line):
            self.handle.write(line[: len(line) // 2])
            self.handle.flush()
            raise OSError(28, "No space left on device")

        def __getattr__(self, name):
            return getattr(self.handle, name)

    store._handle = Full(store._handle)
    with pytest.raises(StudyError, match="No space left on device.*2 finished runs are kept.*--resume"):
        store.add(results[2])
    assert len(read_runs(tmp_path / "runs.jsonl")[0]) == 2
    again = Here()
    run_study(study, tmp_path, again, resume=True)
    assert len(again.performed) == 2
    assert store_module.read_runs(tmp_path / "runs.jsonl")[0].keys() == {result["run"] for result in results}


def test_fill_once_discharge_many(tmp_path):
    shared = {"fill": {"shared": []}, "parameters": {"friction": {"values": [0.1, 0.9]}}, "keep": ["curve"]}
    pool = Here()
    outcome = run_study(small_study(**shared), tmp_path, pool)
    rows = [row for _, row, _ in outcome.rows()]
    # The fill is not part of these runs: the gate is open from their start.
    assert all(row["opened"] == 0.0 for row in rows) and outcome.failed == 0
    assert len({task.fill_key for task in pool.performed}) == 2


@pytest.mark.slow
def test_a_run_is_made_again_with_its_frames(tmp_path):
    """The run of a row of the table, fill included: as many steps and grains out, and frames at the rate asked for."""
    from stiction.solver.studies.replay import replay, task_of_row

    for name, more in (("own", {}), ("shared", {"fill": {"shared": []}})):
        study, folder = small_study(parameters={"outlet": {"values": [1.0, 3.0]}}, **more), tmp_path / name
        run_study(study, folder, Here())
        row = table(folder)[2]
        assert row["outlet"] == "3.0"
        run = replay(study, folder, 3, folder / "run_3", fps=20.0)
        assert (len(run.steps["time"]), run.stopped) == (int(row["steps"]), row["status"])
        assert run.times[1] == pytest.approx(0.05)
        below = run.center_of_mass[-1, [name.startswith("grain") for name in run.names], 2] < -0.1
        assert below.sum() == int(row["discharged_count"])
    for number in (0, 5):
        with pytest.raises(StudyError, match=f"--frames is {number}; results.csv has rows 1 to 4"):
            task_of_row(study, folder, number)
    with pytest.raises(StudyError, match="the study has changed since"):
        task_of_row(small_study(settings={"time": 1.0}), tmp_path / "own", 1)


def test_summary_names_each_point_with_its_interval(tmp_path):
    from stiction.solver.commands.study import cell_sentence, summary_of

    cells = summary_of(run_study(small_study(), tmp_path, Here()), None)["cells"]
    assert [(cell["jams"], cell["runs"]) for cell in cells] == [(2, 2), (0, 2)]
    assert cell_sentence(cells[0]) == "outlet 1: 2 of 2 jam, 1.00 [0.34, 1.00]"


def test_runs_that_are_undecided_when_their_time_is_over_are_no_answer(tmp_path):
    """They count as not jammed: an outlet would be called safe that nobody waited for."""
    def undecided(**more):
        study = small_study(**TOYS, quality={"repeats": 0, "accepted": 0.1, "residual": 1e3, "energy": 1.0, **more})
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        quality = run_study(study, folder, Here()).quality
        assert {row["status"] for row in table(folder)} == {"time"}
        return quality

    assert "0.00 (4 of 4 undecided, which count as not jammed) (bound >= 0.9)" in undecided().sentence
    assert undecided(decided=0.0).passed


def test_a_run_that_cannot_be_done_has_a_row_that_says_so(tmp_path):
    task = tasks_of(small_study(parameters={"outlet": {"values": [40.0]}}))[0]
    row = perform([task])[0]["row"]
    assert row["status"] == "refused" and "outlet is 40.0" in row["message"] and row["jammed"] == ""


@pytest.mark.slow(hours=True)
def test_any_number_of_workers_gives_the_same_results(tmp_path):
    study = small_study(repeats={"count": 3})
    run_study(study, tmp_path / "here", Here())
    for workers in (1, 3):
        run_study(study, tmp_path / str(workers), LocalPool(workers))
        assert table(tmp_path / str(workers)) == table(tmp_path / "here")


@pytest.mark.slow(hours=True)
def test_killed_worker_costs_no_run(tmp_path):
    pool = LocalPool(1)
    killed = []

    def kill_one(finished, _total):
        if not killed:
            killed.append(pool.workers[0])
            os.kill(killed[0], signal.SIGKILL)

    outcome = run_study(small_study(repeats={"count": 3}), tmp_path, pool, progress=kill_one)
    assert killed and outcome.failed == 0 and len(table(tmp_path)) == 6


@pytest.mark.slow(hours=True)
def test_killed_coordinator_loses_nothing_finished(tmp_path):
    """By -9 in the middle: finished runs stay, no worker stays behind, and the resumed table is the same."""
    toml = tmp_path / "study.toml"
    grid = ", ".join(str(1.0 + 0.1 * i) for i in range(20))
    toml.write_text(
        'stiction_study = 1\n[scene]\nname = "slot_hopper"\n[scene.parameters]\ncount = 6\nopen_time = 0.1\n'
        f"time_step = 0.01\n[settings]\ntime = 1.5\nmethod = 'pgs'\nmax_iterations = 20\n[stop]\nquiet = 0.4\n"
        f"[parameters.outlet]\nvalues = [{grid}]\n[quality]\nrepeats = 0\n"
    )
    command = [sys.executable, "-m", "stiction", "study", str(toml), "--output", str(tmp_path / "out"),
               "--workers", "1", "--no-report"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runs = tmp_path / "out" / "runs.jsonl"
    until = time.monotonic() + 120
    while time.monotonic() < until and (not runs.exists() or runs.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    process.kill()
    process.wait()
    finished = len(read_runs(runs)[0])
    assert 3 <= finished < 20
    done = subprocess.run([*command, "--resume", "--json"], capture_output=True, text=True, check=False)
    summary = json.loads(done.stdout)
    assert (summary["runs"], summary["failed"]) == (20, 0)
    assert read_runs(runs)[1] == runs.stat().st_size
    assert runs.read_bytes().count(b"\n") == 20 and SMALL["name"] == "small"


def test_what_there_is_of_a_study_is_reported_without_a_run(tmp_path):
    run_study(small_study(), tmp_path, Here())
    whole = table(tmp_path)
    # Of a study with more repeats these are the first ones.
    outcome = run_study(small_study(repeats={"count": 5}), tmp_path, None, resume=True)
    assert len(outcome.rows()) == 4 and table(tmp_path) == whole and outcome.quality is not None
    assert len(read_runs(tmp_path / "runs.jsonl")[0]) == 4


def test_the_arch_of_three_grains_is_found():
    """Two grains on the floors of a wedge hold a third; plates without friction are no ends of it."""
    from stiction.solver.studies.arch import arch_bodies

    outcome = tasks_of(small_study(parameters={"outlet": {"values": [1.7]}}, keep=["state"]))[0]
    result = perform([outcome])[0]
    assert result["row"]["jammed"] == 1
    arch = result["detail"]["state"]["arch"]
    place = {body[0]: body[1] for body in result["detail"]["state"]["bodies"]}
    # It leads from one side of the outlet to the other.
    assert len(arch) >= 2 and min(place[i] for i in arch) < 0.0 < max(place[i] for i in arch)
    assert arch_bodies.__module__.endswith("arch")


@pytest.mark.slow(hours=True)
def test_a_dask_cluster_gives_the_same_results(tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    from stiction.solver.studies.dask_pool import DaskPool

    run_study(small_study(), tmp_path / "here", Here())
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        run_study(small_study(), tmp_path / "dask", DaskPool(cluster.scheduler_address))
    assert table(tmp_path / "dask") == table(tmp_path / "here")


def test_a_scheduler_that_does_not_answer_is_named():
    pytest.importorskip("dask.distributed")
    from stiction.solver.studies.dask_pool import DaskPool

    with pytest.raises(StudyError, match="--scheduler 127.0.0.1:1"):
        DaskPool("127.0.0.1:1", timeout=1.0)


@pytest.mark.slow
def test_runs_at_finer_settings_are_announced(tmp_path):
    """What counts runs begins anew with them: else it would stand at its end while they are made."""

    class Told:
        def __init__(self):
            self.heard = []

        def __call__(self, done, total):
            self.heard.append((done, total))

        def stage(self, words):
            self.heard.append(words)

    told = Told()
    study = small_study(quality={"cells": 1, "repeats": 1})
    outcome = run_study(study, tmp_path, Here(), progress=told)
    words = [heard for heard in told.heard if isinstance(heard, str)]
    (place,) = [told.heard.index(word) for word in words]
    first = told.heard[place - 1]
    assert first[0] == first[1] and words == [f"{FINER}: {len(outcome.tasks) - first[1]} runs"]
    assert told.heard[place + 1][0] == 1
