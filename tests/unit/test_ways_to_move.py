"""What joints leave of an island is a problem on one body, solved as docs/theory.md says (7), the same in numpy."""

import numpy as np
import pytest
from reference import theory

from stiction.solver import mechanisms
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods.accelerated import joined_kernels, plain
from stiction.solver.methods.assembly import delassus_matrix
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scenes.lookup import find_scene
from stiction.solver.shapes import Box, Cylinder
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper


def car():
    """A box on four wheels, whose edges touch a slope at two points each."""
    bodies = [Body("ground", Box((40.0, 40.0, 1.0)), "m", Motion.STATIC, (0.0, 0.0, -0.5)),
              Body("chassis", Box((2.0, 0.8, 0.3)), "m", position=(0.0, 0.0, 0.7))]  # fmt: skip
    joints, turned = [], (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    for k, (x, y) in enumerate(((0.8, 0.6), (0.8, -0.6), (-0.8, 0.6), (-0.8, -0.6))):
        bodies.append(Body(f"wheel {k}", Cylinder(0.4, 0.2), "m", position=(x, y, 0.4), orientation=turned))
        joints.append(Joint(f"hinge {k}", "hinge", ("chassis", f"wheel {k}"), (x, y, 0.4), axis=(0.0, 1.0, 0.0)))
    table = MaterialTable((Material("m", density=1000.0, friction=0.8),))
    return Scene(tuple(bodies), table, (3.0, 0.0, -9.81), joints=tuple(joints))


@pytest.fixture(scope="module")
def problem():
    """(Problem of the third step of the car, what its solve was given)."""
    found = []
    patch = pytest.MonkeyPatch()
    patch.setattr(mechanisms, "OFF", mechanisms.checked(["quiet_steps"]))
    scene = car()
    options = options_for(scene, time=0.05, time_step=0.01)
    model, state = compiled(scene, options)
    step, settings = stepper(options), step_settings(options, model, state)
    given = plain._given

    def noted(problem, *more):
        found.append((problem, given(problem, *more)))
        return found[-1][1]

    patch.setattr(plain, "_given", noted)
    for _ in range(3):
        state, _, _ = step(model, state, settings)
    patch.undo()
    return found[-1]


def pushed(problem, seed):
    """The problem with its contacts pushed and pulled this way and that: some slide, some open, sweeps take long."""
    p, (arrays, *given) = problem
    push = np.random.default_rng(seed).normal(0.0, 0.3, len(arrays.b))
    push[arrays.row_start[np.count_nonzero(arrays.kind == 0)] :] = 0.0
    return p, (arrays._replace(b=arrays.b + push), *given)


def on_the_page(problem):
    """(rows of the page, which rows of the problem they are, cost of a Newton step)."""
    p, given = problem
    A, size = delassus_matrix(p).toarray(), np.diff(p.row_start)
    joints = p.kind == 1
    held = np.repeat(joints, size)
    A, b = theory.eliminated(A, given[0].b, held)
    rank = np.linalg.matrix_rank(A, tol=1e-9 * A.max())
    assert 6 < rank <= 10 < len(b) / 2
    return theory.dense(A, b, p.mu[~joints], size[~joints]), ~held, theory.cost_of_step_on_one_body(rank, 8)


def answer(problem, limit):
    """(Impulses that the program comes to from none, sweeps), at a limit of sweeps; the elimination counts as one."""
    p, (arrays, mass, goals, start, impulse) = problem
    start = start._replace(limits=start.limits._replace(max_iterations=limit))
    x = np.zeros_like(impulse)
    _, sweeps, _ = joined_kernels.solve_with_joints(arrays, mass, goals, start, x, p.dof_count)
    return x, sweeps - 1


def differ(mine, expected):
    return np.abs(mine - expected).max() / np.abs(expected).max()


def test_sweeps_are_those_of_the_page(problem):
    rows, free, _ = on_the_page(problem)
    expected = theory.begin(np.zeros(len(rows.b)))
    for count in (10, 20):
        for _ in range(10):
            theory.sweep(rows, expected)
        assert differ(answer(problem, count)[0][free], rows.scale * expected.x) <= 1e-12


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_newton_steps_come_once_sweeps_have_cost_as_much_as_four_and_are_those_of_the_page(problem, seed):
    problem = pushed(problem, seed)
    rows, free, cost = on_the_page(problem)
    goal, sweeps, spent = problem[1][2][0][0], theory.begin(np.zeros(len(rows.b))), 0
    done = 10 * int(np.ceil(max(1.0, 4.0 * cost / 10.0)))
    for _ in range(done):
        theory.sweep(rows, sweeps)
    assert theory.residual(rows, sweeps.x) > goal
    for _, steps, _, base in theory.newton(rows, sweeps.x, goal):
        spent += steps
        if theory.residual(rows, base) <= goal:
            break
    x, used = answer(problem, 10_000)
    assert used == done + int(np.ceil(cost * spent))
    assert differ(x[free], rows.scale * base) <= 1e-11


def test_a_clamp_that_is_pressed_shut_is_solved_at_every_step():
    """Beyond its dead point few ways to move carry large loads: 73 of 100 steps met nothing acceptable."""
    scene = find_scene("toggle_clamp")
    assert simulate(scene, options_for(scene, time=1.0)).steps["converged"].all()
