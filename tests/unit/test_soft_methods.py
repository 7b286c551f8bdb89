"""Every method on contacts, attachments, joints, limits and drives of one island with a deformable body."""

import dataclasses

import numpy as np
import problem_cases as cases
import pytest
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.methods import METHODS, Status, solve
from stiction.solver.methods.method_options import NewtonOptions
from stiction.solver.problem import Block
from stiction.solver.scene import Attachment, Body, Joint
from stiction.solver.shapes import Box
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

# First-order methods of the papers, whose one r a block takes contacts that all feel each other slowly: what 4,000
# iterations leave [m/s].
SLOW = {"prox": 1e-3, "pgs": 1e-3, "prox_literal": 5e-3, "jacobi": 7e-3}


def world():
    """On a soft cube that falls stand two boxes, joined by a hinge with a limit and dry friction; a third one is
    attached to its side."""
    low = cube("low", position=(0, 0, 0.1005), velocity=(0.3, 0.1, -1), law="neo_hookean")
    first = Body("first", Box((0.1, 0.1, 0.05)), position=(0, 0, 0.2256), velocity=(0, 0, -1))
    second = Body("second", Box((0.1, 0.05, 0.05)), position=(0.11, 0, 0.2256), velocity=(0, 0, -1),
                  angular_velocity=(0, 1, 0))  # fmt: skip
    held = Body("held", Box((0.05, 0.05, 0.05)), position=(-0.1265, 0, 0.1005))
    joint = Joint("hinge", "hinge", ("first", "second"), position=(0.055, 0, 0.2256), axis=(0, 1, 0), limits=(0.0, 0.5),
                  friction=0.05)  # fmt: skip
    at = Attachment(("low", "held"), ((-0.11, -0.03, 0.05), (-0.09, 0.03, 0.15)))
    return dataclasses.replace(scene(FLOOR, low, first, second, held), joints=(joint,), attachments=(at,))


@pytest.fixture(scope="module")
def problem():
    """The step's problem with the most kinds of blocks."""
    made, found = world(), []
    options = options_for(made, soft_stepper="bdf2")
    model, state = compiled(made, options)
    settings = dataclasses.replace(step_settings(options, model, state), record=found.append)
    step = stepper(options)
    for _ in range(6):
        state, _, _ = step(model, state, settings)
    return max(found, key=lambda one: (len(np.unique(one.kind)), one.row_count))


@pytest.fixture(scope="module")
def velocity(problem):
    """Row velocities by `accurate`, of Coulomb's law and with a box for friction."""
    found = {}
    for law in (FrictionLaw.ELLIPSOID, FrictionLaw.BOX):
        one, impulse = dataclasses.replace(problem, law=np.full_like(problem.law, law)), np.zeros(problem.row_count)
        assert solve(one, impulse, "accurate").status == Status.CONVERGED
        found[law] = one.velocity(impulse)
    return found


def test_the_problem_has_every_kind_of_block(problem):
    assert set(problem.kind) == {Block.CONTACT, Block.BILATERAL, Block.LIMIT, Block.DRIVE}
    assert np.count_nonzero(problem.kind == Block.BILATERAL) == 2, "an attachment's and the hinge's"
    assert problem.G.size.max() > 6


@pytest.mark.parametrize("key", list(METHODS))
def test_methods_agree_on_rows_of_every_kind(problem, velocity, key):
    law = FrictionLaw.BOX if key == "pgs" else FrictionLaw.ELLIPSOID
    one, impulse = dataclasses.replace(problem, law=np.full_like(problem.law, law)), np.zeros(problem.row_count)
    most = 4000 if key in SLOW else 20_000
    report = solve(one, impulse, key, cases.ours(key, tolerance=1e-7, max_iterations=most))
    if key in SLOW:
        assert report.residual <= SLOW[key]
        assert (report.status == Status.CONVERGED) == (report.residual <= 1e-7)
        return
    assert report.status == Status.CONVERGED
    assert np.abs(one.velocity(impulse) - velocity[law]).max() < 1e-6


@pytest.mark.slow
def test_what_newton_of_2019_needs_here_is_patience(problem):
    """As printed it swings between sticking and sliding, whatever solves its linear systems."""
    left = {}
    for patience in (0, 12):
        options = NewtonOptions(tolerance=1e-7, patience=patience, max_iterations=400)
        report = solve(problem, np.zeros(problem.row_count), "newton", options)
        left[patience] = report.residual
    assert left[12] <= 1e-7 and left[0] > 1e-3


def test_attachments_and_joints_of_one_island_go_on():
    """Impulses of the joints are behind those of what is attached."""
    model, states, reports = run(world(), 4)
    assert all(report.converged for report in reports)
    ends = [states[-1].position[i] for i in (2, 3)]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(0.11, abs=0.003)
    loads = states[-1].joints.load[0]
    assert np.isfinite(loads).all() and np.abs(loads[:3]).max() > 0.0
