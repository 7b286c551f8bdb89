"""Drop to Rest: selected objects fall onto what is seen, and keep where they lie; no keys, nothing else is touched."""

import bpy
import pytest
from conftest import CUBE, CUBE_FACES
from panel_layout import draw_all

from stiction.blender_addon.base.steps import exhausted
from stiction.blender_addon.running import dropping
from stiction.blender_addon.running import job as jobs
from stiction.ui.menu import BODIES

FLAT = [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]


def select(*objects):
    for ob in bpy.context.scene.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


@pytest.fixture
def table(scene, add):
    """A flat ground and a block on it, none of them a body."""
    ground = add("ground", FLAT, [(0, 1, 2, 3)], kind="NONE")
    block = add("block", kind="NONE", scale=(1, 1, 0.2), location=(0, 0, 0.1))
    bpy.context.view_layer.update()
    return scene, ground, block


def test_objects_keep_where_they_come_to_lie(table, add):
    scene, _, block = table
    one = add("one", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 0, 0.6), rotation_mode="QUATERNION")
    two = add("two", kind="NONE", scale=(0.2, 0.3, 0.1), location=(1.5, 0, 0.3), rotation_euler=(0, 0, 0.7))
    other = add("other", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 1.5, 3))
    select(one, two)
    bpy.context.view_layer.update()
    frame, before = scene.frame_current, [tuple(ob.matrix_world.translation) for ob in (block, other)]
    assert bpy.ops.stiction.drop_to_rest() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert tuple(one.matrix_world.translation) == pytest.approx((0, 0, 0.3), abs=1e-4), "on the block"
    assert tuple(two.matrix_world.translation) == pytest.approx((1.5, 0, 0.05), abs=1e-4), "on the plane"
    assert two.rotation_euler.z == pytest.approx(0.7, abs=1e-4)
    assert tuple(two.scale) == pytest.approx((0.2, 0.3, 0.1), abs=1e-7)
    assert [tuple(ob.matrix_world.translation) for ob in (block, other)] == before
    assert scene.frame_current == frame
    assert all(ob.stiction.type == "NONE" for ob in scene.objects), "nothing becomes a body"
    assert not bpy.data.actions and all(ob.animation_data is None for ob in scene.objects)
    assert scene.stiction.signature == scene.stiction.verdict == ""
    # Again nothing is left to do.
    assert bpy.ops.stiction.drop_to_rest() == {"FINISHED"}
    assert tuple(one.matrix_world.translation) == pytest.approx((0, 0, 0.3), abs=2e-4)


def test_children_and_deltas_come_to_lie_in_the_world(table, add):
    scene, *_ = table
    tray = add("tray", kind="NONE", scale=(0.5, 0.5, 0.1), location=(-1.4, 0, 0.5))
    cup = add("cup", kind="NONE", location=(0, 0, 3), scale=(0.4, 0.4, 2.0), delta_location=(0.0, 0.0, 1.0))
    cup.parent = tray
    bpy.context.view_layer.update()
    select(tray, cup)
    assert bpy.ops.stiction.drop_to_rest() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert tray.matrix_world.translation.z == pytest.approx(0.05, abs=1e-4)
    assert cup.matrix_world.translation.z == pytest.approx(0.1 + 0.1, abs=1e-4)
    assert tuple(cup.delta_location) == (0.0, 0.0, 1.0) and cup.parent == tray


def test_open_meshes_and_sheets_fall_too(table, add):
    scene, *_ = table
    # A cube without a lid, and a card.
    crate = add("crate", CUBE, CUBE_FACES[:-1], kind="NONE", scale=(0.3, 0.3, 0.3), location=(1.2, 0, 0.5))
    card = add("card", FLAT, [(0, 1, 2, 3)], kind="NONE", scale=(0.05, 0.05, 1), location=(-1.2, 0, 0.3))
    select(crate, card)
    assert bpy.ops.stiction.drop_to_rest() == {"FINISHED"}
    assert crate.location.z == pytest.approx(0.15, abs=5e-3)
    assert card.location.z == pytest.approx(0.5 * 0.01 * 0.2, abs=1e-3)
    assert crate.stiction.shape == card.stiction.shape == "AUTO"


