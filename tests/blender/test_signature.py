"""The fingerprint of a bake: it changes exactly when what would be exported changes."""

import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from conftest import new_object
from hands import Passing
from mathutils import Euler

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.baking import signature as signatures
from stiction.blender_addon.baking.signature import out_of_date, signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.running import run as runs
from stiction.solver.base.refusal import SceneError
from stiction.solver.scene_io.scene_file import scene_digest


def exported(scene):
    """Digest of what the export gives; the kind of error where it refuses."""
    try:
        with baking.lifted(scene):
            return scene_digest(export_scene(scene).scene)
    except SceneError as error:
        return str(error)


@pytest.fixture
def rich(scene):
    """A scene with one of everything: parents, keys, modifiers, a compound, constraints, shape keys."""
    new_object("floor", kind="PASSIVE", scale=(20, 20, 1), location=(0, 0, -0.5))
    new_object("plain", location=(0, 0, 1))
    new_object("turned", location=(3, 0, 1), rotation_mode="QUATERNION", rotation_quaternion=(0.8, 0.6, 0, 0))
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    parent.location = (0, 4, 0)
    new_object("child", parent=parent, location=(0, 0, 2))
    grown = new_object("grown", location=(6, 0, 1))
    modifier = grown.modifiers.new("Array", "ARRAY")
    modifier.count = 2
    grown.stiction.shape = "CONVEX_HULL"
    pusher = new_object("pusher", kind="PASSIVE", location=(9, 0, 1))
    pusher.stiction.kinematic = True
    for frame, x in ((1, 9.0), (20, 5.0)):
        pusher.location.x = x
        pusher.keyframe_insert("location", frame=frame)
    follower = new_object("follower", kind="PASSIVE", location=(0, 9, 0), rotation_euler=(0, 0, 0.4))
    follower.stiction.kinematic = True
    follower.constraints.new("COPY_ROTATION").target = parent
    whole = new_object("whole", location=(0, -6, 3))
    whole.stiction.shape = "COMPOUND"
    for x in (-1, 1):
        new_object(f"part {x}", kind="NONE", parent=whole, location=(x, 0, 0))
    soft = new_object("soft", location=(-5, 0, 2))
    soft.shape_key_add(name="Basis")
    key = soft.shape_key_add(name="wide")
    key.data[0].co.x -= 0.3
    bpy.context.view_layer.update()
    scene.frame_set(1)
    return scene


def ob(name):
    return bpy.data.objects[name]


def delete_face(name):
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(ob(name).data)
    mesh.faces.ensure_lookup_table()
    mesh.faces.remove(mesh.faces[0])
    mesh.to_mesh(ob(name).data)
    mesh.free()
    ob(name).data.update()


def move_key(name, value):
    from stiction.blender_addon.base.curves import curves_of

    curve = curves_of(ob(name).animation_data)[0]
    curve.keyframe_points[1].co.y = value
    curve.keyframe_points[1].handle_left.y = value
    curve.keyframe_points[1].handle_right.y = value
    curve.update()
    ob(name).animation_data.action.update_tag()


CHANGES = {
    "place": lambda: setattr(ob("plain"), "location", (0, 0, 1.5)),
    "turn": lambda: setattr(ob("turned"), "rotation_quaternion", (1, 0, 0, 0)),
    "scale": lambda: setattr(ob("plain"), "scale", (1, 2, 1)),
    "delta place": lambda: setattr(ob("plain"), "delta_location", (0, 0, 1)),
    "delta turn": lambda: setattr(ob("plain"), "delta_rotation_euler", (0.3, 0, 0)),
    "delta scale": lambda: setattr(ob("plain"), "delta_scale", (2, 1, 1)),
    "parent moved": lambda: setattr(ob("parent"), "location", (0, 5, 0)),
    "parent turned": lambda: setattr(ob("parent"), "rotation_euler", (0, 0, 0.5)),
    "parent inverse": lambda: setattr(ob("child"), "matrix_parent_inverse", Euler((0, 0, 1)).to_matrix().to_4x4()),
    "keys of an Animated body": lambda: move_key("pusher", 6.0),
    "value of a modifier": lambda: setattr(ob("grown").modifiers[0], "count", 3),
    "modifier off": lambda: setattr(ob("grown").modifiers[0], "show_viewport", False),
    "child of a compound moved": lambda: setattr(ob("part 1"), "location", (1.5, 0, 0)),
    "child of a compound scaled": lambda: setattr(ob("part 1"), "scale", (1.5, 1, 1)),
    "disabled in viewports": lambda: setattr(ob("plain"), "hide_viewport", True),
    "face deleted": lambda: delete_face("floor"),
    "vertex moved": lambda: setattr(ob("plain").data.vertices[0].co, "x", -0.7),
    "shape key": lambda: setattr(ob("soft").data.shape_keys.key_blocks["wide"], "value", 0.5),
    "constraint muted": lambda: setattr(ob("follower").constraints[0], "mute", True),
    "influence of a constraint": lambda: setattr(ob("follower").constraints[0], "influence", 0.5),
    "gravity": lambda: setattr(bpy.context.scene, "gravity", (0, 0, -1)),
    "no gravity": lambda: setattr(bpy.context.scene, "use_gravity", False),
    "frames per second": lambda: setattr(bpy.context.scene.render, "fps", 30),
    "unit": lambda: setattr(bpy.context.scene.unit_settings, "scale_length", 0.01),
    "first frame": lambda: setattr(bpy.context.scene, "frame_start", 2),
    "last frame": lambda: setattr(bpy.context.scene, "frame_end", 22),
    "body added": lambda: new_object("new", location=(0, 0, 9)),
    "body removed": lambda: bpy.data.objects.remove(ob("turned")),
}
SETTINGS = {
    "type": "PASSIVE", "kinematic": True, "shape": "MESH", "density": 2000.0, "use_mass": True, "friction": 0.1,
    "use_friction_t": True, "torsional_friction": 0.01, "restitution": 0.4, "tangential_restitution": 0.3,
    "law": "BOX", "velocity": (1, 0, 0), "angular_velocity": (0, 1, 0), "layers": [False, True] + [False] * 18,
    "collides_with": [True] + [False] * 19,
}  # fmt: skip
CHANGES |= {f"setting {name}": (lambda name=name, value=value: setattr(ob("plain").stiction, name, value))
            for name, value in SETTINGS.items()}  # fmt: skip

