"""What `extract` gives closes balances: impulses with their directions, reactions of Animated bodies, node masses."""

import numpy as np
import pytest

from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.results.extract import extract
from stiction.solver.scene import Body, Elastic, KeyedPoses, Motion, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import SHAPES, Tetrahedra
from stiction.solver.simulation import options_for, simulate

G = 9.81


def extracted(folder, made, time, h=0.01, **options):
    """Arrays of a scene's run with its contacts."""
    simulate(made, options_for(made, time=time, time_step=h, store_contacts=True, steps_per_frame=1, **options),
             folder / "run")  # fmt: skip
    extract(folder / "run", folder / "run.npz")
    return dict(np.load(folder / "run.npz"))


def pushed(friction=0.4, friction_t=None):
    """A block on the floor that an Animated pusher drives along, turned about the vertical."""
    from stiction.solver.materials import Material, MaterialTable

    box = SHAPES["box"]
    keys = KeyedPoses((0.0, 1.0), ((-0.3, 0.02, 0.12), (0.2, 0.02, 0.12)), ((1.0, 0, 0, 0),) * 2)
    bodies = (
        Body("floor", box((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5)),
        Body("block", box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), mass=2.0),
        Body("pusher", box((0.1, 0.1, 0.1)), motion=Motion.KINEMATIC, keys=keys, position=(-0.3, 0.02, 0.12)),
    )
    material = Material("default", friction=friction, friction_t=friction if friction_t is None else friction_t)
    return Scene(bodies, materials=MaterialTable((material,)))


@pytest.mark.parametrize("friction_t", [None, 0.1])
def test_impulses_along_their_directions_change_momentum(tmp_path, friction_t):
    a = extracted(tmp_path, pushed(friction_t=friction_t), 0.6)
    block = list(a["name"]).index("block")
    n, (s, t), lam = a["contact_normal"], a["contact_tangent"].transpose(1, 0, 2), a["contact_impulse"]
    assert np.isfinite(a["contact_tangent"]).all()
    np.testing.assert_allclose(np.cross(n, s), t, atol=1e-12)
    push = lam[:, :1] * n + lam[:, 1:2] * s + lam[:, 2:3] * t
    sign = (a["contact_body"][:, 1] == block).astype(float) - (a["contact_body"][:, 0] == block)
    assert a["contact_step"].min() == 1
    total = np.zeros((len(a["step_time"]), 3))
    np.add.at(total, a["contact_step"] - 1, sign[:, None] * push)
    change = 2.0 * np.diff(a["velocity"][:, block], axis=0) + [0, 0, 2.0 * G * 0.01]
    assert np.abs(total).max() > 0.1
    np.testing.assert_allclose(total, change, atol=1e-9)


