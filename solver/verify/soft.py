"""Deformable bodies, substep by substep: the filtered midpoint rule (docs/deformables.md), with forces, filters, widths
and works recomputed; and what contacts do to nodes."""

import numpy as np

from .elastic import Rigid

# What is checked of a deformable body in a substep, in the order of `soft_substeps`.
CHECKS = (
    ("deformable bodies begin a substep where they ended", "m, m/s"),
    ("momenta stay as lengths of substeps change", "N s"),
    ("momentum of every node, with elastic and damping forces", "N s"),
    ("momenta stay in filters", "N s"),
    ("energy that filters give", "J"),
    ("energy that the scheme of a deformable body gave so far", "J"),
)  # fmt: skip
# Parts of a whole that round-off may leave: of what was stored, of what is added up.
STORED, ADDED = 1e-12, 1e-9


class Touch:
    """One side of all contacts with deformable bodies there: contacts (n,), rows (n,3) of nodes, 0 with weight 0 for
    none, weights (n,3). Where rows push about another point than its own, the triangle gets a couple."""

    def __init__(self, run, side, place):
        own, other = ((run.a, run.b), (run.b, run.a))[side]
        on = run.deforms[run.body[own[run.stencil_contact]]]
        self.contacts, sign = run.stencil_contact[on], (-1.0, 1.0)[side]
        given = run.stencils[on, 1 + 6 * side : 7 + 6 * side]
        node, self.weight, own, other = given[:, :3].astype(int), given[:, 3:], own[self.contacts], other[self.contacts]
        self.rows = np.where(node >= 0, run.node_start[own][:, None] + node, 0)
        z, whole = place[self.rows], (node >= 0).all(axis=1)[:, None]
        # A rigid body is pushed on its own surface, half an open gap from the contact's place.
        apart = np.where(run.deforms[run.body[other]], 0.0, 0.5 * np.maximum(run.gap[self.contacts], 0.0))
        at = run.point[self.contacts] - sign * apart[:, None] * run.normal[self.contacts]
        self.offset = np.where(whole, at - np.einsum("nj,njk->nk", self.weight, z), 0.0)
        self.arm = np.where(whole[:, None], z - z.mean(axis=1, keepdims=True), 0.0)
        second = np.einsum("nji,njk->nik", self.arm, self.arm)
        second = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        self.inverse = np.linalg.inv(np.where(whole[:, None], second, np.eye(3)))

    def velocity(self, v):
        """Velocities (n,3) of the points that are pushed, of nodes that move with v (N,3)."""
        turn = np.einsum("nij,nj->ni", self.inverse, np.cross(self.arm, v[self.rows]).sum(axis=1))
        return np.einsum("nj,njk->nk", self.weight, v[self.rows]) + np.cross(turn, self.offset)

    def push(self, impulse, out):
        """Add to out (N,3) what impulses (n,3) do to the nodes."""
        turn = np.einsum("nij,nj->ni", self.inverse, np.cross(self.offset, impulse))
        np.add.at(out, self.rows, self.weight[:, :, None] * impulse[:, None] + np.cross(turn[:, None], self.arm))


def soft_substeps(run, push):
    """(number of the body, its substep, [(found, allowed)] of CHECKS, numbers by name) of every substep of each
    deformable body; push (N,3): impulses of contacts on the rows of nodes."""
    rho = run.header["options"]["spectral_radius"]
    t, known = 1 / (1 + rho), {}
    for number, rows in run.groups:
        substep = run.node_of[rows[0]]
        h, body = run.length[substep], run.elastic[number]
        m, pinned, P = body.mass[:, None], body.pinned, push[rows]
        x, before, u, f, low, v, after, left = np.split(run.nodes[rows, 1:], 8, axis=1)
        y = x + 0.5 * h * f
        d, end = 0.5 * h * (f + v), y + 0.5 * h * v
        if number not in known:
            first = run.nodes_at(number, 0)[0]
            known[number] = first, before, body.energy(first), 0.0, 0.0
        x_before, v_before, stored_before, h_before, gained = known[number]
        here, there, then, old = (Rigid(body.piece, body.mass, at) for at in (x, y, end, x_before))
        # Forces are taken at y + w; those of damping with the stiffness halfway along the rigid motion.
        w = h * there.deforming(t / 2 * v + (t - 1) / 2 * f - (t - 0.5) * low)
        rate = there.deforming(t * v + (1 - t) * f)
        damping = -body.damping[0] * m * rate
        if body.damping[1] > 0:
            damping -= body.damping[1] * body.stiffness(x + 0.5 * h * (u - here.deforming(u)), rate)
        damping, force = there.balanced(damping), there.balanced(body.forces(y + w))
        open_ = m * (v - f - h * run.gravity) - h * (force + damping) - P
        size = (m * (abs(v) + abs(f)) + h * abs(force) + abs(P)).max()
        # What turns is as much wider as its nodes go straight: that is no strain, and follows the length of substeps.
        stored, kinetic = body.energy(end + then.unwidened(v, 0.5 * h)), 0.5 * (m * after**2).sum()
        widened = 0.0 if h == h_before else body.energy(x + here.unwidened(u, 0.5 * h)) - stored_before
        change = kinetic - 0.5 * (m * before**2).sum() + stored - stored_before - (m * d * run.gravity).sum()
        pins = (left / h * d + 0.5 * m * (f**2 - before**2))[pinned].sum()
        works = {"damping_work": (damping * d).sum(), "joint_work": pins}
        works["scheme_loss"] = change - (P * d).sum() / h - sum(works.values())
        gained += works["scheme_loss"] - widened
        known[number] = end, after, stored, h, gained
        level = kinetic + abs(stored) + (m * u**2).sum()
        reach = np.abs(x - x.mean(axis=0)).max()
        spins = np.linalg.norm(np.concatenate([here.twists(u), old.twists(before)])[:, 3:], axis=1).max(initial=0.0)
        wider = 0.0 if h == h_before else (max(h, h_before) * spins) ** 2 / 4 * reach
        begun = max(np.abs(x - x_before).max() - wider, np.abs(before - v_before).max())
        kept = np.abs(here.momenta(u) - old.momenta(before)).max(initial=0.0)
        a, b = there.deforming(f), there.deforming(low)
        turned = max(np.abs(modes.momenta(c)).max(initial=0.0)
                     for modes, c in ((here, u - f), (there, f - low), (then, v - after)))  # fmt: skip
        # They are self-adjoint by mass, with factors between 0 and 1.
        given = max((m * (u - f) * (u - f - (1 - rho) * u)).sum(), (m * b * (b - a)).sum(),
                    (m * (after**2 - v**2)).sum())  # fmt: skip
        amount = np.abs(m * (abs(u) + abs(v))).sum() * max(1.0, reach)
        yield number, substep, (
            (begun, STORED * max(reach, 1.0)), (kept, ADDED * amount), (np.abs(open_ - left).max(), ADDED * size),
            (turned, ADDED * amount), (given, ADDED * level), (gained, ADDED * level),
        ), works | {"change": change, "kinetic": kinetic, "elastic": stored, "nodes": np.stack([end, after])}
