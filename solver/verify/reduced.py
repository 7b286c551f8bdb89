"""Deformable bodies in few vectors of their shape: nodes from center, R and q, free motion, and the kick in the middle
of a substep (docs/theory.md 4), recomputed from nodes and elements."""

import numpy as np

from .elastic import Elastic
from .mechanics import ROUND_OFF, across

# Parts of lengths and velocities that round-off may leave of nodes, and of the numbers they are made from.
ON_SHAPE, DIGITS = 1e-11, 1e-15


class Reduced(Elastic):
    """A body of n nodes at c + R (X + U q), from what recording.json says of it, X (n,3) and U (n,3,r)."""

    def __init__(self, given, X, U):
        super().__init__(given)
        self.X, self.U, self.reach = X, U, np.abs(X).max()
        self.may_stray = ON_SHAPE * max(1.0, self.reach)
        E = np.einsum("taik,tqaj->tqkij", U[self.elements], self.gradient)
        E = 0.5 * (E + E.swapaxes(-1, -2))
        trace = np.trace(E, axis1=-2, axis2=-1)
        grown = np.einsum("tq,tqk->tk", self.volume, trace)
        K = 2 * np.einsum("tq,t,tqkij,tqlij->kl", self.volume, self.mu[:, 0], E, E, optimize=True)
        K += np.einsum("tq,t,tqk,tql->kl", self.volume, self.lam[:, 0], trace, trace, optimize=True)
        K += np.einsum("t,tk,tl->kl", self.rest_lam / self.whole, grown, grown)
        # What a record of nodes.bin has of it: center, R, q, and its twist.
        self.squares, self.numbers = np.diag(K), 18 + 2 * len(K)
        alpha, beta = self.damping
        self.rates = alpha + beta * self.squares + 2 * given["damping_ratio"] * np.sqrt(self.squares)
        # The vectors are free of rigid motion, and masses and stiffness are diagonal in them.
        rigid = np.concatenate([np.tile(np.eye(3), (len(X), 1, 1)), -across(X)], axis=2)
        rigid /= np.sqrt(np.einsum("n,nik,nik->k", self.mass, rigid, rigid))
        both = np.concatenate([U, rigid], axis=2)
        M = np.einsum("n,nik,nil->kl", self.mass, U, both) - np.eye(len(K), len(K) + 6)
        self.askew = max(np.abs(M).max(), np.abs(K - np.diag(self.squares)).max() / self.squares.max())
        # Velocities by W are linear in (1, q), and its masses quadratic: a row each of 1 and q.
        turns = -across(np.concatenate([X[None], np.moveaxis(U, 2, 0)])).reshape(-1, X.size, 3)
        heavy = np.repeat(self.mass, 3)[:, None] * turns
        self.of_turns = np.einsum("aij,bik->abjk", turns, heavy, optimize=True).reshape(len(turns), -1)
        self.of_both = np.einsum("aij,ik->ajk", heavy, U.reshape(X.size, -1), optimize=True).reshape(len(turns), -1)
        self.of_rates = np.einsum("n,nik,nil->kl", self.mass, U, U, optimize=True)

    def nodes(self, record):
        """Nodes (2,n,3), where they are and how fast, of a record of nodes.bin."""
        center, R, q, twist = np.split(record, np.cumsum([3, 9, len(self.squares)]))
        at = center, R.reshape(3, 3), q
        return np.array([self.places(at), self.moved(at, twist)])

    def places(self, at):
        """Nodes (n,3) at (c, R, q)."""
        return at[0] + (self.X + self.U @ at[2]) @ at[1].T

    def rows(self, q):
        """Velocities (n,3,3+r) of nodes in the body's frame by W and dq/dt."""
        return np.concatenate([-across(self.X + self.U @ q), self.U], axis=2)

    def moved(self, at, twist):
        """Velocities (n,3) of nodes of a body that moves with twist (6+r,): of c, in its own frame, and of q."""
        return twist[:3] + (self.rows(at[2]) @ twist[3:]) @ at[1].T

    def masses(self, q):
        """The masses (3+r,3+r) of W and dq/dt."""
        g, found = np.concatenate([[1.0], q]), np.empty((3 + len(q),) * 2)
        found[:3, :3] = (g @ (g @ self.of_turns).reshape(len(g), 9)).reshape(3, 3)
        found[:3, 3:], found[3:, 3:] = (g @ self.of_both).reshape(3, -1), self.of_rates
        found[3:, :3] = found[:3, 3:].T
        return found

    def loads(self, at, push):
        """Momenta (6+r,) of impulses push (n,3) on nodes."""
        own = np.einsum("nik,ni->k", self.rows(at[2]), push @ at[1])
        return np.concatenate([push.sum(axis=0), own])

    def fitted(self, x):
        """(c, R, q) of nodes x (n,3): the axes in which sum m x X^T is symmetric."""
        c = self.mass @ x / self.mass.sum()
        A, _, B = np.linalg.svd(np.einsum("n,ni,nj->ij", self.mass, x - c, self.X))
        R = A @ np.diag([1.0, 1.0, np.linalg.det(A @ B)]) @ B
        return c, R, np.einsum("n,nik,ni->k", self.mass, self.U, (x - c) @ R - self.X)

    def twist(self, at, v):
        """The twist (6+r,) whose momenta at (c, R, q) are those of nodes' velocities v (n,3)."""
        return self.twist_of(at[2], self.loads(at, self.mass[:, None] * v))

    def twist_of(self, q, momenta):
        """The twist (6+r,) of momenta (6+r,) at q (r,)."""
        return np.concatenate([momenta[:3] / self.mass.sum(), np.linalg.solve(self.masses(q), momenta[3:])])

    def kinetic(self, q, momenta):
        """Kinetic energy [J] of momenta (6+r,) at q (r,)."""
        return 0.5 * momenta @ self.twist_of(q, momenta)

    def coasted(self, at, momenta, time):
        """((c, R, q), momenta (6+r,)) `time` [s] later, by the midpoint rule in R, the spin and q."""
        (c, R, q), (moved, spin, rest) = at, np.split(momenta, [3, 6])
        z, change = np.linalg.solve(self.masses(q), momenta[3:]), np.inf
        while True:
            turn = _cayley(time * z[:3])
            mean = np.concatenate([0.5 * (spin + turn.T @ spin), rest])
            new = np.linalg.solve(self.masses(q + 0.5 * time * z[3:]), mean)
            last, change, z = change, np.abs(new - z).max(), new
            if change >= last or change == 0.0:
                break
        turn = _cayley(time * z[:3])
        there = c + time / self.mass.sum() * moved, R @ turn, q + time * z[3:]
        return there, np.concatenate([moved, turn.T @ spin, rest])

    def outward(self, q, twist):
        """Centrifugal and Coriolis forces (r,): half the derivative of the squares of velocities by q."""
        v = self.rows(q) @ twist[3:]
        return np.einsum("n,nik,ni->k", self.mass, np.cross(twist[3:6], self.U, axisb=1, axisc=1), v)


