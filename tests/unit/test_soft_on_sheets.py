"""Deformable bodies, and finely divided rigid ones, on open meshes: a floor of two triangles holds as a box does."""

from dataclasses import replace

import numpy as np
import pytest
from marks import few
from soft_scenes import run, scene

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.collision.surface.mesh_pool import FIRST_VERTEX
from stiction.solver.collision.surface.mesh_refit import pool_face
from stiction.solver.meshes.tet_grids import boundary, box_grid
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Elastic, Motion
from stiction.solver.shapes import Box, Mesh, Tetrahedra

PLANE = Mesh(np.array([[-4.0, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))
FLOORS = {
    "box": Body("floor", Box((8.0, 8.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5)),
    "plane": Body("floor", PLANE, motion=Motion.STATIC),
    "plane from below": Body("floor", Mesh(PLANE.vertices, PLANE.triangles[:, ::-1]), motion=Motion.STATIC),
}


@pytest.mark.parametrize("floor", few(["plane", "plane from below"], "plane"))
def test_a_plane_holds_a_soft_beam_as_a_box_does(floor):
    tilt = 0.4
    beam = Body("beam", Tetrahedra(*box_grid((8, 3, 2), (0.8, 0.3, 0.2))),
                position=(0.0, 0.0, 0.4 * np.sin(tilt) + 0.15), velocity=(0.0, 0.0, -3.0),
                orientation=(np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0),
                elastic=Elastic(young=4e4, damping=(0.0, 2e-3)))  # fmt: skip
    ends = {}
    for name in ("box", floor):
        _, states, reports = run(scene(FLOORS[name], beam), 30)
        ends[name] = states[-1].nodes.position
        assert max(report.overlap for report in reports) < 0.01, name
    assert ends[floor] == pytest.approx(ends["box"], abs=1e-6)


def test_the_upper_side_of_a_foot_is_not_behind_the_plane_that_it_stands_on():
    """A limp cube that lands a second time, pressed to feet of 4 cm: their upper side was seen as come from below."""
    corners = 0.25 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    sides = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]
    limp = Mesh(corners, np.array([face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]))
    cube = Body("cube", limp, position=(0.0, 0.0, 1.5), mass=8.0,
                elastic=Elastic(young=3139.2, poisson=0.3, damping=(0.0, 1 / 4800), element_size=0.3, mesher="lattice",
                                element="t4"))  # fmt: skip
    plane = Mesh(10.0 * np.array([(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)]), np.array([(0, 1, 3), (0, 3, 2)]))
    made = scene(cube, Body("floor", plane, motion=Motion.STATIC), friction=0.25)
    made = replace(made, settings={"linear_damping": 0.04082199, "angular_damping": 0.1053605})
    _, states, reports = run(made, 120, time_step=1 / 96)
    assert max(report.overlap for report in reports) < 1e-3
    for state in states:
        assert np.all(state.contacts.normal[:, 2] * np.where(state.contacts.body_a == 0, -1, 1) > 0.0)


@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.9, 0.1, -0.3, np.sqrt(0.09))])
def test_the_surface_of_a_turned_body_is_in_the_order_of_the_pool(turn):
    turn = tuple(np.array(turn) / np.linalg.norm(turn))
    beam = Body("beam", Tetrahedra(*box_grid((6, 3, 2), (0.6, 0.3, 0.2))), position=(0.0, 0.0, 2.0), orientation=turn,
                elastic=Elastic())  # fmt: skip
    model, _, _ = run(scene(FLOORS["plane"], beam), 0)
    pool, surface = model.collision.meshes, model.surfaces[1]
    first, faces = pool.mesh_int[surface.mesh, FIRST_VERTEX], pool_face(pool, surface.mesh)
    of_node = np.searchsorted(surface.nodes, surface.triangles)
    for vertex in range(len(surface.nodes)):
        known = pool.star_face[pool.star_start[first + vertex] : pool.star_start[first + vertex + 1]]
        assert set(known[known >= 0] - faces) == set(np.flatnonzero((of_node == vertex).any(axis=1)))


def test_every_vertex_of_a_flat_side_touches_a_plane():
    vertices, tets = box_grid((4, 4, 4), (0.4, 0.4, 0.4))
    used, triangles = np.unique(boundary(tets), return_inverse=True)
    cube = Mesh(vertices[used], triangles.reshape(-1, 3))
    for height, side in ((0.1999, 1.0), (-0.1999, -1.0)):
        model, state = compile_scene(scene(FLOORS["plane"], Body("cube", cube, position=(0.0, 0.0, height))))
        contacts = find_contacts(model.collision, state.position, state.orientation, np.zeros((2, 6)), 0.01)
        # In patches of equal normals four corners are kept; all push to the side on which the cube is.
        assert contacts.count >= 4
        assert contacts.normal[:, 2] == pytest.approx(side)
        assert contacts.gap == pytest.approx(-1e-4, abs=1e-9)
