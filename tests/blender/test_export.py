"""Export: what Blender shows is what the solver gets, in SI units."""

import bpy
import numpy as np
import pytest
from conftest import CUBE, shown_vertices
from mathutils import Euler, Matrix

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.base.transforms import pose_matrix
from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.repairs import MeshRepair
from stiction.solver.scene import Motion


def body_of(scene, name="body"):
    return next(body for body in export_scene(scene).scene.bodies if body.name == name)


def surface_in_world(body):
    """Vertices of a body's shape in the world (n,3) [m]."""
    vertices, _ = body.shape.surface()
    matrix = pose_matrix(body.position, body.orientation)
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]


def same_points(a, b, tolerance=2e-6):
    """True if two sets of points agree, in any order."""
    a, b = np.asarray(a), np.asarray(b)
    distance = np.linalg.norm(a[:, None] - b[None], axis=2)
    return distance.min(axis=0).max() < tolerance and distance.min(axis=1).max() < tolerance


PLACES = {
    "plain": {},
    "scaled": {"scale": (1, 2, 0.3), "location": (1, 2, 3), "rotation_euler": (0.3, 0.2, 0.1)},
    "mirrored": {"scale": (-1, 2, 0.3), "rotation_euler": (0.3, 0.2, 0.1)},
    "mirrored thrice": {"scale": (-1, -2, -0.3), "rotation_euler": (1.3, 0.2, 0.1)},
    "delta": {"delta_scale": (1.1, 0.9, 1.3), "delta_location": (1, 0, 2), "delta_rotation_euler": (0.2, 0.5, -0.4)},
}
WEDGE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
WEDGE_FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", ["AUTO", "MESH", "CONVEX_HULL"])
def test_shape_lies_where_blender_shows_the_mesh(scene, add, place, shape):
    ob = add("body", WEDGE, WEDGE_FACES, **PLACES[place])
    ob.stiction.shape = shape
    assert same_points(surface_in_world(body_of(scene)), shown_vertices(ob))


@pytest.mark.parametrize("place", PLACES)
def test_box_off_its_origin(scene, add, place):
    ob = add("body", [(x + 5, y - 3, z) for x, y, z in CUBE], **PLACES[place])
    body = body_of(scene)
    assert body.shape.type == "box"
    assert same_points(surface_in_world(body), shown_vertices(ob), 5e-6)


def test_chain_of_parents_with_scale(scene, add):
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler, parent.location = (2, 2, 2), (0.3, 0.2, 0.1), (1, 0, 0)
    inverse = Matrix.Translation((1, 2, 3)) @ Euler((0.1, 0.4, -0.3)).to_matrix().to_4x4()
    ob = add("body", WEDGE, WEDGE_FACES, parent=parent, matrix_parent_inverse=inverse, scale=(1, 2, -0.3))
    assert same_points(surface_in_world(body_of(scene)), shown_vertices(ob), 5e-6)


def test_modifiers_are_applied(scene, add):
    ob = add("body")
    modifier = ob.modifiers.new("Array", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 2, (2, 0, 0)
    ob.stiction.shape = "CONVEX_HULL"
    body = body_of(scene)
    assert np.ptp(surface_in_world(body), axis=0) == pytest.approx([3, 1, 1], abs=1e-6)


def test_objects_of_one_mesh_share_one_shape(scene, add):
    first = add("a", WEDGE, WEDGE_FACES)
    add("b", mesh=first.data, location=(5, 0, 0), rotation_euler=(1, 2, 3))
    add("c", mesh=first.data, scale=(2, 2, 2))
    a, b, c = export_scene(scene).scene.bodies
    assert a.shape is b.shape
    assert c.shape is not a.shape


def test_automatic_shapes(scene, add):
    add("box", rotation_euler=(1, 2, 3))
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, segments=96, ring_count=48)
    bpy.context.object.name, bpy.context.object.stiction.type = "sphere", "ACTIVE"
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=1)
    bpy.context.object.name, bpy.context.object.stiction.type = "hull", "ACTIVE"
    bpy.ops.mesh.primitive_torus_add()
    bpy.context.object.name, bpy.context.object.stiction.type = "torus", "ACTIVE"
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.name, bpy.context.object.stiction.type = "floor", "PASSIVE"
    found = {body.name: body.shape.type for body in export_scene(scene).scene.bodies}
    assert found == {"box": "box", "sphere": "sphere", "hull": "convex_hull", "torus": "mesh", "floor": "mesh"}