SAME = {
    "another frame": lambda: bpy.context.scene.frame_set(13),
    "renamed object": lambda: setattr(ob("plain"), "name", "zebra"),
    "renamed mesh": lambda: setattr(ob("plain").data, "name", "zebra"),
    "renamed parent": lambda: setattr(ob("parent"), "name", "zebra"),
    "renamed modifier": lambda: setattr(ob("grown").modifiers[0], "name", "zebra"),
    "renamed scene": lambda: setattr(bpy.context.scene, "name", "zebra"),
    "colour": lambda: setattr(ob("plain"), "color", (1, 0, 0, 1)),
    "selection": lambda: ob("plain").select_set(True),
    "hidden from sight": lambda: ob("plain").hide_set(True),
    "hidden in renders": lambda: setattr(ob("plain"), "hide_render", True),
    "object that takes no part": lambda: new_object("onlooker", kind="NONE"),
    "own property": lambda: ob("plain").__setitem__("note", 3),
    "modifier folded": lambda: setattr(ob("grown").modifiers[0], "show_expanded", False),
    "resolution": lambda: setattr(bpy.context.scene.render, "resolution_x", 640),
    "idle mass": lambda: setattr(ob("plain").stiction, "mass", 7.0),
    "idle friction": lambda: setattr(ob("plain").stiction, "friction_t", 0.9),
    "idle thickness": lambda: setattr(ob("plain").stiction, "thickness", 0.3),
    "velocity of what does not move": lambda: setattr(ob("floor").stiction, "velocity", (1, 2, 3)),
    "options of another method": lambda: setattr(bpy.context.scene.stiction.options_pgs, "relaxation", 0.5),
    "folder of the cache": lambda: setattr(bpy.context.scene.stiction, "cache", "/tmp"),
    "rotation mode": lambda: setattr(ob("turned"), "rotation_mode", "XYZ"),
    "two and a half turns back": lambda: setattr(ob("plain"), "rotation_euler", (0, 0, 4 * np.pi)),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_the_export_changes_the_fingerprint(rich, case):
    before, was = signature(rich), exported(rich)
    CHANGES[case]()
    bpy.context.view_layer.update()
    if case not in ("first frame", "last frame", "frames per second"):
        assert exported(rich) != was, "the case means nothing"
    assert signature(rich) != before


@pytest.mark.parametrize("case", SAME)
def test_nothing_else_does(rich, case):
    before = signature(rich)
    SAME[case]()
    bpy.context.view_layer.update()
    assert signature(bpy.context.scene) == before


def test_bake_and_any_frame_leave_it(rich, fake_trajectory):
    before = signature(rich)
    export = export_scene(rich)
    baking.bake(rich, export, fake_trajectory(export))
    for frame in (1, 7, 20):
        rich.frame_set(frame)
        assert signature(rich) == before
    ob("parent").location.x = 3
    bpy.context.view_layer.update()
    assert signature(rich) != before


def test_animated_meshes_are_known_at_any_frame(rich):
    key = ob("soft").data.shape_keys.key_blocks["wide"]
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    rich.frame_set(1)
    before = signature(rich)
    rich.frame_set(12)
    assert signature(rich) == before
    ob("soft").data.shape_keys.key_blocks["wide"].data[0].co.x -= 0.1
    bpy.context.view_layer.update()
    assert signature(rich) != before


def test_saving_and_loading_leave_it(rich, tmp_path):
    before = signature(rich)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert signature(bpy.context.scene) == before


def test_a_thousand_objects_take_no_time_that_grows_with_their_square(scene):
    mesh = new_object("first").data
    for k in range(999):
        new_object(f"body {k}", mesh=mesh, location=(k % 30, k // 30, 1))
    bpy.context.view_layer.update()
    signature(scene)
    took = []
    for _ in range(5):
        start = time.process_time()
        signature(scene)
        took.append(time.process_time() - start)
    print(f"1,000 objects: {1e3 * min(took):.1f} ms")
    # 50 ms on a machine of its own; what grows with the square takes many seconds on any.
    assert min(took) < 1.0


@pytest.mark.parametrize("changed", [False, True])
def test_a_bake_that_was_just_made_is_up_to_date(drop, monkeypatch, changed):
    """In a window panels know the fingerprint of a moment ago, which may be from before the change that was baked."""
    app = Passing(bpy.app, background=False, timers=SimpleNamespace(is_registered=lambda function: True))
    monkeypatch.setattr(signatures, "bpy", Passing(bpy, app=app))
    monkeypatch.setattr(signatures, "_known", {drop.session_uid: ("of a moment ago-10", 0.0)})
    run = runs.begin(drop)
    run.job.wait()
    if changed:
        drop.objects["cube"].stiction.friction = 0.1
    runs.finish(run)
    assert out_of_date(drop) == changed
