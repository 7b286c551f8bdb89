"""Kernels that sweep and grade an island, a large one by several threads that each take a part at a time."""

from typing import NamedTuple

import numpy as np

from ...base.atomics import add, compare_exchange, load_acquire, store_release
from ...jit import inner, kernel
from .columns import Rows
from .compact_build_kernels import scale_impulses
from .compact_kernels import add_all_changes, grade_plain, sweep_plain
from .mixed_kernels import grade_mixed, sweep_mixed


class Work(NamedTuple):
    """The changing arrays of a solve (R rows, B blocks, n nodes and one for none).

    lam (R,) scaled impulses and w (n+1,6) = J~^T lam; best (R,) the iterate with the least residual; p (R,) and
    pw = J~^T p the last jump; step (R,) and w_before: what the last sweep changed, and w before it; v (R,)
    velocities.
    """

    lam: np.ndarray
    w: np.ndarray
    best: np.ndarray
    p: np.ndarray
    pw: np.ndarray
    step: np.ndarray
    w_before: np.ndarray
    v: np.ndarray


class Parts(NamedTuple):
    """Where islands and their parts begin, see islands.Islands: its part_start, part_node and part_block."""

    start: np.ndarray
    node: np.ndarray
    block: np.ndarray


class Team(NamedTuple):
    """What the threads that sweep an island share.

    shared (16,) int64: TICKET and READY, far enough apart for two cores to write both; job (4,): what is to be done
    with the parts; found (P,3): what came of each. size (1,): threads at work.
    """

    shared: np.ndarray
    job: np.ndarray
    found: np.ndarray
    size: np.ndarray


class Sweep(NamedTuple):
    """What the sweeps of a solve work on: Rows, Parts, Work, and the Team that helps with large islands. Scratch is
    handed along beside it, for kernels are compiled otherwise where it is None."""

    rows: Rows
    parts: Parts
    work: Work
    team: Team


# Elements of `shared`. The ticket is MOST times the number of the job, and how many of its parts are still to be taken;
# below zero there will be no more. READY counts parts done.
TICKET, READY, MOST = 0, 8, 64
# Elements of `job`: first part, weight of the jump (see extrapolate_nodes), and whether the parts are graded.
FIRST, JUMP, GRADED = range(3)


@inner
def work_of(p, blocks, c, nodes, impulse):
    """The Work of a solve of Rows c of blocks (m,) on so many nodes, that starts from impulses (K,) of the Arrays p."""
    lam, w = np.zeros(c.b.size), np.zeros((nodes + 1, 6))
    scale_impulses(p, blocks, c, impulse, lam)
    add_all_changes(c, 0, c.kind.size, lam, w)
    return Work(
        lam, w, lam.copy(), np.zeros_like(lam), np.zeros_like(w), np.zeros_like(lam), np.zeros_like(w),
        np.empty_like(lam),
    )  # fmt: skip


@kernel
def loaded(p, c, found, impulse):
    """The work_of all Islands found."""
    return work_of(p, found.blocks, c, found.nodes.size, impulse)


@inner
def copy_nodes(source, target, first, last):
    """target[first:last] = source[first:last] for velocities of nodes (n,6)."""
    for i in range(first, last):
        for j in range(6):
            target[i, j] = source[i, j]


@inner
def extrapolate_nodes(weight, first, last, w, w_before, pw):
    """The jump before a sweep in body space: `weight` times the way of nodes first:last from the last iterate to this.

    That way is the jump before the last sweep, pw = J~^T p, and what the sweep changed; pw gets the new jump. Where the
    weight is negative it is set to zero, and no jump is made. Impulses make theirs in the sweep, see sweep_plain.
    """
    if weight < 0.0:
        for i in range(first, last):
            for j in range(6):
                pw[i, j] = 0.0
        return
    for i in range(first, last):
        for j in range(6):
            pw[i, j] = weight * (pw[i, j] + (w[i, j] - w_before[i, j]))
            w[i, j] += pw[i, j]


