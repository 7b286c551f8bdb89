"""What is found of a trajectory of any program: overlap, joints, motion, impulses that must have acted, energy; and the
laws of contacts where it has their impulses. Each is in physical units, beside what the program claims, if anything."""

import numpy as np

from .explained import directions, of_joint, unexplained
from .joints import HELD, openings
from .laws import residuals
from .mechanics import angle_between, matrix, turned
from .shapes import deepest, distances, samples
from .touching import Features, touching

# Part of the smaller body within which contacts may push where the file has no `reach`.
REACH = 1e-2


def findings(run):
    """Findings (name, unit, found (n,), allowed, steps (n,), names (n,)...) of a Trajectory."""
    run.features = [[Features(solid) for solid in shape] for shape in run.shapes]
    run.size = np.array([max((one.size for one in shape), default=0.0) for shape in run.features])
    run.overlap = {}
    yield from _overlaps(run)
    for joint in run.joints:
        opened = openings(joint, run.position, run.orientation)
        for found, name, unit in zip(opened, ("gap", "angle"), ("m", "1"), strict=False):
            yield f"{name} of joint {joint['name']}", unit, found, np.arange(len(found))
    if run.velocity is not None:
        yield from _motion(run)
        yield from _impulses(run)
        if not run.driven():
            yield from _energy(run)


def _overlaps(run):
    """How deep samples of one body are in the other, of all pairs that may collide, at every state."""
    turn = matrix(run.orientation.reshape(-1, 4)).reshape(*run.orientation.shape[:2], 3, 3)
    pairs = [(i, k) for i, k in np.argwhere(~run.apart) if i < k and run.size[i] and run.size[k]]
    solid = [samples(shape) if shape else None for shape in run.shapes]
    found, states, one, other = [], [], [], []
    for i, k in pairs:
        near = np.linalg.norm(run.position[:, i] - run.position[:, k], axis=1) < run.size[i] + run.size[k]
        at = np.flatnonzero(near)
        depth = run.overlap[i, k] = np.full(len(run.time), -np.inf)
        poses = [(run.position[at, body], turn[at, body]) for body in (i, k)]
        for inner, outer in ((0, 1), (1, 0)):
            body, holder = (i, k)[inner], (i, k)[outer]
            deep = deepest(solid[body], (run.shapes[holder], np.zeros(3), run.size[holder]), poses[inner], poses[outer])
            depth[at] = np.maximum(depth[at], deep)
        found.append(np.maximum(depth[at], 0.0))
        states.append(at)
        one += [run.names[i]] * len(at)
        other += [run.names[k]] * len(at)
    if pairs:
        yield "overlap of shapes", "m", np.concatenate(found), np.concatenate(states), one, other


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
    p = np.column_stack([np.cos(angle / 2), np.sinc(angle / (2 * np.pi)) / 2 * turn])
    q0, q1 = q[:-1].reshape(-1, 4), q[1:].reshape(-1, 4)
    w0 = p[:, :1] * q0[:, :1] - (p[:, 1:] * q0[:, 1:]).sum(axis=1, keepdims=True)
    q0 = np.column_stack([w0, p[:, :1] * q0[:, 1:] + q0[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q0[:, 1:])])
    yield f"bodies turn with their spins {rule}", "rad", angle_between(q0, q1), steps, names


def _meet(run, step, position, orientation):
    """(bodies (C,2), points, normals (C,3)) where bodies may push each other in a step."""
    moved = {}
    for (i, k), depth in run.overlap.items():
        size = np.min(run.size[[i, k]][run.moves[[i, k]]])
        speed = sum(np.linalg.norm(run.velocity[step, b]) + run.size[b] * np.linalg.norm(run.spin[step, b])
                    for b in (i, k) if run.moves[b])  # fmt: skip
        reach = run.said.get("reach", REACH * size) + run.h[step] * speed
        reach += np.max(depth[step : step + 2], initial=0.0)
        if np.linalg.norm(position[i] - position[k]) > run.size[i] + run.size[k] + reach:
            continue
        for body in (i, k):
            if body not in moved:
                moved[body] = [one.at(position[body], orientation[body]) for one in run.features[body]]
        for a in moved[i]:
            for b in moved[k]:
                point, normal, _ = touching(a, b, reach)
                yield np.tile([i, k], (len(point), 1)), point, normal


