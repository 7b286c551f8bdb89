"""What cannot be simulated is refused in one sentence that names the object, the value and the remedy."""

import bpy
import pytest
from conftest import CUBE, CUBE_FACES

from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.base.refusal import SceneError


def one_vertex(ob):
    ob.data.clear_geometry()
    ob.data.from_pydata(CUBE[:1], [], [])


def nan_vertex(ob):
    ob.data.vertices[3].co = (float("nan"), 0, 0)


def infinite_place(ob):
    ob.location.x = float("inf")


def nan_place(ob):
    ob.location.x = float("nan")


def open_mesh(ob):
    ob.data.clear_geometry()
    ob.data.from_pydata(CUBE, [], CUBE_FACES[:-1])


def flat_mesh(ob):
    ob.data.clear_geometry()
    ob.data.from_pydata(CUBE[:4], [], [(0, 1, 3), (0, 3, 1)])


def flat_hull(ob):
    flat_mesh(ob)
    ob.stiction.shape = "CONVEX_HULL"


def no_faces(ob):
    ob.data.clear_geometry()
    ob.data.from_pydata(CUBE, [], [])


def set_to(name, value):
    return lambda ob: setattr(ob.stiction, name, value)


def massless(ob):
    ob.stiction.use_mass, ob.stiction.mass = True, -2.0


def zero_scale(ob):
    ob.scale.z = 0


def constrained(ob):
    ob.parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(ob.parent)
    ob.constraints.new("COPY_LOCATION").target = ob.parent


def driven(ob):
    ob.driver_add("location", 2)


def rigid_body_too(ob):
    bpy.context.view_layer.objects.active = ob
    bpy.ops.rigidbody.object_add()


def sheared(ob):
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1, 3, 1)
    ob.parent, ob.rotation_euler = parent, (0, 0, 0.5)


@pytest.mark.parametrize(
    ("spoil", "value", "remedy"),
    [
        (nan_vertex, "vertex 3 of its mesh is at (nan, 0.0, 0.0)", "move or delete"),
        (infinite_place, "not finite", "clear them"),
        (nan_place, "not finite", "clear them"),
        (open_mesh, "holes (4 boundary edges)", "choose the shape Close by Winding"),
        (flat_mesh, "zero thickness", "Solidify"),
        (flat_hull, "one plane", "give the mesh thickness"),
        (no_faces, "8 vertices and no faces", "add faces"),
        (one_vertex, "1 vertex and no faces", "add faces"),
        (set_to("density", 0.0), "density is 0.0 kg/m^3", "set a value above 0"),
        (set_to("density", float("nan")), "density is nan", "set a value above 0"),
        (set_to("friction", -0.1), "friction is -0.1", "at least 0"),
        (set_to("restitution", 1.5), "restitution is 1.5", "from 0 to 1"),
        (set_to("velocity", (float("inf"), 0, 0)), "velocity is (3.40282e+38, 0, 0)", "finite"),
        (set_to("shape", "COMPOUND"), "of 0 meshes", "parent meshes"),
        (massless, "mass is -2.0 kg", "above 0"),
        (zero_scale, "scale is (1, 1, 0)", "above 0"),
        (constrained, "constraint 'Copy Location'", "mute or remove"),
        (driven, "driver on location", "remove it"),
        (rigid_body_too, "Blender's own Rigid Body", "press Import Rigid Body"),
        (sheared, "degrees off square", "clear the parent"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_refusal_names_object_value_and_remedy(scene, add, spoil, value, remedy):
    spoil(add("body"))
    with pytest.raises(SceneError) as refusal:
        export_scene(scene)
    message = str(refusal.value)
    assert "object 'body'" in message
    assert value in message
    assert remedy in message
    assert "\n" not in message


def test_empty_scene_and_empty_range(scene, add):
    with pytest.raises(SceneError, match="no Active body; select mesh objects and press Add Active"):
        export_scene(scene)
    add("body")
    scene.stiction.use_scene_range = False
    scene.stiction.frame_start, scene.stiction.frame_end = 10, 5
    with pytest.raises(SceneError, match="frame range 10 to 5 is empty; set End after Start"):
        export_scene(scene)


def test_object_that_is_no_mesh(scene, add):
    empty = bpy.data.objects.new("marker", None)
    scene.collection.objects.link(empty)
    empty.stiction.type = "ACTIVE"
    with pytest.raises(SceneError, match="object 'marker': is of type Empty, not a mesh; convert it"):
        export_scene(scene)


def test_instance_of_a_collection(scene, add):
    hidden = bpy.data.collections.new("parts")
    hidden.objects.link(add("part", kind="NONE"))
    instance = bpy.data.objects.new("copies", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", hidden
    scene.collection.objects.link(instance)
    instance.stiction.type = "ACTIVE"
    with pytest.raises(SceneError, match="object 'copies': is an instance of a collection .* Make Instances Real"):
        export_scene(scene)


def test_huge_coordinates(scene, add):
    add("near", location=(1e4, 0, 0))
    export_scene(scene)
    add("far", location=(0, 3e8, 0))
    with pytest.raises(SceneError, match="object 'far': is 3e\\+08 units from the origin, .* move the scene"):
        export_scene(scene)


def test_linked_object_is_refused(scene, add, tmp_path):
    add("body")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, target):
        target.objects = ["body"]
    bpy.context.scene.collection.objects.link(target.objects[0])
    with pytest.raises(SceneError, match="object 'body': is linked from .*library.blend; make it local"):
        export_scene(bpy.context.scene)


def test_disabled_body_is_refused(scene, add):
    add("body")
    add("wall", kind="PASSIVE").hide_viewport = True
    with pytest.raises(SceneError, match="object 'wall': is disabled in the viewport"):
        export_scene(scene)


def test_animated_scale_of_a_kinematic_body(scene, add):
    add("body", location=(0, 0, 5))
    pusher = add("pusher", kind="PASSIVE")
    pusher.stiction.kinematic = True
    for frame, size in ((1, 1.0), (20, 2.0)):
        pusher.scale.x = size
        pusher.keyframe_insert("scale", frame=frame)
    with pytest.raises(SceneError, match="object 'pusher': its scale changes by a factor 2"):
        export_scene(scene)


@pytest.mark.parametrize("new", [50, 200])
def test_stretched_time_is_refused(scene, add, new):
    scene.render.frame_map_old, scene.render.frame_map_new = 100, new
    add("body")
    with pytest.raises(SceneError, match=f"Time Stretching is 100 to {new}.*set Old and New to the same value"):
        export_scene(scene)
    scene.render.frame_map_old = new
    assert export_scene(scene).scene.bodies
