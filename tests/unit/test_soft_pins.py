"""Pinned nodes that follow animated points, between which they lie."""

from dataclasses import replace

import numpy as np
import pytest
from soft_scenes import cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.elastic.pins import followed
from stiction.solver.scene import KeyedPoints
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.simulation import _until, options_for, run_digest


def bent_sheet(points, angle):
    """Points (P,3) bent round the y axis with a curvature of `angle` a metre."""
    x, z = points[:, 0], points[:, 2]
    radius = 1.0 / angle
    return np.column_stack([(radius - z) * np.sin(angle * x), points[:, 1], radius - (radius - z) * np.cos(angle * x)])


def test_nodes_follow_the_points_they_lie_between():
    rng = np.random.default_rng(5)
    flat = np.column_stack([rng.uniform(-1, 1, (400, 2)), np.zeros(400)])
    nodes = rng.uniform(-0.5, 0.5, (60, 3)) * [1, 1, 0.1]
    turn = rotation.matrix(np.array([[0.5, 0.5, -0.5, 0.5]]))[0]
    stretch = np.diag([1.3, 0.8, 1.0])
    # As one rigid body exactly, however far from the points; stretched in the plane of the points exactly; bent nearly.
    paths = np.stack([flat, flat @ turn.T + [1.0, 2.0, 3.0], flat @ stretch, bent_sheet(flat, 0.5)])
    start, rigid, wider, bent = followed(nodes, flat, paths)
    assert start == pytest.approx(nodes, abs=1e-12)
    assert rigid == pytest.approx(nodes @ turn.T + [1.0, 2.0, 3.0], abs=1e-12)
    assert wider == pytest.approx(nodes @ stretch, abs=1e-12)
    assert np.abs(bent - bent_sheet(nodes, 0.5)).max() < 0.01 < np.abs(bent - nodes).max()
    # One point alone carries nodes along without a turn.
    assert followed(nodes, flat[:1], paths[:, :1])[1] == pytest.approx(nodes + rigid_shift(flat[0], turn), abs=1e-12)


def rigid_shift(point, turn):
    return point @ turn.T + [1.0, 2.0, 3.0] - point


def test_pinned_nodes_follow_moving_points_of_a_file(tmp_path):
    top = np.array([[x, y, 0.2] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    times = np.array([0.0, 0.1, 0.2])
    paths = np.stack([top, top + [0.02, 0, 0.01], top * [1.1, 1.1, 1.0]])
    body = cube(pin_points=tuple(map(tuple, top)), pin_keys=KeyedPoints(times, paths), young=1e5)
    world = scene(body)
    save_scene(tmp_path / "scene.json", world)
    model, states, _ = run(load_scene(tmp_path / "scene.json"), 20)
    pinned = model.elastic[0].pinned
    rest = model.elastic[0].rest[pinned]
    assert pinned.sum() == 4
    assert states[10].nodes.position[pinned] == pytest.approx(rest + [0.02, 0, 0.01], abs=1e-9)
    assert states[20].nodes.position[pinned] == pytest.approx(rest * [1.1, 1.1, 1.0], abs=1e-9)
    # The run of a longer film begins as that of a shorter one.
    shorter = replace(body.elastic, pin_keys=KeyedPoints(times[:2], paths[:2]))
    assert run_digest(_until(world, 0.1), options_for(world)) == run_digest(
        _until(scene(replace(body, elastic=shorter)), 0.1), options_for(world))  # fmt: skip


CORNERS = ((-0.1, -0.1, 0.2), (0.1, -0.1, 0.2))


@pytest.mark.parametrize(("change", "words"), [
    ({"pin_points": ()}, "no points of pins"),
    ({"pins": (((-0.1, -0.1, 0.1), (0.1, 0.1, 0.3)),)}, "boxes of pins too"),
    ({"pin_keys": KeyedPoints([0.0, 0.0], np.zeros((2, 2, 3)))}, "numbers that rise"),
    ({"pin_keys": KeyedPoints([0.0, 1.0], np.zeros((2, 3, 3)))}, "give 2 times 2 points"),
    ({"pin_keys": KeyedPoints([0.0], np.full((1, 2, 3), np.nan))}, "not finite"),
])  # fmt: skip
def test_paths_that_no_node_can_follow_are_refused(change, words):
    given = {"pin_points": CORNERS, "pin_keys": KeyedPoints([0.0], np.array([CORNERS]))} | change
    with pytest.raises(SceneError, match=words) as refused:
        run(scene(cube(**given)), 0)
    assert "body 'cube'" in str(refused.value)
