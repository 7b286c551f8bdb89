"""What contacts that hold at the end of the step add to the problem, against its definition in plain numpy."""

from typing import NamedTuple

import numpy as np
import pytest

from stiction.solver.collision.contacts import ContactSet
from stiction.solver.dynamics import step_kernels as kernels
from stiction.solver.dynamics.assembly_kernels import Earlier, Linear, Motion
from stiction.solver.dynamics.contact_step import StepTimes
from stiction.solver.dynamics.tables import StepColumns

# The kernel takes whatever has the fields below; the library knows it with the solver's own tables only.
pytestmark = pytest.mark.compiles


class Bodies(NamedTuple):
    """What the kernel reads of bodies."""

    dof_of_body: np.ndarray
    size: np.ndarray


class Starts(NamedTuple):
    """What it reads of a problem's Arrays."""

    row_start: np.ndarray


INERTIA = np.array([1.0, 2.0, 4.0])
TIMES = StepTimes(1.0, 0.5, 1.0)
START = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
MIDDLE = np.array([(0.1, 0.0, 0.0), (0.05, -0.02, 1.03)])


def turned(contacts, old, impulses, twist, size, closing=0.0):
    """What add_turning adds to b (4, 3) for contacts of a free body 1 with a plate 0 that glides, in steps of 1 s;
    closing (4,) [m/s]: how fast they close before the step."""
    axis, frame = np.cross(contacts.normal, (0.3, 0.4, 0.5)), np.empty((4, 3, 3))
    frame[:, 0] = contacts.normal
    frame[:, 1] = axis / np.linalg.norm(axis, axis=1)[:, None]
    frame[:, 2] = np.cross(frame[:, 0], frame[:, 1])
    b = np.zeros(12)
    none, v = np.zeros(4), np.zeros((4, 4))
    v[:, 0] = -np.asarray(closing)
    kernels.add_turning(
        Bodies(np.array([-1, 0]), np.full(2, size)), Linear(Starts(np.arange(0, 15, 3)), *mass_of(INERTIA)),
        StepColumns(contacts, frame, none, none, v, v, none > 0), Earlier(old, impulses, np.full(2, 0.5), START),
        Motion(MIDDLE, np.zeros((2, 4)), twist, twist), TIMES, np.zeros(4, dtype=bool), b,
    )  # fmt: skip
    return b.reshape(4, 3), frame


def mass_of(inertia):
    """Inverse mass and mass (36,) of a body of 1 kg."""
    return np.diag(np.r_[1.0, 1.0, 1.0, 1.0 / inertia]).ravel(), np.diag(np.r_[1.0, 1.0, 1.0, inertia]).ravel()


def four_contacts():
    """Contacts before and now, (ContactSet, ContactSet), and velocities (2,6)."""
    rng = np.random.default_rng(5)

    def made(shift, gap):
        normal = np.array([0.0, 0.0, 1.0]) + 0.1 * shift
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        ones = np.ones(4, dtype=np.int64)
        return ContactSet(0 * ones, ones, place + 0.05 * shift, normal, gap, np.arange(4))

    place = rng.uniform(-1.0, 1.0, (4, 3))
    old, now = (made(rng.normal(size=(4, 3)), np.zeros(4)) for _ in range(2))
    twist = np.array([(0.4, 0.1, 0.0, 0.0, 0.0, 0.0), (0.3, -0.2, 0.1, 0.5, -0.7, 0.9)])
    return old, now, twist


