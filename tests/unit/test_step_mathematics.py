"""The mathematics of a step, each piece against its formula in plain numpy: rows, inertia, warm start, reduction."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from stiction.solver.collision.contacts import ContactSet, empty_contacts
from stiction.solver.collision.convex.scratch import Raw
from stiction.solver.collision.manifold.reduce_kernels import CLUSTER, KEEP, ORDER, keep_extremes
from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.contact_rows import contact_rows
from stiction.solver.dynamics.contact_step import StepTimes, carried_impulses, from_rows, to_rows
from stiction.solver.dynamics.displacement import displacement_b, push_velocities
from stiction.solver.dynamics.report_kernels import kinetic_energy
from stiction.solver.dynamics.rigid import gyroscopic_midpoint
from stiction.solver.dynamics.step_kernels import (
    add_velocity_targets,
    bounce_targets,
    rotate_tensors,
)
from stiction.solver.dynamics.tables import StepColumns

RNG = np.random.default_rng(5)


def columns(gap, restitution, tangential_restitution, before, free):
    """StepColumns of contacts of which these matter alone."""
    return StepColumns(empty_contacts()._replace(gap=gap), np.zeros((0, 3, 3)), restitution, tangential_restitution,
                       before, free, np.zeros(len(gap), dtype=bool))  # fmt: skip


def turned(count=3):
    """Unit quaternions (count,4) and their matrices, written out from the definition."""
    q = RNG.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    w, x, y, z = q.T
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    return q, np.moveaxis(R, -1, 0)


def tensors(count=3):
    """Symmetric positive tensors without any symmetry of rotation."""
    B = RNG.normal(size=(count, 3, 3))
    return B @ B.transpose(0, 2, 1) + np.diag([1.0, 2.0, 5.0])


def test_quaternions_turn_as_defined():
    q, R = turned()
    np.testing.assert_allclose(rotation.matrix(q), R, atol=1e-13)


def test_inertia_turns_with_its_body():
    (_, R), body = turned(), tensors()
    world = np.empty_like(body)
    rotate_tensors(R, body, world)
    np.testing.assert_allclose(world, [A @ B @ A.T for A, B in zip(R, body, strict=True)], atol=1e-12)
    assert np.abs(world - [A.T @ B @ A for A, B in zip(R, body, strict=True)]).max() > 0.1


def test_kinetic_energy():
    (_, R), body = turned(), tensors()
    mass, twist = np.array([1.0, 2.0, 3.0]), RNG.normal(size=(3, 6))
    expected = sum(
        0.5 * mass[i] * twist[i, :3] @ twist[i, :3] + 0.5 * twist[i, 3:] @ R[i] @ body[i] @ R[i].T @ twist[i, 3:]
        for i in (0, 1)
    )
    # The third body does not move freely: it has no inverse mass.
    assert kinetic_energy(mass, body, np.array([1.0, 0.5, 0.0]), R, twist) == pytest.approx(expected, rel=1e-12)


def test_the_gyroscopic_step_is_the_implicit_midpoint():
    """I (w' - w) / h = -m x I m with m the mean of both, in the body frame; energy and |L| stay."""
    body, omega = tensors(1), np.array([[3.0, -2.0, 5.0]])
    after, h = np.empty_like(omega), 0.01
    gyroscopic_midpoint(body, omega, h, after)
    middle = 0.5 * (omega[0] + after[0])
    np.testing.assert_allclose(body[0] @ (after[0] - omega[0]) / h, -np.cross(middle, body[0] @ middle), atol=1e-8)
    assert after[0] @ body[0] @ after[0] == pytest.approx(omega[0] @ body[0] @ omega[0], rel=1e-12)
    np.testing.assert_allclose(np.linalg.norm(body[0] @ after[0]), np.linalg.norm(body[0] @ omega[0]), rtol=1e-12)


def dense(rows, first, count, size):
    """BlockRows as a dense matrix (count, size)."""
    matrix = np.zeros((count, size))
    for k in range(len(rows.indptr) - 1):
        m = first[k + 1] - first[k]
        for s in range(rows.indptr[k], rows.indptr[k + 1]):
            o, n = rows.offset[s], rows.size[s]
            block = rows.data[o : o + m * n].reshape(m, n)
            matrix[first[k] : first[k + 1], rows.start[s] : rows.start[s] + n] += block
    return matrix


def test_rows_of_a_contact_are_relative_velocities():
    """Rows n, s, t: velocity of b minus that of a at the contact; torsion: the difference of spins about n."""
    frame, _ = np.linalg.qr(RNG.normal(size=(2, 3, 3)))
    center, position = RNG.normal(size=(3, 3)), RNG.normal(size=(2, 3))
    rows, a, b = np.array([4, 3]), np.array([0, 1]), np.array([1, 2])
    inverse_mass, inverse_inertia = np.array([1.0, 0.5, 0.2]), tensors()
    J, G, _ = contact_rows(a, b, position, frame, rows, center, inverse_mass, inverse_inertia)
    first, twist = np.array([0, 4, 7]), RNG.normal(size=(3, 6))
    J = dense(J, first, 7, 18)
    expected = []
    for k in range(2):
        velocity = [twist[i, :3] + np.cross(twist[i, 3:], position[k] - center[i]) for i in (a[k], b[k])]
        expected += list(frame[k] @ (velocity[1] - velocity[0]))
        expected += [frame[k, 0] @ (twist[b[k], 3:] - twist[a[k], 3:])] * int(rows[k] == 4)
    np.testing.assert_allclose(J @ twist.ravel(), expected, atol=1e-12)
    W = np.zeros((18, 18))
    for i in range(3):
        W[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = inverse_mass[i] * np.eye(3)
        W[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inverse_inertia[i]
    np.testing.assert_allclose(dense(G, first, 7, 18), J @ W, atol=1e-12)


def contact_set(pairs, keys):
    count = len(keys)
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return ContactSet(a.copy(), b.copy(), np.zeros((count, 3)), np.tile([0.0, 0, 1.0], (count, 1)), np.zeros(count),
                      np.array(keys, dtype=np.int64))  # fmt: skip


def test_a_warm_start_goes_by_bodies_and_keys():
    old = contact_set([(0, 1), (0, 1), (0, 2), (1, 2)], [5, 7, 5, 9])
    new = contact_set([(0, 1), (0, 1), (0, 2), (0, 3), (1, 2)], [6, 7, 5, 5, 8])
    impulses = np.arange(20, dtype=float).reshape(4, 5) + 1.0
    # Bodies that may be anywhere else by now: their contacts are known by keys alone.
    apart = new._replace(position=np.full((5, 3), 1e3))
    carried = carried_impulses(old, impulses, apart, np.ones(4))
    np.testing.assert_array_equal(carried[[1, 2]], impulses[[1, 2]])
    np.testing.assert_array_equal(carried[[0, 3, 4]], 0.0)


def test_carried_friction_stays_where_it_points_in_the_world():
    frame, _ = np.linalg.qr(RNG.normal(size=(2, 3, 3)))
    other, _ = np.linalg.qr(RNG.normal(size=(2, 3, 3)))
    other[:, 0] = frame[:, 0]
    other[:, 1] = np.cross([0.3, 0.5, 0.8], frame[:, 0])
    other[:, 1] /= np.linalg.norm(other[:, 1], axis=1)[:, None]
    other[:, 2] = np.cross(other[:, 0], other[:, 1])
    impulse, rows = RNG.normal(size=7), np.array([4, 3])
    again = to_rows(from_rows(impulse, frame, rows), other, rows)
    for k, at in ((0, 0), (1, 4)):
        assert again[at] == pytest.approx(impulse[at])
        np.testing.assert_allclose(again[at + 1 : at + 3] @ other[k, 1:], impulse[at + 1 : at + 3] @ frame[k, 1:],
                                   atol=1e-12)  # fmt: skip
    assert again[3] == pytest.approx(impulse[3])


def test_bounces_keep_their_height_whereever_in_the_step_they_fall():
    """v_imp^2 = v^2 - 2 a g0, v'^2 = e^2 v_imp^2 + 2 a d with the free acceleration a."""
    h, e, gravity = 0.01, 0.8, -9.81
    before = np.array([[-3.0, 0, 0, 0], [-3.0, 0, 0, 0], [-0.05, 0, 0, 0], [-3.0, 0, 0, 0]])
    free, gap = before + [gravity * h, 0, 0, 0], np.array([0.01, 0.0, 0.0, 1.0])
    hit, target = np.empty(4, dtype=bool), np.empty(4)
    bounce_targets(columns(gap, np.full(4, e), np.zeros(4), before, free), StepTimes(h, 0.0, h), 0.0, hit, target)
    # The third falls no faster than gravity makes it in two steps, the fourth is out of reach.
    np.testing.assert_array_equal(hit, [True, True, False, False])
    left = max(0.0, 0.01 + h * free[0, 0])
    assert target[0] == pytest.approx(np.sqrt(e * e * (9.0 - 2 * gravity * 0.01) + 2 * gravity * left))
    assert target[1] == pytest.approx(e * 3.0)


def test_velocity_targets():
    """b_n += gap / horizon of open contacts, -target of bounces; friction of a bounce gets e_T times the old slip."""
    b, before = np.zeros(7), np.array([[-1.0, 0.5, 0.25, 0.0], [-1.0, 0.7, 0.0, 0.0]])
    step = columns(np.array([0.02, -0.01]), np.zeros(2), np.array([0.5, 0.5]), before, before)
    add_velocity_targets(np.array([0, 3, 7]), step, 0.01, np.array([False, True]), np.array([0.0, 2.0]), b)
    np.testing.assert_allclose(b, [2.0, 0.0, 0.0, -2.0, 0.35, 0.0, 0.0])


class Bodies(NamedTuple):
    inverse_mass: np.ndarray
    size: np.ndarray


@pytest.mark.compiles
def test_overlap_is_pushed_out_at_its_rate():
    """A part of the overlap beyond the tolerance, two fifths of that where it is shallow; capped by the size. Of
    what bounces, what there was at the start alone: the rest is closed, and to be lifted would give it height."""
    bodies = Bodies(np.array([0.0, 1.0]), np.array([9.0, 2.0]))
    gap, push, before = np.array([-1e-3 * 2.0, -1e-5, 0.1, -1.0, -0.03, -0.03]), np.empty(6), np.zeros((6, 4))
    before[4:, 0], e = (-2.8, -3.2), np.array([0.0, 0.0, 0.0, 0.0, 0.5, 0.5])
    step, hit = columns(gap, e, np.zeros(6), before, before), np.array([0, 0, 0, 1, 1, 1], dtype=bool)
    contacts = step.contacts._replace(body_a=np.zeros(6, np.int64), body_b=np.ones(6, np.int64))
    times = StepTimes(0.03, 0.01, 0.04)
    assert push_velocities(bodies, step._replace(contacts=contacts), times, hit, (1e-6, 0.5, 0.01), push)
    deep, shallow, start = 2e-3 - 2e-6, 1e-5 - 2e-6, 0.03 - 0.028 - 2e-6
    expected = [(0.4 + 0.6 * part / 2e-3) * 0.5 * part for part in (deep, shallow, start)]
    np.testing.assert_allclose(push, np.array([*expected[:2], 0.0, 0.02, expected[2], 0.0]) / 0.02, rtol=1e-11)


@pytest.mark.compiles
def test_what_is_hit_is_closed_as_far_as_its_step_took_it():
    """Overlap that there was at the start stays for the push, whatever the restitution."""
    gap, before, b = np.array([-0.03, -0.03, -0.03, 0.01]), np.zeros((4, 4)), np.zeros(4)
    before[:, 0] = -2.0, -3.2, -2.0, -1.0
    step = columns(gap, np.array([0.0, 0.0, 0.5, 0.0]), np.zeros(4), before, before)
    displacement_b(step, np.arange(5), StepTimes(0.03, 0.01, 0.04), np.ones(4, dtype=bool), np.zeros(4), b)
    np.testing.assert_allclose(b, np.array([-0.02, -0.03, -0.02, 0.01]) / 0.02)


@numba.njit
def extremes(raw, choice, n, s, least, penalty):
    """An entry from Python to a function that has none."""
    keep_extremes(raw, choice, raw.place[:, 6].copy(), 0, n, s, 0.01, least, penalty)


def kept(points, gaps):
    """Numbers of the points that stay of one flat cluster."""
    count = len(points)
    place = np.zeros((count, 7))
    place[:, :2], place[:, 5], place[:, 6] = points, 1.0, gaps
    choice = np.zeros((3, count), dtype=np.int64)
    choice[ORDER] = np.arange(count)
    extremes(Raw(place, np.arange(count)), choice, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), -np.inf, 20.0)
    assert not choice[CLUSTER].any()
    return set(np.flatnonzero(choice[KEEP]))


def test_the_reduction_keeps_the_extremes_of_eight_directions():
    """Sixteen points on a circle: eight stay, one every 45 degrees, and no arc wider than that is left empty."""
    angle = np.arange(16) * np.pi / 8 + 0.1
    found = kept(np.column_stack([np.cos(angle), np.sin(angle)]), np.zeros(16))
    assert len(found) == 8
    order = np.sort(angle[list(found)])
    assert np.diff(np.append(order, order[0] + 2 * np.pi)).max() == pytest.approx(np.pi / 4)


def test_the_reduction_prefers_what_touches():
    angle = np.arange(16) * np.pi / 8 + 0.1
    gaps = np.where(np.arange(16) % 2, 0.0, 0.2)
    found = kept(np.column_stack([np.cos(angle), np.sin(angle)]), gaps)
    assert found == set(range(1, 16, 2))
