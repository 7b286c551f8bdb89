"""A step made again by a neighbourhood of bodies alone, inside a pile too large to make it again as a whole.

The bodies around it keep the motion of the coarse step; they push and rub as bodies on a given path do. What they get
from the neighbourhood then differs a little from what they got in the coarse step: that difference of momentum is
given to them at the end, and the work in it is booked. So momentum is kept to round-off, and the ledger closes.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .collision.depths import near_pairs
from .dynamics import rotation
from .dynamics.rigid import free_twist
from .islands import joined_with

# Bodies that touch one another in a pile of more than so many are not all stepped finely for a few of them.
LARGE = 60
# How many contacts away from the bodies that ask for it others are stepped finely, too.
HOPS = 2
# The neighbourhood is cut out alone where it is no more than this part of the pile.
WORTH = 0.5


def cut_out(seeds, a, b, moving):
    """Bodies (R,) that are to be stepped finely for the seeds (P,) among pairs a, b (P,) that touch or will.

    That is all that touches them, directly or through others; of a large pile only what is near.
    """
    joined = joined_with(seeds, a, b, moving)
    count = np.count_nonzero(joined)
    if count <= LARGE:
        return joined
    start = np.zeros(len(moving), dtype=bool)
    start[a[seeds]] = start[b[seeds]] = True
    near = within(start & moving, a, b, moving)
    return near if np.count_nonzero(near) <= WORTH * count else joined


def within(bodies, a, b, moving, hops=HOPS):
    """Moving bodies (R,) at most so many contacts a, b (P,) away from `bodies` (R,), these with them."""
    near = bodies.copy()
    for _ in range(hops):
        touched = near[a] | near[b]
        near[a[touched]] = near[b[touched]] = True
        near &= moving
    return near


def border(group, start, after, h, cut):
    """Moving bodies (R,) of the group, not `cut` (R,), that cut ones touch or may meet in h seconds."""
    collision = group.model.collision
    # Half a step more: a cut body may be hit, and fly another way than it does now.
    _, pairs = near_pairs(collision, start.position, start.orientation, start.twist, 1.5 * h, cut)
    first, second = collision.geometry.body[pairs].astype(np.int64).T
    a = np.concatenate([first, start.contacts.body_a, after.contacts.body_a])
    b = np.concatenate([second, start.contacts.body_b, after.contacts.body_b])
    moving = group.moving | group.driven
    return within(cut, a, b, moving, 1) & ~cut


class Path(NamedTuple):
    """Velocities (R,6) of driven bodies in the first and in the second half of a step."""

    driven: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def in_half(self, state, k):
        """The state at the start of half k with the velocities of driven bodies; where these go nobody has looked."""
        twist, seen = state.twist.copy(), np.zeros(len(state.twist))
        twist[self.driven] = (self.first, self.second)[k][self.driven]
        if len(state.seen):
            seen[~self.driven] = state.seen[~self.driven]
        return replace(state, twist=twist, seen=seen)


def coarse_path(start, there, motion, bodies, driven):
    """Path of `bodies` (B,), driven (B,) of them: as in the coarse step from `start`, in which contacts were looked for
    `there` and the bodies moved on with velocities `motion` (R,6)."""
    first = start.twist if there.time > start.time else motion
    return Path(driven, first[bodies], motion[bodies])


def momentum_given(contacts, impulses, position, to, by):
    """Momentum and angular momentum about the centre (R,6) [N s, N m s] that bodies `to` (R,) get from bodies `by`
    (R,); impulses (C,5) as in the State, position (R,3) [m] when the contacts were looked for."""
    total = np.zeros((len(position), 6))
    a, b = contacts.body_a, contacts.body_b
    push = contacts.normal * impulses[:, :1] + impulses[:, 1:4]
    spin = contacts.normal * impulses[:, 4:]
    half = 0.5 * np.maximum(contacts.gap, 0.0)[:, None] * contacts.normal
    for body, other, sign in ((a, b, -1.0), (b, a, 1.0)):
        use = to[body] & by[other]
        arm = contacts.position[use] + sign * half[use] - position[body[use]]
        np.add.at(total[:, :3], body[use], sign * push[use])
        np.add.at(total[:, 3:], body[use], sign * (np.cross(arm, push[use]) + spin[use]))
    return total


class Received(NamedTuple):
    """What driven bodies got from those that are not: momentum (R,6) [N s, N m s] and the work in it (R,) [J]."""

    momentum: np.ndarray
    work: np.ndarray

    def of(self, bodies):
        """That of some bodies."""
        return Received(self.momentum[bodies], self.work[bodies])


def nothing_received(count):
    """Received of `count` bodies that got nothing."""
    return Received(np.zeros((count, 6)), np.zeros(count))


def added(first, second):
    """Received in both."""
    return Received(first.momentum + second.momentum, first.work + second.work)


def received(group, after, there, kept):
    """What driven bodies of a group got from bodies that keep the step (R,), see Received."""
    nothing = nothing_received(len(kept))
    if not np.any(group.driven):
        return nothing
    momentum = momentum_given(after.contacts, after.impulses, there.position, group.driven, kept & group.moving)
    return Received(momentum, np.einsum("ij,ij->i", momentum, there.twist))


def handed_over(group, coarse, there, h, after, cut, held, got):
    """(twist (R,6), work [J]): velocities of the bodies `held` (R,) once they have what the cut ones really gave them.

    coarse: State after the coarse step; after: the one put together; got: Received of the held bodies.
    """
    model = group.model
    given = momentum_given(coarse.contacts, coarse.impulses, there.position, held, cut)
    free = free_twist(model, there, there.orientation, h)
    mean = 0.5 * (coarse.twist + free)
    mean[:, :3] -= 0.5 * h * model.gravity
    change = np.where(held[:, None], got.momentum - given, 0.0)
    turn = rotation.matrix(after.orientation)
    spin = np.einsum("rij,rkj,rk->ri", model.inverse_inertia, turn, change[:, 3:])
    jump = np.concatenate([model.inverse_mass[:, None] * change[:, :3], np.einsum("rij,rj->ri", turn, spin)], axis=1)
    work = np.sum(given * mean) + np.sum(change * (coarse.twist + 0.5 * jump)) - np.sum(got.work[held])
    return after.twist + jump, work
