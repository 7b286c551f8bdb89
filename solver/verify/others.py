"""What is found of a trajectory of any program: overlap, joints, motion, impulses that must have acted, energy; and the
laws of contacts where it has their impulses. Each is in physical units, beside what the program claims, if anything."""

import numpy as np

from .explained import directions, of_joint, unexplained
from .joints import HELD, openings
from .laws import residuals
from .mechanics import angle_between, inertia_in_world, matrix, product
from .shapes import meeting, overlap
from .surfaces import NORMALS, WIDER, beside
from .touching import Features, touching

# Part of the smaller body within which contacts may push where the file has no `reach`.
REACH = 1e-2
LAWS = (("Coulomb's law, with the velocities after a step", "m/s"), ("normal impulses push", "m/s"),
        ("friction is within its cone", "m/s"), ("contacts lie on the surfaces of both bodies", "m"),
        (NORMALS, "degrees"))  # fmt: skip


def findings(run):
    """Findings (name, unit, found (n,), allowed, steps (n,), names (n,)...) of a Trajectory."""
    run.features = [[Features(solid) for solid in shape] for shape in run.shapes]
    run.size = np.array([max((one.size for one in shape), default=0.0) for shape in run.features])
    run.apart |= (run.size == 0) | (run.size == 0)[:, None]
    yield from _overlaps(run)
    for joint in run.joints:
        opened = openings(joint, run.position, run.orientation)
        for found, name, unit in zip(opened, ("gap", "angle"), ("m", "rad"), strict=False):
            yield f"{name} of joint {joint['name']}", unit, found, np.arange(len(found))
    if run.velocity is not None:
        yield from _motion(run)
        yield from _impulses(run)
        if not run.driven():
            yield from _energy(run)


def _overlaps(run):
    """How deep samples of one body are in the other, of all pairs that may collide, at every state."""
    states, bodies = run.position.shape[:2]
    of, body = np.divmod(np.arange(states * bodies), bodies)
    x, q, size = run.position.reshape(-1, 3), run.orientation.reshape(-1, 4), run.size[body]
    a, b = pairs = np.array(meeting(of, body, x, size, run.apart))
    depth = overlap(pairs, body, x, q, run.shapes, np.zeros((bodies, 3)))
    run.overlap = np.zeros((states, bodies, bodies))
    run.overlap[of[a], body[a], body[b]] = depth
    if not np.all(run.apart):
        yield "overlap of shapes", "m", depth, of[a], run.names[body[a]], run.names[body[b]]


def _motion(run):
    """Bodies go where velocities take them: before a step, after it, or in the mean, whichever the program takes."""
    h, x, moves = run.h[:, None, None], run.position[:, run.moves], np.flatnonzero(run.moves)
    v, w, q = run.velocity[:, moves], run.spin[:, moves], run.orientation[:, moves]
    rules = {"after the step": (v[1:], w[1:]), "before it": (v[:-1], w[:-1]), "in the mean": ((v[1:] + v[:-1]) / 2,
             (w[1:] + w[:-1]) / 2)}  # fmt: skip
    off = {name: np.linalg.norm(x[1:] - x[:-1] - h * v, axis=2) for name, (v, _) in rules.items()}
    rule = min(off, key=lambda name: off[name].sum())
    steps, names = np.repeat(np.arange(len(h)), len(moves)), np.tile(run.names[moves], len(h))
    yield f"bodies move with their velocities {rule}", "m", off[rule].ravel(), steps, names
    turn = (h * rules[rule][1]).reshape(-1, 3)
    angle = np.linalg.norm(turn, axis=1, keepdims=True)
    turns = np.column_stack([np.cos(angle / 2), np.sinc(angle / (2 * np.pi)) / 2 * turn])
    angles = angle_between(product(turns, q[:-1].reshape(-1, 4)), q[1:].reshape(-1, 4))
    yield f"bodies turn with their spins {rule}", "rad", angles, steps, names


def _meet(run, number, step):
    """(bodies (C,2), points, normals (C,3)) where bodies may push each other in a step."""
    moved = {}
    for i, k in np.argwhere(np.triu(~run.apart)):
        size = np.min(run.size[[i, k]][run.moves[[i, k]]])
        speed = sum(np.linalg.norm(step.begin.velocity[b]) + run.size[b] * np.linalg.norm(step.begin.spin[b])
                    for b in (i, k) if run.moves[b])  # fmt: skip
        reach = (REACH * size if run.reach is None else run.reach) + run.h[number] * speed
        reach += np.max(run.overlap[number : number + 2, i, k])
        if np.linalg.norm(step.position[i] - step.position[k]) > run.size[i] + run.size[k] + reach:
            continue
        for body in (i, k):
            if body not in moved:
                moved[body] = [one.at(step.position[body], step.orientation[body]) for one in run.features[body]]
        for a in moved[i]:
            for b in moved[k]:
                point, normal, _ = touching(a, b, reach)
                yield np.tile([i, k], (len(point), 1)), point, normal