def _impulses(run):
    """Of every step: what of the change of velocities no impulse in friction cones explains, nor one that also opposes
    sliding and is nothing where bodies part; and the laws of recorded impulses."""
    rows = np.repeat(run.moves, 6)
    left, ruled, momentum, laws = [], [], [], []
    for step in range(len(run.h)):
        h, begin, end = run.h[step], run.instant(step), run.instant(step + 1)
        position, orientation = run.poses(step, run.when)
        got = end.momenta - begin.momenta - run.load[step]
        got[:, :3] -= h * run.mass[:, None] * run.gravity
        # In units of the root of kinetic energy, (L L^T)^-1/2 of masses and inertias where impulses act.
        L = np.zeros((len(run.mass), 6, 6))
        L[:, :3, :3] = np.sqrt(np.where(run.moves, run.mass, 1.0))[:, None, None] * np.eye(3)
        R = matrix(orientation)
        L[:, 3:, 3:] = np.linalg.cholesky(R @ run.inertia @ R.transpose(0, 2, 1))

        def weighed(J, L=L):
            return np.linalg.solve(L, J.reshape(len(L), 6, -1)).reshape(6 * len(L), -1)[rows]

        def speeds(b, L=L):
            twist = np.zeros((len(L), 6))
            twist[run.moves] = b.reshape(-1, 6)
            twist = np.linalg.solve(L.transpose(0, 2, 1), twist[..., None])[..., 0]
            return (np.linalg.norm(twist[:, :3], axis=1) + run.size * np.linalg.norm(twist[:, 3:], axis=1))[run.moves]

        held = [of_joint(one, HELD.get(one["type"], ([0, 1, 2], [0, 1, 2])), position, orientation)
                for one in run.joints]  # fmt: skip
        free = weighed(np.hstack([np.zeros((6 * len(L), 0)), *held]))
        b, meet = weighed(got)[:, 0], [*_meet(run, step, position, orientation)]
        bodies, point, normal = (np.concatenate(one) for one in zip(
            (np.zeros((0, 2), dtype=int), np.zeros((0, 3)), np.zeros((0, 3))), *meet, strict=True))
        D = directions(point, normal, position, bodies)
        G = np.array([weighed(one) for one in D]).reshape(len(D), len(b), 3)
        slope = run.friction[bodies[:, 0], bodies[:, 1]]
        left.append(speeds(unexplained(b, G, slope, free)))
        before, after = (np.einsum("cij,i->cj", D, one.twist.ravel()) for one in (begin, end))
        ruled.append(speeds(unexplained(b, *_ruled(run, step, G, slope, before, after), free)))
        if run.contacts:
            rest, law = _recorded(run, step, got, position, orientation, end)
            momentum.append(speeds(unexplained(weighed(rest)[:, 0], G[:0], slope[:0], free[:, :0] if run.wrenches
                                               else free)))  # fmt: skip
            laws.append(law)
    names, steps = np.tile(run.names[run.moves], len(run.h)), np.repeat(np.arange(len(run.h)), run.moves.sum())
    for name, found in (("velocities that no impulse in friction cones explains", left),
                        ("velocities that no impulse by Coulomb's law explains", ruled),
                        ("momentum of every body, with the recorded impulses", momentum)):  # fmt: skip
        if found:
            yield name, "m/s", np.concatenate(found), steps, names
    if laws:
        yield from _laws(run, [np.concatenate(one) for one in zip(*laws, strict=True)])


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