def _cayley(a):
    """The rotation (3,3) of Cayley for a rotation vector a (3,)."""
    A = 0.5 * across(a)
    return np.eye(3) + 2 / (1 + 0.25 * a @ a) * (A + A @ A)


def middles(run):
    """{"y", "end", "mean"}: where nodes (M,3) are in the middle of substeps and at their ends, and the mean of how fast
    they go; keeps of reduced bodies, by group in Run.motions, (c, R, q) with momenta: at the start, in the middle with
    the momenta that filters keep, and at the end."""
    h, run.motions = run.length[run.node_of][:, None], {}
    y = run.node["x"] + 0.5 * h * run.node["f"]
    end, mean = y + 0.5 * h * run.node["v"], 0.5 * (run.node["f"] + run.node["v"])
    for group, (number, rows) in enumerate(run.groups):
        body = run.elastic[number]
        if isinstance(body, Reduced):
            run.motions[group] = motions = _motions(body, run, rows)
            y[rows], end[rows] = (body.places(at) for at, _ in motions[1:])
    return {"y": y, "end": end, "mean": mean}


def _motions(body, run, rows):
    """What `middles` keeps of a body in a substep."""
    x, before, f, v = (run.node[name][rows] for name in ("x", "before", "f", "v"))
    half, start, m = 0.5 * run.length[run.node_of[rows[0]]], body.fitted(x), body.mass[:, None]
    begun = body.loads(start, m * before)
    middle, change = start, np.inf
    # Filters change the momenta of q alone, which stay while it coasts: they are those of f in the middle.
    while True:
        kept = np.concatenate([begun[:6], body.loads(middle, m * f)[6:]])
        there, _ = body.coasted(start, kept, half)
        last, change = change, max(np.abs(a - b).max() for a, b in zip(there, middle, strict=True))
        middle = there
        if change >= last or change == 0.0:
            break
    end = body.coasted(middle, body.loads(middle, m * v), half)
    return (start, begun), (middle, kept), end


