"""Repairs for meshes that are no solid: what they make, what error they state, where they are refused."""

import dataclasses

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.integrals import triangle_areas
from stiction.solver.meshes.mesh_prep import prepare_mesh
from stiction.solver.meshes.repairs import REPAIRS, MeshRepair
from stiction.solver.meshes.solid_field import SolidField
from stiction.solver.meshes.solidify import sheet_tets
from stiction.solver.model import compile_scene
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene, scene_digest
from stiction.solver.scene_io.shape_notes import said_together, shape_notes
from stiction.solver.shapes import Box, Mesh, Sphere, Tetrahedra, generators
from stiction.solver.simulation import simulate

BALL = generators.icosphere(0.5, 3)
TORUS = generators.torus()
TORUS_VOLUME = Mesh(*TORUS).mass_properties().volume


def holed(mesh, share, seed=0):
    vertices, triangles = mesh
    return vertices, triangles[np.random.default_rng(seed).random(len(triangles)) > share]


def bowl():
    vertices, triangles = BALL
    return vertices, triangles[vertices[triangles].mean(axis=1)[:, 2] < 0.0]


def crossed_bars():
    """Three bars through one another, each a little thicker than the last: their faces cross properly."""
    bars = [generators.plate(np.roll((1.0, 0.2 + 1e-3 * k, 0.2 + 1e-3 * k), k)) for k in range(3)]
    return np.concatenate([v for v, _ in bars]), np.concatenate([t + 8 * k for k, (_, t) in enumerate(bars)])


def figure_eight():
    """A bar that narrows to nothing and opens again mirrored: it winds the wrong way from there on."""
    vertices, triangles = generators.plate((1.0, 0.2, 0.2), (8, 2))
    angle = 0.7 * np.pi * (vertices[:, 0] + 0.5)
    width = np.cos(angle)
    return np.column_stack((vertices[:, 0], vertices[:, 1] * width, vertices[:, 2])), triangles


def folded_sheet():
    vertices, triangles = generators.grid_plane((1.0, 1.0), (4, 4))
    return vertices + np.outer(8.0 * np.abs(vertices[:, 0]), (0.0, 0.0, 1.0)), triangles


def test_winding_number_and_distance_are_those_of_a_ball():
    field = SolidField(*BALL)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, (400, 3))
    radius = np.linalg.norm(points, axis=1)
    inside = radius < 0.49
    np.testing.assert_allclose(field.winding(points[inside]), 1.0, atol=0.02)
    np.testing.assert_allclose(field.winding(points[radius > 0.51]), 0.0, atol=0.02)
    np.testing.assert_allclose(field.distance(points), np.abs(radius - 0.5), atol=0.006)
    assert field.vagueness == 0.0
    assert field.volume == pytest.approx(Mesh(*BALL).mass_properties().volume, rel=4e-3)


def test_self_intersections_are_counted_and_touching_is_none():
    assert Mesh(*crossed_bars()).self_intersections > 0
    assert Mesh(*figure_eight()).self_intersections > 0
    v, t = generators.plate((1.0, 1.0, 1.0), (2, 2))
    stacked = Mesh(np.concatenate((v, v + (0.3, 0.2, 1.0))), np.concatenate((t, t + len(v))))
    for mesh in (Mesh(*TORUS), Mesh(*generators.gear()), Mesh(*generators.chalice()), stacked):
        assert mesh.self_intersections == 0
        assert not any("self" in phrase for phrase in mesh.findings())
    assert any(phrase.startswith("self-intersections (") for phrase in Mesh(*crossed_bars()).findings())


def test_a_mesh_that_winds_the_wrong_way_inside_is_refused():
    with pytest.raises(SceneError, match=r"self-intersections .*inside out; untangle it, or choose voxel_remesh"):
        Mesh(*figure_eight()).mass_properties()
    assert "union" in Mesh(*crossed_bars()).notes()[0]


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_holes_are_closed_for_the_mass_or_remeshed(scale):
    vertices, triangles = holed(TORUS, 0.05)
    exact = Mesh(*TORUS).mass_properties()
    for way, tolerance in (("winding", 0.01), ("voxel_remesh", 0.03)):
        mesh = Mesh(scale * vertices, triangles, MeshRepair(way))
        found = mesh.mass_properties()
        assert found.volume == pytest.approx(TORUS_VOLUME * scale**3, rel=tolerance)
        np.testing.assert_allclose(found.center, 0.0, atol=0.01 * scale)
        np.testing.assert_allclose(found.inertia, exact.inertia * scale**5, atol=0.05 * scale**5 * exact.inertia.max())
        assert "%" in mesh.notes()[0]
    remeshed = mesh.prepared.report
    assert remeshed.closed and remeshed.defects() == [] and remeshed.triangles <= 4000