def at_the_end(old, now, twist, frame):
    """Rows (4,3) of the end of the step on the velocities before it less rows of the middle, from the definition."""
    plate, body = twist
    acceleration = -np.cross(body[3:], INERTIA * body[3:]) / INERTIA
    added = np.zeros((4, 3))
    for k in range(4):
        # Half a second is left; the contact was found half a second before the step began, a second ago.
        drift = 0.5 * (now.position[k] - old.position[k])
        arm = now.position[k] - MIDDLE[1]
        end_arm = arm + drift - (MIDDLE[1] - START[1])
        here = body[:3] + np.cross(body[3:], arm) - plate[:3]
        end = body[:3] + np.cross(body[3:] + 0.5 * acceleration, end_arm) - plate[:3]
        added[k] = frame[k] @ (end - here)
        added[k, 0] += 0.5 * (now.normal[k] - old.normal[k]) @ end
        across = np.linalg.norm(added[k, 1:])
        added[k, 1:] *= np.linalg.norm((frame[k] @ here)[1:]) <= kernels.HELD * across
    return added


def test_contacts_that_carried_a_load_get_what_turning_adds_until_the_end():
    old, now, twist = four_contacts()
    loads = np.array([1.0, 1.0, 0.0, 1.0])[:, None] * np.ones(5)
    found, frame = turned(now, old, loads, twist, 1e9)
    wanted = at_the_end(old, now, twist, frame)
    wanted[2] = 0.0
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert (np.abs(wanted[[0, 1, 3]]) > 1e-3).any(axis=0).all(), "in normals and along both tangents"


def test_contacts_that_slip_get_nothing_along_their_tangents():
    """Beside others, which turning gains more than they slip."""
    old, now, twist = four_contacts()
    twist[1, :3] += (1.0, 0.5, 0.0)
    found, frame = turned(now, old, np.ones((4, 5)), twist, 1e9)
    wanted = at_the_end(old, now, twist, frame)
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    slips = (wanted[:, 1:] == 0.0).all(axis=1)
    assert slips.any() and not slips.all() and (np.abs(wanted[:, 0]) > 1e-3).all()


def test_an_open_contact_closes_its_gap_in_the_second_half_of_the_turn():
    old, now, twist = four_contacts()
    loads = np.ones((4, 5))
    closed, _ = turned(now, old, loads, twist, 1e9)
    gap = 0.4 * np.abs(closed[:, 0])
    waited, _ = turned(now._replace(gap=gap), old, loads, twist, 1e9)
    parting = closed[:, 0] > 0.0
    assert parting.any() and not parting.all()
    np.testing.assert_allclose(waited[:, 0], np.where(parting, 0.6, 1.0) * closed[:, 0], rtol=1e-9)


def test_a_turn_closes_or_slides_a_contact_by_a_thousandth_of_a_body_at_most():
    old, now, twist = four_contacts()
    # The last two turn over: they add more along their normals than across.
    old = old._replace(normal=np.concatenate([old.normal[:2], -now.normal[2:]]))
    whole, _ = turned(now, old, np.ones((4, 5)), twist, 1e9)
    found, _ = turned(now, old, np.ones((4, 5)), twist, 1e-3)
    most = kernels.MOST_TURNED * 1e-3 / 0.5
    along, across = np.abs(whole[:, 0]), np.linalg.norm(whole[:, 1:], axis=1)
    assert (across > along).any() and (across < along).any()
    np.testing.assert_allclose(found, whole * (most / np.maximum(along, across))[:, None])


def test_contacts_that_are_met_anew_stop_what_turns_slower():
    old, now, twist = four_contacts()
    slow, _ = turned(now, old, np.ones((4, 5)), twist, 1e9)
    along = np.abs(slow[:, 0])
    closing = kernels.HELD * np.sort(along)[1:3].mean()
    met, _ = turned(now, old, np.ones((4, 5)), twist, 1e9, np.where(along == along.min(), closing, 0.0))
    anew = closing > kernels.HELD * along
    assert np.count_nonzero(anew) == 2
    np.testing.assert_array_equal(met, np.where(anew[:, None], 0.0, slow))
    hit, _ = turned(now, old, np.ones((4, 5)), twist, 1e9, np.where(along == along.max(), closing, 0.0))
    np.testing.assert_array_equal(hit, slow, "as fast as it turns itself")