def test_a_ball_does_not_roll_for_ever(table, add):
    """It rolls off the edge of the block; on a level ground nothing stops it but what this verb adds."""
    ball = add("ball", *sphere(0.1), kind="NONE", location=(0.55, 0, 0.4))
    select(ball)
    assert bpy.ops.stiction.drop_to_rest(seconds=20.0) == {"FINISHED"}
    assert ball.location.z == pytest.approx(0.1, abs=5e-3)
    assert 0.6 < ball.location.x < 2.0


def sphere(radius):
    """Vertices and faces of an icosphere."""
    import bmesh

    made = bmesh.new()
    bmesh.ops.create_icosphere(made, subdivisions=4, radius=radius)
    for k, vertex in enumerate(made.verts):
        vertex.index = k
    vertices = [tuple(vertex.co) for vertex in made.verts]
    faces = [tuple(vertex.index for vertex in face.verts) for face in made.faces]
    made.free()
    return vertices, faces


def test_what_does_not_rest_is_said(table, add, capfd):
    ball = add("far", kind="NONE", scale=(0.2, 0.2, 0.2), location=(9, 0, 1))
    select(ball)
    assert bpy.ops.stiction.drop_to_rest(seconds=0.5) == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Dropped: 1 object, not at rest after 0.5 s" in said
    assert "Warning: it did not come to rest by" in said and "'far'" in said


def test_what_has_nothing_under_it_stays(table, add, capfd):
    """It would fall for ever: the ground itself, what is beside it; what has a ground still falls."""
    far = add("far", kind="NONE", scale=(0.2, 0.2, 0.2), location=(9, 0, 1))
    cube = add("cube", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 0, 0.6))
    select(far, cube)
    bpy.context.view_layer.update()
    assert bpy.ops.stiction.drop_to_rest(seconds=3.0) == {"FINISHED"}
    assert tuple(far.location) == pytest.approx((9, 0, 1), abs=1e-7)
    assert cube.location.z == pytest.approx(0.3, abs=1e-4)
    said = capfd.readouterr().out
    assert "Dropped: 1 object, all others at rest after 3 s" in said
    assert "object 'far': there is nothing under it to fall onto; it stays where it was" in said
    assert "more time" not in said


def test_bodies_alone_where_that_is_wished(table, add):
    _, ground, _ = table
    ground.stiction.type = "PASSIVE"
    cube = add("cube", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 0, 0.6))
    select(cube)
    cube.location.z = 0.15
    bpy.context.view_layer.update()
    assert bpy.ops.stiction.drop_to_rest(bodies_only=True) == {"FINISHED"}
    assert cube.location.z == pytest.approx(0.1, abs=1e-4), "through the block, which is no body"


def test_what_would_not_stay_is_refused(table, add):
    cube = add("cube", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 0, 0.6))
    select(cube)
    cube.keyframe_insert("location", frame=1)
    with pytest.raises(RuntimeError, match="object 'cube': is animated, and its keys would move it away"):
        bpy.ops.stiction.drop_to_rest()
    cube.animation_data_clear()
    cube.constraints.new("LIMIT_LOCATION")
    with pytest.raises(RuntimeError, match="object 'cube': has the constraint"):
        bpy.ops.stiction.drop_to_rest()
    assert cube.location.z == pytest.approx(0.6)


def test_it_is_found_where_one_looks(table, add):
    select(bpy.context.scene.objects["block"])
    assert "stiction.drop_to_rest" in draw_all(bpy.context).operators
    assert "drop_to_rest" in BODIES
    # One step of undo, and F3 finds what is in a menu.
    operator = bpy.ops.stiction.drop_to_rest.get_rna_type()
    assert operator.name == "Drop to Rest"
    assert "UNDO" in bpy.types.STICTION_OT_drop_to_rest.bl_options
    drawn = [getattr(draw, "__name__", "") for draw in bpy.types.VIEW3D_MT_transform_object._dyn_ui_initialize()]
    assert "draw_in_transform" in drawn


def test_cancel_leaves_all_where_it_was(table, add):
    """The process is stopped as Cancel does it; the frames of the fall go."""
    cube = add("cube", kind="NONE", scale=(0.2, 0.2, 0.2), location=(0, 0, 50))
    select(cube)
    run = exhausted(dropping.begin_steps(bpy.context, 100.0, False))
    assert jobs.running()
    assert bpy.ops.stiction.cancel() == {"FINISHED"}
    assert not jobs.running()
    dropping.forget(run)
    assert not run.folder.exists()
    assert cube.location.z == 50
