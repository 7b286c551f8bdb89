"""How deep surfaces are through each other where their edges pass exactly through edges of faces."""

import numpy as np
import pytest

from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.mesh.inside_kernels import RAYS
from stiction.solver.collision.mesh.pierce_kernels import depths_within
from stiction.solver.collision.pipeline import prepare
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Mesh
from stiction.solver.shapes.generators import extruded, torus
from stiction.solver.simulation import compiled, options_for, simulate

HALF = np.sqrt(0.5)


def link(facets, sides):
    """(Mesh, inner reach [m]) of a ring whose side middles are on its axes; with 4 and 4 a frame of square bars."""
    phase, turned = np.pi / facets, sides == 4
    wire = 0.02 / np.cos(np.pi / 4) if turned else 0.02
    vertices, triangles = torus(0.1 / np.cos(phase) if turned else 0.1, wire, facets, sides, phase=phase)
    if turned:
        # Square bars lie flat: corners of the profile at 45 degrees.
        angle = np.arctan2(vertices[:, 1], vertices[:, 0])
        radius = np.hypot(vertices[:, 0], vertices[:, 1]) * np.cos(phase) - 0.1
        radius, z = (radius - vertices[:, 2]) * HALF, (radius + vertices[:, 2]) * HALF
        radius = (0.1 + radius) / np.cos(phase)
        vertices = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
    return Mesh(vertices, triangles), 0.08 if turned else 0.08 * np.cos(phase)


def depth(shape, place, turn):
    """Depth [m] of two links, the first about x upright in the xz plane at the origin, the second at a pose."""
    model = prepare((shape, shape), np.zeros((2, 3)), np.array([False, True]))
    poses = np.array([[0.0, 0.0, 0.0], place]), np.array([[HALF, HALF, 0.0, 0.0], turn])
    return float(pair_depths(model, *poses, np.array([False, True])).depth.max(initial=0.0))


def shaken(rng, size):
    """A pose of the second link up to `size` [m], [rad] off the one where it touches, apart from its height."""
    place, turn = size * rng.uniform(-1, 1, 3), np.array([0.5, 0.5, 0.5, 0.5]) + size * rng.uniform(-1, 1, 4)
    return place * (1, 1, 0), turn / np.linalg.norm(turn)


@pytest.mark.parametrize(("facets", "sides"), ((4, 4), (8, 8), (16, 8)))
@pytest.mark.parametrize("size", (0.0, 1e-12, 1e-10, 1e-8, 1e-4))
def test_links_that_hardly_touch_are_hardly_deep(facets, sides, size):
    shape, reach = link(facets, sides)
    rng = np.random.default_rng(facets)
    for _ in range(30):
        place, turn = shaken(rng, size)
        assert depth(shape, place - (0, 0, 2 * reach), turn) <= 2 * size + 1e-12


@pytest.mark.parametrize(("facets", "sides"), ((4, 4), (8, 8), (16, 8)))
@pytest.mark.parametrize("drop", (1e-9, 1e-6, 1e-4, 2e-3))
def test_links_are_as_deep_as_they_were_moved(facets, sides, drop):
    shape, reach = link(facets, sides)
    rng = np.random.default_rng(facets)
    for _ in range(10):
        place, turn = shaken(rng, 0.1 * drop)
        assert 0.7 * drop <= depth(shape, place - (0, 0, 2 * reach + drop), turn) <= 2.3 * drop


def test_a_wedge_between_blocks_is_not_through_them():
    """Its edges lie in their faces, and where one leaves a block no crossing tells: what is outside is not deep."""
    tip = Mesh(*extruded([(0.0, 0.0), (0.13, 0.5), (-0.13, 0.5)], 0.4))
    blocks = [Body(f"at {x}", Box((0.5, 0.5, 0.5)), "m", position=(x, 0.0, 0.25)) for x in (-0.26, 0.26)]
    ground = Body("ground", Box((8.0, 8.0, 1.0)), "m", Motion.STATIC, (0.0, 0.0, -0.5))
    driven = Body("wedge", tip, "m", position=(0.0, 0.0, 0.5), velocity=(0.0, 0.0, -3.0))
    scene = Scene((ground, *blocks, driven), MaterialTable((Material("m", 2700.0, 0.1),)))
    options = options_for(scene, time=0.3, time_step=0.01, threads=1)
    model, _ = compiled(scene, options)
    found = []

    def watch(done, state, report, _rows):
        deep = pair_depths(model.collision, state.position, state.orientation, model.inverse_mass > 0)
        found.append((deep.depth.max(initial=0.0), report.substeps, report.unresolved))

    simulate(scene, options, watch=watch)
    deepest, substeps, unresolved = np.max(found, axis=0)
    assert deepest < 1e-8 and substeps == 1 and unresolved == 0


