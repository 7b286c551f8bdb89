"""Deformable bodies whose vertices begin elsewhere than their shape has them: strained."""

from dataclasses import replace

import numpy as np
import pytest
from soft_scenes import cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Attachment, Body, Reduction
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.shapes import Box

STRETCH = np.diag([1.2, 1.0, 1.0])


def drawn(by=STRETCH, **other):
    """A cube of 0.2 m without weight whose vertices begin where `by` (3,3) takes those of its shape."""
    body = cube(law="corotational", poisson=0.0, **other)
    start = tuple(map(tuple, (np.asarray(body.shape.vertices) @ by.T).tolist()))
    return replace(body, elastic=replace(body.elastic, start=start))


@pytest.mark.parametrize("element", ["t4", "t10"])
def test_what_is_drawn_out_stores_energy(element):
    """E strain^2 / 2 of its volume, and it swings about its shape; the middle of its nodes stays."""
    body = drawn(element=element, young=1e5)
    model, states, reports = run(scene(body, gravity=(0, 0, 0)), 100, time_step=1e-3, spectral_radius=1.0)
    one = model.elastic[0]
    assert one.forces(states[0].nodes.position).any() and not np.abs(one.forces(one.rest)).max() > 1e-9
    energy = 0.5 * 1e5 * 0.2**2 * 0.2**3
    assert reports[0].kinetic + reports[0].elastic == pytest.approx(energy, rel=1e-5)
    width = np.array([np.ptp(state.nodes.position[:, 0]) for state in states])
    assert width[0] == pytest.approx(0.24) and width.min() < 0.18
    assert np.abs(states[-1].position[0] - states[0].position[0]).max() < 1e-12


def test_shape_vectors_show_what_they_can_of_it():
    """A bent beam: the nodes begin in the span of its vectors, and its centre is theirs."""
    bend = drawn(cells=3, element="t10", reduction=Reduction(6))
    x = np.array(bend.elastic.start)
    x[:, 2] += 0.5 * x[:, 0] ** 2
    model, state = compile_scene(scene(replace(bend, elastic=replace(bend.elastic, start=tuple(map(tuple, x))))))
    shape, nodes = model.elastic[0].reduced, state.nodes.position
    again = shape.places(shape.motion(nodes, 0 * nodes))
    assert np.abs(again - nodes).max() < 1e-12 and np.abs(nodes - model.elastic[0].rest).max() > 1e-3
    assert np.abs(state.position[0] - model.elastic[0].mass @ nodes / model.elastic[0].mass.sum()).max() < 1e-12


def test_attachments_hold_where_it_begins():
    held = Attachment(("cube", "plate"), ((0.119, -1, -1), (0.121, 1, 1)))
    plate = Body("plate", Box((0.02, 0.3, 0.3)), position=(0.13, 0, 0.1))
    made = replace(scene(drawn(), plate, gravity=(0, 0, 0)), attachments=(held,))
    model, states, _ = run(made, 1, time_step=1e-4)
    on = model.attachments.node
    assert len(on) and np.abs(states[1].nodes.position[on] - states[0].nodes.position[on]).max() < 1e-4


def test_it_is_kept_in_scene_files(tmp_path):
    made = scene(drawn())
    save_scene(tmp_path / "scene.json", made)
    assert load_scene(tmp_path / "scene.json").bodies[0].elastic.start == made.bodies[0].elastic.start


@pytest.mark.parametrize(("change", "said"), [
    ({"start": ((0.0, 0.0, 0.0),)}, "start has 1 places, and the shape 27 vertices"),
    ({"pins": (((-1, -1, -1), (1, 1, 1)),)}, "pins or goals"),
    ({"goals": ((0.0, 0.0, 0.0, 1.0, 0.0),)}, "pins or goals"),
    ({"start": ((0.0, 0.0, np.nan),) * 27}, "must be finite"),
])  # fmt: skip
def test_refusals(change, said):
    body = drawn()
    if "pins" in change:
        change = {"pins": (((-1, -1, -1), (-0.05, 1, 1)),)}
    with pytest.raises(SceneError, match=said):
        compile_scene(scene(replace(body, elastic=replace(body.elastic, **change))))


def test_what_is_turned_inside_out_is_refused():
    with pytest.raises(SceneError, match="inside out"):
        compile_scene(scene(drawn(np.diag([-1.0, 1.0, 1.0]))))


def test_surfaces_that_are_filled_have_no_start():
    body = replace(drawn(), shape=Box((0.2, 0.2, 0.2)))
    with pytest.raises(SceneError, match="made anew"):
        compile_scene(scene(body))
