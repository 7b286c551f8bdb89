"""Contacts of spheres and capsules with triangle meshes."""

import numpy as np
import pytest
from mesh_poses import ORIGIN, REST, UPRIGHT
from mesh_reference import axis_quaternion, random_quaternion, rotation, surface_distance

from stiction.solver.collision.mesh.mesh_round_kernels import capsule_mesh
from stiction.solver.collision.surface.mesh_pool import build_mesh_pool
from stiction.solver.shapes import generators
from stiction.solver.shapes.mesh import Mesh

UP = np.array([0.0, 0.0, 1.0])
MESHES = {
    "cube": generators.plate((1, 1, 1)),
    "floor": generators.plate((4, 4, 0.5), (40, 40)),
    "sheet": generators.grid_plane((4, 4), (40, 40)),
    "gear": generators.gear(6),
    "chalice": generators.chalice(1.0, 12),
    "groove": generators.hopper(),
}
NAMES = list(MESHES)
POOL = build_mesh_pool([Mesh(*mesh).surface() for mesh in MESHES.values()])
ROOM = 64


def touch(name, center, radius, half=None, twist=REST, x=ORIGIN, q=UPRIGHT, u=REST, h=0.01, margin=0.01):
    """Contacts of a sphere or (half axis given) a capsule: positions, normals, gaps, keys."""
    out = (np.zeros((ROOM, 3)), np.zeros((ROOM, 3)), np.zeros(ROOM), np.zeros(ROOM, dtype=np.int64))
    center, number = np.array(center, dtype=float), NAMES.index(name)
    half = np.zeros(3) if half is None else np.array(half, dtype=float)
    count = capsule_mesh(POOL, number, x, q, u, center, half, radius, twist, h, margin, *out)
    assert count <= ROOM
    return [table[:count] for table in out]


@pytest.mark.parametrize("floor", ["floor", "sheet"])
def test_ball_on_triangles_has_one_contact_with_the_planes_normal(floor):
    top = 0.25 if floor == "floor" else 0.0
    rng = np.random.default_rng(1)
    places = [*rng.uniform(-1.5, 1.5, (500, 2)), *((x, 0.1) for x in np.linspace(-1, 1, 101)), (0.0, 0.0), (0.1, 0.1)]
    keys = set()
    for x, y in places:
        position, normal, gap, key = touch(floor, (x, y, top + 0.2 - 1e-3), 0.2)
        assert len(gap) == 1
        assert np.all(normal[0] == UP)
        assert gap[0] == pytest.approx(-1e-3, abs=1e-12)
        np.testing.assert_allclose(position[0], (x, y, top - 0.5e-3), atol=1e-12)
        keys.add(int(key[0]))
    assert len(keys) == 1


@pytest.mark.parametrize("gap", [5e-3, 0.0, -5e-3])
def test_ball_at_face_edge_and_corner_of_a_cube(gap):
    for direction in ((1, 0, 0), (1, 1, 0), (1, 1, 1)):
        corner, n = 0.5 * np.array(direction, dtype=float), np.array(direction) / np.linalg.norm(direction)
        position, normal, gaps, _ = touch("cube", corner + (0.2 + gap) * n, 0.2)
        assert len(gaps) == 1
        assert gaps[0] == pytest.approx(gap, abs=1e-12)
        np.testing.assert_allclose(normal[0], n, atol=1e-12)
        np.testing.assert_allclose(position[0], corner + 0.5 * gap * n, atol=1e-12)


@pytest.mark.parametrize("name", ["gear", "chalice"])
def test_ball_against_brute_force(name):
    """Outside the solid, within reach: the least gap is the distance to the surface less the radius."""
    vertices, triangles = Mesh(*MESHES[name]).surface()
    rng = np.random.default_rng(2)
    radius, margin, seen = 0.1, 0.05, 0
    for point in rng.uniform(-0.75, 0.75, (300, 3)):
        x, q = rng.normal(size=3), random_quaternion(rng)
        distance = surface_distance(point, vertices, triangles)[0]
        normal, gap = touch(name, rotation(q) @ point + x, radius, x=x, q=q, margin=margin)[1:3]
        if distance > radius + margin:
            assert len(gap) == 0 or inside(point, vertices, triangles)
        elif not inside(point, vertices, triangles):
            seen += 1
            assert gap.min() == pytest.approx(distance - radius, abs=1e-9)
            np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
    assert seen > 20


