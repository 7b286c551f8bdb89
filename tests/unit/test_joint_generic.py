"""Generic joints: what their angles mean, in whatever order the bodies come, and that their rates are exact."""

from itertools import combinations

import numpy as np
import pytest
from joint_scenes import cube, run, scene
from scipy.spatial.transform import Rotation

from stiction.solver.dynamics.jointed.rows import linearised_at, rates
from stiction.solver.dynamics.jointed.start.compile import compile_joints
from stiction.solver.dynamics.joints.base import Part
from stiction.solver.dynamics.rigid import moved_poses
from stiction.solver.scene import Joint, Motor, Scene
from stiction.solver.simulation import simulate

ANGLES = ("rx", "ry", "rz")
SETS = [free for count in (1, 2, 3) for free in combinations(ANGLES, count)]


def about(i, angle):
    """Turn by an angle about the axis i: (3,3)."""
    m, n = (i + 1) % 3, (i + 2) % 3
    R = np.eye(3)
    R[m, m] = R[n, n] = np.cos(angle)
    R[m, n], R[n, m] = -np.sin(angle), np.sin(angle)
    return R


def compiled(free, axis, axis2):
    """(tables, positions, orientations) of two cubes on a generic joint."""
    bodies = (cube("a", (0.1, 0, 0.2)), cube("b", (0.4, 0.3, 0)))
    joint = Joint("j", "generic", ("a", "b"), (0.2, 0.1, 0.1), axis=axis, axis2=axis2, free=free)
    x, q = np.array([b.position for b in bodies], dtype=float), np.tile([1.0, 0, 0, 0], (2, 1))
    tables, _ = compile_joints(Scene(bodies, joints=(joint,)), x, q, np.ones(2), np.ones(2, dtype=bool))
    return tables, x, q


@pytest.mark.parametrize("free", SETS, ids="".join)
def test_angles_are_turns_about_the_axes_of_the_first_body_x_then_y_then_z(free):
    """The second body is turned by known angles about x, then y, then z of the first: what is free reads these angles,
    what is held stays shut; with a joint frame and a first body that are tilted."""
    F = about(2, 0.4) @ about(0, 0.7)
    tables, x, q = compiled(free, tuple(F[:, 2]), tuple(F[:, 0]))
    angles = np.where(np.isin(ANGLES, free), (0.8, -1.1, 2.0), 0.0)
    if free == ("ry",):
        angles[1] = 2.5  # alone it has no singular pose at a right angle
    first = about(1, 0.3)
    turn = F @ about(2, angles[2]) @ about(1, angles[1]) @ about(0, angles[0]) @ F.T
    q = Rotation.from_matrix([first, first @ turn]).as_quat(scalar_first=True)
    look = linearised_at(tables, np.zeros(len(tables.functions.part)), x, q)
    part, i = tables.functions.part, tables.functions.i
    counted = np.isin(part, (Part.ANGLE, Part.TURNS))
    np.testing.assert_allclose(look.value[counted], angles[i[counted]], atol=1e-12)
    np.testing.assert_allclose(look.value[part == Part.AXES], 0.0, atol=1e-12)


@pytest.mark.parametrize("free", SETS, ids="".join)
def test_rates_are_derivatives(free):
    rng = np.random.default_rng(len(free))
    tables, x, q = compiled(free, (0.1, 0.2, 1.0), (1.0, 0.0, 0.0))
    for _ in range(5):
        x_now, q_now = moved_poses(x, q, rng.uniform(-0.6, 0.6, (2, 6)), 1.0)
        twist, e = rng.normal(size=(2, 6)), 1e-6
        there = linearised_at(tables, np.zeros(len(tables.functions.part)), x_now, q_now)
        ahead, behind = (
            linearised_at(tables, there.value, *moved_poses(x_now, q_now, sign * twist, e)) for sign in (1, -1)
        )
        np.testing.assert_allclose(rates(tables, there, twist), (ahead.g - behind.g) / (2 * e), atol=1e-6)


@pytest.mark.parametrize("free", [("rx", "ry", "rz"), ("rx", "ry"), ("ry", "rz")], ids="".join)
@pytest.mark.parametrize("others", [0.0, 0.7])
def test_the_middle_angle_goes_on_beyond_a_right_angle(free, others):
    """Turned about the second axis by 7 degrees at a time, twice round: every angle is read as it was made."""
    tables, x, _ = compiled(free, (0.1, 0.2, 1.0), (1.0, 0.0, 0.0))
    F, value = tables.functions.frame[0, 0], np.zeros(len(tables.functions.part))
    first, last = (others if name in free else 0.0 for name in ("rx", "rz"))
    turns = tables.functions.part == Part.TURNS
    for middle in np.radians(np.arange(0, 720, 7)):
        angles = np.array([first, middle, -last])
        turn = F @ about(2, angles[2]) @ about(1, angles[1]) @ about(0, angles[0]) @ F.T
        q = Rotation.from_matrix([np.eye(3), turn]).as_quat(scalar_first=True)
        look = linearised_at(tables, value, x, q)
        value = look.value
        np.testing.assert_allclose(value[turns], angles[tables.functions.i[turns]], atol=1e-9)


def test_a_motor_about_the_middle_angle_keeps_turning():
    """100 N m on a cube of 1000 kg, a metre wide: 0.6 rad/s^2, for 10 s, in the same direction all the time."""
    body = cube("b", (0, 0, 0), size=1.0, mass=1000.0)
    joint = Joint("j", "generic", ("world", "b"), (0, 0, 0), axis=(0, 0, 1), axis2=(1, 0, 0),
                  free=("x", "y", "z", *ANGLES), motor={"ry": Motor(1e4, 100.0)})  # fmt: skip
    ended = run(scene([body], [joint], gravity=(0, 0, 0)), 10.0, h=0.05)
    assert ended.state.twist[0, 3:] == pytest.approx([0.0, 6.0, 0.0], abs=1e-6)
    angles = ended.state.joints.value[ended.model.joints.functions.part == Part.TURNS]
    assert angles == pytest.approx([0.0, 30.0, 0.0], abs=0.02)


@pytest.mark.parametrize("driven", ["x", "rx", "rz"])
def test_frames_tell_of_the_coordinate_that_is_driven(driven):
    """A joint that leaves all six free and drives one of them, as Blender's motors do: its value is that one, and it is
    among the motors that are looked at."""
    motor = Joint("motor", "generic", ("a", "b"), (0, 0, 0), free=("x", "y", "z", *ANGLES),
                  motor={driven: Motor(2.0, 1e4)})  # fmt: skip
    made = scene((cube("a", (0, 0, 0)), cube("b", (2, 0, 0))), [motor], gravity=(0, 0, 0), time=0.5, time_step=0.01)
    frames = simulate(made)
    assert frames.header["motors"] == ["motor"]
    # From rest at the target speed after the first step, counted as the joint counts.
    assert frames.joints[-1, 0, 1] == pytest.approx(2.0, rel=1e-6)
    assert frames.joints[-1, 0, 0] == pytest.approx(1.0, rel=0.05)
