"""Active bodies that are animated until a frame and fall from there on."""

import bpy
import numpy as np
import pytest
from panel_layout import draw_all

from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.base.refusal import SceneError


@pytest.fixture
def hanging(scene, add, tmp_path):
    """A cube that moves along x at 0.1 a frame and is let go at frame 6; gravity pulls along z."""
    cube = add("cube", location=(0, 0, 5), rotation_mode="QUATERNION")
    for frame, x in ((1, 0.0), (11, 1.0)):
        cube.location.x = x
        cube.keyframe_insert("location", frame=frame)
    for curve in _curves(cube):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene.frame_set(1)
    settings = cube.stiction
    settings.kinematic, settings.release, settings.release_frame = True, True, 6
    scene.frame_end, scene.stiction.cache = 12, str(tmp_path)
    return cube


def _curves(ob):
    from stiction.blender_addon.base.curves import curves_of

    return curves_of(ob.animation_data)


def test_mass_of_a_released_body_can_be_set(hanging):
    bpy.context.view_layer.objects.active = hanging
    assert {"release_frame", "density"} <= set(draw_all(bpy.context).fields)
    hanging.stiction.release = False
    assert "density" not in draw_all(bpy.context).fields


def test_released_body_goes_on_with_its_velocity(hanging, scene):
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    for frame in range(1, 13):
        scene.frame_set(frame)
        place = np.array(hanging.matrix_world.translation)
        fall = max(0, frame - 6) / 24
        assert place[0] == pytest.approx(0.1 * (frame - 1), abs=1e-5)
        assert place[2] == pytest.approx(5 - 0.5 * 9.81 * fall**2, abs=1e-5)
    bpy.ops.stiction.clear()
    scene.frame_set(11)
    assert hanging.location.x == pytest.approx(1.0), "its own animation is back"
    scene.frame_set(12)
    assert hanging.location.z == pytest.approx(5)


def test_export_states_the_time_of_release(hanging, scene):
    body = export_scene(scene).scene.bodies[0]
    assert (body.motion, body.switches) == ("kinematic", pytest.approx((5 / 24,)))
    hanging.stiction.held_again = "9, 10"
    assert export_scene(scene).scene.bodies[0].switches == pytest.approx((5 / 24, 8 / 24, 9 / 24))
    hanging.stiction.release_frame = -3
    body = export_scene(scene).scene.bodies[0]
    assert (body.motion, body.switches) == ("dynamic", pytest.approx((8 / 24, 9 / 24)))
    hanging.stiction.held_again = ""
    body = export_scene(scene).scene.bodies[0]
    assert (body.motion, body.keys, body.switches) == ("dynamic", None, ())
    hanging.stiction.type = "PASSIVE"
    hanging.stiction.release = False
    with pytest.raises(SceneError, match="no Active body"):
        export_scene(scene)


@pytest.mark.parametrize("frames", ["5", "9, 9", "9 8", "soon"])
def test_frames_that_do_not_rise_are_refused_by_name(hanging, scene, frames):
    hanging.stiction.held_again = frames
    with pytest.raises(SceneError, match="object 'cube': is let go at frame 6 and Held Again at .*; give rising"):
        export_scene(scene)


def test_what_is_held_again_is_where_its_animation_has_it(hanging, scene):
    hanging.stiction.held_again = "8, 9"
    bpy.context.view_layer.objects.active = hanging
    assert {"release_frame", "held_again"} <= set(draw_all(bpy.context).fields)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = []
    for frame in range(6, 13):
        scene.frame_set(frame)
        found.append(np.array(hanging.matrix_world.translation))
    falls = np.array([0, 1, 2, 0, 1, 2, 3]) / 24
    assert np.array(found)[:, 2] == pytest.approx(5 - 0.5 * 9.81 * falls**2, abs=1e-5)
    assert np.array(found)[:, 0] == pytest.approx(0.1 * np.arange(5, 12), abs=1e-5)
