"""What came in through the door and was refused without a click, or taken and shown otherwise in silence."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from deforming_bodies import soft

from stiction.blender_addon.checks import runner


def refused(scene):
    """Keys of the checks that a bake would end with."""
    return [key for key, found in runner.check_now(scene)[0].items() if any(one.weight == "REFUSED" for one in found)]


def baked(scene, folder, frames=3):
    scene.frame_end, scene.stiction.cache = frames, str(folder)
    return bpy.ops.stiction.bake() == {"FINISHED"}


@pytest.mark.parametrize("accurate", [True, False])
def test_a_sheet_with_soft_body_is_made_thick(scene, tmp_path, accurate):
    """It was left out, and nothing was there to be simulated."""
    cuts = 3 if accurate else 18
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cuts, y_subdivisions=cuts, size=2, location=(0, 0, 1))
    sheet = soft(bpy.context.object)
    assert bpy.ops.stiction.import_rigid_body() == {"FINISHED"}
    assert sheet.stiction.shape == "SOLIDIFY" and sheet.stiction.elastic.element == ("T10" if accurate else "T4")
    assert not refused(scene)
    if accurate:
        assert baked(scene, tmp_path)
        scene.frame_set(3)
        assert np.allclose(shown_vertices(sheet)[:, 2], 1 - 0.5 * 9.81 * (2 / 24) ** 2, atol=5e-3)


def test_a_sheet_that_is_deformable_is_found(scene, add, tmp_path):
    """The worker refused it, and no check spoke of it."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=2, location=(0, 0, 1))
    sheet = bpy.context.object
    sheet.stiction.type, sheet.stiction.elastic.use = "ACTIVE", True
    assert refused(scene) == ["sheet"]
    assert bpy.ops.stiction.repair(check="SHEET") == {"FINISHED"}
    assert not refused(scene) and baked(scene, tmp_path)


@pytest.mark.parametrize("primitive", ["text", "metaball"])
def test_what_is_no_mesh_is_made_one(scene, tmp_path, primitive):
    """It could but be taken out."""
    getattr(bpy.ops.object, f"{primitive}_add")(location=(0, 0, 1))
    ob = bpy.context.object
    if primitive == "text":
        ob.data.extrude = 0.2
    ob.stiction.type = "ACTIVE"
    assert refused(scene) == ["unmeshed"]
    assert bpy.ops.stiction.repair(check="UNMESHED") == {"FINISHED"}
    assert [one.type for one in scene.objects] == ["MESH"]
    assert not refused(scene) and baked(scene, tmp_path)


def test_text_with_soft_body_stays_soft(scene, tmp_path):
    bpy.ops.object.text_add(location=(0, 0, 1))
    text = bpy.context.object
    text.data.body, text.data.extrude = "I", 0.2
    soft(text, mass=0.5, pull=0.9)
    bpy.ops.stiction.import_rigid_body()
    assert refused(scene) == ["unmeshed"]
    bpy.ops.stiction.repair(check="UNMESHED")
    assert text.type == "MESH" and text.stiction.elastic.use
    assert text.stiction.mass == pytest.approx(0.5 * len(text.data.vertices))
    assert not refused(scene) and baked(scene, tmp_path)


def turning(scene, add, **start):
    """An Animated cube that keys turn under a parent of uneven scale, which moves."""
    add("ball", location=(0, 0, 5))
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    parent.scale = (3, 1, 1)
    for frame, x in ((1, 0.0), (10, 2.0)):
        parent.location.x = x
        parent.keyframe_insert("location", frame=frame)
    ob = add("turner", kind="PASSIVE", **start)
    ob.parent, ob.stiction.kinematic, scene.frame_end = parent, True, 10
    for frame, angle in ((1, 0.0), (10, 1.5)):
        ob.rotation_euler.z = angle
        ob.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    return ob