@inner
def relax_part(s, part, weight, scratch):
    """The jump of the momentum and one sweep on a part; see `relax`."""
    parts, work = s.parts, s.work
    k0, k1, n0, n1 = parts.block[part], parts.block[part + 1], parts.node[part], parts.node[part + 1]
    if weight != 0.0:
        extrapolate_nodes(weight, n0, n1, work.w, work.w_before, work.pw)
    copy_nodes(work.w, work.w_before, n0, n1)
    if scratch is None:
        return sweep_plain(s.rows, k0, k1, work, weight)
    else:
        return sweep_mixed(s.rows, k0, k1, work, scratch, weight)


@kernel
def grade(c, first, last, lam, w, v, scratch):
    """The judge's natural map of blocks first:last, the largest [m/s]; v (R,) gets all row velocities."""
    if scratch is None:
        return grade_plain(c, first, last, lam, w, v)
    else:
        return grade_mixed(c, first, last, lam, w, v, scratch[4])


@inner
def grade_part(s, first, last, scratch):
    """`grade` on the parts first:last; work.v gets all velocities."""
    work, block = s.work, s.parts.block
    return grade(s.rows, block[first], block[last], work.lam, work.w, work.v, scratch)


@inner
def do_part(s, part, scratch):
    """What the job of the team says, on one part."""
    job, found = s.team.job, s.team.found[part - int(s.team.job[FIRST])]
    if job[GRADED] != 0.0:
        found[0] = grade_part(s, part, part + 1, scratch)
    else:
        found[0], found[1], found[2] = relax_part(s, part, job[JUMP], scratch)


@inner
def take_part(s, scratch):
    """Do a part of the team's job if one is to be had; returns the ticket that was looked at."""
    shared = s.team.shared
    ticket = load_acquire(shared, TICKET)
    if ticket > 0 and ticket % MOST > 0 and compare_exchange(shared, TICKET, ticket, ticket - 1):
        do_part(s, int(s.team.job[FIRST]) + ticket % MOST - 1, scratch)
        add(shared, READY, 1)
    return ticket


@kernel
def dismiss(team):
    """Tell those who help that there will be no more parts."""
    store_release(team.shared, TICKET, -1)


@inner
def do_parts(s, first, count, scratch):
    """The team's job on parts first:first + count; results are in team.found."""
    team = s.team
    team.job[FIRST] = first
    if team.size[0] == 1:
        for part in range(first, first + count):
            do_part(s, part, scratch)
        return
    done = load_acquire(team.shared, READY) + count
    store_release(team.shared, TICKET, (load_acquire(team.shared, TICKET) // MOST + 1) * MOST + count)
    # Nobody waits for a part that nobody has taken: a thread that comes late does no harm. A thread looks whether the
    # others are ready 50 times for each block of a part: twice as long as that takes.
    waited, most = 0, 50 * (s.parts.block[first + count] - s.parts.block[first]) // count
    while load_acquire(team.shared, READY) < done:
        waited += 1 if take_part(s, scratch) % MOST == 0 else 0
    if waited > most:
        # A thread that was stopped with a part in its hands has no core: from here on it would only delay.
        team.size[0] = 1
        dismiss(team)


@kernel
def help_out(s, scratch):
    """Take parts until there will be no more."""
    while take_part(s, scratch) >= 0:
        pass


@inner
def relax(s, span, weight, scratch):
    """The jump of the momentum, where its weight is not zero, and one sweep on the island of parts span[0]:span[1].

    Returns (largest change [m/s], sum of squares of the scaled changes, sum of their products with the jump);
    work.step gets the change of every impulse.
    """
    first, last = span
    if last - first == 1:
        return relax_part(s, first, weight, scratch)
    s.team.job[JUMP], s.team.job[GRADED] = weight, 0.0
    do_parts(s, first, last - first - 1, scratch)
    largest, square, along = relax_part(s, last - 1, weight, scratch)
    for found in s.team.found[: last - first - 1]:
        largest = max(largest, found[0])
        square, along = square + found[1], along + found[2]
    return largest, square, along


@inner
def grade_island(s, span, scratch):
    """The judge's natural map of the island of parts span[0]:span[1], the largest [m/s]; work.v gets all velocities."""
    first, last = span
    if last - first == 1:
        return grade_part(s, first, last, scratch)
    s.team.job[GRADED] = 1.0
    do_parts(s, first, last - first, scratch)
    worst = 0.0
    for found in s.team.found[: last - first]:
        worst = max(worst, found[0])
    return worst
