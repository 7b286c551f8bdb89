"""Contacts: their velocities, Coulomb's law with its friction sets, and the residual in m/s.

With v = velocity + asked, impulses lambda and D = diag(mu_s, mu_t, mu_tau), lambda_F = D y:

    normal    0 <= lambda_n  perp  v_n >= 0        |lambda_n - max(0, lambda_n - v_n / A_nn)| A_nn
    friction  y in lambda_n K, -D v_F in its cone  |y - P(y - r D v_F)| / (r mu),  r = 1 / lambda_max(D A_FF D)

K is the unit ball (law 0), the unit box (law 1) or a polygon of eight sides (law 2).
"""

import numpy as np

from .bounces import asked
from .mechanics import ROUND_OFF, across
from .surfaces import surfaces


class Side:
    """One side of all contacts: rows (C,) of bodies, arms (C,3) [m] from their centres to where they are touched, and
    J (C,4,6) by which their twists give velocities along n, s, t and about n. Of contacts (n,) that touch nodes there:
    nodes (n,3), their rows, weight (n,3) of these, and K (n,4,3,3), by which their velocities do."""

    def __init__(self, run, side):
        (self.rows, other), sign = ((run.a, run.b), (run.b, run.a))[side], (-1.0, 1.0)[side]
        half, n = 0.5 * np.maximum(run.gap, 0.0)[:, None] * run.normal, run.normal
        # Beside what does not move, a body is touched on its own surface, half an open gap away.
        moved = (run.moves[run.a] & run.moves[run.b])[:, None]
        self.arm = run.point + np.where(moved, 0.0, sign * half) - run.push.position[self.rows]
        axes = sign * np.stack([n, run.tangent, np.cross(n, run.tangent)], axis=1)
        about = np.concatenate([np.cross(self.arm[:, None], axes), sign * n[:, None]], axis=1)
        self.J = np.concatenate([np.pad(axes, ((0, 0), (0, 1), (0, 0))), about], axis=2)
        on = run.deforms[run.body[self.rows[run.stencil_contact]]]
        own, given = run.stencil_contact[on], run.stencils[on, 1 + 6 * side : 7 + 6 * side]
        node, weight, whole = given[:, :3].astype(int), given[:, 3:], (given[:, :3] >= 0).all(axis=1)
        self.contacts, self.nodes = own, np.where(node >= 0, run.node_start[self.rows[own]][:, None] + node, 0)
        z, self.weight = run.node["y"][self.nodes], np.where(whole[:, None], weight, 0.0)
        at = run.point[own] - np.where(run.deforms[run.body[other[own]]], 0.0, sign)[:, None] * half[own]
        # A triangle that is pushed about another point than its own gets a couple.
        offset = np.where(whole[:, None], at - np.einsum("nj,njk->nk", weight, z), 0.0)
        arms = across(z - z.mean(axis=1, keepdims=True))
        inverse = np.linalg.inv(np.where(whole[:, None, None], -(arms @ arms).sum(axis=1), np.eye(3)))
        push = weight[..., None, None] * np.eye(3) - (across(offset) @ inverse)[:, None] @ arms
        self.K = np.pad(np.einsum("nia,njab->nijb", axes[own], push), ((0, 0), (0, 1), (0, 0), (0, 0)))


def velocities(run, twist, nodes=None):
    """Velocities of b against a (C,4) [m/s, rad/s] along n, s, t and about n, for twists (N,6) of bodies and velocities
    (M,3) of nodes, if these move."""
    v = sum(np.einsum("cij,cj->ci", side.J, twist[side.rows]) for side in run.sides)
    for side in run.sides if nodes is not None else ():
        v[side.contacts] += np.einsum("nijk,njk->ni", side.K, nodes[side.nodes])
    return v


def pushes(run):
    """What contacts do to the rows of nodes (M,3) [N s]."""
    out = np.zeros_like(run.node["x"])
    for side in run.sides:
        np.add.at(out, side.nodes, np.einsum("nijk,ni->njk", side.K, run.impulse[side.contacts]))
    return out


def delassus(run):
    """The 4 x 4 blocks (C,4,4) of A at each contact: velocities that unit impulses give; of deformable bodies, whose
    inertia is that of their elasticity, too, what the run says: it weighs residuals alone."""
    inverse = np.zeros((len(run.mass), 6, 6))
    inverse[:, :3, :3] = np.eye(3) / run.mass[:, None, None]
    inverse[:, 3:, 3:] = np.linalg.inv(run.push.inertia)
    inverse[~run.moves] = 0.0
    A = sum(side.J @ inverse[side.rows] @ side.J.transpose(0, 2, 1) for side in run.sides)
    A[run.stencil_contact] = run.stencils[:, 13:].reshape(-1, 4, 4)
    return A


