"""Mass, surfaces and refusals of the shapes."""

import math

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.integrals import solid_properties
from stiction.solver.meshes.polytope import box_polytope, convex_polytope
from stiction.solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Part, Sphere

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SHAPES = [
    Sphere(0.7),
    Box((1.0, 2.0, 3.0)),
    Capsule(0.3, 1.1),
    Cylinder(0.4, 0.9),
    ConvexHull([*CUBE, (0.5, 0.5, 1.7)]),
    Compound((Part(Box((1.0, 1.0, 1.0))), Part(Sphere(0.2), (2.0, 0.0, 0.0)))),
]


def euler_characteristic(vertices, triangles):
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    return len(vertices) - len(edges) + len(triangles)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.type)
def test_surface_is_closed_outward_and_converges_to_the_volume(shape):
    vertices, triangles = shape.surface()
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    assert {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}
    assert len({tuple(edge) for edge in edges}) == len(edges)
    pieces = len(shape.parts) if shape.type == "compound" else 1
    assert euler_characteristic(vertices, triangles) == 2 * pieces
    solid, exact = solid_properties(vertices, triangles), shape.mass_properties()
    # 32-sided circles fall short of the area by 1 - sin(x)/x, x = 2 pi / 32: 0.64 %, twice that in 16 latitudes.
    assert exact.volume >= solid.volume * (1 - 1e-12)
    assert solid.volume == pytest.approx(exact.volume, rel=0.02)
    assert solid.center == pytest.approx(exact.center, abs=2e-3)
    assert solid.inertia == pytest.approx(exact.inertia, abs=0.03 * np.abs(exact.inertia).max())


def test_closed_forms():
    box = Box((1.0, 2.0, 3.0)).mass_properties()
    assert box.volume == 6.0
    assert np.diag(box.inertia) == pytest.approx([6.5, 5.0, 2.5])
    sphere = Sphere(2.0).mass_properties()
    assert sphere.volume == pytest.approx(32 * math.pi / 3)
    assert sphere.inertia[0, 0] == pytest.approx(0.4 * sphere.volume * 4)
    cylinder = Cylinder(0.5, 2.0).mass_properties()
    assert np.diag(cylinder.inertia) == pytest.approx(cylinder.volume * np.array([4.75 / 12, 4.75 / 12, 0.125]))


def test_capsule_inertia_by_quadrature():
    shape = Capsule(0.3, 0.8)
    z, weight = np.polynomial.legendre.leggauss(80)
    cap = 0.15 * (z + 1.0)
    square = 0.09 - cap**2
    ends = 2 * 0.15 * weight @ (math.pi * square)
    transverse = 2 * 0.15 * weight @ (math.pi * square * (0.25 * square + (0.4 + cap) ** 2))
    rod = math.pi * 0.09 * 0.8
    got = shape.mass_properties()
    assert got.volume == pytest.approx(rod + ends, rel=1e-12)
    assert got.inertia[0, 0] == pytest.approx(transverse + rod * (0.09 / 4 + 0.64 / 12), rel=1e-12)
    axial = 2 * 0.15 * weight @ (0.5 * math.pi * square**2)
    assert got.inertia[2, 2] == pytest.approx(0.5 * rod * 0.09 + axial, rel=1e-12)


def test_hull_of_a_cube_has_six_faces_and_exact_mass_far_from_the_origin():
    rng = np.random.default_rng(1)
    points = np.vstack([CUBE, rng.uniform(0.1, 0.9, (30, 3)), [[0.5, 0.5, 1.0], [0.5, 0.0, 0.0]]])
    polytope = convex_polytope(points)
    assert len(polytope.vertices) == 8
    assert len(polytope.normals) == 6
    assert len(polytope.edge_vertex) == 12
    moved = ConvexHull(points + 1e4).mass_properties()
    assert moved.volume == pytest.approx(1.0, rel=1e-9)
    assert moved.center == pytest.approx(np.full(3, 1e4 + 0.5))
    assert moved.inertia == pytest.approx(np.eye(3) / 6, abs=1e-9)