def test_bounds_shapes_have_blenders_proportions(scene, add):
    ob = add("body", scale=(2, 1, 6))
    ob.stiction.shape = "CAPSULE"
    shape = body_of(scene).shape
    assert (shape.radius, shape.length) == (1.0, 4.0)
    ob.stiction.shape = "CYLINDER"
    shape = body_of(scene).shape
    assert (shape.radius, shape.length) == (1.0, 6.0)
    ob.stiction.shape = "SPHERE"
    assert body_of(scene).shape.radius == 3.0


@pytest.mark.parametrize(("scale", "radius"), [((1, 1, 1), 0.5), ((2, 1, 0.6), 1.0)])
def test_a_capsule_no_taller_than_wide_is_a_sphere(scene, add, scale, radius):
    """As in Blender, whose capsule is two caps and what is between them."""
    add("body", scale=scale).stiction.shape = "CAPSULE"
    shape = body_of(scene).shape
    assert (shape.type, shape.radius) == ("sphere", radius)


def test_compound_of_children(scene, add):
    parent = add("body", location=(1, 1, 1), rotation_euler=(0.3, 0.2, 0.1))
    parent.stiction.shape = "COMPOUND"
    parts = [add(f"part {x}", kind="NONE", parent=parent, location=(x, 0, 0), scale=(1, 1, 2)) for x in (-2, 2)]
    body = body_of(scene)
    assert [part.shape.type for part in body.shape.parts] == ["box", "box"]
    shown = np.concatenate([shown_vertices(part) for part in parts])
    assert same_points(surface_in_world(body), shown, 5e-6)
    assert body.shape.mass_properties().volume == pytest.approx(4.0, rel=1e-6)


def test_unit_scale_gives_metres(scene, add):
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    ob = add("body", location=(100, 0, 0))
    ob.stiction.velocity = (200, 0, 0)
    body = body_of(scene)
    assert body.shape.size == (0.01, 0.01, 0.01)
    assert body.position == (1.0, 0.0, 0.0)
    assert body.velocity == (2.0, 0.0, 0.0)


def test_single_precision_becomes_what_was_typed(scene, add):
    ob = add("body", location=(0.1, 0.2, 0.3))
    ob.stiction.density, ob.stiction.friction = 2600.7, 0.35
    export = export_scene(scene).scene
    assert export.bodies[0].position == (0.1, 0.2, 0.3)
    assert export.gravity == (0.0, 0.0, -9.81)
    assert (export.materials.materials[0].density, export.materials.materials[0].friction) == (2600.7, 0.35)


def test_mass_overrides_density_and_equal_materials_are_one(scene, add):
    heavy = add("a")
    add("b", location=(3, 0, 0))
    heavy.stiction.use_mass, heavy.stiction.mass = True, 12.5
    scene_out = export_scene(scene).scene
    assert [body.mass for body in scene_out.bodies] == [12.5, None]
    assert len(scene_out.materials.materials) == 1


