"""A step made again by a neighbourhood of bodies alone, inside a pile too large to make it again as a whole.

The bodies around it keep the motion of the coarse step; they push and rub as bodies on a given path do. What the
neighbourhood gets from them is not quite what they got from it in the coarse step: momentum is kept there as well as
the two agree, a few contacts away from what went wrong. To hand the difference over makes it worse: what a body hits
on a given path gives twice the impulse of one of its own mass. The work in the difference is booked, so the ledger
closes.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..dynamics.jointed.couplings import with_joined
from ..dynamics.rigid import free_twist
from .components import components, pairs_near, spread

# Bodies that touch one another in a pile of more than so many are not all stepped finely for a few of them.
LARGE = 60
# How many contacts away from the bodies that ask for it others are stepped finely, too.
HOPS = 2
# The neighbourhood is cut out alone where it is no more than this part of the pile.
WORTH = 0.5


def cut_out(seeds, a, b, group):
    """Bodies (R,) that are to be stepped finely for the seeds (P,) among pairs a, b (P,) that touch or will.

    That is all that is coupled with them, directly or through others; of a large pile only what is near, and what
    joints couple with that.
    """
    moving, joints = group.moving, group.model.joints.coupled
    start = np.zeros(len(moving), dtype=bool)
    start[a[seeds]] = start[b[seeds]] = True
    label = components(moving, (a, b), joints.T)
    joined = spread(label, start)
    count = np.bincount(label[joined], minlength=len(moving))
    if count.max(initial=0) <= LARGE:
        return joined
    near = with_joined(group.model, within(start & moving, a, b, moving))
    few = np.bincount(label[near], minlength=len(moving)) <= WORTH * count
    return np.where((few & (count > LARGE))[label], near, joined)


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
    pairs = pairs_near(group, start, h, cut), ends_of(start.contacts), ends_of(after.contacts)
    a, b = (np.concatenate([ends[k] for ends in pairs]) for k in range(2))
    return within(cut, a, b, group.moving | group.driven, 1) & ~cut


def ends_of(contacts):
    """The bodies (a (C,), b (C,)) of contacts."""
    return contacts.body_a, contacts.body_b


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

    def of(self, bodies):
        """The Path of some of the bodies."""
        return Path(*(column[bodies] for column in self))


def coarse_path(start, there, motion, bodies, driven):
    """Path of `bodies` (B,), driven (B,) of them: as in the coarse step from `start`, in which contacts were looked for
    `there` and the bodies moved on with velocities `motion` (R,6)."""
    first = start.twist if there.time > start.time else motion
    return Path(driven, first[bodies], motion[bodies])


def work_on(bodies, by, contacts, impulses, position, velocity):
    """Work (R,) [J] that `bodies` (R,) bool, moving with `velocity` (R,6), take from bodies `by` (R,) at contacts.

    impulses (C,5) as in the State, position (R,3) [m] of the bodies when the contacts were looked for.
    """
    total = np.zeros(len(position))
    a, b = contacts.body_a, contacts.body_b
    push = contacts.normal * impulses[:, :1] + impulses[:, 1:4]
    spin = contacts.normal * impulses[:, 4:]
    half = 0.5 * np.maximum(contacts.gap, 0.0)[:, None] * contacts.normal
    for body, other, sign in ((a, b, -1.0), (b, a, 1.0)):
        use = bodies[body] & by[other]
        who = body[use]
        turn = np.cross(contacts.position[use] + sign * half[use] - position[who], push[use]) + spin[use]
        np.add.at(total, who, sign * np.sum(velocity[who] * np.hstack([push[use], turn]), axis=1))
    return total


def work_on_driven(group, after, there, kept):
    """Work (R,) [J] that driven bodies of a group take from bodies that keep the step (R,)."""
    if not np.any(group.driven):
        return np.zeros(len(kept))
    return work_on(group.driven, kept & group.moving, after.contacts, after.impulses, there.position, there.twist)


def coarse_work(group, after, there, h, cut, held):
    """Work [J] that bodies `held` (R,) took from the cut ones (R,) in the coarse step that ended in `after`.

    As in the ledger: against the mean of the velocities before and after, without what gravity does.
    """
    mean = 0.5 * (after.twist + free_twist(group.model, there, there.orientation, h))
    mean[:, :3] -= 0.5 * h * group.model.gravity
    return np.sum(work_on(held, cut, after.contacts, after.impulses, there.position, mean))