def reduced_substep(run, group, push, ended):
    """(found (6,) and allowed (6,) of soft.CHECKS, works of damping and of the scheme, kinetic, elastic energy, their
    round-off [J], what the next substep begins with) of a group; push (M,3): impulses on nodes; ended: what the last
    left."""
    number, rows = run.groups[group]
    body, h, P = run.elastic[number], run.length[run.node_of[rows[0]]], push[rows]
    x, before, u, f, low, v, after, y, place = (
        run.node[name][rows] for name in ("x", "before", "u", "f", "low", "v", "after", "y", "end"))  # fmt: skip
    (start, begun), (middle, kept), (end, last) = run.motions[group]
    ended = (run.nodes_at(number, 0)[0], before, 0.0, 0.0) if ended is None else ended
    mass, m, t = body.mass.sum(), body.mass[:, None], 1 / (1 + run.header["options"]["spectral_radius"])
    given, slow, z = (body.twist(middle, one) for one in (f, low, v))
    A, free = _kicked(body, middle[2], h, t, (given, slow), run.gravity)
    off = A @ (z - free) - body.loads(middle, P)
    # What of nodes and velocities is not in the vectors, and where the body goes by itself.
    askew = [x - body.places(start), x - ended[0], before - ended[1]]
    askew.append(after - body.moved(end, body.twist_of(end[2], last)))
    askew += [one - body.moved(middle, body.twist(middle, one)) for one in (u, f, low, v)]
    turned = [_momenta(body, *a) - _momenta(body, *b) for a, b in (((x, before), (y, f)), ((y, v), (place, after)))]
    turned += [_momenta(body, y, one) for one in (u - f, f - low)]
    widened = _momenta(body, x, before) - _momenta(body, y, u)
    taken = body.kinetic(start[2], kept) - body.kinetic(start[2], begun)
    kinetic, stored, old = 0.5 * (m * after**2).sum(), *(0.5 * body.squares @ at[2] ** 2 for at in (end, start))
    damping = -(body.rates * (t * z[6:] + (1 - t) * given[6:])) @ (end[2] - start[2])
    # Impulses work along the mean of velocities in the middle: what turns goes no straight way over the substep.
    pushed = 0.5 * P * (f + v)
    lost = kinetic - 0.5 * (m * before**2).sum() + stored - old - damping - pushed.sum()
    lost -= mass * (end[0] - start[0]) @ run.gravity
    level, reach = kinetic + stored + old + (m * u**2).sum() + np.abs(pushed).sum(), max(1.0, body.reach)
    speed, amount = max(1.0, *(np.abs(one).max() for one in (before, f, v))), (m * (abs(u) + abs(v))).sum() * reach
    # By how much round-off of places changes q, and forces what is stored. Coasting leaves a part of 1e-5.
    digits = DIGITS * max(1.0, np.abs(x).max()) * np.sqrt(mass)
    size = (m * (abs(v) + abs(f))).sum() + np.abs(P).sum() + h * np.abs(body.squares * middle[2]).max()
    force = np.abs(P).sum() / h + mass * np.abs(run.gravity).sum()
    loads, most = np.abs(body.squares * end[2]).sum() + force, max(ended[3], kinetic + stored)
    found = (max(np.abs(one).max() for one in askew), np.abs(widened).max(), np.abs(off).max(), np.abs(turned).max(),
             taken, lost + ended[2])  # fmt: skip
    allowed = (ON_SHAPE * speed * reach, ROUND_OFF * amount, ROUND_OFF * size + digits * h * body.squares.max(),
               ROUND_OFF * amount, ROUND_OFF * level, 1e-5 * most + digits * loads)  # fmt: skip
    # What damping gives is reported as the scheme's.
    unsure = allowed[4] + DIGITS * max(1.0, np.abs(x).max()) * force
    works = min(0.0, damping), 0.0, lost + max(0.0, damping), kinetic, stored, unsure
    return found, allowed, works, (place, after, lost + ended[2], most)


def _kicked(body, q, h, t, twists, gravity):
    """(matrix (6+r,6+r) of impulses by twists, the twist (6+r,) in the middle of a substep of h [s] without impulses of
    contacts); twists: given before the kick, and its slow part. Centrifugal forces are those of the mean of both."""
    (given, slow), r = twists, len(body.squares)
    A = np.zeros((6 + r, 6 + r))
    A[:3, :3], A[3:, 3:] = body.mass.sum() * np.eye(3), body.masses(q)
    A[6:, 6:] += np.diag(0.5 * t * h * h * body.squares + t * h * body.rates)
    at = q + h * ((t - 0.5) * (given[6:] - slow[6:]))
    held = h * (body.squares * at + body.rates * given[6:])
    pull = np.concatenate([h * body.mass.sum() * gravity, np.zeros(3), -held])
    free, change = given, np.inf
    while True:
        outward = np.concatenate([np.zeros(6), h * body.outward(q, 0.5 * (given + free))])
        new = given + np.linalg.solve(A, pull + outward)
        last, change, free = change, np.abs(new - free).max(), new
        if change >= last or change == 0.0:
            return A, free


def shape_vectors(run, numbers, substeps):
    """That shape vectors of the bodies `numbers` are what they should be, in substeps."""
    own = [(k, at) for k, at in zip(numbers, substeps, strict=True) if isinstance(run.elastic[k], Reduced)]
    off = np.array([run.elastic[k].askew for k, _ in own])
    at = np.array([substep for _, substep in own], dtype=int)
    yield "masses and stiffness are diagonal in shape vectors, which have no momentum", "1", off, ROUND_OFF, at


def _momenta(body, x, v):
    """Momentum and angular momentum about the centre (6,) of nodes."""
    arm = x - body.mass @ x / body.mass.sum()
    return body.mass @ np.concatenate([v, np.cross(arm, v)], axis=1)
