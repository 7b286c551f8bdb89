"""What the bridge takes a mesh for."""

import numpy as np
import pytest
from conftest import CUBE, CUBE_FACES

from stiction.blender_addon import geometry as measure
from stiction.blender_addon.geometry import Geometry

TRIANGLES = np.array([t for a, b, c, d in CUBE_FACES for t in ((a, b, c), (a, c, d))])
CUBE_MESH = Geometry(np.array(CUBE), TRIANGLES)


def rotated(geometry, angle=0.3):
    c, s = np.cos(angle), np.sin(angle)
    return geometry.transformed(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))


def test_cube_is_a_closed_convex_box():
    assert measure.open_edge_count(CUBE_MESH) == 0
    assert measure.volume(CUBE_MESH) == pytest.approx(1.0, rel=1e-14)
    assert measure.is_box(CUBE_MESH)
    assert measure.is_convex(CUBE_MESH)
    assert not measure.is_sphere(CUBE_MESH), "its corners lie on a sphere, its faces do not"


def test_turned_cube_is_convex_but_no_box():
    assert not measure.is_box(rotated(CUBE_MESH))
    assert measure.is_convex(rotated(CUBE_MESH))


def test_volume_keeps_its_digits_far_from_the_origin():
    far = Geometry(CUBE_MESH.vertices + 1e6, TRIANGLES)
    assert measure.volume(far) == pytest.approx(1.0, rel=1e-9)


def test_missing_face_is_counted():
    assert measure.open_edge_count(Geometry(CUBE_MESH.vertices, TRIANGLES[:-1])) == 3


def test_flipped_triangle_is_inconsistent():
    triangles = TRIANGLES.copy()
    triangles[0] = triangles[0][::-1]
    assert measure.open_edge_count(Geometry(CUBE_MESH.vertices, triangles)) > 0


def test_mirroring_keeps_triangles_facing_out():
    assert measure.volume(CUBE_MESH.transformed(np.diag([-1.0, 2.0, 3.0]))) == pytest.approx(6.0)


def test_dented_cube_is_not_convex():
    vertices = np.vstack([CUBE_MESH.vertices, [[0, 0, 0.3]]])
    top = [t for t in TRIANGLES if (CUBE_MESH.vertices[t, 2] > 0).all()]
    rest = [t for t in TRIANGLES if not (CUBE_MESH.vertices[t, 2] > 0).all()]
    rim = [(1, 5), (5, 7), (7, 3), (3, 1)]
    dented = Geometry(vertices, np.array([*rest, *[(a, b, 8) for a, b in rim]]))
    assert len(top) == 2
    assert measure.open_edge_count(dented) == 0
    assert measure.volume(dented) == pytest.approx(1 - 0.2 / 3)
    assert not measure.is_convex(dented)
    assert not measure.is_box(dented)


def test_welding_joins_split_faces():
    split = Geometry(CUBE_MESH.vertices[TRIANGLES.ravel()], np.arange(36).reshape(-1, 3))
    assert measure.open_edge_count(split) == 36
    assert measure.open_edge_count(measure.welded(split)) == 0


def test_flat_vertices_have_no_thickness():
    assert measure.thickness(Geometry(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]), TRIANGLES[:1])) < 1e-12
