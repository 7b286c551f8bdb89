"""The loop, its files, resuming, and the energy ledger."""

import dataclasses

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError, TrajectoryError
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.options import OptionError
from stiction.solver.results.extract import extract
from stiction.solver.runs.checkpoint import FILES, read_checkpoint
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box, Compound, Part, Sphere
from stiction.solver.simulation import SimulationOptions, options_for, simulate
from stiction.solver.trajectory import Trajectory

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), "m", Motion.STATIC, (0.0, 0.0, -0.5))
TUMBLING = Body(
    "box",
    Box((0.2, 0.3, 0.4)),
    "m",
    position=(0.0, 0.0, 0.6),
    angular_velocity=(3.0, 2.0, 1.0),
    velocity=(1.0, 0.0, 0.0),
)


def scene(*bodies, friction=0.5, restitution=0.0, gravity=(0.0, 0.0, -9.81)):
    table = MaterialTable((Material("m", friction=friction, restitution=restitution),))
    return Scene((FLOOR, *bodies), table, gravity)


def same_frames(a, b):
    return all(
        np.array_equal(getattr(a, k), getattr(b, k)) for k in ("times", "center_of_mass", "orientations", "velocities")
    )


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_ledger_closes(restitution):
    """Energy before - energy after = work of friction, impacts and stabilisation, to round-off."""
    steps = simulate(scene(TUMBLING, restitution=restitution), SimulationOptions(time=2.0)).steps
    energy = steps["kinetic"] + steps["potential"]
    work = np.cumsum(steps["friction_work"] + steps["impact_loss"] + steps["stabilisation_work"])
    assert np.ptp(energy) > 1.0
    assert energy - energy[0] == pytest.approx(work - work[0], abs=1e-9 * energy[0])


def test_friction_and_impacts_make_no_energy():
    """But for the error of the step, of order (omega h)^2 of the turning energy: a corner moves on a circle."""
    steps = simulate(scene(TUMBLING), SimulationOptions(time=2.0)).steps
    energy = steps["kinetic"] + steps["potential"]
    assert np.all(np.diff(energy) <= 1e-4 * energy[0])
    assert energy[-1] < 0.3 * energy[0]


def test_same_bits_twice_and_for_any_number_of_threads():
    bodies = [
        dataclasses.replace(TUMBLING, name=f"b{i}", position=(0.25 * i, 0.1 * i, 0.6 + 0.5 * i)) for i in range(6)
    ]
    runs = [simulate(scene(*bodies), SimulationOptions(time=1.0, threads=n)) for n in (1, 1, 2, 4)]
    assert all(same_frames(runs[0], run) for run in runs[1:])


def test_resumed_run_has_the_same_bits(tmp_path):
    options = SimulationOptions(time=1.0, steps_per_frame=2)
    whole = simulate(scene(TUMBLING), options, tmp_path / "whole")
    seen = []
    # With a watch steps are made one by one.
    part = simulate(scene(TUMBLING), options, tmp_path / "part", progress=lambda done, total, report: seen.append(done),
                    cancelled=lambda: len(seen) > 30, watch=lambda *_: None)  # fmt: skip
    assert not part.complete and 10 < len(part.times) < 40
    resumed = simulate(scene(TUMBLING), options, tmp_path / "part", resume=True)
    assert resumed.complete and same_frames(whole, resumed)
    assert np.array_equal(whole.steps["residual"], resumed.steps["residual"])


def test_killed_run_goes_on_from_the_last_whole_frame(tmp_path):
    """Half-written data behind the last checkpoint, as a kill leaves it, is dropped on resume."""
    options = SimulationOptions(time=0.5)
    whole = simulate(scene(TUMBLING), options, tmp_path / "whole")
    seen = []
    simulate(
        scene(TUMBLING),
        options,
        tmp_path / "killed",
        progress=lambda *_: seen.append(1),
        cancelled=lambda: len(seen) > 20,
    )
    with open(tmp_path / "killed" / "frames.bin", "ab") as handle:
        handle.write(b"half a frame")
    _, reached = read_checkpoint(tmp_path / "killed")
    newest = max(FILES, key=lambda name: int.from_bytes((tmp_path / "killed" / name).read_bytes()[4:12], "little"))
    with open(tmp_path / "killed" / newest, "r+b") as handle:
        handle.seek(200)
        handle.write(b"torn")
    assert read_checkpoint(tmp_path / "killed")[1] != reached, "the older of the two checkpoints steps in"
    assert same_frames(whole, simulate(scene(TUMBLING), options, tmp_path / "killed", resume=True))