def test_a_remesh_joins_overlapping_parts():
    mesh = Mesh(*crossed_bars(), MeshRepair("voxel_remesh", 0.02))
    exact = Mesh(*generators.jack(1.0, 0.2)).mass_properties()
    assert mesh.mass_properties().volume == pytest.approx(exact.volume, rel=0.03)
    assert mesh.prepared.report.parts == 1
    assert SolidField(*mesh.surface()).crossings == 0


def test_solidify_has_the_volume_of_the_sheet():
    vertices, triangles = bowl()
    corners = vertices[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    mesh = Mesh(vertices, triangles, MeshRepair("solidify", 0.03))
    assert mesh.prepared.report.defects() == []
    assert mesh.mass_properties().volume == pytest.approx(0.03 * area, rel=2e-3)
    sheet = Mesh(*generators.grid_plane((2.0, 1.0), (4, 4)), MeshRepair("solidify", 0.1))
    assert sheet.mass_properties().volume == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize("size", [0.3, 1.0 / 3.0, 0.7])
def test_rounding_is_no_error_that_a_person_reads(size):
    """ "volume -2.2e-14 %" was a warning, and "surface by up to 5.6e-17 m"."""
    sheet = Mesh(*generators.grid_plane((size, 0.7 * size), (3, 5)), MeshRepair("solidify", 0.1 * size))
    assert sheet.solid.says == f"solidified by {0.1 * size:g} m"
    corners, triangles = Box((size, 0.3, 0.7)).surface()
    proxy = Mesh(corners, triangles, MeshRepair("proxy"))
    assert proxy.solid.says == "proxy of 12 instead of 12 triangles; mass exact"
    assert "e-" not in Mesh(corners, triangles, MeshRepair("convex_hull")).solid.says


def test_solidify_makes_a_closed_mesh_hollow():
    """A skin outside and one inside, and what begins within stays there."""
    vertices, triangles = generators.icosphere(1.0, 3)
    mesh = Mesh(vertices, triangles, MeshRepair("solidify", 0.02))
    assert mesh.prepared.report.defects() == [] and mesh.prepared.report.parts == 2
    assert mesh.mass_properties().volume == pytest.approx(0.02 * triangle_areas(vertices, triangles).sum(), rel=1e-3)
    assert "in 2 pieces" not in mesh.notes()[0]
    globe, ball = Body("globe", mesh, motion=Motion.STATIC), Body("ball", Sphere(0.2), position=(0.3, 0.0, 0.0))
    run = simulate(Scene((globe, ball)), SimulationOptions(time=1.5))
    far = np.linalg.norm(run.positions[:, 1], axis=1)
    assert far.max() < 0.8 and run.positions[-1, 1, 2] < -0.7


def folded(angle):
    """A square of 1 m, folded about y by an angle [degrees]."""
    vertices, triangles = generators.grid_plane((1.0, 1.0), (4, 4))
    turn, beyond = np.radians(angle), vertices[:, 0] > 0
    across = vertices[beyond, 0].copy()
    vertices[beyond, 0], vertices[beyond, 2] = across * np.cos(turn), across * np.sin(turn)
    return vertices, triangles


def branching(angles):
    """Half squares of 1 m by 0.5 m that meet at an edge, at angles [degrees]."""
    half, triangles = generators.grid_plane((0.5, 1.0), (2, 4))
    half = half + [0.25, 0.0, 0.0]
    leaves = [np.column_stack((half[:, 0] * np.cos(a), half[:, 1], half[:, 0] * np.sin(a))) for a in np.radians(angles)]
    return np.concatenate(leaves), np.concatenate([triangles + k * len(half) for k in range(len(leaves))])


def one_sided(count=40):
    """A Moebius band of radius 1 m and width 0.6 m."""
    around, across = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False), np.linspace(-0.3, 0.3, 3)
    a, b = np.meshgrid(around, across, indexing="ij")
    reach = 1.0 + b * np.cos(a / 2)
    vertices = np.stack((reach * np.cos(a), reach * np.sin(a), b * np.sin(a / 2)), axis=-1).reshape(-1, 3)
    here = np.arange(3 * count).reshape(count, 3)
    there = np.concatenate((here[1:], here[:1, ::-1]))
    quads = [here[:, :-1], here[:, 1:], there[:, :-1], there[:, 1:]]
    a, b, c, d = (quad.ravel() for quad in quads)
    return vertices, np.concatenate((np.stack((a, c, b), axis=1), np.stack((b, c, d), axis=1)))