def comb(teeth):
    """Mesh of thin plates side by side, joined to nothing, with points between them."""
    boxes = [Box((0.002, 0.1, 0.1)).surface() for _ in range(teeth)]
    count = len(boxes[0][0])
    places = [vertices + (0.004 * k, 0, 0) for k, (vertices, _) in enumerate(boxes)]
    triangles = [faces + k * count for k, (_, faces) in enumerate(boxes)]
    return Mesh(np.concatenate(places), np.concatenate(triangles))


@pytest.mark.parametrize("shape", [Mesh(*torus(0.1, 0.04, 40, 24)), comb(12)], ids=["ring", "plates"])
def test_inside_is_where_the_winding_number_is_one(shape):
    """Solid angles summed by their arcs, in numpy, for points in, near and beside a surface and its corners."""
    pool = prepare((shape,), np.zeros((1, 3)), np.array([False])).meshes
    rng, place = np.random.default_rng(3), np.asarray(shape.vertices)
    low, high = place.min(axis=0), place.max(axis=0)
    points = np.concatenate([rng.uniform(low, high, (800, 3)), 1.001 * place[:50], 0.95 * place[::9]])
    depth = np.empty(len(points))
    depths_within(pool, np.zeros(len(points), dtype=np.int64), points, depth)
    a, b, c = (place[np.asarray(shape.triangles)[:, k]] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=2) for side in (a, b, c))
    along = la * lb * lc
    for p, q, length in ((a, b, lc), (b, c, la), (c, a, lb)):
        along = along + np.einsum("pti,pti->pt", p, q) * length
    winding = np.arctan2(np.einsum("pti,pti->pt", a, np.cross(b, c)), along).sum(axis=1) / (2 * np.pi)
    assert 0.2 < np.mean(winding > 0.5) < 0.8
    assert np.array_equal(depth > 0, winding > 0.5)


def test_rays_that_graze_tell_inside_from_outside_as_well():
    """Points from which a ray runs through a corner of a cube, or through the middle between two."""
    cube = Mesh(*Box((1.0, 1.0, 1.0)).surface())
    pool = prepare((cube,), np.zeros((1, 3)), np.array([False])).meshes
    corners = np.asarray(cube.vertices)
    points = [corner - way * np.array(ray) for ray in RAYS for corner in corners for way in (0.1, 0.3, 2.5)]
    points += [0.5 * (corners[0] + corner) - 0.2 * np.array(RAYS[0]) for corner in corners[1:]]
    points, depth = np.array(points), np.empty(len(points))
    depths_within(pool, np.zeros(len(points), dtype=np.int64), points, depth)
    assert np.array_equal(depth > 0, np.abs(points).max(axis=1) < 0.5)
    assert 5 < (depth > 0).sum() < len(points) - 5


@pytest.mark.parametrize("way", (1e-10, 1e-6, 1e-3, 0.1))
def test_at_the_rim_of_a_sheet_a_solid_is_as_deep_as_its_way_off_it(way):
    # Edges of the block run up past the rim: they cross the sheet where it ends, however long they are.
    corners = np.array([(-1, -2, 0), (0, -2, 0), (0, 2, 0), (-1, 2, 0)], dtype=float)
    sheet, block = Mesh(corners, [(0, 1, 2), (0, 2, 3)]), Mesh(*extruded([(0, -1), (1, -1), (1, 1), (0, 1)], 1.0))
    model = prepare((sheet, block), np.zeros((2, 3)), np.array([False, True]))
    still = np.tile((1.0, 0.0, 0.0, 0.0), (2, 1))
    found = pair_depths(model, np.array([(0.0, 0.0, 0.0), (-way, 0.0, 0.0)]), still, np.array([False, True])).depth
    # Up to twice the way, as elsewhere.
    assert 0.999 * way <= found[0] <= 2.001 * way


@pytest.mark.parametrize("dip", (1e-9, 1e-6, 1e-3))
def test_an_edge_that_comes_back_through_an_open_roof_is_as_deep_as_it_dips(dip):
    # A long bar across the ridge of an open roof: it goes in through one side and out through the other.
    roof = Mesh([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (0, -1, 0), (0, 1, 0)],
                [(0, 4, 5), (0, 5, 3), (1, 2, 5), (1, 5, 4)])  # fmt: skip
    bar = Mesh(*extruded([(-3, 0), (3, 0), (3, 1), (-3, 1)], 0.5))
    turn = np.tile((1.0, 0.0, 0.0, 0.0), (2, 1))
    model = prepare((roof, bar), np.zeros((2, 3)), np.array([False, True]))
    found = pair_depths(model, np.array([(0.0, 0.0, 0.0), (0.0, 0.1, -dip)]), turn, np.array([False, True])).depth
    assert 0.5 * dip <= found[0] <= 2.001 * dip
