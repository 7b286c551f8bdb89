"""The default and the accurate method on whole time steps: what was reached once stays reached."""

import numpy as np
import pytest
from problem_cases import DATA

from stiction.solver.dynamics.contact_rows import contact_rows, rigid_inverse_mass
from stiction.solver.methods import Status, get_method, solve
from stiction.solver.problem import Block, assemble
from stiction.solver.residuals import natural_map
from stiction.solver.scene_io.problem_file import load_problem

CONTACTS = DATA / "contact_problems"
# Sliding, hyperstatic, unsymmetric, with and without bodies; sweeps alone stay above 1e-6 on most of them.
HARD = ("stack10_top100_t0.5", "stack20_t0.5", "slide60_t0.6", "boxpile50_t3", "spherepile100_t2.5", "wall10x10_t0.5",
        "capsulepile300_t2", "local_problem_test", "OneObject-i100000-316", "Capsules-i101-404")  # fmt: skip


def load(name):
    return load_problem(CONTACTS / f"{name}.npz")


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Time limits below must not count compilation."""
    for name in ("stack10_t0.5", "OneObject-i100000-316"):
        solve(load(name), None, "accurate", get_method("accurate").options(tolerance=0.0, max_iterations=3000))


@pytest.mark.parametrize("name", HARD)
def test_accurate_reaches_1e8(name):
    problem = load(name)
    impulse = np.zeros(problem.row_count)
    report = solve(problem, impulse, "accurate", get_method("accurate").options(time_limit=20.0))
    assert report.status == Status.CONVERGED
    assert natural_map(problem, impulse) <= 1e-8


def column(masses, h=0.01, g=9.81):
    """Unit cubes of the given masses on one another, at rest: one time step from zero velocity."""
    count = len(masses)
    corner = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]])
    position = np.concatenate([np.column_stack([corner, np.full(4, float(k))]) for k in range(count)])
    body_a, body_b = np.repeat(np.arange(count), 4), np.repeat(np.arange(1, count + 1), 4)
    frame = np.tile(np.roll(np.eye(3), 1, axis=0)[None], (4 * count, 1, 1))
    center = np.column_stack([np.zeros((count + 1, 2)), np.arange(count + 1) - 0.5])
    mass = np.concatenate([[0.0], masses])
    inverse = np.divide(1.0, mass, out=np.zeros(count + 1), where=mass > 0)
    inertia, inverse_inertia = mass[:, None, None] * np.eye(3) / 6.0, 6.0 * inverse[:, None, None] * np.eye(3)
    J, G, _ = contact_rows(body_a, body_b, position, frame, np.full(4 * count, 3), center, inverse, inverse_inertia)
    free = np.zeros((4 * count, 3))
    # Between two falling bodies there is no relative velocity; the lowest one falls on the ground.
    free[:4, 0] = -g * h
    W = rigid_inverse_mass(inverse, inverse_inertia, mass, inertia)
    return assemble(np.full(4 * count, int(Block.CONTACT)), 3 * np.arange(4 * count + 1), J, G, free.ravel(),
                    np.tile([0.5, 0.5, 0.0], (4 * count, 1)), 6 * count, inverse_mass=W, name="column")  # fmt: skip


@pytest.mark.parametrize("masses", [8.0 ** np.arange(1, 6), np.ones(100)])
def test_the_default_stands_heavy_and_high_columns(masses):
    problem = column(masses)
    impulse = np.zeros(problem.row_count)
    report = solve(problem, impulse, "default", get_method("default").options(tolerance=1e-9, max_iterations=5000))
    assert report.status == Status.CONVERGED
    carried = impulse.reshape(-1, 4, 3)[:, :, 0].sum(axis=1)
    np.testing.assert_allclose(carried, 9.81 * 0.01 * np.cumsum(masses[::-1])[::-1], rtol=1e-6)
    again = solve(problem, impulse, "default", get_method("default").options(tolerance=1e-9))
    assert again.iterations == 0


def test_round_off_does_not_stop_strong_proximal_steps():
    """A soft mode needs a strong proximal term, which enlarges the round-off of velocities: once 2,100 sweeps' work."""
    options = get_method("default").options(tolerance=1e-9, max_iterations=600)
    assert solve(column(np.ones(100)), None, "default", options).status == Status.CONVERGED


@pytest.mark.parametrize("key", ["accelerated", "accurate"])
def test_never_worse_than_the_start_and_the_same_bits(key):
    problem = load("boxpile50_t3")
    good = np.zeros(problem.row_count)
    solve(problem, good, key, get_method(key).options(tolerance=1e-7, max_iterations=20_000))
    start = natural_map(problem, good)
    options = get_method(key).options(tolerance=1e-13, max_iterations=120)
    first, second = good.copy(), good.copy()
    solve(problem, first, key, options)
    solve(problem, second, key, options)
    assert natural_map(problem, first) <= start
    np.testing.assert_array_equal(first, second)


def test_one_hard_island_does_not_hold_up_the_rest():
    problem = load("slide60_t0.6")
    impulse = np.zeros(problem.row_count)
    report = solve(problem, impulse, "default", get_method("default").options(tolerance=1e-9, newton=False,
                                                                             max_iterations=60))  # fmt: skip
    residuals = natural_map(problem, impulse)
    assert report.status != Status.CONVERGED
    finished = solve(problem, impulse, "default", get_method("default").options(tolerance=1e-9, max_iterations=5000))
    assert finished.status == Status.CONVERGED
    assert natural_map(problem, impulse) <= 1e-9 < residuals


@pytest.mark.parametrize(("name", "most"), [("boxpile50_t3", 1100), ("capsulepile300_t2", 1600)])
def test_the_proximal_method_is_not_broken_off_while_it_wanders(name, most):
    # A Newton step counts as the sweeps it costs.
    options = get_method("accelerated").options(tolerance=1e-8, max_iterations=100_000)
    report = solve(load(name), None, "accelerated", options)
    assert report.status == Status.CONVERGED
    assert report.iterations <= most
