"""Filling surfaces with tetrahedra: watertight, of good shape, and honest about the volume."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.meshes.lattice_fill import fill, least_dihedral
from stiction.solver.meshes.tet_grids import boundary, box_grid, tet_volumes
from stiction.solver.shapes import Mesh, generators

SURFACES = {"jack": generators.jack(), "torus": generators.torus(), "gear": generators.gear(),
            "box": generators.plate((1, 1, 1))}  # fmt: skip


def filled(name, parts=10):
    mesh = Mesh(*SURFACES[name])
    vertices, triangles = mesh.surface()
    return fill(vertices, triangles, np.ptp(vertices, axis=0).max() / parts, mesh.mass_properties().volume)


@pytest.mark.parametrize("name", SURFACES)
def test_tetrahedra_close_and_have_volume(name):
    filling = filled(name)
    assert tet_volumes(filling.vertices, filling.tets).min() > 0
    edges = np.concatenate([boundary(filling.tets)[:, k] for k in ([0, 1], [1, 2], [2, 0])])
    _, uses = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    # Every edge of the surface has two faces, or four where it touches itself.
    assert np.all(uses % 2 == 0)
    assert filling.dihedral == pytest.approx(least_dihedral(filling.vertices, filling.tets))
    assert filling.dihedral > 5.0 and abs(filling.error) < 0.15


def test_the_volume_comes_nearer_with_smaller_elements():
    errors = [abs(filled("torus", parts).error) for parts in (8, 16, 24)]
    assert errors[2] < errors[1] < errors[0] and errors[2] < 0.02


def test_it_is_deterministic_and_takes_open_surfaces():
    one, two = filled("gear"), filled("gear")
    assert np.array_equal(one.vertices, two.vertices) and np.array_equal(one.tets, two.tets)
    vertices, triangles = SURFACES["box"]
    holed = fill(vertices, triangles[1:], 0.1)
    assert 0.5 < tet_volumes(holed.vertices, holed.tets).sum() < 1.1


def test_what_cannot_be_filled_is_refused():
    vertices, triangles = generators.plate((1.0, 1.0, 0.004))
    with pytest.raises(SceneError, match="give a smaller one"):
        fill(vertices, triangles, 0.1, 0.004)
    with pytest.raises(SceneError, match="lattice of .* cells"):
        fill(vertices, triangles, 1e-4, 0.004)


@pytest.mark.parametrize("turn", [0.0, 0.6])
def test_thin_bodies_are_filled_where_nobody_says_how_large(turn):
    """A plate and a ring were refused, as no usual element fits in."""
    turned = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    plate = generators.plate((1.0, 1.0, 0.004))
    ring = generators.torus(1.0, 0.05)
    for (vertices, triangles), most in ((plate, 3000), (ring, 6000)):
        vertices = np.asarray(vertices) @ turned.T
        made = fill(vertices, triangles)
        assert abs(made.error) < 0.25 and len(made.tets) < most
        assert tet_volumes(made.vertices, made.tets).min() > 0


def test_dihedral_angles_of_a_known_tetrahedron():
    vertices, tets = box_grid((1, 1, 1), (1, 1, 1))
    # The middle one of five is regular: arccos(1/3); the others have a right angle and arccos(1/sqrt 3).
    assert least_dihedral(vertices, tets[-1:]) == pytest.approx(70.528779)
    assert least_dihedral(vertices, tets[:1]) == pytest.approx(54.735610)
