"""docs/theory.md, sections 2 and 3, in dense plain numpy: a step of one island of rigid bodies, contacts and joints.

B is a Model: its constants of bodies and materials, and where joints are. search(x, R, u, T) is the program's.
R (R,3,3) rotation matrices, u (R,6), J over all bodies (.., 6 R).
"""

from types import SimpleNamespace as Record

import numpy as np
from scipy.optimize import brentq

from reference import theory


def skew(a):
    """Matrix of a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def exp(v):
    """Rotation matrix of a rotation vector."""
    angle, S = np.linalg.norm(v), skew(v)
    return np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * S @ S


def drift(B, x, R, u, t):
    """Poses and velocities after moving freely for t seconds (2.1)."""
    x, R, u = x + t * u[:, :3], R.copy(), u.copy()
    for i, w in enumerate(u[:, 3:].copy()):
        inertia, a, Q = B.inertia[i], B.symmetry[i], R[i]
        if not (B.gyroscopic[i] and B.inverse_mass[i] and w.any()):
            R[i] = exp(t * w) @ Q
        elif a.any():
            along = a @ inertia @ a
            s = (1.0 - 2.0 * along / (np.trace(inertia) - along)) * (w @ Q @ a)
            turn = exp(t * (w - s * Q @ a))
            R[i], u[i, 3:] = turn @ Q @ exp(t * s * a), turn @ w
        else:
            W1 = W0 = Q.T @ w
            for _ in range(8):
                m = 0.5 * (W0 + W1)
                rest = inertia @ (W1 - W0) + t * np.cross(m, inertia @ m)
                W1 = W1 - np.linalg.solve(inertia + 0.5 * t * (skew(m) @ inertia - skew(inertia @ m)), rest)
            z, L = 0.5 * t * (W0 + W1), inertia @ W0
            angle, turns = np.linalg.norm(z), 2.0 * np.arctan(0.5 * np.linalg.norm(z))
            c = (angle - turns) * (z @ L) / (angle * np.linalg.norm(L))
            R[i] = exp(c * Q @ L / np.linalg.norm(L)) @ Q @ exp(turns * z / angle)
            u[i, 3:] = R[i] @ W1
    return x, R, u


def moved(x, R, u, t):
    """Poses after moving with u for t seconds, whatever the inertia."""
    return x + t * u[:, :3], np.array([exp(t * w) @ Q for w, Q in zip(u[:, 3:], R, strict=True)])


def inverse_mass(B, R):
    """W (6 R, 6 R)."""
    W = np.zeros((6 * len(R), 6 * len(R)))
    for i in np.flatnonzero(B.inverse_mass):
        W[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = B.inverse_mass[i] * np.eye(3)
        W[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = R[i] @ B.inverse_inertia[i] @ R[i].T
    return W


def tangents(normals):
    """Axes n, s, t (C,3,3) of contacts (2.2)."""
    axes = np.zeros((len(normals), 3, 3))
    for k, n in enumerate(normals):
        s = np.cross(np.eye(3)[np.argmax(np.abs(n) <= np.abs(n).min() + 1e-6)], n)
        axes[k] = n, s / np.linalg.norm(s), np.cross(n, s / np.linalg.norm(s))
    return axes


def contact_rows(B, x, c):
    """(J (C,4,6 R), axes n, s, t (C,3,3)) of contacts c (2.2)."""
    J, axes = np.zeros((c.count, 4, 6 * len(x))), tangents(c.normal)
    for k, n in enumerate(c.normal):
        for body, sign in ((c.body_a[k], -1.0), (c.body_b[k], 1.0)):
            arm = c.position[k] + 0.5 * sign * max(c.gap[k], 0.0) * n - x[body]
            J[k, :3, 6 * body : 6 * body + 6] = sign * np.hstack([axes[k], np.cross(arm, axes[k])])
            J[k, 3, 6 * body + 3 : 6 * body + 6] = sign * n
    return J, axes


def turning(B, s, c, axes, x, R, u, gap_speed, hit, h):
    """What the turning of rows adds (C,3) to those of contacts that were loaded in the last step (2.3)."""
    extra, along, anew = np.zeros((c.count, 3)), np.full(c.count, np.inf), np.zeros(len(x))
    for k, last in known(s, c):
        if hit[k] or s.impulses[last, 0] <= 0.0:
            continue
        part, m, V, later = 0.5 * h / (s.since + 0.5 * h), np.inf, np.zeros(3), np.zeros(3)
        for body, sign in ((c.body_a[k], -1.0), (c.body_b[k], 1.0)):
            v, w, r, rate = u[body, :3], u[body, 3:], c.position[k] - x[body], np.zeros(3)
            if B.inverse_mass[body]:
                inertia = R[body] @ B.inertia[body] @ R[body].T
                rate, m = np.linalg.solve(inertia, np.cross(inertia @ w, w)), min(m, 1e-3 * B.size[body] / (0.5 * h))
            r_later = r + part * (c.position[k] - s.contacts.position[last]) - (x[body] - s.x[body])
            V += sign * (v + np.cross(w, r))
            later += sign * (v + np.cross(w + 0.5 * h * rate, r_later))
        along[k] = axes[k, 0] @ (later - V) + part * (c.normal[k] - s.contacts.normal[last]) @ later
        across = axes[k, 1:] @ (later - V)
        holds = np.linalg.norm(axes[k, 1:] @ V) <= 3.0 * np.linalg.norm(across)
        scale = min(1.0, m / max(abs(along[k]), holds * np.linalg.norm(across), 1e-300))
        waits = gap_speed[k] if along[k] > 0.0 else 0.0
        extra[k, 0] = max(scale * along[k] - waits, 0.0) if waits else scale * along[k]
        extra[k, 1:] = holds * scale * across
        if axes[k, 0] @ V < -3.0 * abs(along[k]):
            for body in (c.body_a[k], c.body_b[k]):
                anew[body] = max(anew[body], -axes[k, 0] @ V if B.inverse_mass[body] else 0.0)
    extra[np.maximum(anew[c.body_a], anew[c.body_b]) > 3.0 * np.abs(along)] = 0.0
    return extra


def known(s, c):
    """(k, i): contact k has the bodies and the key of contact i of the last step."""
    names = [list(zip(found.body_a, found.body_b, found.key, strict=True)) for found in (c, s.contacts)]
    return [(k, names[1].index(name)) for k, name in enumerate(names[0]) if name in names[1]]


def onset(q, c, smooth, loaded, goal, h, T, jointed):
    """(meets (C,), later (C,), the part of the step before the impact) of an island (2.4)."""
    v, g, e, size = q.before[:, 0], c.gap, q.e, q.size
    passed = (e == 0.0) & (v < -goal) & (g < -1e-6 * size)
    passed &= (g - 0.5 * h * v > -1e-6 * size) | (-0.5 * h * v > 1e-3 * size)
    lands = ~loaded & (e == 0.0) & (v < -goal) & (v < -2.0 * np.abs(smooth - v)) & (g + T * smooth < 0.0)
    scale = np.max(np.abs(q.free[:, 0] - v)[loaded], initial=0.0)
    off = np.where(loaded, np.abs(smooth), np.maximum(0.0, -smooth - np.maximum(g, 0.0) / T))
    bad = (lands & (-0.5 * h * v > 0.01 * size)) | (~lands & (off > 0.05 * scale))
    lands &= not (bad.any() or jointed) and scale > 0.0
    time = np.where(lands, 0.5 * h - g / np.where(v < 0.0, v, -1.0), np.inf)
    meets = lands & (time <= h)
    return meets | passed, lands & ~meets, max(0.0, time[meets].min()) / h if meets.any() else 0.0


def joint_rows(B, x, R):
    """(g (k,), J (k,6 R)) of balls, hinges and distances (3.1)."""
    p, g, J = B.joints.per_joint, [], []
    for j, kind in enumerate(B.joints.types):
        (a, b), length = p.ends[j], p.length[j]
        Q = [np.eye(3) if i < 0 else R[i] for i in (a, b)]
        arms = [np.zeros(3) if i < 0 else q @ r for i, q, r in zip((a, b), Q, p.anchor[j], strict=True)]
        at = [r if i < 0 else x[i] + arm for i, arm, r in zip((a, b), arms, p.anchor[j], strict=True)]
        A, D, d = Q[0] @ p.frame[j, 0], Q[1] @ p.frame[j, 1], at[1] - at[0]
        if kind == "distance":
            length, row = B.joints.rows.constant[B.joints.rows.joint == j][0], d / np.linalg.norm(d)
            found = [(np.linalg.norm(d) - length, row, arms[0])]
        else:
            found = [(e @ d, e, arms[0] + d) for e in A.T]
        if kind == "hinge":
            found += [(length * A[:, i] @ D[:, 2], length * np.cross(D[:, 2], A[:, i]), None) for i in (0, 1)]
        for value, row, arm in found:
            own = np.zeros((len(x), 6))
            for i, sign, r in ((a, -1.0, arm), (b, 1.0, arms[1])):
                if i >= 0:
                    own[i] += sign * (np.append(np.zeros(3), row) if arm is None else np.append(row, np.cross(r, row)))
            g.append(value)
            J.append(own.ravel())
    return np.array(g), np.array(J).reshape(-1, 6 * len(x))


def closed(B, x, R, left=1e-12):
    """Poses with the joints closed (3.4), which are one group."""
    last, held = 0.0, None
    for _ in range(8):
        g, J = joint_rows(B, x, R)
        wide = np.max(np.abs(g), initial=0.0, where=np.abs(g) > left * B.joints.per_joint.length[B.joints.rows.joint])
        if wide == 0.0:
            break
        if held is None or wide > 1e-3 * last:
            W, held = inverse_mass(B, R), J
        last, mu = wide, np.linalg.lstsq(held @ W @ held.T, -g, rcond=1e-12)[0]
        x, R = moved(x, R, (W @ held.T @ mu).reshape(-1, 6), 1.0)
    return x, R


def answer(A, b, sizes, mu, x, tolerance):
    """Impulses (K,) of contact rows with blocks of `sizes`, then of held rows, which are eliminated (7)."""
    n = int(np.sum(sizes))
    E = np.linalg.pinv(A[n:, n:], rcond=1e-12, hermitian=True)
    rows = theory.dense(A[:n, :n] - A[:n, n:] @ E @ A[n:, :n], b[:n] - A[:n, n:] @ E @ b[n:], mu, sizes)
    x = theory.solve(rows, x[:n], tolerance)
    return np.concatenate([x, -E @ (b[n:] + A[n:, :n] @ x)])


def middle(B, s, h):
    """(x, R, u) in the middle of the step, velocities without impulses, and where the joints push (2, 3.3)."""
    x, R, u = drift(B, s.x, s.R, s.u, 0.5 * h)
    free, moves = u.copy(), B.inverse_mass > 0
    free[moves] *= np.exp(-h * B.damping[moves]).repeat(3, axis=1)
    free[moves, :3] += h * B.gravity
    pressed = (s.impulses[:, 0] != 0.0).any()
    place = closed(B, *((x, R) if pressed else moved(x, R, (free - u) / 6.0, h)), 1e-7)
    return (x, R, u), free, place


def assembled(B, x, u, free, c, place):
    """The rows of a step with what belongs to them; those of contacts first, in use (C,4)."""
    J, axes = contact_rows(B, x, c)
    pair = B.material[c.body_a], B.material[c.body_b]
    mu, (e, e_T), held = B.mu[pair], B.restitution[pair].T, joint_rows(B, *place)[1]
    sizes = np.where(mu[:, 2] > 0.0, 4, np.where(mu[:, :2].max(axis=1, initial=0.0) > 0.0, 3, 1))
    use, size = np.arange(4) < sizes[:, None], np.where(B.inverse_mass > 0.0, B.size, np.inf)
    rows = np.concatenate([J[use], held])
    return Record(axes=axes, mu=mu, e=e, e_T=e_T, sizes=sizes, use=use, rows=rows, K=int(sizes.sum()),
                  size=np.minimum(size[c.body_a], size[c.body_b]), before=J @ u.ravel(), free=J @ free.ravel(),
                  still=rows @ free.ravel())  # fmt: skip


def all_rows(q, of_contacts):
    """(K + k,) of what contacts have (C,4), and nothing for held rows."""
    return np.append(of_contacts[q.use], np.zeros(len(q.rows) - q.K))


def step(B, s, h, search, tolerance, threshold=0.0, following=None):
    """The state after a step of h s; s: x, R, u, contacts, impulses (C,5) in the world, since. following: h_next."""
    T, jointed = 0.5 * (h + (following or h)), len(B.joints.types) > 0
    (x, R, u), free, place = middle(B, s, h)
    c = search(x, R, free, T)
    q, W = assembled(B, x, u, free, c, place), inverse_mass(B, R)
    A, wait = q.rows @ W @ q.rows.T, np.maximum(c.gap, 0.0) / T
    extra, loads, smooth = np.zeros((3, c.count, 4))

    def restituted(part):
        return theory.velocity_terms(h, T, threshold, c.gap, q.e, q.e_T, q.before, q.free, part=part)

    extra[:, :3], hit, parts = restituted(1.0)
    bounces = hit
    extra[:, :3] += turning(B, s, c, q.axes, x, R, u, wait, hit | parts, h)
    for k, own in ((k, s.impulses[i]) for k, i in known(s, c)):
        loads[k] = own[0], *(q.axes[k, 1:] @ own[1:4]), own[4]
    lam, held = all_rows(q, loads), np.zeros(len(q.rows))
    if c.count:
        smooth[q.use] = (q.still + A @ lam)[: q.K]
        meets, later, share = onset(q, c, smooth[:, 0], loads[:, 0] > 0.0, tolerance, h, T, jointed)
        hit, held = hit | meets, share * lam
        extra[:, 0] += np.where(meets, -wait, 0.0) + np.where(later, np.maximum(c.gap, 0.0) / (0.5 * h) - wait, 0.0)

    def turned(velocity):
        """What the turning of held rows takes from their b."""
        x2, R2, u2 = drift(B, x, R, velocity, 0.5 * h)
        return np.append(np.zeros(q.K), q.rows[q.K :] @ velocity.ravel() - joint_rows(B, x2, R2)[1] @ u2.ravel())

    def motion_of(impulse):
        return free + (W @ q.rows.T @ impulse).reshape(-1, 6)

    moves = u
    for _ in range(2 if jointed else 1):
        still = q.still - turned(moves)
        b = still + all_rows(q, extra) + A @ held
        lam = held + answer(A, b, q.sizes, q.mu, lam - held, tolerance)
        moves = motion_of(lam)

    def with_part(part):
        """(b with a part of the restitution, impulses, the work of these less what the tolerance leaves)."""
        less, load, after = np.zeros((c.count, 4)), np.zeros((c.count, 4)), np.zeros((c.count, 4))
        less[:, :3] = restituted(part)[0] - restituted(1.0)[0]
        b_part = b + all_rows(q, less)
        x = lam if part == 1.0 else held + answer(A, b_part, q.sizes, q.mu, lam - held, tolerance)
        load[q.use], after[q.use] = x[: q.K], (q.still + A @ x)[: q.K]
        falls = motion_of(x)[movable] - closing[movable]
        work = theory.impact_work(h, B.gravity, 1.0 / B.inverse_mass[movable], q.before, after, load, falls)
        return b_part, x, work - tolerance * np.abs(load).sum()

    movable = B.inverse_mass > 0.0
    if bounces.any():
        closing = motion_of(answer(A, closing_b(q, c, still, hit, (h, T)), q.sizes, q.mu, lam, tolerance))
    if bounces.any() and with_part(1.0)[2] > 0.0:
        part = brentq(lambda part: with_part(part)[2], 0.0, 1.0, xtol=1e-14)
        b, lam, _ = with_part(part)
        moves = motion_of(lam)

    motion = displaced(B, q, c, A, (still, b), hit, lam, motion_of, (h, T), tolerance)
    (x_end, R_end, _), (_, straight, twist) = (drift(B, x, R, way, 0.5 * h) for way in (motion, moves))
    for i in np.flatnonzero(B.gyroscopic & np.any(motion != moves)):
        twist[i, 3:] = R_end[i] @ straight[i].T @ twist[i, 3:]
    open_at = R_end
    x_end, R_end = closed(B, x_end, R_end)
    for i in np.flatnonzero(np.any(open_at != R_end, axis=(1, 2))):
        before, after = (R @ B.inertia[i] @ R.T for R in (open_at[i], R_end[i]))
        twist[i, 3:] = np.linalg.solve(after, before @ twist[i, 3:])
    ends = pressed_out(B, q, c, (x, R), (x_end, R_end), 0.5 * h, search)
    for i in np.flatnonzero(np.any(ends[1] != R_end, axis=(1, 2))):
        twist[i, 3:] = ends[1][i] @ R_end[i].T @ twist[i, 3:]
    x_end, R_end = ends
    full = np.zeros((c.count, 4))
    full[q.use] = lam[: q.K]
    world = np.column_stack([full[:, 0], np.einsum("ci,cij->cj", full[:, 1:3], q.axes[:, 1:]), full[:, 3]])
    return Record(x=x_end, R=R_end, u=twist, contacts=c, impulses=world, since=0.5 * h)


def closing_b(q, c, still, hit, times, push=0.0):
    """b_d of the displacement problem (2.5); still: b without terms of contacts; times: h, T."""
    half, asked = 0.5 * times[0], np.zeros((c.count, 4))
    close = (c.gap - np.minimum(0.0, c.gap - half * q.before[:, 0])) / half
    asked[:, 0] = np.where(hit, close, np.maximum(c.gap, 0.0) / times[1]) - push
    return still + all_rows(q, asked)


def displaced(B, q, c, A, b, hit, lam, motion_of, times, tolerance):
    """Velocities over the rest of the step (2.5); b: without terms of contacts, and as it was solved; times: h, T."""
    half = 0.5 * times[0]
    normal = np.append((q.use & (np.arange(4) == 0))[q.use], np.ones(len(lam) - q.K, dtype=bool))
    at_start = c.gap - half * q.before[:, 0]
    overlap = np.maximum(0.0, -np.where(hit & (q.e > 0.0), at_start, c.gap) - 1e-5 * q.size)
    share = 0.4 + 0.6 * np.minimum(1.0, overlap / (1e-3 * q.size))
    push = np.minimum(0.5 * share * overlap, 0.02 * q.size) / half
    motion, wild, straight = motion_of(lam), False, motion_of(lam)

    def kept(after, before, b_d):
        change = motion_of(after) - straight
        extra = np.linalg.norm(change[:, :3], axis=1) + B.size * np.linalg.norm(change[:, 3:], axis=1)
        wild = (half * extra > 0.02 * B.size) & (extra > 20.0 * np.abs(b_d - b[1]).max())
        return (motion, before, True) if wild.any() else (motion_of(after), after, False)

    if hit.any():
        b_d = closing_b(q, c, b[0], hit, times)
        motion, lam, wild = kept(answer(A, b_d, q.sizes, q.mu, lam, tolerance), lam, b_d)
    if push.any() or wild:
        b_d, after = closing_b(q, c, b[0], hit, times, push), np.where(normal, 0.0, lam)
        given, ones = (b_d + A @ after)[normal], np.ones(c.count, dtype=int)
        after[normal] = answer(A[np.ix_(normal, normal)], given, ones, q.mu, lam[normal], tolerance)
        if wild:
            return kept(after, lam, b_d)[0]
        change = motion_of(after) - motion
        way = np.linalg.norm(change[:, :3], axis=1) / B.size + np.linalg.norm(change[:, 3:], axis=1)
        motion = motion + min(1.0, 0.02 / max(half * way.max(), 1e-300)) * change
    return motion


def pressed_out(B, q, c, there, ends, half, search):
    """Poses with the overlap closed that the step itself made (2.5); there, ends: where contacts are, and its end."""
    started, apart = half * q.before[:, 0] - c.gap, np.zeros((c.count, 3))
    turns = np.einsum("bij,bkj->bik", ends[1], there[1])
    for body, sign in ((c.body_a, -1.0), (c.body_b, 1.0)):
        arm = np.einsum("cij,cj->ci", turns[body], c.position - there[0][body])
        apart += sign * (ends[0][body] + arm - c.position)
    normals = c.normal, *(np.einsum("cij,cj->ci", turns[body], c.normal) for body in (c.body_a, c.body_b))
    ended = c.gap + np.min([np.einsum("ci,ci->c", n, apart) for n in normals], axis=0)
    hidden = np.where(c.gap < -1e-5 * q.size, 2.0 * np.minimum(0.0, started), 0.0)
    deep = (started <= 5e-5 * q.size) & (ended + hidden < -np.maximum(2.5e-5 * q.size, started))
    if B.joints.types or not deep.any():
        return ends
    (x, R), earlier = ends, []
    for _ in range(8):
        found = search(x, R, np.zeros((len(x), 6)), 0.0)
        names = set(zip(found.body_a, found.body_b, found.key, strict=True))
        rows = [tuple(column[k] for column in found) for k in range(found.count)]
        rows += [row for row in earlier if (row[0], row[1], row[5]) not in names]
        found = type(found)(*(np.array(column) for column in zip(*rows, strict=True)))
        size = np.where(B.inverse_mass > 0.0, B.size, np.inf)
        size = np.minimum(size[found.body_a], size[found.body_b])
        if not (found.gap < -2.5e-5 * size).any():
            break
        J, W = contact_rows(B, x, found)[0][:, 0], inverse_mass(B, R)
        none = np.zeros((found.count, 3))
        mu = answer(J @ W @ J.T, found.gap, np.ones(found.count, dtype=int), none, none[:, 0], 1e-14 * size.min())
        dq = (W @ J.T @ mu).reshape(-1, 6)
        way = np.linalg.norm(dq[:, :3], axis=1) / B.size + np.linalg.norm(dq[:, 3:], axis=1)
        dq *= min(1.0, 0.02 / way.max())
        x, R = moved(x, R, dq, 1.0)
        if not (way**2 > 1e-5).any():
            break
        left = found.gap + J @ dq.ravel()
        earlier = [(*row[:4], gap, row[5]) for row, gap in zip(rows, left, strict=True)]
    return x, R
