"""What contacts are asked for beyond v >= 0: gaps may close, bounces return, rows turn until the end."""

import numpy as np

from .mechanics import MOST_TURNED, ROUND_OFF, connected

# What is left, of a unit push, of the sum on a body where contacts that jam push each other.
JAMMED = 1e-6


def asked(run, restitution, mu, velocities, round_off):
    """What is asked of contacts with restitution (C,2) and friction mu (C,3); velocities: three (C,4), those `before`,
    `free`, and after the impulses; round_off (C,) [m/s]."""
    rough = (mu > 0).any(axis=1)
    (before, free, after), of, own = velocities, run.contact_of, _islands(run)
    island = own[np.where(run.moves[run.a], run.a, run.b)]
    h, elapsed, horizon = run.length[of], run.elapsed[of], run.horizon[of]
    a = (free[:, 0] - before[:, 0]) / h
    fast = np.maximum(run.header["options"]["bounce_threshold"], 2 * h * np.abs(a))
    met, able = run.gap + horizon * free[:, 0] < 0, restitution[:, 0] > 0
    # What only other impulses make meet bounces, too, and is asked for nothing else that pushes bodies apart.
    hit = able & (before[:, 0] < -fast) & (met | (run.asked[:, 0] <= 0))
    start = np.maximum(0.0, run.gap - elapsed * before[:, 0])
    left = np.maximum(0.0, run.gap + (h - elapsed) * free[:, 0])
    impact = np.maximum(0.0, before[:, 0] ** 2 - 2 * a * start)
    target = np.sqrt(np.maximum(0.0, restitution[:, 0] ** 2 * impact + 2 * np.minimum(a, 0.0) * left))
    # Restitution may be less, in one proportion, where the impulses do no work then.
    limit = round_off + _turning(run, h - elapsed, before)
    speed, (part, less) = target, _part_asked(island, np.where(hit & rough, target, 0.0), run.asked[:, 0], limit)
    target, restitution = part * target, part[:, None] * restitution
    work, load = 0.5 * (run.impulse * (before + after)).sum(axis=1), np.abs(run.impulse).sum(axis=1)
    work, load = (np.bincount(island, each, len(run.body))[island] for each in (work, load))
    # Bodies that bounce fall by another way than their velocities say.
    work = work - np.bincount(own, run.moves * run.mass * (run.strays[0] @ run.gravity), len(run.body))[island]
    off = np.where(less, work / np.where(load > 0, load, 1.0), 0.0)
    # Nothing bounces, and work is lost, where impulses could not part what jams.
    lost = (off < 0) & (part < ROUND_OFF)
    jams = [each for each in np.unique(island[lost]) if _jams(run, island == each, np.where(hit, speed, 0.0), mu)]
    off = np.where(np.isin(island, jams), np.maximum(off, 0.0), np.abs(off))
    options, claimed = run.header["options"], run.steps["residual"][run.step[of] - 1]
    fastest = _most(run, island, np.abs(before[:, :3]).max(axis=1))
    aimed = np.maximum(options.get("tolerance", 0.0), options["accuracy"] * fastest)
    yield ("impacts with less restitution do no work", "m/s", off, 2 * claimed + aimed + round_off,
           *run.meetings())  # fmt: skip
    # An open gap may close until contacts are searched for again, or until the end of the substep.
    closing = np.maximum(run.gap, 0.0) / (h - elapsed)
    # What parts may be turned round by what bounces beside it, to close as fast as that would bounce.
    parting = np.where(before[:, 0] > fast, _most(run, island, restitution[:, 0]) * before[:, 0], 0.0)
    low, high = np.where(hit, -target, [np.zeros_like(target), np.maximum(closing, parting)])
    # Steps with deformable bodies bring a fifth of an overlap back, at most.
    low -= np.where(~hit & np.isin(of, run.node_of), 0.2 * np.maximum(-run.gap, 0.0) / h, 0.0)
    off = np.maximum(0.0, np.maximum(low - run.asked[:, 0], run.asked[:, 0] - high))
    yield "normal velocities asked for: gaps and restitution", "m/s", off, limit, *run.meetings()
    bounced = np.where(rough, restitution[:, 1], 0.0)[:, None] * before[:, 1:3]
    slid, turned_round = (np.linalg.norm(run.asked[:, 1:3] - v, axis=1) for v in (0.0, bounced))
    off = np.where(hit, turned_round, np.where(able, np.minimum(slid, turned_round), slid))
    yield "sliding velocities asked for", "m/s", off, limit, *run.meetings()