def test_resume_refuses_another_scene(tmp_path):
    simulate(scene(TUMBLING), SimulationOptions(time=0.1), tmp_path)
    with pytest.raises(TrajectoryError, match="another scene or other settings"):
        simulate(scene(TUMBLING, friction=0.3), SimulationOptions(time=0.1), tmp_path, resume=True)


def test_truncated_cache_is_refused(tmp_path):
    simulate(scene(TUMBLING), SimulationOptions(time=0.1), tmp_path)
    with open(tmp_path / "frames.bin", "r+b") as handle:
        handle.truncate(100)
    with pytest.raises(TrajectoryError, match=r"frames\.bin: ends at byte 100"):
        Trajectory.load(tmp_path)


def test_damaged_header_is_refused(tmp_path):
    (tmp_path / "header.json").write_text("{")
    with pytest.raises(TrajectoryError, match="damaged"):
        Trajectory.load(tmp_path)
    with pytest.raises(TrajectoryError, match="not the folder of a run"):
        Trajectory.load(tmp_path / "nowhere")


def test_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrajectoryError, match="output folder"):
        simulate(scene(TUMBLING), SimulationOptions(time=0.1), tmp_path / "file" / "run")


def test_kinematic_body_carries_its_load():
    """A box on a lift at constant speed moves with it, and stops with it."""
    keys = KeyedPoses([0.0, 0.5, 1.0], [[0, 0, -0.5], [0.4, 0, -0.5], [0.4, 0, -0.5]], [[1.0, 0.0, 0.0, 0.0]] * 3)
    lift = Body("lift", Box((5.0, 5.0, 1.0)), "m", Motion.KINEMATIC, (0.0, 0.0, -0.5), keys=keys)
    load = Body("load", Box((0.2, 0.2, 0.2)), "m", position=(0.0, 0.0, 0.1))
    table = MaterialTable((Material("m", friction=2.0),))
    run = simulate(Scene((lift, load), table), SimulationOptions(time=1.0))
    assert run.positions[50, 0] == pytest.approx([0.4, 0.0, -0.5], abs=1e-12)
    assert run.positions[-1, 1] == pytest.approx([0.4, 0.0, 0.1], abs=1e-4)
    assert abs(run.positions[-1, 1, 1]) < 1e-9, "and not sideways"


