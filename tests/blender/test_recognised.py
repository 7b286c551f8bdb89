"""The line in the panel that says what a mesh is taken for."""

import bmesh
import bpy
import pytest
from conftest import CUBE
from mathutils import Euler, Vector

from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.settings import recognised

OPEN = [(0, 1, 3, 2), (4, 6, 7, 5)]


@pytest.fixture
def looked(scene, monkeypatch):
    """looked(object): the line after a look. Looks are taken here and not by Blender's timer."""
    monkeypatch.setattr(recognised, "_known", {})
    monkeypatch.setattr(recognised, "_lines", {})
    monkeypatch.setattr(bpy.app.timers, "register", lambda *arguments, **named: None)

    def look(ob):
        bpy.context.view_layer.update()
        recognised.line(ob)
        recognised._find()
        return recognised.line(ob)

    return look


def test_what_meshes_are_recognised_as(add, looked):
    assert looked(add("cube")) == "Recognised as box 1 x 1 x 1 m"
    assert looked(add("brick", scale=(2.0, 1.0, 0.5), location=(0, 5, 0))) == "Recognised as box 2 x 1 x 0.5 m"
    assert looked(add("ball", *globe(96, 48), location=(0, 9, 0))) == "Recognised as sphere of radius 1 m"
    assert looked(add("globe", *globe(16, 8))) == "Recognised as convex hull of 114 corners"
    corners = [(x, y, z if (x, y) != (0.5, 0.5) else 0.1 * z) for x, y, z in CUBE]
    assert looked(add("dented", corners)).startswith("Recognised as mesh of 12 triangles")


def test_the_line_says_what_is_exported(scene, add, looked):
    ob = add("ball", *globe(96, 48), scale=(0.3, 0.3, 0.3))
    scene.unit_settings.scale_length = 0.01
    assert looked(ob) == "Recognised as sphere of radius 0.003 m"
    assert export_scene(scene).scene.bodies[0].shape.radius == pytest.approx(0.003)


def test_nothing_is_said_of_what_cannot_be_simulated(add, looked):
    assert looked(add("open", faces=OPEN)) == ""
    assert looked(bpy.data.objects.new("empty", None)) == ""


def test_drawing_reads_no_mesh_and_equal_meshes_are_worked_out_once(add, looked, monkeypatch):
    one, two = add("one"), add("two", location=(3, 0, 0))
    asked = []
    choose = recognised.choose
    monkeypatch.setattr(recognised, "choose", lambda *arguments: asked.append(arguments) or choose(*arguments))
    assert looked(one) == looked(two) == "Recognised as box 1 x 1 x 1 m"
    assert len(asked) == 1
    monkeypatch.setattr(recognised, "read_geometry", None)
    assert recognised.line(one) == "Recognised as box 1 x 1 x 1 m"


def test_the_line_follows_the_mesh(add, looked):
    ob = add("cube")
    assert looked(ob) == "Recognised as box 1 x 1 x 1 m"
    for vertex in ob.data.vertices:
        vertex.co.x *= 3.0
    ob.data.update()
    assert looked(ob) == "Recognised as box 3 x 1 x 1 m"


def test_large_meshes_are_not_looked_at(add, looked, monkeypatch):
    monkeypatch.setattr(recognised, "MOST_FACES", 5)
    assert looked(add("cube")) == ""


def test_undo_brings_back_collision_layers(add):
    """Layers are properties of the object, with which Blender takes them back."""
    ob = add("cube")
    ob.stiction.layers = [k == 3 for k in range(len(ob.stiction.layers))]
    bpy.ops.ed.undo_push(message="before")
    ob.stiction.layers = [k == 7 for k in range(len(ob.stiction.layers))]
    ob.stiction.collides_with[2] = not ob.stiction.collides_with[2]
    wanted = list(ob.stiction.collides_with)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    ob = bpy.data.objects["cube"]
    assert [k for k, on in enumerate(ob.stiction.layers) if on] == [3]
    assert list(ob.stiction.collides_with) != wanted
    bpy.ops.ed.redo()
    assert [k for k, on in enumerate(bpy.data.objects["cube"].stiction.layers) if on] == [7]


def globe(segments, rings):
    """Vertices and faces of a UV sphere of radius 1 as Blender makes it."""
    mesh = bmesh.new()
    bmesh.ops.create_uvsphere(mesh, u_segments=segments, v_segments=rings, radius=1.0)
    mesh.verts.ensure_lookup_table()
    return [tuple(v.co) for v in mesh.verts], [tuple(v.index for v in face.verts) for face in mesh.faces]


def test_automatic_takes_a_mesh_for_what_it_is(scene, add):
    turned = Euler((0.3, 0.5, 0.2)).to_matrix()
    add("turned box", [tuple(turned @ Vector(corner)) for corner in CUBE])
    add("coarse", *globe(32, 16))
    add("fine", *globe(96, 48))
    shapes = {body.name: body.shape for body in export_scene(scene).scene.bodies}
    assert shapes["coarse"].type == "convex_hull"
    assert shapes["fine"].type == "sphere" and shapes["fine"].radius == pytest.approx(1.0, rel=1e-5)
    assert shapes["turned box"].type == "compound" and shapes["turned box"].parts[0].shape.type == "box"
    for name in ("coarse", "fine", "turned box"):
        scene.objects[name].stiction.shape = "MESH"
    assert {body.shape.type for body in export_scene(scene).scene.bodies} == {"mesh"}