@pytest.mark.parametrize("start", [{}, {"rotation_euler": (0.4, 0.3, 0)}])
def test_what_turns_in_its_parents_uneven_scale_keeps_its_way(scene, add, tmp_path, start):
    """A bake refused it without a button; where it was sheared at the first frame, the button took its way from it."""
    ob = turning(scene, add, **start)
    before = shown_vertices(ob)
    assert refused(scene) == ["shear"]
    assert bpy.ops.stiction.repair(check="SHEAR") == {"FINISHED"}
    assert np.allclose(shown_vertices(ob), before, atol=1e-5)
    assert not refused(scene) and baked(scene, tmp_path, 10)
    scene.frame_set(10)
    assert ob.matrix_world.translation.x == pytest.approx(2.0, abs=1e-5)
    assert ob.matrix_world.to_quaternion().rotation_difference(ob.matrix_parent_inverse.to_quaternion()).angle > 0.8


def test_what_turns_about_the_axis_of_its_parents_scale_is_taken(scene, add):
    ob = turning(scene, add)
    ob.parent.scale = (1, 1, 3)
    bpy.context.view_layer.update()
    assert not refused(scene)


@pytest.mark.parametrize("shape, scale, found", [
    ("SPHERE", (1, 0.4, 0.4), True), ("SPHERE", (1, 0.97, 1), False), ("CAPSULE", (1, 1, 0.4), True),
    ("CYLINDER", (1, 0.4, 1), True), ("CYLINDER", (1, 1, 0.4), False), ("BOX", (1, 0.4, 0.4), False),
])  # fmt: skip
def test_a_ball_about_what_is_none_is_found(scene, add, shape, scale, found):
    """A stretched ball collided in its largest radius, and nothing said so."""
    ob = add("egg", location=(0, 0, 3), scale=scale)
    ob.stiction.shape = shape
    bpy.context.view_layer.update()
    assert bool(runner.check_now(scene)[0]["rounded"]) == found
    if found:
        bpy.ops.stiction.repair(check="ROUNDED")
        assert ob.stiction.shape == "CONVEX_HULL" and not runner.check_now(scene)[0]["rounded"]


def test_a_stretched_ball_is_said_to_be_none_when_it_is_taken_over(scene):
    bpy.ops.mesh.primitive_uv_sphere_add()
    ball = bpy.context.object
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    ball.rigid_body.collision_shape, ball.scale = "SPHERE", (1, 0.4, 0.4)
    bpy.context.view_layer.update()
    bpy.ops.stiction.import_rigid_body()
    assert "stretched" in bpy.data.texts["Stiction Import"].as_string()


def weighted(offset):
    """A ball of 1 m whose origin lies so far below its middle, Active in Blender's own Rigid Body, tilted."""
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, rotation=(0, 1.2, 0))
    ball = bpy.context.object
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    for vertex in ball.data.vertices:
        vertex.co.z += offset
    bpy.context.view_layer.update()
    ball.location = -ball.matrix_world.to_3x3().col[2] * offset
    ball.location.z += 0.5
    return ball


def test_a_tumbler_stands_up_with_a_click(scene, tmp_path):
    """In Blender the origin is the centre of mass, and toys are made of that: they lay there, and nothing said why."""
    ball = weighted(0.3)
    bpy.ops.stiction.import_rigid_body()
    assert "centre of mass" in bpy.data.texts["Stiction Import"].as_string()
    assert [one.names for one in runner.check_now(scene)[0]["off_center"]] == [(ball.name,)]
    assert bpy.ops.stiction.repair(check="OFF_CENTER") == {"FINISHED"}
    assert baked(scene, tmp_path, 40)
    ups = []
    for frame in range(1, 41):
        scene.frame_set(frame)
        ups.append(ball.matrix_world.to_3x3().col[2].z)
    assert ups[0] < 0.4 and max(ups) > 0.95


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_an_origin_in_the_middle_or_at_an_end_is_not_spoken_of(scene, offset):
    weighted(offset)
    bpy.ops.stiction.import_rigid_body()
    assert not runner.check_now(scene)[0]["off_center"]