class _Step:
    """What bodies (R,) got in a step (R,6): momenta, in units of the root of kinetic energy where impulses act."""

    def __init__(self, run, step):
        self.moves, self.size, self.begin, self.end = run.moves, run.size, run.instant(step), run.instant(step + 1)
        self.position, self.orientation = run.poses(step, run.when)
        self.got = self.end.momenta - self.begin.momenta - run.load[step]
        self.got[:, :3] -= run.h[step] * run.mass[:, None] * run.gravity
        # (L L^T)^-1/2 of masses and inertias.
        self.L = np.sqrt(self.end.mass)[:, None, None] * np.eye(6)
        self.L[:, 3:, 3:] = np.linalg.cholesky(inertia_in_world(run.inertia, self.orientation))

    def weighed(self, momenta):
        """Momenta (...,6R,k) of all bodies as rows (...,6M,k) of those that move."""
        *few, rows, columns = momenta.shape
        own = momenta.reshape(*few, rows // 6, 6, columns)[..., self.moves, :, :]
        return np.linalg.solve(self.L[self.moves], own).reshape(*few, 6 * self.moves.sum(), columns)

    def speeds(self, left):
        """The speeds (M,) [m/s], at their surfaces, that rows (6M,) give bodies."""
        twist = np.linalg.solve(self.L[self.moves].transpose(0, 2, 1), left.reshape(-1, 6, 1))[..., 0]
        return np.linalg.norm(twist[:, :3], axis=1) + self.size[self.moves] * np.linalg.norm(twist[:, 3:], axis=1)


def _impulses(run):
    """Of every step: what of the change of velocities no impulse in friction cones explains, nor one that also opposes
    sliding and is nothing where bodies part; and the laws of recorded impulses."""
    left, ruled, momentum, laws = [], [], [], []
    for number in range(len(run.h)):
        step = _Step(run, number)
        held = [of_joint(one, HELD.get(one["type"], ([0, 1, 2], [0, 1, 2])), step.position, step.orientation)
                for one in run.joints]  # fmt: skip
        free = step.weighed(np.hstack([np.zeros((step.got.size, 0)), *held]))
        b, meet = step.weighed(step.got.reshape(-1, 1))[:, 0], [*_meet(run, number, step)]
        bodies, point, normal = (np.concatenate(one) for one in zip(
            (np.zeros((0, 2), dtype=int), np.zeros((0, 3)), np.zeros((0, 3))), *meet, strict=True))
        D = directions(point, normal, step.position, bodies)
        G, slope = step.weighed(D), run.friction[bodies[:, 0], bodies[:, 1]]
        left.append(step.speeds(unexplained(b, G, slope, free)))
        before, after = (np.einsum("cij,i->cj", D, one.twist.ravel()) for one in (step.begin, step.end))
        ruled.append(step.speeds(unexplained(b, *_ruled(run, number, G, slope, before, after), free)))
        if run.contacts:
            rest, law = _recorded(run, number, step)
            rest, free = step.weighed(rest.reshape(-1, 1))[:, 0], free[:, :0] if run.wrenches else free
            momentum.append(step.speeds(unexplained(rest, G[:0], slope[:0], free)))
            laws.append(law)
    names, steps = np.tile(run.names[run.moves], len(run.h)), np.repeat(np.arange(len(run.h)), run.moves.sum())
    for name, found in (("velocities that no impulse in friction cones explains", left),
                        ("velocities that no impulse by Coulomb's law explains", ruled),
                        ("momentum of every body, with the recorded impulses", momentum)):  # fmt: skip
        if found:
            yield name, "m/s", np.concatenate(found), steps, names
    *found, steps, bodies = (np.concatenate(one) for one in zip(*laws, strict=True)) if laws else [[]] * 2
    for (name, unit), one in zip(LAWS, found, strict=False):
        yield name, unit, one, steps, *run.names[bodies.T]


def _ruled(run, step, G, slope, before, after):
    """Contacts (K,n,3) and slopes (K,) that Coulomb's law leaves: what slides all through the step is pushed at the
    edge of its cone against how it slides before, or after, or between; what parts all through it is not pushed. What
    is slower than gravity makes it in a step may have stood, or touched, for a part of it."""
    slow = run.h[step] * np.linalg.norm(run.gravity) + run.claims.get("m/s", 0.0)
    slow += 1e-9 * np.abs(run.velocity[step]).max()
    parts, way = np.minimum(before[:, 0], after[:, 0]) > slow, np.array([before[:, 1:], after[:, 1:]])
    speed = np.linalg.norm(way, axis=2)
    slides = ((way[0] * way[1]).sum(axis=1) > 0) & (np.min(speed, axis=0) > slow) & ~parts
    d, stays = way[:, slides] / speed[:, slides, None], ~slides & ~parts
    edges = G[slides, :, 0] - slope[slides, None] * np.einsum("cnk,eck->ecn", G[slides, :, 1:], d)
    edges = edges.reshape(-1, G.shape[1], 1) * [1.0, 0.0, 0.0]
    return np.concatenate([G[stays], edges]), np.append(slope[stays], np.zeros(len(edges)))


def _recorded(run, number, step):
    """What (R,6) the recorded impulses leave of what bodies got; of each contact (C,) LAWS, step, and bodies."""
    own = run.contacts["step"] == number
    bodies, point, normal, impulse = (run.contacts[name][own] for name in ("body", "point", "normal", "impulse"))
    D, count = directions(point, normal, step.position, bodies), len(bodies)
    # Axes n, s, t: what unit impulses do to b.
    axes = D.reshape(count, len(run.names), 6, 3)[np.arange(count), bodies[:, 1], :3]
    parts = np.einsum("cij,ci->cj", axes, impulse)
    rest = step.got - np.einsum("cij,cj->i", D, parts).reshape(-1, 6)
    if run.wrenches:
        some = run.wrenches["step"] == number
        np.add.at(rest, run.wrenches["body"][some], -run.wrenches["impulse"][some])
    G, A, mu = step.weighed(D), np.tile(np.eye(4), (count, 1, 1)), run.friction[bodies[:, 0], bodies[:, 1]]
    A[:, :3, :3] = np.einsum("cni,cnj->cij", G, G)
    v = np.einsum("cij,i->cj", D, step.end.twist.ravel())
    # An open gap may close in the step.
    v[:, 0] += 0.0 if run.contacts["gap"] is None else np.maximum(run.contacts["gap"][own], 0.0) / run.h[number]
    v, impulses = (np.column_stack([one, 0 * mu]) for one in (v, parts))
    law = residuals(v, impulses, A, np.column_stack([mu, mu, 0 * mu]), np.zeros(count, dtype=int))
    beyond = np.maximum(np.linalg.norm(parts[:, 1:], axis=1) - mu * np.maximum(parts[:, 0], 0.0), 0.0) * A[:, 0, 0]
    off, lean = np.zeros((2, count))
    close = 2 * WIDER * np.min(run.size[bodies], axis=1)
    for side, sign in ((0, 1.0), (1, -1.0)):
        for body in np.unique(bodies[:, side]):
            rows, R = np.flatnonzero(bodies[:, side] == body), matrix(step.orientation[[body]])[0]
            x, n = (point[rows] - step.position[body]) @ R, sign * normal[rows] @ R
            away, angle, _ = beside(run.shapes[body], x, n, close[rows])
            off[rows], lean[rows] = np.maximum(off[rows], away), np.maximum(lean[rows], angle)
    law = law, np.maximum(-parts[:, 0], 0.0) * A[:, 0, 0], beyond, off, lean, np.full(count, number), bodies
    return rest, law


def _energy(run):
    """Kinetic and potential energy may fall, by friction, impacts and joints; what it rises comes from nothing."""
    held = -(run.mass[:, None] * run.position * run.gravity).sum(axis=(1, 2))
    moving = np.array([(one.energy(one.twist) * run.moves).sum() for one in map(run.instant, range(len(run.time)))])
    mean = 0.5 * np.concatenate([run.velocity[1:] + run.velocity[:-1], run.spin[1:] + run.spin[:-1]], axis=2)
    given = np.concatenate([[0.0], np.cumsum((run.load * mean).sum(axis=(1, 2)))])
    total = held + moving - given
    yield "energy that a step gives", "J", np.maximum(np.diff(total), 0.0), np.arange(len(run.h))
    yield "energy above that of the start", "J", np.maximum(total - total[0], 0.0), np.arange(len(run.time))