def test_impulses_change_momentum_in_steps_that_are_subdivided(tmp_path):
    """A press on a deformable cube, whose steps are taken in parts: contacts of each part, at its time."""
    keys = KeyedPoses((0.0, 0.2), ((0, 0, 0.5), (0, 0, 0.44)), ((1.0, 0, 0, 0),) * 2)
    cube, elastic = Tetrahedra(*box_grid((1, 1, 1), (0.4, 0.4, 0.4))), Elastic(young=5e4)
    bodies = (
        Body("floor", SHAPES["box"]((4.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5)),
        Body("cube", cube, position=(0, 0, 0.2), elastic=elastic),
        Body("press", SHAPES["box"]((0.6, 0.6, 0.2)), motion=Motion.KINEMATIC, keys=keys, position=(0, 0, 0.5)),
    )
    a = extracted(tmp_path, Scene(bodies), 0.2)
    n, (s, t), lam = a["contact_normal"], a["contact_tangent"].transpose(1, 0, 2), a["contact_impulse"]
    push, total = lam[:, :1] * n + lam[:, 1:2] * s + lam[:, 2:3] * t, np.zeros((20, 3))
    sign = (a["contact_body"][:, 1] == 1).astype(float) - (a["contact_body"][:, 0] == 1)
    np.add.at(total, a["contact_step"] - 1, sign[:, None] * push)
    mass = a["node_mass"]
    change = np.einsum("n,fni->fi", mass, np.diff(a["node_velocity"], axis=0)) + [0, 0, mass.sum() * G * 0.01]
    assert a["substeps"].max() > 1 and np.abs(total).max() > 1.0
    np.testing.assert_allclose(total, change, atol=1e-9)
    before = np.append(0.0, a["step_time"])[a["contact_step"] - 1]
    assert ((before < a["contact_time"]) & (a["contact_time"] < a["step_time"][a["contact_step"] - 1])).all()


def test_an_animated_body_is_pushed_back_by_what_it_pushes(tmp_path):
    """What the block is pushed by is what its momentum needs beyond the floor: about mu m g where it slides slowly."""
    a = extracted(tmp_path, pushed(), 0.8)
    assert list(a["reaction_name"]) == ["pusher"] and a["reaction_force"].shape == (80, 1, 3)
    block, floor = (list(a["name"]).index(name) for name in ("block", "floor"))
    held = np.flatnonzero((a["contact_body"] == floor).any(axis=1))
    assert (a["contact_body"][held] == [floor, block]).all()
    lam, (s, t) = a["contact_impulse"][held], a["contact_tangent"][held].transpose(1, 0, 2)
    from_floor = np.zeros((80, 3))
    push = lam[:, :1] * a["contact_normal"][held] + lam[:, 1:2] * s + lam[:, 2:3] * t
    np.add.at(from_floor, a["contact_step"][held] - 1, push / 0.01)
    change = 2.0 * np.diff(a["velocity"][:, block], axis=0) / 0.01 + [0, 0, 2.0 * G]
    np.testing.assert_allclose(a["reaction_force"][:, 0], from_floor - change, atol=1e-6)
    late = a["reaction_force"][60:, 0]
    np.testing.assert_allclose(late[:, 0], -0.4 * 2.0 * G, rtol=0.1)
    # It pushes with its front, 0.05 m before its centre, beside which the block's centre is by 0.02 m.
    assert np.abs(a["reaction_torque"][60:, 0]).max() < 0.1 * np.abs(late[:, 0]).max()


def test_nodes_have_their_masses_and_all_digits_on_request(tmp_path):
    a = extracted(tmp_path, build("soft_drop"), 0.02)
    assert a["node_position"].dtype == a["node_velocity"].dtype == np.float64
    simulate(build("soft_drop"), options_for(build("soft_drop"), time=0.02, time_step=0.01, steps_per_frame=1),
             tmp_path / "short")  # fmt: skip
    extract(tmp_path / "short", tmp_path / "short.npz")
    short = np.load(tmp_path / "short.npz")["node_position"]
    assert short.dtype == np.float32 and (short == a["node_position"].astype(np.float32)).all()
    assert a["node_mass"].shape == (a["node_start"][-1],) and (a["node_mass"] > 0).all()


def test_pins_hold_what_gravity_and_contacts_do_to_a_deformable_body(tmp_path):
    """A beam on pins that a ball falls on: its momentum changes by pins, weight and ball, and by nothing else."""
    elastic = Elastic(young=1e5, damping=(0.0, 1e-3), pins=(((-0.31, -1, 0), (-0.29, 1, 1)),))
    beam = Body("beam", Tetrahedra(*box_grid((4, 1, 1), (0.6, 0.1, 0.1))), position=(0, 0, 0.5), elastic=elastic)
    ball = Body("ball", SHAPES["sphere"](0.05), position=(0.2, 0, 0.61), velocity=(0, 0, -1))
    a = extracted(tmp_path, Scene((beam, ball)), 0.1, 0.002)
    assert list(a["pin_name"]) == ["beam"] and len(a["contact_step"])
    momentum = np.einsum("n,fni->fi", a["node_mass"], a["node_velocity"])
    ball_mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3
    by_ball = -ball_mass * (np.diff(a["velocity"][:, 1], axis=0) + [0, 0, 0.002 * G])
    change = np.diff(momentum, axis=0) + [0, 0, 0.002 * G * a["node_mass"].sum()] - by_ball
    assert np.abs(by_ball).max() > 0.1
    np.testing.assert_allclose(0.002 * a["pin_force"][:, 0], change, atol=1e-12)