@pytest.mark.parametrize("tie", ["parent", "constraint", "driver"])
def test_what_an_active_body_carries_is_said_and_fixed_to_it(scene, add, tmp_path, tie):
    """A bumper of a car stood where it began, the car ran into it, and the result was good."""
    car, bumper = add("car", location=(0, 0, 4)), add("bumper", kind="PASSIVE", location=(2, 0, 0))
    if tie == "parent":
        bumper.parent, bumper.stiction.kinematic = car, True
    elif tie == "constraint":
        bumper.constraints.new("COPY_ROTATION").target = car
    else:
        driver = bumper.driver_add("location", 2).driver
        driver.expression, variable = "z", driver.variables.new()
        variable.name, variable.type, variable.targets[0].id = "z", "TRANSFORMS", car
    bpy.context.view_layer.update()
    assert [one.names for one in runner.check_now(scene)[0]["carried"]] == [("bumper", "car")]
    assert baked(scene, tmp_path, 6) and scene.stiction.worth == "usable"
    bpy.ops.stiction.clear()
    assert bpy.ops.stiction.repair(check="CARRIED") == {"FINISHED"}
    assert not runner.check_now(scene)[0]["carried"] and baked(scene, tmp_path, 6)
    assert scene.stiction.worth == "good"
    scene.frame_set(6)
    if tie == "parent":
        assert bumper.matrix_world.translation.z == pytest.approx(car.matrix_world.translation.z, abs=1e-4)
        assert car.matrix_world.translation.z < 3.9


def test_a_ball_that_keys_grow_from_nothing_is_taken_in_its_size(scene, add, tmp_path):
    """The button took it out of the simulation."""
    ball = add("ball", location=(0, 0, 4))
    for frame, size in ((1, 0.0), (5, 0.8)):
        ball.scale = size, size, size
        ball.keyframe_insert("scale", frame=frame)
    scene.frame_set(1)
    assert refused(scene) == ["keyed_scale"]
    assert bpy.ops.stiction.repair(check="KEYED_SCALE") == {"FINISHED"}
    assert tuple(ball.scale) == pytest.approx((0.8, 0.8, 0.8)) and not refused(scene) and baked(scene, tmp_path)


@pytest.mark.parametrize("where", ["world", "body", "constraint", "field"])
def test_what_of_rigid_body_is_not_read_keeps_a_bake_from_being_good(scene, tmp_path, where):
    """Only the report of the import spoke of it."""
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 4))
    cube = bpy.context.object
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    bpy.ops.mesh.primitive_cube_add(location=(0, 4, 4))
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    post = bpy.context.object
    if where == "constraint":
        bpy.ops.object.empty_add(location=(0, 2, 4))
        bpy.ops.rigidbody.constraint_add(type="HINGE")
        own = bpy.context.object.rigid_body_constraint
        own.object1, own.object2 = post, cube
    if where == "field":
        bpy.ops.object.effector_add(type="WIND")
    owner, group, name = {"world": (scene, "rigidbody_world", "time_scale"), "body": (cube, "rigid_body", "friction"),
                          "constraint": (bpy.context.object, "rigid_body_constraint", "limit_ang_z_upper"),
                          "field": (scene, "rigidbody_world", "enabled")}[where]  # fmt: skip
    for frame, value in ((1, 1.0), (3, 0.5)) if where != "field" else ():
        setattr(getattr(owner, group), name, value)
        owner.keyframe_insert(f"{group}.{name}", frame=frame)
    bpy.ops.stiction.import_rigid_body()
    assert baked(scene, tmp_path) and scene.stiction.worth == "usable"
    assert ("field" if where == "field" else "not used") in bpy.data.texts["Stiction Report"].as_string()


def keyed_array(ob):
    array = ob.modifiers.new("array", "ARRAY")
    for frame, count in ((1, 1), (20, 4)):
        array.count = count
        array.keyframe_insert("count", frame=frame)


