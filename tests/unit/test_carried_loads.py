"""Loads of structures at rest are not lost from step to step by other keys."""

import numpy as np
import pytest

from stiction.solver.collision.contacts import ContactSet
from stiction.solver.dynamics import impulses as step_impulses
from stiction.solver.dynamics.contact_step import carried_impulses
from stiction.solver.residuals import natural_map
from stiction.solver.scenes.prox_stones import colosseum
from stiction.solver.simulation import options_for, simulate

SIZE, STILL = np.ones(2), np.zeros(2)
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.6, 0.0], [0.0, 0.6, 0.0]])


def contacts(position, keys):
    count = len(keys)
    bodies, normal = np.tile([[0], [1]], count), np.tile([0.0, 0.0, 1.0], (count, 1))
    return ContactSet(*bodies, np.array(position, dtype=float), normal, np.zeros(count), np.array(keys, dtype=np.int64))


def loads(*normal):
    carried = np.zeros((len(normal), 5))
    carried[:, 0] = normal
    carried[:, 1:] = 0.1 * carried[:, :1] * [1.0, -0.5, 0.0, 0.2]
    return carried


def test_a_load_goes_on_at_its_place_under_another_key():
    old, impulse = contacts(CORNERS, [1, 2, 3, 4]), loads(1.0, 2.0, 3.0, 4.0)
    new = contacts(CORNERS[[0, 1, 2, 3]] + 1e-9, [1, 7, 8, 9])
    np.testing.assert_array_equal(carried_impulses(old, impulse, new, SIZE, STILL), impulse)


def test_a_key_that_is_somewhere_else_now_does_not_take_the_load_along():
    old, impulse = contacts(CORNERS, [1, 2, 3, 4]), loads(1.0, 2.0, 3.0, 4.0)
    carried = carried_impulses(old, impulse, contacts(CORNERS[[1, 0, 2, 3]], [1, 2, 3, 4]), SIZE, STILL)
    np.testing.assert_array_equal(carried, impulse[[1, 0, 2, 3]])


def test_two_contacts_in_one_place_leave_both_loads_to_the_one_that_stays():
    old, impulse = contacts(CORNERS[[0, 0, 1, 2]], [1, 2, 3, 4]), loads(1.0, 2.0, 3.0, 4.0)
    carried = carried_impulses(old, impulse, contacts(CORNERS[:3], [1, 3, 4]), SIZE, STILL)
    np.testing.assert_allclose(carried, [impulse[0] + impulse[1], impulse[2], impulse[3]])


@pytest.mark.parametrize("keys", [[1, 2, 3, 4], [5, 6, 7, 8]])
def test_between_bodies_that_stand_no_load_is_lost(keys):
    old, impulse = contacts(CORNERS, [1, 2, 3, 4]), loads(1.0, 2.0, 3.0, 4.0)
    new = contacts(0.8 * CORNERS + [0.1, 0.06, 0.0], keys)
    np.testing.assert_allclose(carried_impulses(old, impulse, new, SIZE, STILL), impulse, rtol=1e-12)


def test_between_bodies_that_move_a_load_goes_with_its_key_or_is_lost():
    old, impulse = contacts(CORNERS, [1, 2, 3, 4]), loads(1.0, 2.0, 3.0, 4.0)
    new = contacts(CORNERS + [0.3, 0.0, 0.0], [1, 2, 3, 9])
    carried = carried_impulses(old, impulse, new, SIZE, np.full(2, 0.2))
    np.testing.assert_array_equal(carried, np.vstack([impulse[:3], np.zeros(5)]))


def test_a_structure_at_rest_starts_with_an_answer_and_goes_on_from_it(monkeypatch):
    """Half of the keys of this ring of arches change in its first step, by round-off."""
    asked, left = [], []

    def graded(begun, step, impulse, *given, **more):
        before = impulse.copy()
        asked.append(more["found"])
        solution = solve(begun, step, impulse, *given, **more)
        left.append((natural_map(solution.problem, before), solution.solved.outcome.iterations))
        return solution

    solve = step_impulses._solve_velocity
    monkeypatch.setattr(step_impulses, "_solve_velocity", graded)
    scene = colosseum(bays=8, storeys=1)
    run = simulate(scene, options_for(scene, time=0.02, threads=1))
    assert run.steps["residual"][0] <= 1e-9
    (first, most), (second, fewer) = left[-2:]
    # About a tenth, by which of many answers the first step found; with its loads lost it is more than the first.
    assert second < 0.2 * first
    assert fewer < most
    assert np.all(asked[-2].patience == asked[-2].effort)
    assert np.all(asked[-1].patience < asked[-1].effort)
