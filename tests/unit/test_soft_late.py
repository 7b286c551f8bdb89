"""Contacts of deformable bodies that only the end of a step shows: nodes that elastic forces bring to a surface."""

import dataclasses

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.collision.contacts import ContactSet
from stiction.solver.dynamics.elastic.surface_search import Search, Stencils
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scene import Body, Elastic, Joint, KeyedPoses, Motion
from stiction.solver.shapes import Box, Sphere, Tetrahedra
from stiction.solver.stepping.soft import late_contacts

# What a search at the end of a step lets be of a body of 0.2 m.
LET_BE = 0.2 * late_contacts.LATE


def deepest(reports):
    return max(report.overlap for report in reports)


def pressed_down_to(height, cells=3):
    """A cube of 0.2 m under a plate that comes down to `height` [m] and goes up again."""
    top = height + 0.1
    keys = KeyedPoses(np.array([0.0, 0.25, 0.5]), np.array([[0, 0, 0.35], [0, 0, top], [0, 0, 0.35]]),
                      np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))  # fmt: skip
    plate = Body("plate", Box((0.5, 0.5, 0.2)), motion=Motion.KINEMATIC, position=(0.0, 0.0, 0.35), keys=keys)
    return scene(FLOOR, cube("cube", cells, young=1e5), plate)


@pytest.mark.slow
def test_a_cube_that_springs_back_does_not_pass_the_floor():
    _, states, reports = run(pressed_down_to(0.05), 60)
    assert deepest(reports) < LET_BE
    assert min(state.nodes.position[:, 2].min() for state in states) > -LET_BE


@pytest.mark.parametrize(("cells", "steps"), [
    pytest.param(2, 34, marks=pytest.mark.slow), pytest.param(3, 60, marks=pytest.mark.slow(hours=True)),
])
def test_a_cube_that_is_pressed_flat_stays_between_floor_and_plate(cells, steps):
    # The plate ends 0.1 mm below the floor: no answer, but nothing is thrown out of it.
    model, states, reports = run(pressed_down_to(-1e-4, cells), steps)
    on = model.surfaces[1].nodes
    assert min(state.nodes.position[on, 2].min() for state in states) > -1e-3
    # Two cells fold up, in a step without an answer, where three find no balance.
    assert (sum(not report.converged for report in reports) <= 1) == (cells == 2)


def test_jelly_under_a_heavy_block_stays_on_the_floor():
    jelly = cube("jelly", 3, young=5e3)
    block = Body("block", Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 0.31), mass=8.0)
    _, _, reports = run(scene(FLOOR, jelly, block), 50)
    assert deepest(reports) < LET_BE


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_half_and_double_the_overlap_that_is_let_be(monkeypatch, factor):
    monkeypatch.setattr(late_contacts, "LATE", factor * late_contacts.LATE)
    bodies = [cube(f"c{k}", 2, young=1e5, position=(0.01 * (k % 2), 0.0, 0.1 + 0.2001 * k)) for k in range(4)]
    _, _, reports = run(scene(FLOOR, *bodies), 25)
    assert deepest(reports) < 2e-4


def test_points_are_traced_back_through_rotation_and_nodes():
    beam = Body("beam", Tetrahedra(*box_grid((2, 1, 1), (0.2, 0.1, 0.1))), position=(0.0, 0.0, 0.3), elastic=Elastic())
    ball = Body("ball", Sphere(0.05), position=(0.0, 0.0, 0.5))
    model, states, _ = run(scene(beam, ball), 0)
    there = states[0]
    nodes = there.nodes.position + [0.0, 0.0, 0.1]
    half = np.array([[1.0, 0, 0, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])
    end = late_contacts.Poses(there.position + [0.0, 0.0, 0.1], half, nodes, np.zeros(2))
    triangle = model.surfaces[0].triangles[0]
    at, n = nodes[triangle].mean(axis=0), np.array([0.0, 0.0, 1.0])
    point = end.position[1] + [0.0, 0.03, 0.0]
    gap = float(n @ (point - at))
    # Of both sides along the normal, half a gap from the middle.
    contacts = ContactSet(np.array([0]), np.array([1]), np.array([at + 0.5 * gap * n]), n[None], np.array([gap]),
                          np.array([7]))  # fmt: skip
    node, weight = np.full((1, 2, 3), -1), np.zeros((1, 2, 3))
    node[0, 0], weight[0, 0] = triangle, 1.0 / 3.0
    late = Search(contacts, Stencils(node, weight), np.ones(2, dtype=bool), np.array([[0, 1]]))
    first = late_contacts.points_before(model, late, 0, there, end)
    second = late_contacts.points_before(model, late, 1, there, end)
    assert first[0] == pytest.approx(at - [0.0, 0.0, 0.1])
    # The ball has turned by a quarter: what is at +y now was at +x; its offset from its middle comes along.
    offset = (at + gap * n) - end.position[1]
    assert second[0] == pytest.approx(there.position[1] + [offset[1], -offset[0], offset[2]])


def test_what_lands_on_a_body_that_a_joint_holds_does_not_fall_through():
    """Without its joint the body would fall with it: alone, nothing of their contact is foreseen."""
    bar = Body("bar", Box((0.04, 0.005, 0.01)), position=(0.02, 0.0, 0.0), angular_velocity=(10.6, 0.0, 0.0))
    axle = Joint("axle", "hinge", ("world", "bar"), axis=(1.0, 0.0, 0.0))
    falling = cube(cells=1, side=0.01, position=(0.03, 0.0, 0.012), young=1e8)
    world = dataclasses.replace(scene(bar, falling), joints=(axle,))
    _, states, _ = run(world, 3, time_step=0.02)
    assert states[-1].position[1, 2] > 0.008