@pytest.mark.parametrize("change, nothing", [(keyed_array, False), (lambda ob: ob.modifiers.new("b", "BUILD"), True)])
def test_modifiers_that_make_another_shape_as_the_scene_plays_are_said(scene, add, tmp_path, change, nothing):
    """A body of a keyed Array collided as at the first frame, in a good result; one that Build makes was taken out."""
    ob, _ = add("body", location=(0, 0, 3)), add("ground", kind="PASSIVE", scale=(9, 9, 1))
    change(ob)
    scene.frame_set(1)
    found = runner.check_now(scene)[0]["deforming"]
    assert [one.names for one in found] == [("body",)]
    assert refused(scene) == (["deforming"] if nothing else [])
    if not nothing:
        assert baked(scene, tmp_path) and scene.stiction.worth == "usable"
        bpy.ops.stiction.clear()
    assert bpy.ops.stiction.repair(check="DEFORMING") == {"FINISHED"}
    assert not runner.check_now(scene)[0]["deforming"] and not refused(scene)
    assert baked(scene, tmp_path, 20) and scene.stiction.worth == "good"
    scene.frame_set(20)
    assert np.ptp(shown_vertices(ob), axis=0) == pytest.approx((1, 1, 1), abs=1e-4)


def test_a_wind_that_a_soft_body_felt_is_said(scene, tmp_path):
    """The Soft Body that was switched off counted as one that still feels it."""
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 4))
    soft(bpy.context.object, mass=0.1, pull=0.9)
    bpy.ops.object.effector_add(type="WIND")
    bpy.ops.stiction.import_rigid_body()
    assert runner.check_now(scene)[0]["force_fields"]
    assert baked(scene, tmp_path) and scene.stiction.worth == "usable"


def test_a_soft_lattice_is_left_out_and_in_nobodys_way(scene, add, tmp_path):
    add("body", location=(0, 0, 3))
    bpy.ops.object.add(type="LATTICE")
    bpy.context.object.modifiers.new("Softbody", "SOFT_BODY")
    bpy.ops.stiction.import_rigid_body()
    assert "Lattice" in bpy.data.texts["Stiction Import"].as_string()
    assert not refused(scene) and baked(scene, tmp_path)


@pytest.mark.parametrize("held", [True, False])
def test_a_sheet_that_nothing_holds_is_stiff_enough_to_land_on_its_edge(scene, held):
    """Letters without thickness were crushed beyond numbers, which ended the run."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3, size=2)
    sheet = soft(bpy.context.object, use_goal=held, pull=0.0)
    bpy.ops.stiction.import_rigid_body()
    weight, volume, length = 16 * 9.81, 0.02 * 4, 2.0
    factor = 10 if held else 100
    assert sheet.stiction.elastic.young == pytest.approx(factor * weight * length / volume, rel=1e-4)


def test_what_the_worker_refuses_gets_a_button(scene, add, tmp_path):
    """A driver of its size makes an Animated body grow: the bake said so, and no check."""
    add("ball", location=(0, 0, 5))
    ob = add("press", kind="PASSIVE")
    ob.stiction.kinematic = True
    ob.driver_add("scale", 2).driver.expression = "1 + frame / 10"
    scene.frame_set(1)
    assert not refused(scene)
    with pytest.raises(RuntimeError, match="its scale changes"):
        baked(scene, tmp_path)
    assert refused(scene) == ["shear"]
    assert bpy.ops.stiction.repair(check="SHEAR") == {"FINISHED"}
    assert not refused(scene) and baked(scene, tmp_path)


def test_what_is_crushed_gets_a_button(scene, add, tmp_path):
    ob = add("jelly", location=(0, 0, 1))
    ob.stiction.elastic.use, ob.stiction.elastic.element_size = True, 3.0
    with pytest.raises(RuntimeError, match="element_size is 3"):
        baked(scene, tmp_path)
    assert refused(scene) == ["refused"]
    from stiction.blender_addon.checks.forms import by_worker

    by_worker.remember(scene, "body 'jelly': is crushed beyond numbers at 0.4 s; give a smaller time step")
    assert refused(scene) == ["weak"]
    before = ob.stiction.elastic.young
    bpy.ops.stiction.repair(check="WEAK")
    assert ob.stiction.elastic.young == pytest.approx(10 * before) and not refused(scene)