def projected(law, radius, y):
    """The nearest points of radius (C,) times K to y (C,3) scaled friction, by law (C,)."""
    length = np.linalg.norm(y, axis=1)
    ball = y * np.minimum(1.0, radius / np.where(length > 0, length, 1.0))[:, None]
    box = np.clip(y, -radius[:, None], radius[:, None])
    # The nearest side of eight, of its two ends and between them.
    middle = (np.arange(8) + 0.5) * np.pi / 4
    normals = np.column_stack([np.cos(middle), np.sin(middle)])
    normal = normals[np.argmax(y[:, :2] @ normals.T, axis=1)]
    beyond = (y[:, :2] * normal).sum(axis=1) - radius * np.cos(np.pi / 8)
    side, half = np.column_stack([-normal[:, 1], normal[:, 0]]), radius * np.sin(np.pi / 8)
    along = (y[:, :2] * side).sum(axis=1)
    moved = np.minimum(-beyond, 0.0)[:, None] * normal
    moved += np.where(beyond > 0, np.clip(along, -half, half) - along, 0.0)[:, None] * side
    return np.choose(law[:, None], [ball, box, np.column_stack([y[:, :2] + moved, box[:, 2]])])


def residuals(v, impulse, A, mu, law):
    """How far (C,) [m/s] impulses (C,4) and velocities v (C,4) are from the law."""
    normal = A[:, 0, 0] * np.abs(impulse[:, 0] - np.maximum(0.0, impulse[:, 0] - v[:, 0] / A[:, 0, 0]))
    y = np.divide(impulse[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0)
    # A direction without friction that carries an impulse is wrong by the velocity that it gives.
    smooth = np.where(mu > 0, 0.0, np.abs(impulse[:, 1:]) * A[:, [1, 2, 3], [1, 2, 3]]).max(axis=1)
    largest = np.linalg.eigvalsh(mu[:, :, None] * A[:, 1:, 1:] * mu[:, None])[:, -1]
    r = np.divide(1.0, largest, out=np.ones_like(largest), where=largest > 0)
    z = projected(law, np.maximum(impulse[:, 0], 0.0), y - r[:, None] * mu * v[:, 1:])
    scale = np.where(mu[:, :2].max(axis=1) > 0, mu[:, :2].max(axis=1), 1.0)
    friction = np.where(largest > 0, np.linalg.norm(y - z, axis=1) / (r * scale), 0.0)
    return np.maximum.reduce([normal, friction, smooth])


def contacts(run):
    """Coulomb's law at every contact, that no more was reported as solved than is, and where contacts lie."""
    material = np.array(run.constants["material"])[run.body]
    mu, restitution, law = (np.array(run.constants[name])[material[run.a], material[run.b]]
                            for name in ("friction", "restitution", "law"))  # fmt: skip
    round_off = ROUND_OFF * np.maximum(run.speed[run.a], run.speed[run.b])
    A, v = delassus(run), velocities(run, run.push.twist, run.node["v"]) + run.asked
    load, moved = run.impulse[:, 0] * A[:, 0, 0], A[:, 0, 0] > 0
    A[~moved] = np.eye(4)
    residual = residuals(v, run.impulse - run.held, A, mu, law)
    residual = np.where(moved, residual, np.maximum(0.0, -v[:, 0]))
    claimed, places = run.steps["residual"][run.step[run.contact_of] - 1], run.meetings()
    yield ("Coulomb's law, against the residual that the run reports", "m/s", residual,
           claimed * (1 + 1e-6) + round_off, *places)  # fmt: skip
    yield "normal impulses push", "m/s", np.maximum(-load, 0.0), claimed + round_off, *places
    y = np.divide(run.impulse[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0)
    inside = projected(law, np.maximum(run.impulse[:, 0], 0.0), y) * mu
    beyond = np.linalg.norm(run.impulse[:, 1:3] - inside[:, :2], axis=1) * A[:, 0, 0]
    # What acts before an impact is that of the last step, whose axes turned with the bodies since.
    spin = np.linalg.norm(run.before[:, 3:], axis=1)
    turned = run.header["options"]["time_step"] * (spin[run.a] + spin[run.b]) * mu.max(axis=1)
    turned *= np.abs(run.held[:, 0]) * A[:, 0, 0]
    yield "friction is within its cone", "m/s", beyond, claimed + round_off + turned, *places
    before, free, after = (velocities(run, twist) for twist in (run.before, run.free, run.push.twist))
    yield from asked(run, restitution, mu, (before, free, after), round_off)
    yield from surfaces(run)
