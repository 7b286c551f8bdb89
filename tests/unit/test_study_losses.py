"""No run is lost: workers that end, runs that take too long, damaged lines, parts made apart."""

import os
import random
import signal
import socketserver
import threading
import time
from types import SimpleNamespace

import pytest
from studies_cases import SMALL, TOYS, small_study
from test_study_runs import Here, table

from stiction.solver.base.refusal import StudyError
from stiction.solver.cli import main
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scenes import build
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.plan import in_groups, tasks_of
from stiction.solver.studies.pool import LocalPool
from stiction.solver.studies.spread.cost import estimate
from stiction.solver.studies.spread.parts import join, part_of
from stiction.solver.studies.spread.scene_files import files_of, unpacked
from stiction.solver.studies.store import Store, read_runs
from stiction.solver.studies.study import study_from_data
from stiction.solver.studies.task import Task, perform


class Losing(Here):
    """A pool that loses the runs of some seeds."""

    def __init__(self, seeds):
        super().__init__()
        self.seeds = seeds

    def take(self):
        if self.queue[0][0].seed in self.seeds:
            return self.queue.pop(0), None
        return super().take()


def test_a_lost_run_is_named_and_made_again(tmp_path):
    run_study(small_study(), tmp_path / "whole", Here())
    outcome = run_study(small_study(), tmp_path / "lost", Losing({1001}))
    assert outcome.failed == 2
    assert outcome.notes == ["2 runs were lost (outlet 1, seed 1001; outlet 3, seed 1001): --resume makes them again"]
    assert [row["status"] for row in table(tmp_path / "lost")] == ["jammed", "lost", "emptied", "lost"]
    again = Here()
    outcome = run_study(small_study(), tmp_path / "lost", again, resume=True)
    assert len(again.performed) == 2 and outcome.failed == 0 and outcome.notes == []
    assert table(tmp_path / "lost") == table(tmp_path / "whole")
    # A loss that is told of later takes nothing finished away.
    done, _ = read_runs(tmp_path / "lost" / "runs.jsonl")
    done.note({"run": next(iter(done)), "row": {"status": "lost"}}, 0, 1)
    assert done.lost == set()


def test_a_damaged_line_is_said(tmp_path):
    run_study(small_study(), tmp_path, Here())
    path = tmp_path / "runs.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"values", b"valuez") + b"".join(lines[2:]))
    outcome = run_study(small_study(), tmp_path, Here(), resume=True)
    assert outcome.notes == [f"{path}: line 2 is damaged; its run is made again"]


@pytest.mark.slow
def test_parts_are_joined_to_the_whole(tmp_path, capsys):
    study = small_study(repeats={"count": 3}, parameters={"outlet": {"values": [1.0, 2.0, 3.0]}})
    run_study(study, tmp_path / "whole", Here())
    made = 0
    for i in (1, 2, 3, 4):
        pool = Here()
        run_study(study, tmp_path / "out" / f"part_{i}_of_4", pool, part=(i, 4))
        made += len(pool.performed)
    assert made == 9
    assert join(tmp_path / "out")[:2] == (9, 4)
    assert join(tmp_path / "out")[:2] == (0, 4)
    none = Here()
    run_study(study, tmp_path / "out", none, resume=True)
    assert none.performed == [] and table(tmp_path / "out") == table(tmp_path / "whole")
    assert part_of("3/10") == (3, 10)
    for text in ("0/3", "4/3", "1", "a/b"):
        with pytest.raises(StudyError, match="--part is"):
            part_of(text)
    adaptive = small_study(parameters={}, repeats={}, adaptive={"parameter": "outlet", "low": 2.0, "high": 6.0})
    with pytest.raises(StudyError, match="--part has no effect on an adaptive study"):
        run_study(adaptive, tmp_path / "adaptive", Here(), part=(1, 2))