def inside(point, vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    along = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return abs(np.arctan2(volume, along).sum()) > np.pi


def test_ball_in_a_corner_touches_both_walls():
    normal, gap = touch("groove", (0.0, 0.25 - 0.1, 0.1), 0.1)[1:3]
    assert len(gap) == 1
    np.testing.assert_allclose(normal[0], (0, -1, 0), atol=1e-9)
    normal, gap = touch("groove", (0.25 - 0.1, 0.25 - 0.1, 0.1), 0.1)[1:3]
    assert len(gap) == 2
    np.testing.assert_allclose(gap, 0.0, atol=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_ball_is_held_on_its_own_side_of_a_sheet(side):
    for overlap in (0.0, 0.05, 0.15):
        normal, gap = touch("sheet", (0.33, 0.21, side * (0.2 - overlap)), 0.2)[1:3]
        assert len(gap) == 1
        assert gap[0] == pytest.approx(-overlap, abs=1e-12)
        np.testing.assert_allclose(normal[0], side * UP, atol=1e-12)


def test_fast_ball_meets_what_it_would_pass():
    fall = np.array([0, 0, -200.0, 0, 0, 0])
    position, normal, gap = touch("cube", (0.1, 0.1, 2.0), 0.2, twist=fall)[:3]
    assert gap == pytest.approx([1.3])
    np.testing.assert_allclose(position, [(0.1, 0.1, 0.5 + 0.5 * 1.3)], atol=1e-12)
    np.testing.assert_allclose(normal[0], UP, atol=1e-12)
    aslant = np.array([-200.0, -200.0, 0, 0, 0, 0])
    normal, gap = touch("cube", (2.0, 2.0, 0.1), 0.2, twist=aslant)[1:3]
    assert gap == pytest.approx([np.sqrt(2) * 1.5 - 0.2])
    assert len(touch("cube", (0.1, 0.1, 2.0), 0.2, twist=-fall)[2]) == 0
    assert len(touch("cube", (0.75, 0.1, 2.0), 0.2, twist=fall)[2]) == 0
    # Past the edge by less than the radius: the edge is what it hits, at cos 30 degrees.
    normal, gap = touch("cube", (0.6, 0.1, 2.0), 0.2, twist=fall)[1:3]
    np.testing.assert_allclose(normal[0], (0.5, 0.0, np.sqrt(0.75)), atol=1e-12)
    assert gap[0] == pytest.approx(np.sqrt(0.75) * (1.5 - 0.2 * np.sqrt(0.75)))


def test_lying_capsule_has_two_contacts_standing_one():
    for angle in np.linspace(0.0, np.pi, 13):
        half = 0.3 * np.array([np.cos(angle), np.sin(angle), 0.0])
        position, normal, gap, _ = touch("floor", (0.013, 0.027, 0.25 + 0.1), 0.1, half)
        assert len(gap) == 2
        np.testing.assert_allclose(gap, 0.0, atol=1e-12)
        np.testing.assert_allclose(normal, [UP, UP], atol=1e-12)
        np.testing.assert_allclose(np.sort(position[:, 0]), np.sort(0.013 + np.array([half[0], -half[0]])), atol=1e-9)
    assert len(touch("floor", (0, 0, 0.25 + 0.4), 0.1, (0, 0, 0.3))[2]) == 1


@pytest.mark.parametrize("gap", [5e-3, 0.0, -0.05])
def test_capsule_across_an_edge_and_over_a_corner(gap):
    n = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    across = rotation(axis_quaternion(n, 0.7)) @ np.array([0.5, 0.0, -0.5])
    position, normal, gaps, _ = touch("cube", (0.5, 0.1, 0.5) + (0.1 + gap) * n, 0.1, across)
    assert len(gaps) == 1
    assert gaps[0] == pytest.approx(gap, abs=1e-12)
    np.testing.assert_allclose(normal[0], n, atol=1e-12)
    n = np.ones(3) / np.sqrt(3.0)
    position, normal, gaps, _ = touch("cube", 0.5 + (0.1 + gap) * n, 0.1, (0.5, -0.5, 0.0))
    assert len(gaps) == 1
    assert gaps[0] == pytest.approx(gap, abs=1e-12)
    np.testing.assert_allclose(normal[0], n, atol=1e-12)


def test_capsule_against_brute_force():
    """Least distance of densely sampled points of the segment to the surface."""
    vertices, triangles = Mesh(*MESHES["gear"]).surface()
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(120):
        center, half = rng.uniform(-0.8, 0.8, 3), rng.normal(size=3)
        half *= 0.3 / np.linalg.norm(half)
        points = center + np.linspace(-1, 1, 101)[:, None] * half
        distance = surface_distance(points, vertices, triangles).min()
        if distance < 0.02 or distance > 0.14:
            continue
        gap = touch("gear", center, 0.1, half, margin=0.05)[2]
        seen += 1
        assert gap.min() == pytest.approx(distance - 0.1, abs=2e-4)
    assert seen > 10
