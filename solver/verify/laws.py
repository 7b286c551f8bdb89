"""The law of contact: velocities at contacts, Coulomb's law with its friction sets, and the residual in m/s.

With v = velocity + asked, impulses lambda and D = diag(mu_s, mu_t, mu_tau), lambda_F = D y:

    normal    0 <= lambda_n  perp  v_n >= 0        |lambda_n - max(0, lambda_n - v_n / A_nn)| A_nn
    friction  y in lambda_n K, -D v_F in its cone  |y - P(y - r D v_F)| / (r mu),  r = 1 / lambda_max(D A_FF D)

K is the unit ball (law 0), the unit box (law 1) or a polygon of eight sides (law 2).
"""

import numpy as np

from .mechanics import inertia_in_world, turned

SIDES = 8


def frames(run):
    """Axes (C,4,3) of the four rows: n, s, t, and n again for torsion."""
    return np.stack([run.normal, run.tangent, np.cross(run.normal, run.tangent), run.normal], axis=1)


def sides(run):
    """(rows (C,), sign, arm (C,3)) of bodies a and of bodies b: the sign of their part in a contact's velocity, and
    where they are touched, from their centres: on their own surfaces where a gap to what does not move is open."""
    apart = np.where(run.moves[run.a] & run.moves[run.b], 0.0, 0.5 * np.maximum(run.gap, 0.0))
    half = apart[:, None] * run.normal
    for rows, sign in ((run.a, -1.0), (run.b, 1.0)):
        yield rows, sign, run.point + sign * half - run.push.position[rows]


def velocities(run, velocity, spin, nodes):
    """Velocities of b against a (C,4) [m/s, rad/s] along n, s, t and about n, for bodies (N,3), (N,3) and nodes."""
    linear = sum(sign * (velocity[rows] + np.cross(spin[rows], arm)) for rows, sign, arm in sides(run))
    for touch, sign in zip(run.touches, (-1.0, 1.0), strict=True):
        linear[touch.contacts] += sign * touch.velocity(nodes)
    v = np.einsum("cij,cj->ci", frames(run), linear)
    v[:, 3] = np.einsum("cj,cj->c", run.normal, spin[run.b] - spin[run.a])
    return v


def wrenches(run):
    """(rows (C,), impulses and moments about the centres (C,6)) of bodies a and of bodies b."""
    linear = np.einsum("ci,cij->cj", run.impulse[:, :3], frames(run)[:, :3])
    twist = run.impulse[:, 3:] * run.normal
    for rows, sign, arm in sides(run):
        yield rows, sign * np.concatenate([linear, np.cross(arm, linear) + twist], axis=1)


def pushes(run):
    """What contacts do to the rows of nodes (M,3) [N s]."""
    out, linear = np.zeros((len(run.nodes), 3)), np.einsum("ci,cij->cj", run.impulse[:, :3], frames(run)[:, :3])
    for touch, sign in zip(run.touches, (-1.0, 1.0), strict=True):
        touch.push(sign * linear[touch.contacts], out)
    return out


def delassus(run, mass, inertia):
    """The 4 x 4 blocks (C,4,4) of A at each contact: velocities that unit impulses give; of deformable bodies, whose
    inertia is that of their elasticity, too, what the run says: it weighs residuals alone."""
    A, inverse = np.zeros((len(run.gap), 4, 4)), np.linalg.inv(inertia_in_world(inertia, run.push.orientation))
    for rows, _, arm in sides(run):
        line = frames(run)
        turn = np.cross(arm[:, None], line)
        turn[:, 3], line[:, 3] = run.normal, 0.0
        own = np.einsum("cij,ckj->cik", line, line) / mass[rows, None, None]
        own += np.einsum("cij,cjk,clk->cil", turn, inverse[rows], turn)
        A += np.where(run.moves[rows, None, None], own, 0.0)
    A[run.stencil_contact] = run.stencils[:, 13:].reshape(-1, 4, 4)
    return A


def projected(law, radius, y):
    """The nearest points of radius (C,) times K to y (C,3) scaled friction, by law (C,)."""
    length = np.linalg.norm(y, axis=1)
    ball = y * np.minimum(1.0, radius / np.where(length > 0, length, 1.0))[:, None]
    box = np.clip(y, -radius[:, None], radius[:, None])
    polygon = np.column_stack([_on_polygon(radius, y[:, :2]), box[:, 2]])
    return np.choose(law[:, None], [ball, box, polygon])


def _on_polygon(radius, y):
    middle = (np.arange(SIDES) + 0.5) * 2 * np.pi / SIDES
    normals = np.column_stack([np.cos(middle), np.sin(middle)])
    nearest = normals[np.argmax(y @ normals.T, axis=1)]
    apothem, half = radius * np.cos(np.pi / SIDES), radius * np.sin(np.pi / SIDES)
    beyond = np.einsum("ci,ci->c", y, nearest) > apothem
    side = np.column_stack([-nearest[:, 1], nearest[:, 0]])
    along = np.clip(np.einsum("ci,ci->c", y, side), -half, half)
    return np.where(beyond[:, None], apothem[:, None] * nearest + along[:, None] * side, y)


def coefficients(run):
    """mu (C,3), restitution (C,2) and law (C,) of the contacts' pairs of materials."""
    material = np.array(run.constants["material"])[run.body]
    tables = (np.array(run.constants[name]) for name in ("friction", "restitution", "law"))
    return [table[material[run.a], material[run.b]] for table in tables]


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


def free_velocities(run, mass, inertia):
    """(before, free): velocities (N,3) and spins (N,3) of the bodies where impulses act, without them: those at the
    start of the substep, and those after it under gravity and damping alone."""
    moves, h = run.moves[:, None], run.length[run.of][:, None]
    damping = np.exp(-run.constant("damping") * h)
    momentum = turned(inertia_in_world(inertia, run.start.orientation), run.start.spin)
    spin = np.linalg.solve(inertia_in_world(inertia, run.push.orientation), momentum[..., None])[..., 0]
    spin = np.where(moves, spin, run.start.spin)
    free = np.where(moves, damping[:, :1] * run.start.velocity + h * run.gravity, run.start.velocity)
    return (run.start.velocity, spin), (free, np.where(moves, damping[:, 1:] * spin, spin))