def test_a_fill_is_the_same_when_its_first_run_is_done(tmp_path):
    """What is not shared acts on the fill as in the first run of all, not of those that are left."""
    shared = {"fill": {"shared": []}, "parameters": {"friction": {"values": [0.1, 0.9]}}, "repeats": {"count": 1}}
    study = small_study(**shared)
    run_study(study, tmp_path / "whole", Here())
    first, second = in_groups(tasks_of(study))[0]
    assert first.filled == second.filled == {"friction": 0.1}
    assert second.key == tasks_of(study)[1].key
    half = tmp_path / "half" / "runs.jsonl"
    half.parent.mkdir()
    half.write_bytes((tmp_path / "whole" / "runs.jsonl").read_bytes().splitlines(keepends=True)[0])
    run_study(study, tmp_path / "half", Here(), resume=True)
    assert table(tmp_path / "half") == table(tmp_path / "whole")


def test_a_run_over_its_limit_is_lost_and_made_again_with_more(tmp_path):
    task = tasks_of(small_study())[0]
    row = perform([task], limit=1e-9)[0]["row"]
    assert row["status"] == "lost" and "more than 1e-09 s of CPU time (--run-limit)" in row["message"]
    assert perform([task], limit=1e6)[0]["row"]["status"] == "jammed"


@pytest.mark.slow
def test_a_name_is_worked_out_once(monkeypatch, tmp_path):
    """The hash of a run's name costs 56 us: once a task, whatever asks for it."""
    counted = []
    real = Task.key.func
    monkeypatch.setattr(Task.key, "func", lambda task: counted.append(1) or real(task))
    run_study(small_study(repeats={"count": 4}), tmp_path, Here())
    assert len(counted) == 8


def test_the_cost_is_told_from_three_runs(tmp_path, capsys):
    pool = Here()
    pool.size = 4
    found = estimate(small_study(repeats={"count": 100}), tmp_path, pool)
    assert (found["runs"], found["done"], len(found["tried"])) == (200, 0, 3)
    mean = sum(entry["cpu_s"] for entry in found["tried"]) / 3
    assert found["cpu_hours"] == pytest.approx(200 * mean / 3600)
    assert found["wall_hours"] == pytest.approx(found["cpu_hours"] / 4)
    assert [entry["values"]["outlet"] for entry in found["tried"]] == [1.0, 3.0, 3.0]
    assert not (tmp_path / "runs.jsonl").exists()


def test_scene_files_are_sent_along(tmp_path):
    """With its meshes, and under the same names of runs."""
    save_scene(tmp_path / "here" / "scene.json", build("slot_hopper", count=3))
    scene = {"scene": {"file": "scene.json"}, "parameters": {}, "repeats": {"path": "jitter", "count": 1}}
    task = tasks_of(study_from_data({**SMALL, **scene}, tmp_path / "here"))[0]
    files = files_of(task.scene)
    before = perform([task])[0]
    (tmp_path / "here").rename(tmp_path / "elsewhere")
    sent = unpacked([task], files)
    assert sent[0].key == task.key and unpacked([task], None) == [task]
    after = perform(sent)[0]
    for result in (before, after):
        result["row"].pop("cpu_s")
    assert after == before and before["row"]["status"] != "refused"


def test_join_and_parts_from_the_command_line(tmp_path, capsys):
    toml = tmp_path / "study.toml"
    toml.write_text(
        'stiction_study = 1\nname = "s"\n[scene]\nname = "slot_hopper"\n[scene.parameters]\ncount = 6\n'
        "open_time = 0.1\ntime_step = 0.01\n[settings]\ntime = 1.5\nmethod = 'pgs'\nmax_iterations = 20\n[stop]\n"
        "quiet = 0.4\n[parameters.outlet]\nvalues = [1.0, 3.0]\n[quality]\nrepeats = 0\n"
    )
    out = tmp_path / "out"
    for wrong, words in ((["join"], "has no study file"), ([str(toml), "x"], "one file too many"),
                         ([str(toml), "--part", "3/2"], "--part is '3/2'"),
                         ([str(toml), "--run-limit", "-1"], "--run-limit is -1"),
                         (["join", str(toml), "--part", "1/2"], "--part has no effect on join")):  # fmt: skip
        assert main(["study", *wrong, "--output", str(out)]) == 2
        assert words in capsys.readouterr().err
    assert main(["study", "join", str(toml), "--output", str(out)]) == 2
    assert "has no part_*" in capsys.readouterr().err