def test_facets_of_a_round_mesh_that_lie_in_one_plane_are_one_face_and_its_hull_is_found_once():
    heights, angles = np.linspace(0.0, math.pi, 17)[1:-1], np.arange(32) * math.pi / 16
    rings = [(math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)) for a in heights for b in angles]
    vertices = np.array([*rings, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)], dtype=np.float32).astype(float)
    polytope = convex_polytope(vertices)
    corners = np.diff(polytope.loop_start)
    assert np.bincount(corners).tolist() == [0, 0, 0, 2 * 32, 14 * 32]
    assert np.allclose((polytope.normals * polytope.normals).sum(axis=1), 1.0, atol=1e-14)
    assert convex_polytope(vertices.copy()) is polytope


def test_polytope_is_consistent_for_random_clouds():
    rng = np.random.default_rng(2)
    for count in (4, 5, 8, 20, 100):
        points = rng.normal(size=(count, 3))
        polytope = convex_polytope(points)
        faces, edges = len(polytope.normals), len(polytope.edge_vertex)
        assert len(polytope.vertices) - edges + faces == 2
        for face in range(faces):
            loop = polytope.loop_vertex[polytope.loop_start[face] : polytope.loop_start[face + 1]]
            height = (points - polytope.vertices[loop[0]]) @ polytope.normals[face]
            assert height.max() < 1e-9
        start, end = polytope.edge_vertex.T
        along = polytope.vertices[end] - polytope.vertices[start]
        first, second = (polytope.normals[polytope.edge_face[:, k]] for k in range(2))
        # Outside, the face on the left of an edge and the one on its right turn about it in the edge's sense.
        assert (np.einsum("ij,ij->i", np.cross(second, first), along) < 0).all()


def test_compound_of_two_halves_is_the_whole():
    half = Box((0.5, 2.0, 3.0))
    turned = Box((2.0, 0.5, 3.0))
    root = math.sqrt(0.5)
    whole = Compound((Part(half, (-0.25, 0, 1)), Part(turned, (0.25, 0, 1), (root, 0, 0, root)))).mass_properties()
    exact = Box((1.0, 2.0, 3.0)).mass_properties()
    assert whole.volume == pytest.approx(exact.volume)
    assert whole.center == pytest.approx([0, 0, 1])
    assert whole.inertia == pytest.approx(exact.inertia, abs=1e-12)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Sphere(0.0), "radius is 0 m"),
        (Sphere(math.nan), "radius is nan"),
        (Sphere("big"), "radius is 'big'"),
        (Box((1.0, -2.0, 3.0)), "size y is -2 m"),
        (Box((1.0, 2.0)), "give 3"),
        (Box((1.0, math.inf, 1.0)), "finite"),
        (Capsule(-1.0, 1.0), "radius is -1"),
        (Cylinder(1.0, 0.0), "length is 0 m"),
        (ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), "no volume"),
        (ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0.3, 0.3, 0)]), "one plane"),
        (ConvexHull([(0, 0, 0), (1, 0, math.nan), (0, 1, 0), (0, 0, 1)]), "row 1"),
        (ConvexHull([1.0, 2.0]), "shape"),
        (Compound(()), "0 parts"),
        (Compound((Part(Sphere(1.0)), Part(Sphere(-1.0)))), "crate part 1"),
        (Compound((Part(Compound(())),)), "list its parts"),
        (Compound((Part(Sphere(1.0), orientation=(2.0, 0, 0, 0)),)), "unit quaternion"),
    ],
)
def test_bad_shapes_are_refused_by_name(shape, words):
    with pytest.raises(SceneError, match="^crate") as caught:
        shape.check("crate")
    assert words in str(caught.value)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.type)
def test_good_shapes_pass(shape):
    shape.check("crate")


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (4.0, 0.3, 1e-3), (2e-3, 5e-3, 7e-3), (1e3, 2.0, 0.7)])
def test_a_box_needs_no_search_for_its_faces(size):
    corners = Box(size).surface()[0]
    for found, wanted in zip(box_polytope(corners), convex_polytope(corners), strict=True):
        assert np.array_equal(found, wanted)