def test_animated_body_is_sampled_on_every_frame(scene, add):
    add("faller", location=(0, 0, 5))
    pusher = add("pusher", kind="PASSIVE", scale=(1, 1, 2))
    pusher.stiction.kinematic = True
    for frame, x in ((1, 0.0), (20, 19.0)):
        pusher.location.x = x
        pusher.keyframe_insert("location", frame=frame)
    scene.frame_set(9)
    body = body_of(scene, "pusher")
    assert body.motion == Motion.KINEMATIC
    assert scene.frame_current == 9, "the frame one looked at comes back"
    assert len(body.keys.times) == 20
    assert body.keys.times[-1] == pytest.approx(19 / 24)
    for row in (0, 7, 19):
        scene.frame_set(1 + row)
        assert body.keys.positions[row, 0] == pytest.approx(pusher.matrix_world.translation.x, abs=1e-5)


def test_deleted_and_disabled_objects(scene, add):
    add("body")
    hidden = add("wall", kind="PASSIVE")
    hidden.hide_set(True)
    assert len(export_scene(scene).scene.bodies) == 2, "hidden from sight only"


def test_a_mesh_in_edit_mode_counts_as_it_is_being_edited(scene, add):
    """Blender fills the evaluated mesh of an object without modifiers only when it is asked for it."""
    import bmesh

    body = add("body")
    before, stamp = export_scene(scene).scene.bodies[0].shape, signature(scene)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    assert export_scene(scene).scene.bodies[0].shape == before and signature(scene) == stamp
    edited = bmesh.from_edit_mesh(body.data)
    for vertex in edited.verts:
        vertex.co.x *= 2.0
    bmesh.update_edit_mesh(body.data)
    bpy.context.view_layer.update()
    assert export_scene(scene).scene.bodies[0].shape.size == (2.0, 1.0, 1.0) and signature(scene) != stamp
    bpy.ops.object.mode_set(mode="OBJECT")


def test_layers_and_ignored_collections(scene, add):
    ball, ghost = add("ball"), add("ghost")
    add("floor", kind="PASSIVE")
    ghost.stiction.layers = [False, True] + [False] * 18
    ghost.stiction.collides_with = [k < 2 for k in range(20)]
    hidden = bpy.data.collections.new("hidden")
    scene.collection.children.link(hidden)
    hidden.objects.link(scene.objects["floor"])
    hidden.objects.link(ball)
    ball.stiction.ignore = hidden
    exported = export_scene(scene).scene
    by_name = {body.name: body for body in exported.bodies}
    assert by_name["ball"].layers == (1,) and by_name["ball"].collides_with is None
    assert by_name["ghost"].layers == (2,) and by_name["ghost"].collides_with == (1, 2)
    assert exported.excluded_pairs == (("ball", "floor"),)
    before = signature(scene)
    hidden.objects.unlink(scene.objects["floor"])
    assert signature(scene) != before
    assert export_scene(scene).scene.excluded_pairs == ()


def test_repairs_reach_the_solver_with_their_numbers(scene, add):
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    for kind, (attribute, value) in {
        "VOXEL_REMESH": ("voxel_size", 0.5), "SOLIDIFY": ("thickness", 0.2), "PROXY": ("triangle_count", 300),
    }.items():  # fmt: skip
        ob = add(kind, WEDGE, WEDGE_FACES)
        ob.stiction.shape = kind
        setattr(ob.stiction, attribute, value)
    add("WINDING", WEDGE, WEDGE_FACES[1:]).stiction.shape = "WINDING"
    found = {body.name: body.shape.repair for body in export_scene(scene).scene.bodies}
    assert found == {
        "VOXEL_REMESH": MeshRepair("voxel_remesh", 0.005), "SOLIDIFY": MeshRepair("solidify", 0.002),
        "PROXY": MeshRepair("proxy", 300), "WINDING": MeshRepair("winding", None),
    }  # fmt: skip
    scene.objects["VOXEL_REMESH"].stiction.voxel_size = 0.0
    assert body_of(scene, "VOXEL_REMESH").shape.repair == MeshRepair("voxel_remesh", None)
    scene.objects["SOLIDIFY"].stiction.thickness = 0.0
    with pytest.raises(SceneError, match="object 'SOLIDIFY': thickness is 0 m; give a number above 0"):
        export_scene(scene)
