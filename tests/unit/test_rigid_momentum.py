"""Momentum, angular momentum and energy of rigid bodies that meet in flight, with joints, friction and bounces."""

import dataclasses

import numpy as np
import pytest
from marks import few
from soft_scenes import run, scene
from test_soft_momentum import NO_GRAVITY, unexplained, worst_change

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint
from stiction.solver.shapes import Box, Sphere

KINDS = {"ball": {}, "hinge": {"axis": (0.0, 0.0, 1.0)}, "slider": {"axis": (1.0, 0.0, 0.0)}}


def thrown(seed, friction=0.5, restitution=0.0, jointed=True):
    """Four boxes and balls that fly at each other, and three boxes in a row on two joints that fly at them."""
    rng, bodies, joints = np.random.default_rng(seed), [], []
    for k in range(4):
        at = np.array([0.3 * (k % 2), 0.32 * (k // 2), rng.uniform(-0.02, 0.02)])
        towards = rng.uniform(2.0, 8.0) * (np.array([0.15, 0.16, 0.0]) - at)
        shape = Sphere(0.1) if rng.random() < 0.3 else Box(tuple(rng.uniform(0.1, 0.2, 3)))
        bodies.append(Body(f"b{k}", shape, position=tuple(at), velocity=tuple(towards),
                           angular_velocity=tuple(rng.uniform(-4, 4, 3))))  # fmt: skip
    if jointed:
        moves = {"angular_velocity": tuple(rng.uniform(-4, 4, 3)), "velocity": (1.0, 0.2, 0.0)}
        bodies += [Body(f"t{k}", Box((0.08, 0.05, 0.03)), position=(-0.15 - 0.1 * k, 0.0, 0.0), **moves)
                   for k in range(3)]  # fmt: skip
        for k in range(2):
            kind = str(rng.choice(list(KINDS)))
            joints.append(Joint(f"j{k}", kind, (f"t{k}", f"t{k + 1}"), position=(-0.2 - 0.1 * k, 0.0, 0.0),
                                **KINDS[kind]))  # fmt: skip
    table = MaterialTable((Material("default", 1000.0, friction, restitution=restitution),))
    return dataclasses.replace(scene(*bodies, gravity=NO_GRAVITY), joints=tuple(joints), materials=table)


CASES = [(seed, h, e) for seed in range(8) for h in (0.01, 0.002) for e in (0.0, 0.5)]


@pytest.mark.parametrize(("seed", "time_step", "restitution"), few(CASES, (0, 0.01, 0.0), (5, 0.01, 0.5)))
def test_momenta_are_kept_at_every_step_whatever_meets(seed, time_step, restitution):
    model, states, reports = run(thrown(seed, restitution=restitution), int(0.3 / time_step), time_step=time_step)
    assert any(report.contact_count for report in reports)
    assert worst_change(model, states) < 1e-12
    assert unexplained(reports) < 1e-11


@pytest.mark.parametrize("seed", few((*range(8), 26, 32, 48, 86, 91), 0, 5, 7, 48))
def test_perfect_bounces_in_flight_keep_energy_and_angular_momentum(seed):
    """Both: closing the gap of a bounce moves bodies off their way, which turns what they carry."""
    made = thrown(seed, friction=0.0, restitution=1.0, jointed=False)
    model, states, reports = run(made, 40, time_step=0.01)
    assert sum(report.contact_count for report in reports) >= 3
    assert worst_change(model, states) < 1e-12
    energy = np.array([report.kinetic for report in reports])
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-9
