"""Random static poses of every kind of pair: normals and gaps exact, no contact missing, none without a reason.

About thirty poses a pair by default and a thousand under `-m slow`.
"""

import numpy as np
import pytest
from contact_reference import STRICT, all_contacts, ghostly, is_inside, surface_of
from mesh_poses import ORIGIN, Gallery
from mesh_reference import mesh_distance, random_quaternion, rotation

from stiction.solver.collision.mesh.mesh_features import NEAR_CONE
from stiction.solver.shapes import generators

MARGIN = 0.01
ONE_DEGREE = np.cos(np.radians(1.0))
PAIRS = [
    ("gear", "gear"), ("chalice", "chalice"), ("torus", "torus"), ("jack", "jack"), ("glass", "glass"),
    ("gear", "torus"), ("jack", "chalice"), ("card", "card"), ("card", "jack"), ("stone", "gear"),
]  # fmt: skip
BLENDER = [("text", "text"), ("text", "gear"), ("suzanne", "suzanne"), ("suzanne", "jack")]


def about_one(mesh):
    """The mesh scaled to a largest extent of one."""
    vertices, triangles = mesh
    return vertices / np.ptp(vertices, axis=0).max(), triangles


@pytest.fixture(scope="module")
def zoo():
    """Every mesh about one unit wide; the card keeps its 0.3 mm on 88 mm."""
    meshes = {
        "gear": generators.gear(6), "chalice": generators.chalice(1.0, 12), "torus": generators.torus(0.4, 0.12, 16, 8),
        "jack": generators.jack(), "glass": generators.wine_glass(1.0, 0.01, 12), "stone": generators.icosphere(0.5, 1),
        "card": generators.plate((0.063, 0.088, 0.0003)),
    }  # fmt: skip
    return gallery_with_surfaces(meshes)


def gallery_with_surfaces(meshes):
    gallery = Gallery({name: about_one(mesh) for name, mesh in meshes.items()})
    gallery.surfaces = [surface_of(*mesh) for mesh in gallery.meshes]
    return gallery


@pytest.fixture(scope="module")
def blender_zoo():
    """A text object and Suzanne as Blender makes them (Suzanne is open at the eyes), with a gear and a jack."""
    bpy = pytest.importorskip("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    curve = bpy.data.curves.new("text", "FONT")
    curve.body, curve.extrude, curve.resolution_u = "S&8", 0.1, 2
    bpy.ops.mesh.primitive_monkey_add()
    meshes = {"text": bpy.data.objects.new("text", curve).to_mesh(), "suzanne": bpy.context.object.data}
    tables = {}
    for name, mesh in meshes.items():
        mesh.calc_loop_triangles()
        points = np.array([vertex.co for vertex in mesh.vertices], dtype=float)
        tables[name] = points, np.array([triangle.vertices for triangle in mesh.loop_triangles])
    return gallery_with_surfaces({**tables, "gear": generators.gear(6), "jack": generators.jack()})


def near_pose(gallery, a, b, rng, furthest=0.6 * MARGIN):
    """A random pose of b at most `furthest` from a: (orientation of a, position, orientation of b, way it came).

    It is found with the contacts under test, and judged without them.
    """
    while True:
        qa, qb = random_quaternion(rng), random_quaternion(rng)
        way = random_quaternion(rng)[1:]
        way /= np.linalg.norm(way)
        offset, target, far = 0.1 * rng.normal(size=3), rng.uniform(1e-5, furthest), 2.2
        for _ in range(400):
            found = gallery.contacts(a, ORIGIN, qa, b, offset + far * way, qb, margin=0.05)
            step = 0.03 if len(found) == 0 else found.gap.min() - target
            if len(found) and abs(step) < 0.3 * target:
                return qa, offset + far * way, qb, way
            far -= step
            if far < -2.2 or far > 3.0:
                break


def check_pose(gallery, a, b, rng):
    """Assert everything about one random pose; returns how many contacts the reference demanded."""
    qa, x, qb, _ = near_pose(gallery, a, b, rng)
    found = gallery.contacts(a, ORIGIN, qa, b, x, qb, margin=MARGIN)
    sa = gallery.surfaces[gallery.index(a)].placed(rotation(qa), 0.0)
    sb = gallery.surfaces[gallery.index(b)].placed(rotation(qb), x)
    distance = mesh_distance(sa.vertices, sa.triangles, sb.vertices, sb.triangles, 2.0 * MARGIN)
    assert found.gap.min() == pytest.approx(distance, abs=1e-6)
    for surface, sign in ((sa, -1.0), (sb, 1.0)):
        feet = found.position + 0.5 * sign * found.gap[:, None] * found.normal
        rises = ghostly(surface, feet, -sign * found.normal)
        # Beyond an inner corner an edge goes on inside its solid: it bounds nothing that the surface does not.
        beyond = np.isinf(rises)
        assert surface.is_open or is_inside(surface, feet[beyond]).all()
        assert rises[~beyond].max(initial=0.0) < NEAR_CONE + STRICT
    position, normal, gap = all_contacts(sa, sb, 0.98 * MARGIN)
    for p, n, g in zip(position, normal, gap, strict=True):
        close = np.flatnonzero(np.linalg.norm(found.position - p, axis=1) < 1e-6)
        assert len(close), f"no contact at {p}, gap {g}, normal {n}"
        assert np.abs(found.gap[close] - g).min() < 1e-6
        assert (found.normal[close] @ n).max() > ONE_DEGREE
    return len(gap)


def check_poses(gallery, pair, count, seed):
    rng = np.random.default_rng(seed)
    demanded = [check_pose(gallery, *pair, rng) for _ in range(count)]
    # Nearly every pose has a contact that no round-off can talk away.
    assert np.count_nonzero(demanded) >= 0.9 * count


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_poses_of_meshes(zoo, pair):
    check_poses(zoo, pair, 10, 1)


@pytest.mark.parametrize("pair", BLENDER, ids="-".join)
def test_poses_of_blenders_meshes(blender_zoo, pair):
    check_poses(blender_zoo, pair, 5, 1)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_a_thousand_poses_of_meshes(zoo, pair):
    check_poses(zoo, pair, 1000, 2)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("pair", BLENDER, ids="-".join)
def test_a_thousand_poses_of_blenders_meshes(blender_zoo, pair):
    check_poses(blender_zoo, pair, 1000, 2)
