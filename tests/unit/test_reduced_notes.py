"""What is said of bodies of a few modes: what these leave out, and which are too soft for them."""

from dataclasses import replace

import numpy as np
import pytest
import verified_scenes

from stiction.solver.cli import main
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.reduced.basis import FreeBody, shape_vectors
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.model import compile_scene
from stiction.solver.results.reduced_notes import BEYOND
from stiction.solver.results.summary import run_summary
from stiction.solver.runs.soft_watches import DentWatch, left_out, patch_error
from stiction.solver.scene import Attachment, Body, Elastic, Motion, Reduction, Scene
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scene_io.struck_notes import struck_notes, struck_speed
from stiction.solver.scenes.base import one_material
from stiction.solver.shapes import Box, Sphere, Tetrahedra
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.deformable.momentum import WEIGHTLESS
from stiction.solver.validation.deformable.reduced import beam


def test_the_error_of_a_patch_is_what_more_answers_take_away():
    body = deformable(*box_grid((6, 1, 1), (1.0, 0.12, 0.1)), 1e8, 0.3, 1000.0, law="corotational", element="t10")
    free, found = FreeBody(body), {}
    for error in (1.0, 0.3, 0.1):
        squares, U = shape_vectors(body, 6, True, [], error=error)
        found[error] = patch_error(free, squares, U.reshape(-1, len(squares)))
    assert 0.3 < found[1.0] < 1.0 and 0.1 < found[0.3] <= 0.3 and 0.0 < found[0.1] <= 0.1


def test_nothing_is_left_out_of_a_load_that_vectors_answer():
    nodes = np.arange(4)
    body = deformable(*box_grid((6, 1, 1), (1.0, 0.12, 0.1)), 1e8, 0.3, 1000.0, law="corotational", element="t10")
    squares, U = shape_vectors(body, 6, True, [nodes])
    forces, free, V = np.zeros_like(body.rest), FreeBody(body), U.reshape(-1, len(squares))
    forces[nodes] = 25.0, 0.0, 0.0
    answer = np.abs(free.statics(forces.reshape(-1, 1))).max()
    assert left_out(free, squares, V, forces) < 1e-8 * answer
    forces[7] = 0.0, 0.0, 100.0
    assert left_out(free, squares, V, forces) > 0.1 * answer


def on_three_points(reduction):
    """A block on three balls, each at a node: loads follow from balance alone."""
    grid = box_grid((4, 4, 2), (0.2, 0.2, 0.1))
    block = Body("block", Tetrahedra(*grid), position=(0, 0, 0.05),
                 elastic=Elastic(young=4e6, law="corotational", damping=(5.0, 0.01), reduction=reduction))  # fmt: skip
    places = ((-0.05, -0.05), (0.05, -0.05), (0.0, 0.05))
    feet = [Body(f"foot{k}", Sphere(0.02), motion=Motion.STATIC, position=(x, y, -0.02))
            for k, (x, y) in enumerate(places)]  # fmt: skip
    scene = Scene((*feet, block), one_material(0.5))
    return scene, simulate(scene, options_for(scene, time=0.8))


def test_the_dent_that_is_not_shown_is_what_the_whole_mesh_has():
    (scene, run), (_, whole) = (on_three_points(reduction) for reduction in (Reduction(12), None))
    rest = run.deformables["rest"]
    # Both in the frame of the nodes of the sides, which are pressed by nothing.
    side = np.abs(rest[:, :2]).max(axis=1) > 0.099
    at = []
    for x in (one.state.nodes.position for one in (run, whole)):
        a, b = x[side] - x[side].mean(axis=0), rest[side] - rest[side].mean(axis=0)
        left, _, right = np.linalg.svd(a.T @ b)
        at.append((x - x[side].mean(axis=0)) @ (left @ right))
    watch, (model, _) = DentWatch({}, 0.01), compile_scene(scene)
    watch.look(model, run.state)
    watch.judge(model)
    known = watch.found["block"]
    assert known["dent"] > 1e-5
    assert np.linalg.norm(at[0] - at[1], axis=1).max() == pytest.approx(known["dent"], rel=0.05)
    # Half of the weight is on the foot by itself; what the run says is of its hardest frame.
    assert known["force"] == pytest.approx(0.5 * 4.0 * 9.81, rel=1e-3)
    assert run.header["left_out"]["block"]["dent"] >= known["dent"]