def crumpled_sheet():
    vertices, triangles = generators.grid_plane((1.0, 1.0), (10, 10))
    return vertices + np.random.default_rng(0).normal(0.0, 0.08, vertices.shape), triangles


def flattened_box():
    vertices, triangles = Box((1.0, 1.0, 1.0)).surface()
    return vertices * [1.0, 1.0, 0.0], triangles


SHEETS = {
    "steep folds": (folded_sheet(), None), "folded sharply": (folded(150), 1.0), "folded shut": (folded(180), 0.5),
    "tee": (branching((0, 90, 180)), 1.5), "star": (branching((0, 120, 240)), 1.5), "one-sided": (one_sided(), None),
    "crumpled": (crumpled_sheet(), None), "doubled": (flattened_box(), 1.0),
}  # fmt: skip


@pytest.mark.parametrize("thickness", [0.01, 0.05])
@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_is_solidified(name, thickness):
    """However it bends or branches: closed, with the volume of area times thickness, in a sentence that says so."""
    (vertices, triangles), area = SHEETS[name]
    if area is None:
        area = triangle_areas(vertices, triangles).sum()
    mesh = Mesh(vertices, triangles, MeshRepair("solidify", thickness))
    compile_scene(Scene((Body("sheet", mesh),)))
    assert mesh.prepared.report.defects() == []
    assert mesh.mass_properties().volume == pytest.approx(thickness * area, rel=0.03)
    assert mesh.notes()[0].startswith(f"solidified by {thickness:g} m")
    away = SolidField(vertices, triangles).distance(mesh.prepared.vertices)
    # A flat one lies half its thickness on either side; corners are stretched by three times that at most.
    assert 0.499 * thickness < away.max() < 1.6 * thickness


@pytest.mark.parametrize("name", SHEETS)
def test_every_sheet_rests_on_a_floor(name):
    from stiction.solver.dynamics import rotation

    mesh = Mesh(*SHEETS[name][0], MeshRepair("solidify", 0.02))
    floor = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    lowest = mesh.prepared.vertices[:, 2].min()
    run = simulate(Scene((Body("sheet", mesh, position=(0.0, 0.0, 0.1 - lowest)), floor)), SimulationOptions(time=1.0))
    turn = rotation.matrix(run.orientations[-1:, 0])[0]
    assert (mesh.prepared.vertices @ turn.T + run.positions[-1, 0])[:, 2].min() == pytest.approx(0.0, abs=2e-3)


def test_a_proxy_touches_with_less_and_weighs_the_same():
    mesh = Mesh(*generators.torus(0.4, 0.12, 160, 80), MeshRepair("proxy", 2000))
    whole = Mesh(*generators.torus(0.4, 0.12, 160, 80))
    assert mesh.prepared.report.triangles <= 2000 < whole.prepared.report.triangles
    assert mesh.prepared.report.defects() == []
    assert mesh.mass_properties() is whole.mass_properties() or np.array_equal(
        mesh.mass_properties().inertia, whole.mass_properties().inertia
    )
    assert SolidField(*mesh.surface()).distance(whole.surface()[0]).max() < 0.005


def test_a_hull_says_how_much_it_adds():
    mesh = Mesh(*TORUS, MeshRepair("convex_hull"))
    assert mesh.notes()[0].startswith("convex hull, ")
    assert mesh.mass_properties().volume > 1.4 * TORUS_VOLUME


