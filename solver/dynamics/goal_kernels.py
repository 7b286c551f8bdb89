"""Kernels of what is asked of the islands of a step: how fast things are in them, and their goals."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..problems.label_kernels import label_islands


class Couples(NamedTuple):
    """What joints couple in a step: coupled (P,2) bodies; bodies (n,): one that moves of each of their blocks; turning
    (m,): bodies that joints let turn; driven (n,) [m/s]: see JointRows."""

    coupled: np.ndarray
    bodies: np.ndarray
    turning: np.ndarray
    driven: np.ndarray


@inner
def no_couples():
    """Couples of a step without joints."""
    none = np.zeros(0, np.int64)
    return Couples(np.zeros((0, 2), np.int64), none, none, np.zeros(0))


@kernel
def moving_ends(inverse_mass, a, b, end):
    """The body (C,) that moves of each pair a, b (C,), a where both do."""
    for k in range(a.size):
        end[k] = a[k] if inverse_mass[a[k]] > 0.0 else b[k]


@inner
def island_speeds(inverse_mass, of_body, of_block, twist, before, number, speed):
    """Fill speed (R,) [m/s]: how fast things are in the island of each label, by the root mean square of its bodies'
    speeds and its fastest contact; number (R,) and speed are zero on entry; before (C,4): contact velocities."""
    for i in range(of_body.size):
        if inverse_mass[i] > 0.0:
            speed[of_body[i]] += twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2
            number[of_body[i]] += 1.0
    for i in range(of_body.size):
        speed[i] = sqrt(speed[i] / max(number[i], 1.0))
    for k in range(before.shape[0]):
        label = of_block[k]
        for j in range(3):
            speed[label] = max(speed[label], abs(before[k, j]))


@inner
def mass_ratios(mass, inverse_mass, of_body, least, ratio):
    """ratio (R,): heaviest over lightest moving body of the island of each label; zero on entry, as least (R,)."""
    for i in range(of_body.size):
        label = of_body[i]
        if inverse_mass[i] > 0.0:
            ratio[label] = max(ratio[label], mass[i])
            least[label] = mass[i] if least[label] == 0.0 else min(least[label], mass[i])
    for i in range(of_body.size):
        if least[i] > 0.0:
            ratio[i] /= least[i]


@inner
def label_count(label):
    """One more than the largest label (B,): islands have the number of a body, and there may be fewer blocks."""
    return label.max() + 1 if label.size > 0 else 0


@inner
def block_counts(label):
    """How many of the blocks, label (B,), each label has."""
    counts = np.zeros(label_count(label), np.int64)
    for one in label:
        counts[one] += 1
    return counts


@kernel
def block_goals(of_block, speed, ratio, asked, rest, goals):
    """Fill the goals of blocks, tolerance, acceptable, patience, effort (B,), from the speeds and mass ratios (R,) of
    their islands; asked: fall and slow speed [m/s], accuracy, part of the speed, acceptable, round-off; rest: how many
    times patience and effort of islands at rest are what is given of them, which patience and effort hold on entry.
    Islands that are slower than the slow speed are at rest; the effort goes with their energy from that of one that
    stands to that of one in motion."""
    tolerance, acceptable, patience, effort = goals
    fall, slow, accuracy, of_speed, share, round_off = asked
    for k in range(of_block.size):
        v = speed[of_block[k]]
        if accuracy > 0.0:
            scale = max(fall, of_speed * v)
            # Nothing moves and nothing pulls: any scale will do.
            tolerance[k] = accuracy * (scale if scale > 0.0 else 1.0)
            # What a heavy body gives to a light one is a difference of velocities this many times larger.
            tolerance[k] = max(tolerance[k], round_off * ratio[of_block[k]] * max(fall, v))
        acceptable[k] = share * (v + of_speed * fall)
        if share > 0.0:
            still = slow * slow / (v * v + slow * slow) if slow > 0.0 else 0.0
            patience[k] *= rest[0] if v < slow else 1
            effort[k] *= 1.0 + (rest[1] - 1) * still


@inner
def island_of_bodies(inverse_mass, contacts, coupled, of_body):
    """Label of_body (R,) of the island of each body, by contacts and by what joints couple (P,2)."""
    count, size = contacts.gap.size, coupled.shape[0]
    if size == 0:
        label_islands(inverse_mass, contacts.body_a, contacts.body_b, of_body)
        return
    a, b = np.empty(count + size, np.int64), np.empty(count + size, np.int64)
    for k in range(count):
        a[k], b[k] = contacts.body_a[k], contacts.body_b[k]
    for k in range(size):
        a[count + k], b[count + k] = coupled[k, 0], coupled[k, 1]
    label_islands(inverse_mass, a, b, of_body)


@inner
def pass_on(inverse_mass, a, b, away):
    """Let bodies a and b be no further than one from each other in away (R,); returns whether that changes it."""
    changed = False
    if inverse_mass[a] > 0.0 and inverse_mass[b] > 0.0:
        if away[a] > away[b] + 1:
            away[a], changed = away[b] + 1, True
        elif away[b] > away[a] + 1:
            away[b], changed = away[a] + 1, True
    return changed


@inner
def farthest(inverse_mass, contacts, coupled, of_body):
    """How many bodies impulses pass through, by the label of their island (R,): from what stands, or from the body that
    its label names where nothing does, to the farthest by contacts and by what joints couple (P,2)."""
    size, count, pairs = of_body.size, contacts.gap.size, coupled.shape[0]
    away, far, stands = np.full(size, size), np.ones(size, np.int64), np.zeros(size, np.bool_)
    for k in range(count + pairs):
        a = contacts.body_a[k] if k < count else coupled[k - count, 0]
        b = contacts.body_b[k] if k < count else coupled[k - count, 1]
        if inverse_mass[a] > 0.0 and inverse_mass[b] == 0.0:
            away[a], stands[of_body[a]] = 1, True
        elif inverse_mass[a] == 0.0 and inverse_mass[b] > 0.0:
            away[b], stands[of_body[b]] = 1, True
    for i in range(size):
        if of_body[i] == i and not stands[i]:
            away[i] = 1
    changed = True
    while changed:
        changed = False
        # Neighbours are next to each other in most lists: to and fro, a chain takes two rounds.
        for i in range(2 * (count + pairs)):
            k = i if i < count + pairs else 2 * (count + pairs) - 1 - i
            if k < count:
                changed |= pass_on(inverse_mass, contacts.body_a[k], contacts.body_b[k], away)
            else:
                changed |= pass_on(inverse_mass, coupled[k - count, 0], coupled[k - count, 1], away)
    for i in range(size):
        if inverse_mass[i] > 0.0:
            far[of_body[i]] = max(far[of_body[i]], away[i])
    return far


@kernel
def add_for_size(of_block, far, doubles, effort):
    """Make effort (B,) that of large islands: twice it where blocks times far (R,), see farthest, are so many. A sweep
    relaxes all blocks, and takes impulses on by one body."""
    blocks = block_counts(of_block)
    for k in range(of_block.size):
        effort[k] *= 1.0 + blocks[of_block[k]] * far[of_block[k]] / doubles


@kernel
def islands_asked(bodies, contacts, twist, before, given, couples):
    """(of_block (B,), of_body (R,): see BlockIslands, the four goals (B,), effort (B,) of small islands) of a step with
    Couples; twist (R,6): before it; before (C,4): contact velocities; given: numbers of block_goals; its rest, and
    doubles of add_for_size; tolerance, patience, effort of the options."""
    numbers, rest, (tolerance, patience, effort) = given
    contact_count, size = contacts.gap.size, bodies.mass.size
    count = contact_count + couples.bodies.size
    of_body, of_block = np.empty(size, np.int64), np.empty(count, np.int64)
    island_of_bodies(bodies.inverse_mass, contacts, couples.coupled, of_body)
    moving_ends(bodies.inverse_mass, contacts.body_a, contacts.body_b, of_block[:contact_count])
    for x in range(couples.bodies.size):
        of_block[contact_count + x] = couples.bodies[x]
    for k in range(count):
        of_block[k] = of_body[of_block[k]]
    ratio, number, speed = np.zeros(size), np.zeros(size), np.zeros(size)
    mass_ratios(bodies.mass, bodies.inverse_mass, of_body, np.zeros(size), ratio)
    island_speeds(bodies.inverse_mass, of_body, of_block, twist, before, number, speed)
    for body in couples.turning:
        spin = sqrt(twist[body, 3] ** 2 + twist[body, 4] ** 2 + twist[body, 5] ** 2)
        speed[of_body[body]] = max(speed[of_body[body]], spin * bodies.size[body])
    goals = np.full(count, tolerance), np.empty(count), np.full(count, patience), np.full(count, effort)
    block_goals(of_block, speed, ratio, numbers, rest, goals)
    small = goals[3].copy()
    if numbers[4] > 0.0:
        far = farthest(bodies.inverse_mass, contacts, couples.coupled, of_body)
        add_for_size(of_block, far, rest[2], goals[3])
    if couples.driven.size > 0:
        driven = np.zeros(size)
        for x in range(couples.driven.size):
            label = of_block[contact_count + x]
            driven[label] = max(driven[label], couples.driven[x])
        for k in range(count):
            goals[0][k] = max(goals[0][k], numbers[2] * driven[of_block[k]])
    return of_block, of_body, goals, small


@inner
def of_islands(label, mask):
    """Blocks (B,) bool of the islands label (B,) in which `mask` holds of one of the first blocks."""
    found, every = np.zeros(label.size, np.bool_), np.zeros(label_count(label), np.bool_)
    for k in range(mask.size):
        every[label[k]] |= mask[k]
    for k in range(label.size):
        found[k] = every[label[k]]
    return found


@kernel
def be_patient_at_first(of_block, loaded, given, patience, effort):
    """Give islands at rest whose blocks carry nothing yet, loaded (B,) bool, the patience of all their effort (B,).

    Their next steps start with what is found. given: the patience of islands in motion."""
    carries = of_islands(of_block, loaded)
    for k in range(of_block.size):
        if not carries[k] and patience[k] > given:
            patience[k] = effort[k]


@kernel
def effort_before_search(of_block, contact_count, part, small, effort):
    """Effort (B,) of a solve after which contacts are searched for again: a part of small (B,), what a small island
    has, and all that an island with joints has, whose blocks come after those of the contacts."""
    left, jointed = effort.copy(), np.zeros(label_count(of_block), np.bool_)
    for label in of_block[contact_count:]:
        jointed[label] = True
    for k in range(of_block.size):
        if not jointed[of_block[k]]:
            left[k] = max(1, int(part * small[k]))
    return left