def _recorded(run, step, got, position, orientation, end):
    """What (R,6) the recorded impulses leave of what bodies got in a step, and what is found of each contact."""
    own = run.contacts["step"] == step
    bodies, point, normal, impulse = (run.contacts[name][own] for name in ("body", "point", "normal", "impulse"))
    D, out = directions(point, normal, position, bodies), got.copy()
    axes = D.reshape(len(D), len(got), 6, 3)[np.arange(len(D)), bodies[:, 1], :3]
    parts = np.einsum("cij,ci->cj", axes, impulse)
    out -= np.einsum("cij,cj->i", D, parts).reshape(-1, 6)
    if run.wrenches:
        some = run.wrenches["step"] == step
        np.add.at(out, run.wrenches["body"][some], -run.wrenches["impulse"][some])
    R, inverse = matrix(orientation), np.zeros((len(got), 6, 6))
    inverse[:, :3, :3] = np.eye(3) / np.where(run.moves, run.mass, 1.0)[:, None, None]
    inverse[:, 3:, 3:] = np.linalg.inv(R @ run.inertia @ R.transpose(0, 2, 1))
    inverse[~run.moves] = 0.0
    J, A = D.reshape(len(D), len(got), 6, 3), np.tile(np.eye(4), (len(D), 1, 1))
    A[:, :3, :3] = np.einsum("crik,rij,crjl->ckl", J, inverse, J, optimize=True)
    v, mu = np.zeros((len(D), 4)), run.friction[bodies[:, 0], bodies[:, 1]]
    v[:, :3] = np.einsum("cij,i->cj", D, end.twist.ravel())
    # An open gap may close in the step.
    v[:, 0] += np.maximum(run.contacts["gap"][own], 0.0) / run.h[step] if "gap" in run.contacts else 0.0
    coefficients = np.column_stack([mu, mu, 0 * mu])
    law = residuals(v, np.column_stack([parts, 0 * mu]), A, coefficients, np.zeros(len(D), dtype=int))
    beyond = np.maximum(np.linalg.norm(parts[:, 1:], axis=1) - mu * np.maximum(parts[:, 0], 0.0), 0.0) * A[:, 0, 0]
    off = np.zeros(len(D))
    for body in np.unique(bodies):
        for rows in (np.flatnonzero(side == body) for side in bodies.T):
            x = turned(R[[body] * len(rows)].transpose(0, 2, 1), point[rows] - position[body])
            off[rows] = np.maximum(off[rows], np.abs(distances(run.shapes[body], x)))
    return out, (law, np.maximum(-parts[:, 0], 0.0) * A[:, 0, 0], beyond, off, np.full(len(D), step), bodies)


def _laws(run, found):
    *found, steps, bodies = found
    for name, unit, one in zip(("Coulomb's law, with the velocities after a step", "normal impulses push",
                                "friction is within its cone", "contacts lie on the surfaces of both bodies"),
                               ("m/s", "m/s", "m/s", "m"), found, strict=True):  # fmt: skip
        yield name, unit, one, steps, *run.names[bodies.T]


def _energy(run):
    """Kinetic and potential energy may fall, by friction, impacts and joints; what it rises comes from nothing."""
    held = -(run.mass[:, None] * run.position * run.gravity).sum(axis=(1, 2))
    moving = np.array([(one.energy(one.twist) * run.moves).sum() for one in map(run.instant, range(len(run.time)))])
    mean = 0.5 * np.concatenate([run.velocity[1:] + run.velocity[:-1], run.spin[1:] + run.spin[:-1]], axis=2)
    given = np.concatenate([[0.0], np.cumsum((run.load * mean).sum(axis=(1, 2)))])
    total = held + moving - given
    yield "energy that a step gives", "J", np.maximum(np.diff(total), 0.0), np.arange(len(run.h))
    yield "energy above that of the start", "J", np.maximum(total - total[0], 0.0), np.arange(len(run.time))
