"""How bodies turn freely: angular momentum and energy exact, order two, symmetric bodies exactly."""

from math import atan2, cos, degrees, radians, sin

import numpy as np
import pytest
from joint_scenes import run, scene

from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.rigid import drifted
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.scenes.tops import heavy_top_rates
from stiction.solver.shapes import Sphere

SPIN = (0.3, 7.0, -2.0)


def free(inertia, spin=SPIN, turn=(0.5, 0.5, -0.5, 0.5)):
    """(Model, State) of one body that nothing touches; inertia: three moments or a matrix."""
    body = Body("b", Sphere(0.1), mass=2.0, inertia=inertia, orientation=turn, angular_velocity=spin,
                velocity=(1.0, 0.0, 0.0), collides_with=())  # fmt: skip
    return compile_scene(Scene((body,), gravity=(0.0, 0.0, 0.0)))


def after(model, state, h, steps):
    """Orientation (4,) and angular velocity (3,) after so many drifts of h seconds."""
    x, q, u = state.position, state.orientation, state.twist
    for _ in range(steps):
        x, q, u = drifted(model, x, q, u, h)
    return q[0], u[0, 3:]


def momentum(model, q, w):
    R = rotation.matrix(q[None])[0]
    inertia = R @ model.inertia[0] @ R.T
    return inertia @ w, w @ inertia @ w


TENSOR = ((2.0, 0.3, 0.1), (0.3, 1.5, -0.2), (0.1, -0.2, 1.0))


@pytest.mark.parametrize("inertia", [(1.0, 2.0, 2.5), (2.0, 2.0, 1.0), (1.0, 2.0, 2.0), TENSOR])
@pytest.mark.parametrize("h", [0.01, 0.2])
def test_momentum_and_energy_stay(inertia, h):
    """Over 300 drifts, of up to a radian and a half each, in the world."""
    model, state = free(inertia)
    L, energy = momentum(model, state.orientation[0], state.twist[0, 3:])
    end, kept = momentum(model, *after(model, state, h, 300))
    np.testing.assert_allclose(end, L, atol=1e-11 * np.linalg.norm(L))
    assert kept == pytest.approx(energy, rel=1e-11)


@pytest.mark.parametrize("size", [1e-3, 1e-9, 1e-80, 1e-107, 1e-120, 1e-160, 1e-200, 1e-310])
@pytest.mark.parametrize("inertia", [(1.0, 2.0, 2.5), (2.0, 2.0, 1.0), TENSOR])
def test_slow_spins_stay_numbers(inertia, size):
    """Spins whose squares are below the smallest number turn nothing, and are kept as far as they have digits."""
    model, state = free(inertia, spin=(size, 2.0 * size, -3.0 * size))
    q, w = after(model, state, 0.01, 3)
    assert np.isfinite(q).all()
    np.testing.assert_allclose(q, state.orientation[0], atol=0.2 * size + 1e-15)
    np.testing.assert_allclose(w, state.twist[0, 3:], rtol=0.2, atol=1e-312)


def test_order_two():
    """Half the step, a quarter of the change, for three different moments."""
    model, state = free((1.0, 2.0, 3.0))
    ends = [after(model, state, 0.5 / n, n)[0] for n in (20, 40, 80)]
    ratio = np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2])
    assert 3.7 < ratio < 4.3


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_symmetric_bodies_turn_exactly(axis):
    """One long drift is a thousand short ones."""
    moments = np.full(3, 2.0)
    moments[axis] = 0.7
    model, state = free(tuple(moments))
    one, many = after(model, state, 1.0, 1), after(model, state, 1e-3, 1000)
    np.testing.assert_allclose(one[0] * np.sign(one[0] @ many[0]), many[0], atol=1e-12)
    np.testing.assert_allclose(one[1], many[1], atol=1e-11)


def test_a_steady_spin_has_the_right_angle():
    """About a principal axis, of three different moments: the Cayley turn alone lags by (t w)^3 / 12."""
    model, state = free((1.0, 2.0, 3.0), (0.0, 0.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    q, w = after(model, state, 0.5, 1)
    np.testing.assert_allclose(q, [cos(0.75), 0, 0, sin(0.75)], atol=1e-14)
    np.testing.assert_allclose(w, [0, 0, 3.0], atol=1e-14)


def joint_top(spin=100.0):
    """(Scene of a heavy top on a ball joint in steady precession, its rate)."""
    tilt, rate = radians(30), heavy_top_rates(spin)[0]
    axis = np.array([sin(tilt), 0, cos(tilt)])
    omega = np.array([0, 0, rate]) + (spin - rate * cos(tilt)) * axis
    body = Body("top", Sphere(0.02), position=tuple(0.1 * axis), orientation=(cos(tilt / 2), 0, sin(tilt / 2), 0),
                mass=1.0, inertia=(0.01, 0.01, 0.005), velocity=tuple(np.cross(omega, 0.1 * axis)),
                angular_velocity=tuple(omega), collides_with=())  # fmt: skip
    return scene([body], [Joint("point", "ball", ("world", "top"))]), rate


def test_heavy_top_on_a_ball_joint():
    """A radian a step: nutation below half a degree, precession within 3 degrees in a second; both of order two."""
    found = []
    for h in (0.01, 0.005):
        made, rate = joint_top()
        places = []
        run(made, 1.0, h, each=lambda k, state, _, places=places: places.append(state.position[0]))
        places = np.array(places)
        nutation = np.abs(np.degrees(np.arccos(places[:, 2] / 0.1)) - 30).max()
        found.append((nutation, degrees(abs(atan2(places[-1, 1], places[-1, 0]) - rate))))
    assert found[0][0] < 0.5
    assert found[0][1] < 3.0
    assert found[0][0] > 3.0 * found[1][0]
    assert found[0][1] > 3.0 * found[1][1]