def test_a_run_says_what_modes_leave_out(tmp_path, capsys):
    body = beam(Reduction(6), cells=(6, 1, 1), position=(0, 0, 0.1))
    scene = verified_scenes.scene("drop", [body, replace(body, name="other", position=(0, 1, 0.1), elastic=replace(
        body.elastic, reduction=Reduction(6, dents=True)))])  # fmt: skip
    save_scene(tmp_path / "scene.json", scene)
    assert main(["simulate", str(tmp_path / "scene.json"), "--time", "0.2", "--output", str(tmp_path / "run")]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("modes")]
    assert len(lines) == 2 and "beam: patch error" in lines[0] and "is not shown" in lines[0]
    assert "other: patch error" in lines[1] and "shown" not in lines[1]
    run = simulate(scene, options_for(scene, time=0.2), tmp_path / "again")
    summary = run_summary(run)
    assert set(summary["left_out"]) == {"beam", "other"} and summary["left_out"]["beam"]["dent"] > 0.0
    assert any(note.startswith("body 'beam' moves in 12 shape vectors: patch error") for note in summary["notes"])


@pytest.mark.parametrize("young,height,other", [(1e6, 0.3, 0.0), (1e8, 0.3, 0.0), (1e8, 0.0, 4.0), (1e8, 0.0, 3.0)])
def test_soft_bodies_that_may_be_struck_are_named(young, height, other):
    """At more than a hundredth of the speed of their waves: 32 m/s, 316 m/s."""
    body = beam(Reduction(6), cells=(3, 1, 1), young=young, position=(0, 0, 0.05 + height))
    thrown = Body("ball", Sphere(0.1), position=(3, 0, 1.0), velocity=(-other, 0, 0))
    scene = verified_scenes.scene("drop", [body, thrown])
    said = struck_notes(scene)
    speed = np.sqrt(other**2 + 2.0 * 9.81 * height)
    assert bool(said) == (speed > 0.01 * np.sqrt(young / 1000.0))
    if said:
        assert said[0].startswith("body 'beam' is soft for a body of modes") and "Motion: Full" in said[0]
        assert f"struck at {speed:.2g} m/s" in said[0]
    run = simulate(scene, options_for(scene, time=0.01))
    assert [note for note in run.header["notes"] if "soft for" in note] == said


def test_a_body_falls_on_what_is_below_it():
    assert struck_speed(10.0, 1.0, [0.2, 0.5, 3.0], 0.0) == pytest.approx(4.0)
    assert struck_speed(10.0, 0.1, [0.2], 3.0) == 3.0
    assert struck_speed(0.0, 1.0, [], 2.0) == 2.0


@pytest.mark.parametrize("young,spin,wrong", [(1e6, 8.0, ["spun"]), (1e7, 8.0, [])])
def test_what_linear_modes_get_wrong_is_said(young, spin, wrong):
    """The lowest frequency of the beam is some 19 and 60 rad/s."""
    body = beam(Reduction(6), cells=(6, 1, 1), young=young, angular_velocity=(0, spin, 0))
    scene = Scene((body,), one_material(0.5), WEIGHTLESS)
    run = simulate(scene, options_for(scene, time=0.5))
    said = [note for note in run_summary(run)["notes"] if "linear modes get wrong" in note]
    known = run.header["left_out"]["beam"]
    assert [key for key in ("turned", "strained", "spun") if known[key] > BEYOND[key][0]] == wrong
    assert len(said) == len(wrong) and all("it spins at up to 0.4" in note for note in said)
    lowest = np.sqrt(compile_scene(scene)[0].elastic[0].reduced.law.squares.min())
    assert known["spun"] == pytest.approx(spin / lowest, rel=0.05)


def test_how_far_parts_turn_is_that_of_the_bend():
    """A cantilever that its own weight bends: the end of the whole mesh turns by as much."""
    wall = Body("wall", Box((0.1, 1, 1)), motion=Motion.STATIC, position=(-0.55, 0, 0))
    held = Attachment(("beam", "wall"), ((-0.501, -1, -1), (-0.499, 1, 1)))
    body = beam(Reduction(6, attachments=(held.box,)), cells=(6, 1, 1), young=6e6)
    body = replace(body, elastic=replace(body.elastic, damping=(8.0, 0.0)))
    scene = Scene((wall, body), one_material(0.5), attachments=(held,))
    run = simulate(scene, options_for(scene, time=0.6))
    rest, x = run.deformables["rest"], run.node_positions.astype(float)
    end, near = (np.abs(rest[:, 0] - at) < 1e-6 for at in (0.5, 1.0 / 3.0))
    slope = (x[:, end, 2].mean(axis=1) - x[:, near, 2].mean(axis=1)) / (1.0 / 6.0)
    # In the body's own frame one half turns against the other.
    assert 0.3 * np.abs(slope).max() < run.header["left_out"]["beam"]["turned"] < 1.5 * np.abs(slope).max()