@pytest.mark.parametrize(
    ("mesh", "way", "words"),
    [
        (bowl(), MeshRepair("winding"), "% of its inside cannot be told.*choose solidify or convex_hull"),
        (bowl(), MeshRepair("voxel_remesh"), "% of its inside cannot be told"),
        (generators.grid_plane(), MeshRepair("voxel_remesh"), "it is a sheet; choose solidify with a thickness"),
        (generators.grid_plane(), MeshRepair("winding"), "it is a sheet; choose solidify with a thickness"),
        (generators.grid_plane(), MeshRepair("convex_hull"), "one plane; choose solidify"),
        (generators.wine_glass(), MeshRepair("voxel_remesh"), "walls are too thin.*voxel_size below"),
        (BALL, MeshRepair("voxel_remesh", 1e-4), "voxels; give at least"),
        (bowl(), MeshRepair("solidify"), "needs a thickness"),
        (bowl(), MeshRepair("proxy", 100), "proxy needs a closed mesh, it has holes.*voxel_remesh"),
        (BALL, MeshRepair("proxy", 12), "% off in volume.*triangle_count above 24"),
        (BALL, MeshRepair("wishing"), "choose one of winding, voxel_remesh"),
        (BALL, MeshRepair("winding", 3.0), "takes no number"),
        (BALL, MeshRepair("voxel_remesh", -1.0), "voxel_size is -1 m; give a number above 0"),
        (BALL, MeshRepair("voxel_remesh", np.nan), "voxel_size is nan"),
        (BALL, MeshRepair("proxy", 3), "triangle_count is 3; give a number of at least 4"),
    ],
)
def test_a_way_that_fails_is_refused_by_name(mesh, way, words):
    body = Body("cup", Mesh(*mesh, way), motion=Motion.STATIC)
    with pytest.raises(SceneError, match=f"body 'cup': .*{words}"):
        compile_scene(Scene((body,)))


def test_a_part_of_a_compound_is_named():
    from stiction.solver.shapes import Compound, Part

    shape = Compound((Part(Box((1.0, 1.0, 1.0))), Part(Mesh(*holed(BALL, 0.1)))))
    words = r"body 'cup': part 1: the mesh of \d+ vertices and \d+ triangles is no solid, it has holes"
    with pytest.raises(SceneError, match=words):
        compile_scene(Scene((Body("cup", shape),)))


def test_scene_files_carry_the_way_out_and_refuse_numbers_without_one(tmp_path):
    bodies = [
        Body("plain", Mesh(*TORUS)),
        Body("holed", Mesh(*holed(TORUS, 0.05), MeshRepair("winding")), position=(3.0, 0.0, 0.0)),
        Body("sheet", Mesh(*bowl(), MeshRepair("solidify", 0.03)), position=(6.0, 0.0, 0.0)),
    ]
    scene = Scene(tuple(bodies))
    save_scene(tmp_path / "ways.json", scene)
    again = load_scene(tmp_path / "ways.json")
    assert [body.shape.repair for body in again.bodies] == [None, MeshRepair("winding"), MeshRepair("solidify", 0.03)]
    assert scene_digest(again) == scene_digest(scene)
    lighter = dataclasses.replace(bodies[2], shape=Mesh(*bowl(), MeshRepair("solidify", 0.02)))
    assert scene_digest(Scene((*bodies[:2], lighter))) != scene_digest(scene)
    notes = shape_notes(again)
    assert len(notes) == 2 and notes[0].startswith("'holed': mass of") and notes[1].startswith("'sheet': solidified")
    text = (tmp_path / "ways.json").read_text()
    (tmp_path / "wrong.json").write_text(text.replace('"repair": "solidify"', '"repair": "proxy"'))
    with pytest.raises(SceneError, match="thickness: belongs to repair 'solidify'"):
        load_scene(tmp_path / "wrong.json")
    (tmp_path / "wrong.json").write_text(text.replace('"repair": "solidify"', '"repair": "fold"'))
    with pytest.raises(SceneError, match=f"choose one of {', '.join(REPAIRS)}"):
        load_scene(tmp_path / "wrong.json")


def test_a_mesh_in_a_file_is_recognised_unless_told_not_to(tmp_path):
    save_scene(tmp_path / "box.json", Scene((Body("crate", Mesh(*Box((1.0, 2.0, 3.0)).surface())),)))
    assert load_scene(tmp_path / "box.json").bodies[0].shape.type == "mesh"
    text = (tmp_path / "box.json").read_text()
    (tmp_path / "box.json").write_text(text.replace('"recognise": false', '"recognise": true'))
    scene = load_scene(tmp_path / "box.json")
    assert scene.bodies[0].shape == Box((1.0, 2.0, 3.0))
    assert scene.notes == ("'crate': its mesh is a box and is simulated as one",)


def test_the_same_is_said_once():
    assert said_together([(f"b{k}", "is odd") for k in range(5)] + [("c", "is even")]) == [
        "'b0', 'b1', 'b2' and 2 more: is odd", "'c': is even",
    ]  # fmt: skip