def _islands(run):
    """A number (N,) for each row of bodies, the same for those that joints and contacts couple."""
    both = run.moves[run.a] & run.moves[run.b]
    a, b = (np.append(one[both], joint[run.coupled]) for one, joint in ((run.a, run.at), (run.b, run.other)))
    return connected(len(run.body), a, b)


def _most(run, island, values):
    """The largest (C,) of values (C,), no less than 0, in the island of each contact."""
    out = np.zeros(len(run.body))
    np.maximum.at(out, island, values)
    return out[island]


def _part_asked(island, target, asked, limit):
    """The part (C,) of its restitution that each contact is asked for: in its island the largest of -asked (C,) by
    target (C,) [m/s], which is 0 where nothing bounces, 1 at most; and whether (C,) all are less by more than limit
    (C,) [m/s], which no turning explains."""
    bounces = target > 0
    speed, own = np.where(bounces, target, 1.0), island[bounces]
    part, most = np.full((2, island.max(initial=-1) + 1), -np.inf)
    np.maximum.at(part, own, (-asked / speed)[bounces])
    np.maximum.at(most, own, ((limit - asked) / speed)[bounces])
    found = np.isfinite(most)
    return np.where(found, np.clip(part, 0.0, 1.0), 1.0)[island], (found & (most < 1.0))[island]


def _jams(run, own, target, mu):
    """Whether contacts own (C,) bool, of which bounces ask for target (C,) [m/s], can push with friction so that no
    body is pushed in sum: where they do, no motion parts them all."""
    # Here, for Blender loads this package when it starts.
    from scipy.optimize import nnls

    at = np.arange(8) * np.pi / 4
    pushes = np.stack([np.ones((own.sum(), 8)), mu[own, :1] * np.cos(at), mu[own, 1:2] * np.sin(at)], axis=1)
    rows = np.zeros(len(run.body), dtype=int)
    for side in run.sides:
        rows[side.rows[own]] = 1
    place = np.cumsum(rows * run.moves) - 1
    sums = np.zeros((place[-1] + 1, 6, len(pushes), 8))
    for side in run.sides:
        body, moves = side.rows[own], run.moves[side.rows[own]]
        wrench = np.einsum("cij,cik->cjk", side.J[own, :3], pushes)
        wrench[:, 3:] /= run.size[body, None, None]
        sums[place[body[moves]], :, np.flatnonzero(moves)] += wrench[moves]
    wanted = np.repeat(target[own] / target[own].max(initial=1e-300), 8)
    A = np.vstack([sums.reshape(-1, 8 * len(pushes)), wanted])
    return nnls(A, np.append(np.zeros(len(A) - 1), 1.0))[1] < JAMMED


def _turning(run, rest, before):
    """What rows may change by (C,) [m/s] until the end of the substep, by the turning of their bodies."""
    spin, speed = np.linalg.norm(run.before[:, 3:], axis=1), np.linalg.norm(before[:, :3], axis=1)
    total = sum(spin[side.rows] * (spin[side.rows] * np.linalg.norm(side.arm, axis=1) + speed) for side in run.sides)
    # A contact that runs round a rim is not the one that was nearest; the scheme bounds what all of it may add.
    size = np.min([np.where(run.moves[end], run.size[end], np.inf) for end in (run.a, run.b)], axis=0)
    round_rim = 2 * np.where(np.isfinite(size), size, 0.0) * (spin[run.a] + spin[run.b])
    return np.minimum(2 * rest * total + round_rim, (1 + ROUND_OFF) * MOST_TURNED * size / rest)
