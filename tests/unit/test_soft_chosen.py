"""Steps of deformable bodies solve for the contacts that close, and for those that close because others do."""

import dataclasses

import numpy as np
import pytest
from marks import few
from scipy import sparse
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.dynamics.elastic import island_step
from stiction.solver.dynamics.elastic.surface_search import find
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.methods.assembly import delassus_matrix, friction_scale
from stiction.solver.methods.delassus.delassus import delassus_rows
from stiction.solver.problem import BlockRows
from stiction.solver.scene import Body, Elastic
from stiction.solver.shapes import Box, Tetrahedra
from stiction.solver.simulation import compiled, options_for, step_settings, stepper


def row_of_cubes(young=1e8, law="neo_hookean"):
    """Three stiff cubes in a row, hairs apart; the first one comes on."""
    gap, side = 1e-4, 0.2
    cubes = [cube(f"cube{k}", position=((side + gap) * k, 0.013 * k, 0.0), young=young, law=law,
                  velocity=(1.0 if k == 0 else 0.0, 0.0, 0.0)) for k in range(3)]  # fmt: skip
    return scene(*cubes, gravity=(0.0, 0.0, 0.0))


def test_a_contact_that_only_another_closes_is_found_in_the_same_step():
    _, states, reports = run(row_of_cubes(), 2, time_step=5e-3)
    assert all(report.converged for report in reports)
    # Behind the one that is struck, the third moves on in the step of the impact.
    assert states[1].twist[2, 0] > 0.1
    assert reports[1].overlap < 2e-6


def falling_pair():
    below = cube("below", position=(0, 0, 0.1003), velocity=(0.4, 0, -1.0))
    return scene(FLOOR, below, cube("above", position=(0.02, 0.01, 0.302)))


def row_of_soft_cubes():
    """Of a law with which the watch over energy, whose limit is a threshold, asks for no other round in either way."""
    return row_of_cubes(2e7, "hill_ogden")


@pytest.mark.parametrize("build", few([row_of_soft_cubes, falling_pair], falling_pair))
def test_the_answer_is_that_with_all_contacts(build, monkeypatch):
    world = build()
    _, few, _ = run(world, 3, time_step=5e-3)
    monkeypatch.setattr(island_step, "_closing", lambda step, soft, *_: np.ones(len(soft.rows), dtype=bool))
    _, all_of_them, _ = run(world, 3, time_step=5e-3)
    speed = np.abs(all_of_them[-1].nodes.velocity).max()
    assert np.abs(few[-1].nodes.velocity - all_of_them[-1].nodes.velocity).max() < 1e-5 * speed
    assert few[-1].contacts.count == all_of_them[-1].contacts.count


def _a_problem():
    world = scene(FLOOR, cube(velocity=(0.3, 0.1, -1.0), position=(0, 0, 0.1005)))
    options, problems = options_for(world), []
    model, state = compiled(world, options)
    stepper(options)(model, state, dataclasses.replace(step_settings(options, model, state), record=problems.append))
    return problems[0]


@pytest.mark.parametrize("by_nodes", [False, True])
def test_blocks_of_the_delassus_matrix_are_those_of_the_sparse_product(by_nodes):
    """Also where a segment of G covers one node alone, which takes the other way."""
    problem = _a_problem()
    if by_nodes:
        problem = dataclasses.replace(problem, G=_by_nodes(problem.G))
    rows = delassus_rows(problem)
    found = sparse.bsr_matrix((rows.A.reshape(-1, 3, 3), rows.indices, rows.indptr)).toarray()
    scale = sparse.diags(friction_scale(problem))
    wanted = (scale @ delassus_matrix(problem) @ scale).toarray()
    assert np.abs(found - wanted).max() < 1e-13 * np.abs(wanted).max()
    assert all(np.all(np.diff(rows.indices[i:j]) > 0) for i, j in zip(rows.indptr[:-1], rows.indptr[1:], strict=True))


def _by_nodes(G):
    """BlockRows of contacts with each segment divided into threes."""
    start, size, offset, data, indptr, at = [], [], [], [], [0], 0
    for k in range(len(G.indptr) - 1):
        for s in range(G.indptr[k], G.indptr[k + 1]):
            numbers = G.data[G.offset[s] : G.offset[s] + 3 * G.size[s]].reshape(3, -1)
            for first in range(0, G.size[s], 3):
                start.append(G.start[s] + first)
                size.append(3)
                offset.append(at)
                data.append(numbers[:, first : first + 3].ravel())
                at += 9
        indptr.append(len(start))
    return BlockRows(*(np.array(column, dtype=np.int64) for column in (indptr, start, size, offset)),
                     np.concatenate(data))  # fmt: skip


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("deep, held", [(0.005, True), (0.015, False), (0.02001, False)])
def test_a_vertex_is_held_by_the_side_of_a_wall_that_it_is_nearest_to(soft, deep, held):
    """The lowest corner of a cube behind the upper side of a plate of 2 cm, in a search that looks as deep as that."""
    size = (0.4, 0.4, 0.02)
    shape = Tetrahedra(*box_grid((2, 2, 1), size)) if soft else Box(size)
    plate = Body("plate", shape, elastic=Elastic() if soft else None, position=(0.0, 0.0, -0.01))
    # The cube's diagonal stands upright.
    angle, side = 0.5 * np.arccos(-np.sqrt(1 / 3)) + np.pi / 2, 0.2
    axis = np.array([-1.0, 1.0, 0.0]) / np.sqrt(2.0) * np.sin(angle)
    corner = cube("cube", cells=1, side=side, position=(0.011, 0.007, 0.5 * np.sqrt(3.0) * side - deep),
                  orientation=(np.cos(angle), *axis))  # fmt: skip
    world = scene(plate, corner)
    model, state = compiled(world, options_for(world))
    assert state.nodes.position[model.span(1), 2].min() == pytest.approx(-deep)
    still, speed = np.zeros_like(state.nodes.position), np.array([0.0, 30.0])
    found = find(model, state.position, state.orientation, np.zeros((2, 6)), state.nodes.position, still, speed, 1e-3)
    contacts = found.contacts
    faces = (contacts.normal[:, 2] > 0.99) & (contacts.gap < 0.0)
    assert list(contacts.gap[faces]) == pytest.approx([-deep] * held)
