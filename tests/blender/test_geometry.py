"""A mesh as the bridge reads it."""

import bmesh
import bpy
import numpy as np
import pytest
from conftest import CUBE, CUBE_FACES

from stiction.blender_addon.base.geometry import Geometry, bounds_of, holds, lies_within, meet, triangles_of
from stiction.solver.shapes import Mesh

TRIANGLES = np.array([t for a, b, c, d in CUBE_FACES for t in ((a, b, c), (a, c, d))])
CUBE_MESH = Geometry(np.array(CUBE), TRIANGLES)


def test_mirroring_keeps_triangles_facing_out():
    mirrored = CUBE_MESH.transformed(np.diag([-1.0, 2.0, 3.0]))
    mesh = Mesh(mirrored.vertices, mirrored.triangles)
    assert mesh.prepared.report.repairs() == []
    assert mesh.mass_properties().volume == pytest.approx(6.0)


@pytest.mark.parametrize("faces", [TRIANGLES.tolist(), CUBE_FACES, [*CUBE_FACES[1:], (0, 1, 3), (0, 3, 2)]])
def test_triangles_are_those_that_blender_fills_faces_with(scene, faces):
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata(CUBE, [], faces)
    mesh.calc_loop_triangles()
    wanted = [list(triangle.vertices) for triangle in mesh.loop_triangles]
    assert triangles_of(mesh).tolist() == wanted and len(wanted) == 12


def test_triangles_of_a_mesh_without_attributes_of_its_faces(scene, add):
    """While another object edits it."""
    one = add("one", faces=TRIANGLES.tolist())
    bpy.context.view_layer.objects.active = one
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        edited = bmesh.from_edit_mesh(one.data)
        bmesh.update_edit_mesh(one.data)
        assert len(edited.faces) == 12 and triangles_of(one.data).tolist() == TRIANGLES.tolist()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_closed_surface_holds_what_begins_within_its_bounds_about_its_middle():
    box = bounds_of(CUBE_MESH.vertices)
    small = 0.1 * box
    assert holds(CUBE_MESH.vertices, TRIANGLES, small)
    assert not holds(CUBE_MESH.vertices, TRIANGLES[:2], small), "a face alone goes round nothing"
    assert not holds(CUBE_MESH.vertices, TRIANGLES, small + 0.45), "it sticks out"
    assert meet(box, small + 0.45) and not lies_within(small + 0.45, box) and not meet(box, small + 2.0)
