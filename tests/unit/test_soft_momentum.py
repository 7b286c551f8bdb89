"""Momentum and angular momentum of closed systems with deformable bodies, at every step, whatever touches what."""

import dataclasses

import numpy as np
import pytest
from marks import few
from soft_scenes import cube, run, scene

from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scene import Attachment, Body, Elastic, Joint
from stiction.solver.shapes import Box, Sphere, Tetrahedra
from stiction.solver.validation.deformable.momentum import WORKS, momenta

NO_GRAVITY = (0.0, 0.0, 0.0)


def worst_change(model, states):
    """Largest change of both momenta from the start, in parts of the largest there is."""
    found = np.array([momenta(model, state) for state in states])
    scale = np.abs(found[0]).max() + sum(
        float(np.abs(model.elastic[k].mass @ states[0].nodes.velocity[model.span(k)]).max())
        for k in np.flatnonzero(model.soft)
    )
    return np.abs(found - found[0]).max() / scale


def meeting(seed):
    """A few deformable and rigid bodies that fly at each other, with friction; two of them attached or jointed."""
    rng = np.random.default_rng(seed)
    bodies, attachments, joints = [], [], []
    for k in range(4):
        at = (0.23 * (k % 2), 0.24 * (k // 2), rng.uniform(-0.02, 0.02))
        towards = np.array([0.115, 0.12, 0.0]) - at
        moves = {"velocity": tuple(rng.uniform(2.0, 8.0) * towards), "angular_velocity": tuple(rng.uniform(-4, 4, 3))}
        young, damping = 10.0 ** rng.uniform(4.7, 7.5), (rng.choice([0.0, 1.0]), rng.choice([0.0, 2e-3]))
        if k < 3 or rng.random() < 0.3:
            element = "t10" if rng.random() < 0.3 else "t4"
            bodies.append(cube(f"b{k}", 1 if element == "t10" else 2, position=at, young=young, element=element,
                               damping=damping, poisson=rng.choice([0.3, 0.45]), **moves))  # fmt: skip
        elif rng.random() < 0.3:
            bodies.append(Body(f"b{k}", Sphere(0.1), position=at, **moves))
        else:
            bodies.append(Body(f"b{k}", Box((0.2, *rng.uniform(0.1, 0.2, 2))), position=at, **moves))
    if seed % 3 < 2:
        # Two thin boxes on a joint: held by the first body, or flying at it.
        spin = {"angular_velocity": tuple(rng.uniform(-4, 4, 3)), "velocity": (1.0, 0.2, 0.0)} if seed % 3 else {}
        at = -0.131 - 0.05 * (seed % 3)
        bodies.append(Body("tail", Box((0.06, 0.05, 0.03)), position=(at, 0.0, 0.0), **spin))
        bodies.append(Body("end", Box((0.06, 0.02, 0.06)), position=(at - 0.1, 0.0, 0.0), **spin))
        kind = ("ball", "hinge", "slider")[seed % 9 // 3]
        axis = {"ball": {}, "hinge": {"axis": (0.0, 0.0, 1.0)}, "slider": {"axis": (1.0, 0.0, 0.0)}}[kind]
        joints.append(Joint("pivot", kind, ("tail", "end"), position=(at - 0.05, 0.0, 0.0), **axis))
    if seed % 3 == 0:
        attachments.append(Attachment(("b0", "tail"), ((-0.14, -0.04, -0.04), (-0.09, 0.04, 0.04))))
    return bodies, tuple(attachments), tuple(joints)


@pytest.mark.parametrize(("seed", "time_step"), few([(0, 0.01), (1, 0.002), (2, 0.01)], (2, 0.01)))
def test_momenta_of_closed_systems_are_kept_at_every_step(seed, time_step):
    check(seed, time_step, 6 if time_step == 0.01 else 16)


@pytest.mark.parametrize("time_step", [pytest.param(0.01, marks=pytest.mark.slow),
                                       pytest.param(0.002, marks=pytest.mark.slow(hours=True))])  # fmt: skip
@pytest.mark.parametrize("seed", range(30))
def test_momenta_of_thirty_closed_systems_are_kept_at_every_step(seed, time_step):
    check(seed, time_step, 16 if time_step == 0.01 else 60)


def check(seed, time_step, steps):
    bodies, attachments, joints = meeting(seed)
    world = dataclasses.replace(scene(*bodies, gravity=NO_GRAVITY), attachments=attachments, joints=joints)
    model, states, reports = run(world, steps, time_step=time_step)
    assert any(report.contact_count for report in reports)
    assert worst_change(model, states) < 1e-12
    assert unexplained(reports) < 1e-12


@pytest.mark.parametrize("speed", [0.7, 1.1])
def test_friction_of_rigid_bodies_over_an_open_gap_turns_nothing(speed):
    """They meet within the step, a gap apart where their contact is found: both are pushed about one point."""
    bodies = [Body("ball", Sphere(0.1), position=(-0.21, 0.0, 0.0), velocity=(speed, 0.2, 0.1)),
              Body("box", Box((0.2, 0.3, 0.25)), position=(0.0, 0.05, 0.0), angular_velocity=(0, 2, 0))]  # fmt: skip
    model, states, reports = run(scene(*bodies, gravity=NO_GRAVITY), 1)
    assert states[-1].contacts.gap[0] > 1e-3 and reports[0].friction_work < -1e-4
    found = np.array([momenta(model, state) for state in states])
    assert np.abs(found - found[0]).max() < 1e-14 * np.abs(found).max()


def test_bodies_on_joints_that_float_keep_their_angular_momentum():
    """Before anything touches them, too: where joints are closed, and where their rows push."""
    spins = (3.0, -2.0, 5.0), (1.0, 4.0, -3.0), (-4.0, 2.0, -3.0)
    bodies = [Body(f"b{k}", Box((0.2, 0.1, 0.06)), position=(0.2 * k, 0.0, 0.0), angular_velocity=spins[k])
              for k in range(3)]  # fmt: skip
    joints = (Joint("ball", "ball", ("b0", "b1"), position=(0.1, 0.0, 0.0)),
              Joint("hinge", "hinge", ("b1", "b2"), position=(0.3, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))  # fmt: skip
    model, states, _ = run(dataclasses.replace(scene(*bodies, gravity=NO_GRAVITY), joints=joints), 20)
    assert worst_change(model, states) < 1e-12


def test_bodies_without_symmetry_keep_their_angular_momentum_beside_deformable_ones():
    box = Body("box", Box((0.2, 0.1, 0.06)), position=(0.0, 0.0, 0.0), angular_velocity=(3.0, -2.0, 5.0))
    soft = cube("soft", 1, 0.1, position=(-0.151, 0.0, 0.0))
    held = (Attachment(("soft", "box"), ((-0.13, -0.06, -0.06), (-0.09, 0.06, 0.06))),)
    world = dataclasses.replace(scene(soft, box, gravity=NO_GRAVITY), attachments=held)
    model, states, _ = run(world, 10)
    assert worst_change(model, states) < 1e-12


@pytest.mark.parametrize("young", [1e6, 1e9])
def test_what_turns_attached_is_not_drawn_by_its_steps(young):
    """A bar between two boxes that turn as one: nodes go straight to the middle of a step, points of boxes round."""
    ends = ("a", -0.2), ("c", 0.2)
    held = [Attachment(("bar", name), ((x - 1e-3, -1, -1), (x + 1e-3, 1, 1))) for name, x in ends]
    bodies = [Body("bar", Tetrahedra(*box_grid((3, 1, 1), (0.4, 0.1, 0.1))), elastic=Elastic(young=young)),
              Body("a", Box((0.1, 0.12, 0.12)), position=(-0.2501, 0.0, 0.0)),
              Body("c", Box((0.1, 0.12, 0.12)), position=(0.2501, 0.0, 0.0))]  # fmt: skip
    turning = [dataclasses.replace(body, velocity=(0.0, 8.0 * body.position[0], 0.0), angular_velocity=(0.0, 0.0, 8.0))
               for body in bodies]  # fmt: skip
    made = dataclasses.replace(scene(*turning, gravity=NO_GRAVITY), attachments=tuple(held))
    model, states, reports = run(made, 20, time_step=0.02)
    assert worst_change(model, states) < 1e-12
    # Of bars of 1 MPa the pull outward stores a thousandth of the motion.
    assert max(report.elastic for report in reports) < (1e-2 if young < 1e7 else 1e-3) * reports[0].kinetic


def test_what_begins_to_turn_stores_nothing():
    """It gets as wide as its turn makes it in steps of this length, and turns the slower for it."""
    body = cube(young=4e8, poisson=0.4999, element="t10", cells=1, angular_velocity=(8.0, 2.4, -4.0))
    _, _, reports = run(scene(body, gravity=NO_GRAVITY), 4, time_step=1 / 24)
    assert max(report.elastic for report in reports) < 5e-3 * reports[0].kinetic


@pytest.mark.parametrize(("young", "time_step", "spin"), [(1e7, 1 / 24, 2.4), (1e9, 0.01, 10.0)])
def test_what_tumbles_without_changing_its_volume_gains_no_energy(young, time_step, spin):
    """A step to which it is rigid keeps its volume not quite: it is divided before that stores what motion has."""
    shape, turn = Tetrahedra(*box_grid((1, 1, 1), (0.1, 0.2, 0.3), split=6)), np.array([0.3, 0.9, 0.3])
    body = Body("block", shape, angular_velocity=tuple(spin * turn / np.linalg.norm(turn)),
                elastic=Elastic(young=young, poisson=0.4999, element="t10"))  # fmt: skip
    _, _, reports = run(scene(body, gravity=NO_GRAVITY), 40, time_step=time_step)
    total = [report.kinetic + report.elastic for report in reports]
    assert max(total) < 1.025 * reports[0].kinetic


def unexplained(reports):
    """Energy that no term of the ledger explains, in parts of the largest kinetic energy."""
    total = np.array([r.kinetic + r.elastic for r in reports])
    work = np.cumsum([sum(getattr(r, name) for name in WORKS) for r in reports])
    return np.abs(total - total[0] - (work - work[0])).max() / max(r.kinetic for r in reports)
