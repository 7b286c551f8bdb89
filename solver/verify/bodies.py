"""Rigid bodies begin where they ended, go where their velocities take them, and keep their momenta but for loads."""

import numpy as np

from .joints import floating
from .mechanics import ROUND_OFF, last_of

# Lengths are kept to this part of a body's size.
LENGTH = 1e-9
# What moves further than its velocity takes it by less than this part of its size is not displaced.
DISPLACED = 1e-12


def chain(run):
    """Every substep begins where the body's last one ended, and the frames are those states."""
    rows = run.moving[np.argsort(run.body[run.moving], kind="stable")]
    follows = run.body[rows[:-1]] == run.body[rows[1:]]
    first, second = rows[:-1][follows], rows[1:][follows]
    gap = np.abs(run.end.columns[first] - run.start.columns[second]).max(axis=1, initial=0.0)
    begins = run.time[run.of[second]]
    late = np.abs((run.time + run.length)[run.of[first]] - begins)
    if run.header["options"]["sleeping"]:
        # A body that is put to rest begins again without the velocity that it had.
        gap[np.any(run.start.velocity[second] != run.end.velocity[first], axis=1)] = 0.0
        late[:] = 0.0
    held = (late > 0.0) & run.held_from(second, begins - late)
    gap[held] = late[held] = 0.0
    gap[run.met_from(second, begins)] = 0.0
    yield "every substep begins where the last one ended", "m, m/s, 1", gap, 0.0, *run.places(second)
    yield "no time is left out", "s", late, ROUND_OFF * np.maximum(begins, 1e-3), *run.places(second)
    ends = run.moving[last_of(run.step[run.of[run.moving]], run.body[run.moving])]
    shown, frame = run.frames_of(run.step[run.of[ends]], len(run.frames))
    rows, told = ends[shown], run.frames[frame, run.body[ends[shown]]]
    off = np.abs(told - run.end.columns[rows])
    if run.header["options"]["sleeping"]:
        off[np.all(told[:, 7:] == 0.0, axis=1), 7:] = 0.0
    yield "the frames are the states of the substeps", "m, m/s, 1", off.max(axis=1, initial=0.0), 0.0, *run.places(rows)
    off = np.abs(run.frame_time[frame] - (run.time + run.length)[run.of[rows]])
    late = ROUND_OFF * np.maximum(run.frame_time[frame], 1e-3)
    yield "the frames are at the times of the substeps", "s", off, late, *run.places(rows)


def motion(run):
    """Bodies go where their velocities take them: x1 = x0 + h (v0 + v1) / 2, and turn likewise."""
    free = np.setdiff1d(run.moving, run.loads[0])
    off, angle = (found[free] for found in run.strays)
    far = LENGTH * run.size[free] + ROUND_OFF * np.abs(run.end.position[free]).max(axis=1, initial=0.0)
    yield ("bodies that nothing touches move with their velocities", "m", np.linalg.norm(off, axis=1), far,
           *run.places(free))  # fmt: skip
    # Turning is exact to third order; free bodies obey to round-off or to that.
    turn = np.linalg.norm(run.push.spin[free], axis=1) * run.length[run.of[free]]
    yield "bodies that nothing touches turn with their spin", "rad", angle, 1e-9 + turn**3, *run.places(free)


def momentum(run):
    """m v1 = d m v0 + h m g + sum of impulses; I w1 = d I w0 + sum of moments where the impulses act."""
    moves, (rows, wrench) = run.moving, run.loads
    total, size = np.zeros_like(run.free), np.zeros(len(run.body))
    np.add.at(total, rows, wrench)
    np.add.at(size, rows, np.abs(wrench[:, :3]).sum(axis=1) + np.abs(wrench[:, 3:]).sum(axis=1) / run.size[rows])
    off = run.push.twist - run.free - run.push.twist_of(total)
    least = np.linalg.eigvalsh(run.inertia)[:, 0]
    allowed = ROUND_OFF * (run.speed + size * (1.0 / run.mass + run.size**2 / least))
    for name, part, scale in (("momentum", off[:, :3], 1.0), ("angular momentum", off[:, 3:], run.size)):
        found = scale * np.linalg.norm(part, axis=1)
        yield f"{name} of every body", "m/s", found[moves], allowed[moves], *run.places(moves)
    strays, turn = run.strays
    moved, way = np.where(run.moves, [np.linalg.norm(strays, axis=1), turn * run.size], 0.0)
    displaced = moved > DISPLACED * run.size + 1e-15 * np.linalg.norm(run.end.position, axis=1)
    group, mixed = floating(run, displaced, moved + way)
    alone = moves[group[moves] == -1]
    off = np.abs(run.end.velocity - run.push.velocity).max(axis=1)
    yield "velocities stay after the impulses", "m/s", off[alone], ROUND_OFF * run.speed[alone], *run.places(alone)
    given = run.push.momenta[:, 3:]
    off = np.linalg.norm(run.end.momenta[:, 3:] - given, axis=1)
    # A pose that is moved out of an overlap takes its spin with it.
    allowed = 1.1 * turn * np.linalg.norm(given, axis=1) + ROUND_OFF * run.speed * run.mass * run.size
    yield ("angular momenta stay after the impulses", "kg m^2/s", off[alone], allowed[alone], *run.places(alone))
    yield from _floating(run, group, mixed)


def _floating(run, group, mixed):
    """What floats, group (N,), is turned as a whole, and moves faster or slower beside that, where its bodies are moved
    otherwise than by velocities, unless it has parts that are turned by themselves, mixed (N,); contacts alone change
    its spin."""
    push, by_contacts, found = np.zeros_like(run.free), 2 * len(run.gap), []
    np.add.at(push, run.loads[0][:by_contacts], run.loads[1][:by_contacts])
    first = np.array([] if np.any(run.constants["damping"]) else np.unique(group[group >= 0]), dtype=int)
    for own in (np.flatnonzero(group == row) for row in first):
        (_, start), (at_push, _), (arm, end) = (one.spin_about_center(own) for one in (run.start, run.push, run.end))
        gained = end - start - (push[own, 3:] + np.cross(at_push, push[own, :3])).sum(axis=0)
        change, A = (run.end.velocity - run.push.velocity)[own].ravel(), np.cross(np.eye(3), arm[:, None])
        beside = run.push.velocity[own] - run.mass[own] @ run.push.velocity[own] / run.mass[own].sum()
        A = np.column_stack([A.transpose(0, 2, 1).reshape(-1, 3), beside.ravel()])
        off, speed = np.linalg.norm(A @ np.linalg.lstsq(A, change, rcond=1e-9)[0] - change), run.speed[own].max()
        most = speed * run.mass[own].sum() * (np.linalg.norm(arm, axis=1).max() + run.size[own].max())
        found.append([0.0 if mixed[own[0]] else off, speed, np.linalg.norm(gained), most])
    off, speed, gained, most = np.array(found).reshape(-1, 4).T
    yield "what floats is turned as a whole", "m/s", off, ROUND_OFF * speed, *run.places(first)
    yield "angular momentum of what floats", "kg m^2/s", gained, ROUND_OFF * most, *run.places(first)
