"""Keys of settings that a simulation does not use: what the buttons of their findings make of them."""

import bpy
import numpy as np
import pytest
from keyed_bodies import thrown_by_own_keys

from stiction.blender_addon.base.curves import curves_of
from stiction.blender_addon.checks import runner


def test_what_own_keys_of_animated_let_go_flies_on(scene, add):
    thrown_by_own_keys(scene, add)
    body, scene.frame_end = scene.objects["body"], 20
    assert bpy.ops.stiction.repair(check="KEYED_ANIMATED") == {"FINISHED"}
    assert (body.stiction.kinematic, body.stiction.release, body.stiction.release_frame) == (True, True, 10)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    ways = []
    for frame in (10, 11, 20):
        scene.frame_set(frame)
        ways.append(body.matrix_world.translation.x)
    assert np.diff(ways) == pytest.approx([0.3, 2.7], rel=0.05)


def test_settings_keep_the_values_of_the_first_frame(scene, add):
    """Numbers, switches, choices and parts of vectors; what a key does not change is left as it is."""
    body = add("body")
    own, ends = body.stiction, {}
    for path, first, last in (
        ("density", 300.0, 900.0), ("use_mass", True, False), ("shape", "BOX", "SPHERE"),
        ("velocity", (1.0, 2.0, 3.0), (0.0, 2.0, 5.0)), ("elastic.young", 1e5, 1e6), ("friction", 0.3, 0.3),
    ):  # fmt: skip
        group, _, name = path.rpartition(".")
        holder = own.path_resolve(group) if group else own
        for frame, value in ((1, first), (20, last)):
            setattr(holder, name, value)
            holder.keyframe_insert(name, frame=frame)
        ends[path] = first
    scene.frame_set(20)
    found = runner.check_now(scene)[0]["keyed_settings"]
    assert [finding.text for finding in found] == [
        "has keys or drivers of Density, Set Mass, Shape, Stiffness, Velocity: the first frame's value holds throughout"
    ]
    runner.repair(scene, "keyed_settings")
    scene.frame_set(20)
    for path, value in ends.items():
        got = own.path_resolve(path)
        assert (tuple(got) if hasattr(got, "__len__") and not isinstance(got, str) else got) == pytest.approx(value)
    assert {curve.data_path for curve in curves_of(body.animation_data)} == {"stiction.friction", "stiction.velocity"}
