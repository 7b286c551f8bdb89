"""Joints that one touched body carries: a heap with a few joints in it is the problem that it is without them."""

from dataclasses import replace

import numpy as np
import pytest
from joint_scenes import rod, scene

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.methods.second_order import elimination
from stiction.solver.methods.second_order.direct_rows import DirectRows
from stiction.solver.scene import Body, Joint, Motion
from stiction.solver.shapes import Box
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper

FLOOR = Body("floor", Box((40.0, 4.0, 0.2)), motion=Motion.STATIC, position=(0, 0, -0.11))


def problem_of(made):
    """The last problem of the first step of a scene."""
    found, options = [], options_for(made)
    model, state = compiled(made, options)
    stepper(options)(model, state, replace(step_settings(options, model, state), record=found.append))
    return found[-1]


def hung(kind, compliance=0.0, links=1):
    """A rod that lies on a floor, and `links` - 1 rods behind it that touch nothing, held at the world at their end."""
    rods = [rod(f"r{i}", (i, 0, 0), (i + 1, 0, 0)) for i in range(links)]
    rods[0] = replace(rods[0], collides_with=None)
    ends = [*((f"r{i}", f"r{i + 1}") for i in range(links - 1)), (f"r{links - 1}", "world")]
    joints = [Joint(f"j{k}", kind, pair, (k + 1, 0, 0), axis=(0.6, 0.0, 0.8), compliance=compliance)
              for k, pair in enumerate(ends)]  # fmt: skip
    return problem_of(scene([FLOOR, *rods], joints))


@pytest.mark.parametrize(("kind", "links"), [("ball", 1), ("ball", 5), ("hinge", 3), ("fixed", 4)])
def test_many_right_sides_are_solved_for_as_each_alone(kind, links):
    problem = hung(kind, links=links)
    direct = DirectRows(problem, np.flatnonzero(elimination.held_blocks(problem)))
    assert direct.profile is not None
    rhs = np.random.default_rng(links).standard_normal((len(direct.rows), 7))
    alone = np.stack([direct.solve(column) for column in rhs.T], axis=1)
    assert np.array_equal(direct.solve(rhs), alone)
    A = problem.with_b(np.zeros(problem.row_count)).delassus()[np.ix_(direct.rows, direct.rows)]
    assert np.allclose(A @ alone, rhs, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("links", [1, 3])
@pytest.mark.parametrize(("kind", "compliance"), [("ball", 0.0), ("hinge", 0.0), ("fixed", 1e-5), ("fixed", 0.0)])
def test_the_carried_problem_is_that_of_elimination(monkeypatch, kind, compliance, links):
    """A' and b' of docs/theory.md 7, from the dense matrices, and those of the problem on bodies."""
    monkeypatch.setattr(elimination, "MOST_FREE", 0)
    problem, asked = hung(kind, compliance, links), []
    elimination.prepare(problem, AcceleratedOptions(), None, lambda part, *_: asked.append(part) or (lambda x: None))
    reduced = asked[0]
    assert reduced.contact_count == reduced.block_count > 0 and reduced.inverse_mass is not None
    held = np.flatnonzero(elimination.held_blocks(problem))
    direct, A = DirectRows(problem, held), problem.with_b(np.zeros(problem.row_count)).delassus()
    E = direct.rows
    N = np.setdiff1d(np.arange(problem.row_count), E)
    left = A[np.ix_(N, N)] - A[np.ix_(N, E)] @ np.linalg.pinv(A[np.ix_(E, E)], rcond=1e-12) @ A[np.ix_(E, N)]
    size = np.abs(A[np.ix_(N, N)]).max()
    np.testing.assert_allclose(reduced.with_b(np.zeros(len(N))).delassus(), left, rtol=0, atol=1e-10 * size)
    b = problem.b[N] - A[np.ix_(N, E)] @ np.linalg.pinv(A[np.ix_(E, E)], rcond=1e-12) @ problem.b[E]
    np.testing.assert_allclose(reduced.b, b, rtol=0, atol=1e-9 * np.abs(problem.b).max())


def test_sweeps_of_a_carried_problem_cost_what_they_do_without_joints(monkeypatch):
    """Where all rows felt each other a sweep counted for so many more, and a heap ended far from its goal."""
    monkeypatch.setattr(elimination, "MOST_FREE", 0)
    problem, asked = hung("ball"), []
    options = AcceleratedOptions(patience=20_000, effort=1_000_000)
    elimination.prepare(problem, options, None, lambda part, own, _: asked.append(own) or (lambda x: None))
    assert asked[0].effort == options.effort and asked[0].patience == options.patience


def test_two_touched_bodies_of_a_mechanism_are_not_carried_by_one(monkeypatch):
    monkeypatch.setattr(elimination, "MOST_FREE", 0)
    rods = [replace(rod(f"r{i}", (i, 0, 0), (i + 1, 0, 0)), collides_with=None) for i in range(2)]
    problem, asked = problem_of(scene([FLOOR, *rods], [Joint("j", "ball", ("r0", "r1"), (1, 0, 0))])), []
    elimination.prepare(problem, AcceleratedOptions(), None, lambda part, *_: asked.append(part) or (lambda x: None))
    assert asked[0].inverse_mass is None, "given by its Delassus matrix"


def test_a_body_held_in_a_row_of_others_stays_where_its_joint_has_it():
    """Boxes side by side on a slope, the lowest on a fixed joint, without friction: it holds all of them, whatever has
    their contacts; its load is their weight along the slope."""
    count, tilt, mass = 30, 0.5, 3.0
    gravity = 9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)
    boxes = [Body(f"b{i}", Box((0.2, 0.2, 0.2)), position=(-0.2 * i, 0, 0.09), mass=mass) for i in range(count)]
    made = scene([FLOOR, *boxes], [Joint("grip", "fixed", ("world", "b0"), (0.1, 0, 0.09))], gravity=gravity)
    made = replace(made, materials=MaterialTable((Material("default", friction=0.0),)))
    run = simulate(made, options_for(made, time=0.5))
    assert np.abs(run.velocities[-1]).max() < 1e-7
    assert run.joints[-1, 0, 4] == pytest.approx(-count * mass * gravity[0], rel=1e-5)
