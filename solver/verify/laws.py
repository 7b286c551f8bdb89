"""The law of contact: velocities at contacts, Coulomb's law with its friction sets, and the residual in m/s.

With v = velocity + asked, impulses lambda and D = diag(mu_s, mu_t, mu_tau), lambda_F = D y:

    normal    0 <= lambda_n  perp  v_n >= 0        |lambda_n - max(0, lambda_n - v_n / A_nn)| A_nn
    friction  y in lambda_n K, -D v_F in its cone  |y - P(y - r D v_F)| / (r mu),  r = 1 / lambda_max(D A_FF D)

K is the unit ball (law 0), the unit box (law 1) or a polygon of eight sides (law 2).
"""

import numpy as np

from .mechanics import inertia_in_world, turned

SIDES = 8


def frames(normal, tangent):
    """Axes (C,4,3) of the four rows: n, s, t, and n again for torsion."""
    return np.stack([normal, tangent, np.cross(normal, tangent), normal], axis=1)


def arms(run):
    """Where each body is touched, from its centre (C,3), (C,3): on its own surface where a gap is open."""
    half = 0.5 * np.maximum(run.gap, 0.0)[:, None] * run.normal
    return run.point - half - run.push.position[run.a], run.point + half - run.push.position[run.b]


def velocities(run, velocity, spin):
    """Velocities of b against a (C,4) [m/s, rad/s] along n, s, t and about n, for bodies (N,3), (N,3)."""
    (arm_a, arm_b), axes = arms(run), frames(run.normal, run.tangent)
    linear = velocity[run.b] + np.cross(spin[run.b], arm_b) - velocity[run.a] - np.cross(spin[run.a], arm_a)
    v = np.einsum("cij,cj->ci", axes, linear)
    v[:, 3] = np.einsum("cj,cj->c", run.normal, spin[run.b] - spin[run.a])
    return v


def wrenches(run, impulse):
    """Impulses and moments about the centres (C,6) on bodies a and on bodies b, of row impulses (C,4)."""
    axes = frames(run.normal, run.tangent)
    linear = np.einsum("ci,cij->cj", impulse[:, :3], axes[:, :3])
    twist = impulse[:, 3:] * run.normal
    arm_a, arm_b = arms(run)
    on_b = np.concatenate([linear, np.cross(arm_b, linear) + twist], axis=1)
    on_a = np.concatenate([-linear, -np.cross(arm_a, linear) - twist], axis=1)
    return on_a, on_b


def delassus(run, mass, inertia):
    """The 4 x 4 blocks (C,4,4) of A at each contact: velocities that unit impulses give."""
    axes = frames(run.normal, run.tangent)
    A = np.zeros((len(run.gap), 4, 4))
    inverse = np.linalg.inv(inertia_in_world(inertia, run.push.orientation))
    for rows, arm in zip((run.a, run.b), arms(run), strict=True):
        turn = np.cross(arm[:, None], axes)
        turn[:, 3] = run.normal
        line = axes.copy()
        line[:, 3] = 0.0
        own = np.einsum("cij,ckj->cik", line, line) / mass[rows, None, None]
        own += np.einsum("cij,cjk,clk->cil", turn, inverse[rows], turn)
        A += np.where(run.moves[rows, None, None], own, 0.0)
    return A


def projected(law, radius, y):
    """The nearest points of radius (C,) times K to y (C,3) scaled friction, by law (C,)."""
    length = np.linalg.norm(y, axis=1)
    ball = y * np.minimum(1.0, radius / np.where(length > 0, length, 1.0))[:, None]
    box = np.clip(y, -radius[:, None], radius[:, None])
    polygon = box.copy()
    polygon[:, :2] = _on_polygon(radius, y[:, :2])
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
    pair = material[run.a], material[run.b]
    tables = (np.array(run.constants[name]) for name in ("friction", "restitution", "law"))
    return [table[pair] for table in tables]


def residuals(run, v, impulse, A, mu, law):
    """How far (C,) [m/s] impulses (C,4) and velocities v (C,4) are from the law."""
    normal = A[:, 0, 0] * np.abs(impulse[:, 0] - np.maximum(0.0, impulse[:, 0] - v[:, 0] / A[:, 0, 0]))
    rough = mu > 0
    y = np.divide(impulse[:, 1:], mu, out=np.zeros_like(mu), where=rough)
    # A direction without friction that carries an impulse is wrong by the velocity that it gives.
    own = A[:, [1, 2, 3], [1, 2, 3]]
    smooth = np.where(rough, 0.0, np.abs(impulse[:, 1:]) * own).max(axis=1)
    largest = np.linalg.eigvalsh(mu[:, :, None] * A[:, 1:, 1:] * mu[:, None])[:, -1]
    slides = largest > 0
    r = np.divide(1.0, largest, out=np.ones_like(largest), where=slides)
    z = projected(law, np.maximum(impulse[:, 0], 0.0), y - r[:, None] * mu * v[:, 1:])
    scale = np.where(mu[:, :2].max(axis=1) > 0, mu[:, :2].max(axis=1), 1.0)
    friction = np.where(slides, np.linalg.norm(y - z, axis=1) / (r * scale), 0.0)
    return np.maximum.reduce([normal, friction, smooth])


def free_velocities(run, mass, inertia):
    """(before, free): velocities (N,3) and spins (N,3) of the bodies where impulses act, without them: those at the
    start of the substep, and those after it under gravity and damping alone."""
    damping = np.exp(-run.constant("damping") * run.length[run.of][:, None])
    momentum = turned(inertia_in_world(inertia, run.start.orientation), run.start.spin)
    spin = np.linalg.solve(inertia_in_world(inertia, run.push.orientation), momentum[..., None])[..., 0]
    spin = np.where(run.moves[:, None], spin, run.start.spin)
    fall = run.length[run.of][:, None] * np.array(run.constants["gravity"])
    free = np.where(run.moves[:, None], damping[:, :1] * run.start.velocity + fall, run.start.velocity)
    return (run.start.velocity, spin), (free, np.where(run.moves[:, None], damping[:, 1:] * spin, spin))