def killing(processes, every, seed):
    """(progress for run_study that kills one of `processes()` after about `every` runs, and now and then the one that
    comes in its place, those killed)."""
    rng, kills, due = random.Random(seed), [], [every]

    def progress(finished, _total):
        if finished < due[0]:
            return
        due[0] = finished + (1 if rng.random() < 0.2 else rng.randint(1, 2 * every))
        there = [process for process in processes() if process not in kills]
        if there:
            kills.append(rng.choice(there))
            os.kill(kills[-1], signal.SIGKILL)

    return progress, kills


@pytest.mark.slow(hours=True)
def test_workers_killed_at_random_cost_no_run(tmp_path):
    """The table is the same but for cpu_s."""
    study = small_study(repeats={"count": 30})
    run_study(study, tmp_path / "whole", LocalPool(2))
    pool = LocalPool(2)
    progress, kills = killing(lambda: pool.workers, 4, 3)
    outcome = run_study(study, tmp_path / "killed", pool, progress=progress)
    assert len(kills) >= 6 and outcome.failed == 0
    assert table(tmp_path / "killed") == table(tmp_path / "whole")


@pytest.mark.parametrize("kills", [pytest.param(6, marks=pytest.mark.slow),
                                   pytest.param(100, marks=pytest.mark.slow(hours=True))])  # fmt: skip
def test_workers_of_a_cluster_killed_at_random_cost_no_run(kills, tmp_path):
    """`make test-cluster` kills a hundred."""
    distributed, config = pytest.importorskip("dask.distributed"), pytest.importorskip("dask").config
    from stiction.solver.studies.dask_pool import DaskPool

    # Or the cluster gives up a worker that was killed twice in 15 s.
    config.set({"distributed.deploy.lost-worker-timeout": "1h"})
    study = small_study(**TOYS, repeats={"count": 4 * kills})
    run_study(study, tmp_path / "whole", LocalPool(2))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:

        def processes():
            # Dask brings none back that is killed before it has begun.
            there = [nanny.process for nanny in cluster.workers.values() if nanny.process]
            begun = [process.pid for process in there if process.status.name == "running" and process.pid]
            return begun if len(killed) < kills else []

        progress, killed = killing(processes, 4, 5)
        outcome = run_study(study, tmp_path / "dask", DaskPool(cluster.scheduler_address), progress=progress)
    assert len(killed) == kills and outcome.failed == 0
    assert table(tmp_path / "dask") == table(tmp_path / "whole")


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 400 Bad Request"], ids=["silent", "another program"])
def test_a_port_at_which_no_scheduler_speaks_is_said_within_five_seconds(said):
    """Something takes the connection: it says nothing, or what no scheduler says."""
    pytest.importorskip("distributed")
    from stiction.solver.studies.dask_pool import DaskPool

    class Other(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(said)
            over.wait(20.0)

    over = threading.Event()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        began, address = time.monotonic(), f"127.0.0.1:{server.server_address[1]}"
        with pytest.raises(StudyError, match=f"--scheduler {address}: nobody answers there .+;"):
            DaskPool(address)
        took = time.monotonic() - began
        over.set()
        server.shutdown()
    assert took < 5.0


def test_a_scheduler_without_workers_is_said_and_waited_for(capsys):
    distributed = pytest.importorskip("distributed")
    from stiction.solver.commands import study

    with distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        study._pool(SimpleNamespace(scheduler=address, run_limit=0.0)).close()
    assert f"no workers there yet; start `dask worker {address}`" in capsys.readouterr().err


def test_an_empty_scheduler_is_refused(capsys):
    """As an unset variable of a shell gives it."""
    assert main(["study", "nowhere.toml", "--scheduler", ""]) == 2
    assert "--scheduler is empty; give the address of a scheduler" in capsys.readouterr().err


def test_a_scheduler_that_nobody_is_behind_is_said_within_five_seconds(capsys, tmp_path):
    pytest.importorskip("distributed")
    from stiction.solver.studies.dask_pool import DaskPool

    # Of the second one nothing comes back at all.
    for address in ("tcp://127.0.0.1:1", "192.0.2.1:8786"):
        began = time.monotonic()
        with pytest.raises(StudyError, match=f"--scheduler {address}: nobody answers there"):
            DaskPool(address)
        assert time.monotonic() - began < 5.0


def test_one_process_at_a_time_makes_the_runs_of_a_folder(tmp_path):
    """A second one would take lines off that the first has just written; what only reads takes none."""
    done = [perform([task])[0] for task in tasks_of(small_study())[:2]]
    store = Store(tmp_path)
    store.add(done[0])
    with pytest.raises(StudyError, match="another process makes its runs; wait"):
        Store(tmp_path, resume=True)
    with pytest.raises(StudyError, match="another process makes its runs; wait"):
        join(tmp_path, [tmp_path])
    with open(tmp_path / "runs.jsonl", "ab") as torn:
        torn.write(b"half a li")
    run_study(small_study(), tmp_path, None, resume=True)
    assert (tmp_path / "runs.jsonl").read_bytes().endswith(b"half a li")
    store.close()
    assert list(Store(tmp_path, resume=True).done) == [done[0]["run"]]


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="limits of files are those of POSIX")
def test_a_disk_that_takes_half_a_line_costs_that_run_alone(tmp_path):
    import resource

    done = [perform([task])[0] for task in tasks_of(small_study())[:2]]
    store = Store(tmp_path)
    store.add(done[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "runs.jsonl").stat().st_size + 100, hard))
    try:
        with pytest.raises(StudyError, match="File too large.*; 1 finished runs are kept"):
            store.add(done[1])
        store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(Store(tmp_path, resume=True).done) == [done[0]["run"]]


