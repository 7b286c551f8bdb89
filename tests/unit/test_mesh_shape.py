"""The mesh shape: what is mended, what is refused, exact mass properties, generated meshes."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.mesh_prep import prepare_mesh
from stiction.solver.shapes import generators
from stiction.solver.shapes.mesh import Mesh

SOLIDS = {
    "plate": generators.plate(),
    "plate in pieces": generators.plate((2.0, 1.0, 0.1), (3, 4)),
    "card": generators.plate((0.063, 0.088, 0.0003)),
    "icosphere": generators.icosphere(),
    "torus": generators.torus(),
    "gear": generators.gear(),
    "jack": generators.jack(),
    "chalice": generators.chalice(),
    "wine glass": generators.wine_glass(),
    "square hopper": generators.hopper(),
    "round hopper": generators.hopper(square=False),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_generated_meshes_are_clean_outward_solids(name):
    report = prepare_mesh(*SOLIDS[name]).report
    assert report.closed
    assert report.defects() == []
    assert report.repairs() == []
    assert report.slivers == 0
    assert report.volume > 0.0


def test_generated_volumes():
    volume = {name: prepare_mesh(*mesh).report.volume for name, mesh in SOLIDS.items()}
    assert volume["plate"] == pytest.approx(0.1, rel=1e-14)
    assert volume["jack"] == pytest.approx(3 * 0.2**2 - 2 * 0.2**3, rel=1e-13)
    # A frustum shell of square section: outer minus inner prism and frustum.
    frustum = 0.8 / 3.0 * 4.0 * (1.03**2 + 1.03 * 0.28 + 0.28**2 - 1.0 - 0.25 - 0.25**2)
    assert volume["square hopper"] == pytest.approx(frustum + 0.2 * 4.0 * (0.28**2 - 0.25**2), rel=1e-12)


def test_box_is_exact_also_far_from_the_origin():
    vertices, triangles = generators.plate((1.0, 2.0, 3.0), (2, 3))
    volume, center, inertia = Mesh(vertices + 1e4, triangles).mass_properties()
    assert volume == pytest.approx(6.0, rel=1e-11)
    np.testing.assert_allclose(center, 1e4, atol=1e-11 * 1e4)
    np.testing.assert_allclose(inertia, 0.5 * np.diag([13.0, 10.0, 5.0]), atol=1e-10)


def test_turned_faces_and_doubled_vertices_are_mended():
    vertices, triangles = generators.torus()
    rng = np.random.default_rng(1)
    soup = vertices[triangles.ravel()]
    turned = np.arange(len(soup)).reshape(-1, 3)
    some = rng.random(len(turned)) < 0.45
    turned[some] = turned[some][:, ::-1]
    mended = Mesh(soup + 1e-7 * rng.normal(size=soup.shape), turned)
    report = mended.prepared.report
    assert report.merged_vertices == len(soup) - len(vertices)
    assert report.flipped_triangles == np.count_nonzero(some)
    exact, found = Mesh(vertices, triangles).mass_properties(), mended.mass_properties()
    assert found.volume == pytest.approx(exact.volume, rel=1e-5)
    np.testing.assert_allclose(found.inertia, exact.inertia, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("own_vertices", [False, True])
def test_triangles_that_are_all_there_twice_count_once(own_vertices, turned):
    """Each of such triangles was a part of its own, turned as it lay: a glass weighed less than nothing."""
    for make in (generators.wine_glass, generators.hopper, generators.plate):
        vertices, triangles = make()
        more = triangles[:, ::-1] if turned else triangles
        more = more + own_vertices * len(vertices)
        mesh = Mesh(np.concatenate([vertices] * (1 + own_vertices)), np.concatenate((triangles, more)))
        found, exact = mesh.mass_properties(), Mesh(vertices, triangles).mass_properties()
        assert found.volume == pytest.approx(exact.volume, rel=1e-12)
        np.testing.assert_allclose(found.inertia, exact.inertia, rtol=1e-10, atol=1e-14)
        assert f"{len(triangles)} duplicate triangles dropped" in mesh.findings()


def test_two_sides_of_a_sheet_stay_a_sheet_without_volume():
    vertices, triangles = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], np.array([(0, 1, 2), (0, 2, 3)])
    both = Mesh(vertices, np.concatenate((triangles, triangles[:, ::-1])))
    with pytest.raises(SceneError, match="zero thickness"):
        both.mass_properties()


def test_parts_that_are_closed_only_together_are_turned_together():
    """A surface twice with its squares cut along either diagonal: squares that meet four at an edge."""
    vertices, triangles = generators.hopper()
    a, b, c, d = triangles[::2, 0], triangles[::2, 1], triangles[::2, 2], triangles[1::2, 2]
    other = np.concatenate((np.stack((a, b, d), axis=1), np.stack((b, c, d), axis=1)))
    exact = Mesh(vertices, triangles).mass_properties().volume
    mesh = Mesh(vertices, np.concatenate((triangles, other)))
    assert mesh.prepared.report.volume == pytest.approx(2.0 * exact, rel=1e-2)
    assert mesh.mass_properties().volume == pytest.approx(exact, rel=2e-2)


def test_inside_out_solid_is_turned():
    vertices, triangles = generators.gear()
    assert Mesh(vertices, triangles[:, ::-1]).mass_properties().volume > 0.0


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_hollow_keeps_its_sense(inside_out):
    (outer, faces), (inner, _) = generators.plate((2, 2, 2)), generators.plate((1, 1, 1))
    triangles = np.concatenate((faces, faces[:, ::-1] + len(outer)))
    mesh = Mesh(np.concatenate((outer, inner)), triangles[:, ::-1] if inside_out else triangles)
    assert mesh.prepared.report.nested_parts == 1
    assert mesh.mass_properties().volume == pytest.approx(7.0, rel=1e-14)


def test_two_parts_turned_differently_are_both_solid():
    vertices, triangles = generators.plate((1, 1, 1))
    both = np.concatenate((triangles, triangles[:, ::-1] + len(vertices)))
    assert Mesh(np.concatenate((vertices, vertices + 3.0)), both).mass_properties().volume == pytest.approx(2.0)


def test_overlapping_parts_weigh_as_their_union():
    length, width = 1.0, 0.2
    bars = [generators.plate(np.roll((length, width, width), k)) for k in range(3)]
    vertices = np.concatenate([v for v, _ in bars])
    triangles = np.concatenate([t + 8 * k for k, (_, t) in enumerate(bars)])
    shift = np.array([3.0, -2.0, 1.0])
    found = Mesh(vertices + shift, triangles).mass_properties()
    exact = Mesh(*generators.jack(length, width)).mass_properties()
    # The overlap, a seventh of the volume, is sampled to a percent of itself.
    assert found.volume == pytest.approx(exact.volume, rel=2e-3)
    np.testing.assert_allclose(found.center, shift, atol=1e-3)
    np.testing.assert_allclose(found.inertia, exact.inertia, atol=1e-3 * exact.inertia.max())
    # Three quarters of two unit cubes overlap along x; the union is a box.
    (v, t), step = generators.plate((1, 1, 1)), np.array([0.25, 0.0, 0.0])
    found = Mesh(np.concatenate((v, v + step)), np.concatenate((t, t + 8))).mass_properties()
    assert found.volume == pytest.approx(1.25, rel=1e-2)
    assert found.center[0] == pytest.approx(0.125, abs=1e-2)


def test_parts_that_only_cross_boxes_stay_exact():
    ring, faces = generators.torus()
    linked = ring[:, [0, 2, 1]] * (1, -1, 1) + (0.4, 0.0, 0.0)
    mesh = Mesh(np.concatenate((ring, linked)), np.concatenate((faces, faces + len(ring))))
    assert mesh.prepared.report.crossing_parts
    assert mesh.mass_properties().volume == pytest.approx(2.0 * Mesh(ring, faces).mass_properties().volume, rel=1e-9)


def test_an_open_mesh_says_how_many_edges_and_what_to_do():
    vertices, triangles = generators.plate((1, 1, 1))
    mesh = Mesh(vertices, triangles[:-1])
    mesh.check("lid")
    with pytest.raises(SceneError, match=r"3 boundary edges.*close it, or choose winding, .* or make the body passive"):
        mesh.mass_properties()
    assert len(mesh.surface()[1]) == len(triangles) - 1


def test_a_flat_closed_mesh_encloses_nothing():
    vertices, triangles = generators.grid_plane()
    with pytest.raises(SceneError, match="zero thickness"):
        Mesh(vertices, np.concatenate((triangles, triangles[:, ::-1]))).mass_properties()


def test_a_moebius_band_has_no_outside():
    n = 24
    angle = 2.0 * np.pi * np.arange(n) / n
    ring = np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)
    across = np.stack((np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)), axis=1)
    vertices = np.concatenate((ring - 0.3 * across, ring + 0.3 * across))
    i = np.arange(n)
    low, high = np.concatenate((i, [n])), np.concatenate((i + n, [0]))
    triangles = np.concatenate(
        (np.stack((low[:-1], low[1:], high[1:]), axis=1), np.stack((low[:-1], high[1:], high[:-1]), axis=1))
    )
    assert "one-sided" in " ".join(prepare_mesh(vertices, triangles).report.defects())


CUBE = generators.plate((1, 1, 1))


def _with(vertices, row, value):
    changed = vertices.copy()
    changed[row] = value
    return changed


@pytest.mark.parametrize(
    ("vertices", "triangles", "words"),
    [
        (_with(CUBE[0], 3, np.nan), CUBE[1], "row 3"),
        (_with(CUBE[0], 5, np.inf), CUBE[1], "row 5"),
        (CUBE[0], np.zeros((0, 3), dtype=int), "no triangles"),
        (np.zeros((0, 3)), CUBE[1], "mesh vertices"),
        (CUBE[0], np.array([[0, 1, 8]]), "vertices 0 to 7"),
        (CUBE[0], np.array([[0, 1, -1]]), "vertices 0 to 7"),
        (CUBE[0], np.array([[0.5, 1, 2]]), "whole numbers"),
        (CUBE[0], np.array([[0, 1, 2, 3]]), "three vertex indices"),
        (CUBE[0], [["a", "b", "c"]], "not numbers"),
        (np.zeros((3, 3)), np.array([[0, 1, 2]]), "zero area"),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), np.array([[0, 1, 2]]), "zero area"),
    ],
)
def test_bad_meshes_are_refused_by_name(vertices, triangles, words):
    with pytest.raises(SceneError, match=f"cup: .*{words}"):
        Mesh(vertices, triangles).check("cup")
