"""Balls and capsules pressed into deformable bodies; quadratic elements with bent edges."""

import numpy as np
import pytest
from soft_scenes import run

from stiction.blender_addon.deformable.embedding import carried, embed
from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics.elastic.build import build_deformable
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.elements import bent_onto, oriented, with_middle_nodes
from stiction.solver.meshes.tet_grids import ball_grid, box_grid
from stiction.solver.scene import Body, Elastic
from stiction.solver.scenes import build
from stiction.solver.shapes import Sphere, Tetrahedra
from stiction.solver.validation.deformable.statics import on_spheres


def test_a_ball_at_rest_presses_evenly_on_every_vertex():
    """In the dent all vertices of the patch touch, and stay; the force is that of the step before."""
    _, states, reports = run(build("soft_indent", cells=8), 4)
    forces = [state.impulses[:, 0].sum() for state in states[2:]]
    assert forces == pytest.approx([forces[0]] * len(forces), rel=1e-4)
    counts = {int((state.impulses[:, 0] > 0).sum()) for state in states[2:]}
    assert len(counts) == 1 and counts.pop() >= 9
    # 0.1 mm deep: a corner of the patch that the search forgets would lie in the ball by a good part of it.
    nodes, ball = states[-1].nodes.position, states[-1].position[1]
    assert 1.0 - np.linalg.norm(nodes - ball, axis=1).min() < 1e-7
    assert max(report.residual for report in reports) < 1e-7


def test_bent_elements_fill_a_ball():
    straight, bent = (deformable(*ball_grid(1.0, 4), 1e6, 0.3, 1000.0, element="t10", bend=bend)
                      for bend in (None, on_spheres))  # fmt: skip
    whole = 4.0 / 3.0 * np.pi
    assert straight.volume.sum() < 0.93 * whole
    assert bent.volume.sum() == pytest.approx(whole, rel=5e-3)
    assert bent.mass.sum() == pytest.approx(1000.0 * bent.volume.sum(), rel=1e-12)
    # Turned as a whole they bear no stress.
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    assert np.abs(bent.forces(bent.rest @ turn.T)).max() < 1e-8 * 1e6


def test_elements_that_fill_a_shape_bend_onto_it():
    """A ball of 0.1 m from tetrahedra of 6 cm: what they miss of it, and how far nodes are off it."""
    missed, off = [], []
    for bent in (False, True):
        ball = Body("ball", Sphere(0.1), elastic=Elastic(element="t10", element_size=0.06, bent=bent))
        made = build_deformable(ball, 1000.0, np.zeros(3), np.eye(3))
        assert made.mass.sum() == pytest.approx(1000.0 * Sphere(0.1).mass_properties().volume)
        assert np.abs(made.forces(made.rest)).max() < 1e-6
        assert ("with bent edges" in made.says) == bent
        missed.append(1.0 - 1000.0 * made.volume.sum() / made.mass.sum())
        off.append(0.1 - np.linalg.norm(made.rest[made.surface_nodes], axis=1).min())
    assert missed[1] < 0.2 * missed[0] and off[1] < 0.2 * off[0]


def aside(nodes, elements):
    """The nodes with all middle ones far from their edges."""
    places = nodes.copy()
    places[np.unique(elements[:, 4:])] += [0.9, 0.0, 0.0]
    return places


def test_edges_bend_no_further_than_elements_allow():
    """Edges that should bend far through their elements, which keep a part of their volume."""
    vertices, tets = box_grid((1, 1, 1), (1.0, 1.0, 1.0))
    nodes, elements = with_middle_nodes(vertices, oriented(vertices, tets))
    places = bent_onto(nodes, elements, aside(nodes, elements))
    made = deformable(vertices, tets, 1e6, 0.3, 1000.0, element="t10", bend=lambda *_: places)
    assert np.abs(places - nodes).max() > 0.01 and made.volume.min() > 0.29 * 0.25 / 6


@pytest.mark.parametrize("other", [{"element": "t4"}, {"shape": Tetrahedra(*box_grid((1, 1, 1), (1.0, 1.0, 1.0)))}])
def test_what_has_nothing_to_bend_is_refused(other):
    shape, element = other.get("shape", Sphere(0.1)), other.get("element", "t10")
    body = Body("ball", shape, elastic=Elastic(element=element, bent=True))
    with pytest.raises(SceneError, match="'ball': is bent, which is for quadratic elements"):
        build_deformable(body, 1000.0, np.zeros(3), np.eye(3))


def test_vertices_keep_their_places_in_bent_elements():
    rest = deformable(*ball_grid(1.0, 3), 1e6, 0.3, 1000.0, element="t10", bend=on_spheres)
    points = np.random.default_rng(1).normal(size=(50, 3))
    points *= (np.random.default_rng(2).random(50) ** (1 / 3) / np.linalg.norm(points, axis=1))[:, None]
    hung = embed(points, rest.rest, rest.elements[:, :4], rest.elements[:, 4:])
    assert carried(hung, rest.rest) == pytest.approx(points, abs=1e-6)


def test_elements_bent_inside_out_are_refused():
    with pytest.raises(SceneError, match="bent inside out"):
        deformable(*box_grid((1, 1, 1), (1.0, 1.0, 1.0)), 1e6, 0.3, 1000.0, element="t10", bend=aside)