def test_equal_meshes_are_prepared_once():
    one, two = Mesh(*TORUS), Mesh(TORUS[0].copy(), TORUS[1].copy())
    assert one.prepared is two.prepared
    assert Mesh(TORUS[0] * 1.5, TORUS[1]).prepared is not one.prepared


def test_a_mesh_folded_onto_itself_without_a_crossing_is_refused():
    """Mirrored beyond a plane: a part of it is inside out, and faces only lie in each other."""
    vertices, triangles = generators.jack(1.0, 0.2)
    vertices = vertices.copy()
    vertices[:, 0] *= np.where(vertices[:, 0] < 0.0, 2.0, 1.0)
    vertices[:, 1] *= np.where(vertices[:, 0] > 0.05, -1.0, 1.0)
    with pytest.raises(SceneError, match="inside out"):
        Mesh(vertices, triangles).mass_properties()


def test_closing_by_winding_puts_lids_on_holes():
    vertices, triangles = generators.head(0.12, 20, 12)
    eyes = np.ones(len(triangles), dtype=bool)
    eyes[[150, 151, 152, 190, 191, 300]] = False
    mesh = Mesh(vertices, triangles[eyes], repair=MeshRepair("winding"))
    solid = mesh.prepared
    assert solid.report.closed and not mesh.given.report.closed
    assert len(solid.triangles) > eyes.sum()
    assert solid.report.volume == pytest.approx(Mesh(vertices, triangles).mass_properties().volume, rel=0.01)
    (note,) = mesh.notes()
    assert note.endswith(" holes") and "lids on" in note


def test_closing_by_winding_leaves_out_what_hangs_on_an_edge():
    """One stray triangle on an edge of two others, and the whole mesh was a sheet, which has no inside."""
    vertices, triangles = generators.head(0.12, 20, 12)
    whole = Mesh(vertices, triangles).mass_properties().volume
    eyes = np.ones(len(triangles), dtype=bool)
    eyes[[150, 151]] = False
    a, b = triangles[20, :2]
    vertices = np.concatenate((vertices, [1.2 * vertices[a]]))
    mesh = Mesh(vertices, np.concatenate((triangles[eyes], [(a, b, len(vertices) - 1)])), repair=MeshRepair("winding"))
    assert mesh.given.report.nonmanifold_edges == 1
    assert mesh.prepared.report.closed and mesh.prepared.report.volume == pytest.approx(whole, rel=0.01)


def test_bodies_closed_by_winding_stay_in_an_open_pot():
    """Three heads with open eyes fall into a thin pot, a sheet: nothing sinks in, and every step is accepted."""
    vertices, triangles = generators.head(0.12, 20, 12)
    eyes = np.ones(len(triangles), dtype=bool)
    eyes[[150, 151, 190, 191]] = False
    head = Mesh(vertices, triangles[eyes], repair=MeshRepair("winding"))
    pot = Mesh(*generators.lathe([(0.0, 0.0), (0.3, 0.0), (0.4, 0.5)], 16))
    heads = [Body(f"head{k}", head, position=(0.1 * np.cos(2.4 * k), 0.1 * np.sin(2.4 * k), 0.2 + 0.2 * k))
             for k in range(3)]  # fmt: skip
    scene = Scene((Body("pot", pot, motion=Motion.STATIC), *heads), name="pot")
    run = simulate(scene, SimulationOptions(time=0.6))
    assert run.steps["overlap"].max() < 1e-3 * 0.12
    assert not run.steps["unresolved"].any()


@pytest.mark.parametrize("fold", [0.0, 1.0])
def test_tetrahedra_of_a_sheet_are_the_prisms_of_its_triangles(fold):
    """Two squares side by side, the second bent up: they close, and hold area times thickness."""
    vertices = np.array([(x, y, fold * max(0, x - 1)) for x in range(3) for y in range(2)], dtype=float)
    triangles = np.array([(0, 2, 1), (2, 3, 1), (2, 4, 3), (4, 5, 3)])
    shape = Tetrahedra(*sheet_tets(prepare_mesh(vertices, triangles), 0.02))
    shape.check("sheet")
    assert len(shape.tets) == 12
    assert shape.mass_properties().volume == pytest.approx(0.02 * (1 + np.hypot(1, fold)), rel=2e-2)