@pytest.mark.parametrize(("name", "words"), [("runs.jsonl", "cannot be read"), ("results.csv", "is damaged")])
def test_files_that_cannot_be_read_are_named(name, words, tmp_path, capsys):
    study = tmp_path / "toy.toml"
    study.write_text('stiction_study = 1\n[scene]\nname = "slot_hopper"\n')
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "results.csv").write_text("seed,run\n1,a\n")
    if name == "runs.jsonl":
        (folder / name).mkdir()
    else:
        (folder / name).write_bytes(b"seed,run\n1,\xb7\n")
    assert main(["study", str(study), "--output", str(folder), "--frames", "1"]) == 2
    said = capsys.readouterr().err
    assert name in said and words in said and len(said.splitlines()) == 1


def test_a_fill_made_with_other_values_is_another_run(tmp_path):
    """A value put before the others changes what every fill is made with: none of the older runs belongs to it."""
    made = {"fill": {"shared": []}, "repeats": {"count": 1}}
    run_study(small_study(**made, parameters={"friction": {"values": [0.4, 0.9]}}), tmp_path, Here())
    more, again = small_study(**made, parameters={"friction": {"values": [0.05, 0.4, 0.9]}}), Here()
    run_study(more, tmp_path, again, resume=True)
    assert [task.filled for task in again.performed] == 3 * [{"friction": 0.05}]
    whole = Here()
    run_study(more, tmp_path / "whole", whole)
    assert [task.key for task in whole.performed] == [task.key for task in again.performed]
    assert table(tmp_path) == table(tmp_path / "whole")


def test_a_tornado_of_other_parameters_than_the_fill_is_shared_by(tmp_path, capsys):
    study = small_study(fill={"shared": ["outlet"]}, sensitivity={"change": 0.2, "around": {"friction": 0.5}},
                        repeats={"count": 1})  # fmt: skip
    outcome = run_study(study, tmp_path, Here())
    assert len(outcome.rows()) == 5 and outcome.failed == 0
    pool = Here()
    pool.size = 1
    assert estimate(study, tmp_path / "other", pool)["runs"] == 5