def test_off_centre_body_keeps_its_shape_frame():
    """Positions are those of the shape frame, wherever the centre of mass lies."""
    shape = Compound((Part(Box((0.2, 0.2, 0.2)), (0.1, 0.0, 0.1)),))
    run = simulate(scene(Body("b", shape, "m")), SimulationOptions(time=0.5))
    assert run.positions[-1, 1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert run.center_of_mass[-1, 1] == pytest.approx([0.1, 0.0, 0.1], abs=1e-6)


def test_start_overlap_is_removed_without_an_explosion():
    """Two boxes start 2 cm inside each other: they part, and no kinetic energy comes of it."""
    pair = [Body(f"b{i}", Box((0.2, 0.2, 0.2)), "m", position=(0.18 * i, 0.0, 0.1)) for i in range(2)]
    run = simulate(scene(*pair), SimulationOptions(time=2.0))
    assert 0.01 < run.steps["overlap"][0] < 0.02, "at the end of the first step a part of it is gone"
    assert run.steps["overlap"][-1] < 1e-5
    assert run.steps["kinetic"].max() < 1e-3


@pytest.mark.parametrize(
    "bad", [{"time_step": 0.0}, {"time": -1.0}, {"stepper": "leapfrog"}, {"accuracy": 2.0}, {"steps_per_frame": 0}]
)
def test_options_are_refused(bad):
    with pytest.raises(OptionError, match=next(iter(bad))):
        simulate(scene(TUMBLING), SimulationOptions(**bad))


def test_unknown_setting_of_a_scene_is_refused():
    with pytest.raises(SceneError, match="colour"):
        options_for(dataclasses.replace(scene(TUMBLING), settings={"colour": 1}))


def test_extract_arrays(tmp_path):
    options = SimulationOptions(time=0.5, steps_per_frame=5, store_contacts=True)
    run = simulate(scene(Body("s", Sphere(0.1), "m", position=(0.0, 0.0, 0.1))), options, tmp_path / "run")
    extract(tmp_path / "run", tmp_path / "out.npz")
    data = np.load(tmp_path / "out.npz")
    assert (
        data["time"].shape == (11,) and data["position"].shape == (11, 2, 3) and data["orientation"].shape == (11, 2, 4)
    )
    assert data["contact_count"].shape == (50,) and data["contact_impulse"].shape == (50, 4)
    weight = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3 * 9.81
    assert data["contact_impulse"][-1, 0] == pytest.approx(weight * 0.01, rel=1e-6)
    assert np.array_equal(data["position"], run.positions)
    extract(tmp_path / "run", tmp_path / "out.csv")
    table = np.genfromtxt(tmp_path / "out.csv", delimiter=",", skip_header=1, usecols=range(2, 5))
    assert np.array_equal(table.reshape(11, 2, 3), run.positions)


def test_contacts_of_frames_are_those_of_their_last_steps_and_nothing_else_is_kept(tmp_path):
    kept = {}
    for of in ("steps", "frames"):
        options = SimulationOptions(time=0.6, steps_per_frame=5, store_contacts=True, contacts_of=of)
        kept[of] = simulate(scene(TUMBLING), options, tmp_path / of).contacts
    every = kept["steps"]
    assert np.unique(every[:, 0]).size > np.unique(kept["frames"][:, 0]).size > 1
    assert np.array_equal(kept["frames"], every[every[:, 0] % 5 == 0])
    names = {of: {path.name for path in (tmp_path / of).iterdir()} for of in kept}
    assert names["steps"] - names["frames"] == {"recording.json", "substeps.bin"}
    assert (tmp_path / "steps" / "substeps.bin").stat().st_size > 0
    assert not names["frames"] & {"joints.bin", "nodes.bin"}, "what nothing is written to is not made"


def test_extract_refuses_other_types(tmp_path):
    simulate(scene(TUMBLING), SimulationOptions(time=0.1), tmp_path / "run")
    with pytest.raises(TrajectoryError, match=".xlsx"):
        extract(tmp_path / "run", tmp_path / "out.xlsx")


def test_overlap_at_the_start_is_said_by_name():
    """The depth and the names of each pair; bodies that only touch or are apart are not mentioned."""
    places = {"left": 0.0, "right": 0.18, "touching": 0.38, "apart": 0.7}
    row = [Body(name, Box((0.2, 0.2, 0.2)), "m", position=(x, 0.0, 0.1)) for name, x in places.items()]
    notes = simulate(scene(*row), SimulationOptions(time=0.02)).header["notes"]
    assert len(notes) == 1
    assert "'left' and 'right' overlap by 20 mm at the start" in notes[0]


def test_many_overlaps_at_the_start_are_summed_up():
    row = [Body(f"b{i}", Box((0.2, 0.2, 0.2)), "m", position=(0.15 * i, 0.0, 0.1)) for i in range(9)]
    notes = simulate(scene(*row), SimulationOptions(time=0.01)).header["notes"]
    assert len(notes) == 6
    assert notes[-1].startswith("3 more pairs")


def test_a_body_turned_out_of_overlap_keeps_its_kinetic_energy():
    """Two spinning planks pressed into each other are turned by other velocities than their own."""
    plank = Box((0.6, 0.1, 0.02))
    turned = [(np.cos(0.35 * k), 0.0, 0.0, np.sin(0.35 * k)) for k in range(2)]
    bodies = [Body(f"p{k}", plank, position=(0.0, 0.0, 0.008 * k), orientation=turned[k],
                   angular_velocity=(0.0, 6.0 * (1 - 2 * k), 25.0)) for k in range(2)]  # fmt: skip
    table = MaterialTable((Material("default", friction=0.0),))
    options = SimulationOptions(time=0.1, substeps=1)
    run = simulate(Scene(tuple(bodies), table, gravity=(0.0, 0.0, 0.0)), options)
    assert run.steps["overlap"][0] > 1e-4
    assert np.abs(run.steps["stabilisation_work"]).max() < 1e-12 * run.steps["kinetic"].max()
