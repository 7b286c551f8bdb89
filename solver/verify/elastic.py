"""Elasticity: shape functions, laws, forces and stiffness of a deformable body; its rigid motions."""

import numpy as np

from .mechanics import connected

EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
NEAR, FAR = 0.58541019662496852, 0.13819660112501052
# lambda over mu beyond which quadratic elements take the mean of the volume; J below which logarithms are parabolas.
POINTWISE, LEAST = 1.5, 0.02
# Exponent of foam.
FOAM = 8


def tables(rest, elements):
    """(gradients of the shape functions (T,q,a,3) [1/m], volumes of the points (T,q) [m^3])."""
    points = np.full((1, 4), 0.25) if elements.shape[1] == 4 else np.full((4, 4), FAR) + (NEAR - FAR) * np.eye(4)
    slope = np.tile(np.eye(4), (len(points), 1, 1))
    if elements.shape[1] == 10:
        edges = np.zeros((4, 6, 4))
        for k, (i, j) in enumerate(EDGES):
            edges[:, k, i], edges[:, k, j] = 4 * points[:, j], 4 * points[:, i]
        slope = np.concatenate([(4 * points - 1)[:, :, None] * slope, edges], axis=1)
    local = slope[:, :, 1:] - slope[:, :, :1]
    J = np.einsum("tai,qab->tqib", rest[elements], local)
    return np.einsum("qab,tqbi->tqai", local, np.linalg.inv(J)), np.linalg.det(J) / 6 / len(points)


def logarithm(J):
    """g = ln J, g', g'', continued by a parabola below LEAST."""
    c, d = np.maximum(J, LEAST), np.minimum(J - LEAST, 0.0) / LEAST
    return np.log(c) + d - d**2 / 2, (1 - d) / c, -1 / c**2


def volumetric(law, J, mu, lam):
    """U(J), U', U''."""
    if law == "neo_hookean":
        return -mu * (J - 1) + (lam + mu) / 2 * (J - 1) ** 2, -mu + (lam + mu) * (J - 1), lam + mu
    g, slope, bend = logarithm(J)
    if law == "ciarlet_geymonat":
        k = mu + lam / 2
        return lam / 4 * (J**2 - 1) - k * g, lam / 2 * J - k * slope, lam / 2 - k * bend
    m = FOAM * lam / 2 / mu
    k, c, d = 2 * mu / FOAM, np.maximum(J, LEAST), np.minimum(J - LEAST, 0.0) / LEAST
    f, m = c**-m, np.where(m > 1e-9, m, 1.0)
    power = (f * (1 - m * d + m * (m + 1) / 2 * d**2) - 1) / m, f * ((m + 1) * d - 1) / c, f * (m + 1) / c**2
    return [k * np.where(lam > 1e-9 * mu, a, -b) for a, b in zip(power, (g, slope, bend), strict=True)]


def stretched(law, s, mu):
    """e(s) of each stretch, e', e''."""
    if law != "hill_ogden":
        return mu / 2 * (s**2 - 1), mu * s, mu + 0 * s
    k, c = 2 * mu / FOAM, np.clip(s, -1, 1)
    r, d = np.abs(c), np.abs(s) - np.abs(c)
    return (k * ((r**FOAM - 1) / FOAM + d + (FOAM - 1) / 2 * d**2),
            k * (c ** (FOAM - 1) + (FOAM - 1) * (s - c)), k * (FOAM - 1) * c ** (FOAM - 2))  # fmt: skip


def quotient(law, x, y, mu):
    """(e'(x) - e'(y)) / (x - y)."""
    c, d = np.clip(x, -1, 1), np.clip(y, -1, 1)
    powers = (c - d) * sum(c**i * d ** (FOAM - 2 - i) for i in range(FOAM - 1))
    same = x == y
    mean = ((FOAM - 1) * (x - c - y + d) + powers) / np.where(same, 1.0, x - y)
    return 2 * mu / FOAM * np.where(same, (FOAM - 1) * c ** (FOAM - 2), mean) if law == "hill_ogden" else mu + 0 * x


class Elastic:
    """A deformable body of n nodes and T elements, from what recording.json says of it."""

    def __init__(self, given):
        self.law, self.damping = given["law"], given["damping"]
        self.rest, self.elements = np.array(given["rest"]), np.array(given["elements"])
        self.mass, self.pinned = np.array(given["mass"]), np.array(given["pinned"])
        self.gradient, self.volume = tables(self.rest, self.elements)
        # Of lumped masses corners and middles of edges have these parts of an element's.
        shares = np.full(4, 1 / 4) if self.elements.shape[1] == 4 else np.repeat([1 / 36, 4 / 27], [4, 6])
        lumped = np.zeros(len(self.mass))
        np.add.at(lumped, self.elements, self.volume.sum(axis=1)[:, None] * shares)
        density = self.mass / lumped
        self.uneven = np.ptp(density) / density.mean() if given["even"] else 0.0
        self.mu, lam = np.array(given["mu"])[:, None], np.array(given["lambda"])[:, None]
        mean = (lam > POINTWISE * self.mu) & (self.elements.shape[1] == 10)
        self.lam = np.where(mean, POINTWISE * self.mu, lam)
        self.rest_lam = (lam - self.lam)[:, 0]
        label = connected(len(self.mass), self.elements[:, :1], self.elements)
        label[np.isin(label, label[self.pinned])] = -1
        self.piece = np.searchsorted(np.unique(label[label >= 0]), label)
        self.piece[label < 0] = -1

    def _at(self, x):
        """(F (T,q,3,3), det F (T,q), mean of it (T,))."""
        F = np.einsum("tai,tqaj->tqij", x[self.elements], self.gradient)
        J = np.linalg.det(F)
        return F, J, (self.volume * J).sum(axis=1) / self.volume.sum(axis=1)

    def _of_mean(self, mean):
        """Energy density (T,) [J/m^3] of the mean volume of the elements, its slope and curvature."""
        if not self.rest_lam.any():
            return np.zeros((3, len(mean)))
        return [self.rest_lam * part for part in volumetric(self.law, mean, 0.0, 1.0)]

    def energy(self, x):
        """Elastic energy [J] at x (n,3)."""
        F, J, mean = self._at(x)
        s = np.linalg.svd(F, compute_uv=False)
        density = stretched(self.law, s, self.mu[..., None])[0].sum(axis=-1)
        density = density + volumetric(self.law, J, self.mu, self.lam)[0]
        return (self.volume * density).sum() + (self.volume.sum(axis=1) * self._of_mean(mean)[0]).sum()

    def _principal(self, x):
        F, J, mean = self._at(x)
        U, s, V = np.linalg.svd(F)
        for M in (U, V.swapaxes(-1, -2)):
            turned = np.linalg.det(M) < 0
            M[turned, :, 2] *= -1
            s[turned, 2] *= -1
        _, slope, bend = volumetric(self.law, J, self.mu, self.lam)
        slope = slope + self._of_mean(mean)[1][:, None]
        return F, U, s, V, slope, np.broadcast_to(bend, J.shape), mean

    def _spread(self, P, x):
        """Forces (n,3) of stresses P (T,q,3,3)."""
        out = np.zeros_like(x)
        np.add.at(out, self.elements, -np.einsum("tq,tqij,tqaj->tai", self.volume, P, self.gradient))
        return out

    def forces(self, x):
        """Elastic forces (n,3) [N] at x (n,3)."""
        _, U, s, V, slope, _, _ = self._principal(x)
        stress = stretched(self.law, s, self.mu[..., None])[1] + slope[..., None] * others(s)
        return self._spread(np.einsum("tqij,tqj,tqjk->tqik", U, stress, V), x)

    def stiffness(self, x, v):
        """K v (n,3) with the positive semidefinite stiffness at x (n,3)."""
        F, U, s, V, slope, bend, mean = self._principal(x)
        dF = np.einsum("tai,tqaj->tqij", v[self.elements], self.gradient)
        D = np.einsum("tqji,tqjk,tqlk->tqil", U, dF, V)
        pair, k = others(s), np.arange(3)
        A = bend[..., None, None] * pair[..., None] * pair[..., None, :]
        A[..., k, k] += stretched(self.law, s, self.mu[..., None])[2]
        dP = np.zeros_like(D)
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            A[..., a, b] += slope * s[..., i]
            A[..., b, a] += slope * s[..., i]
            off = slope * s[..., i]
            flip = np.maximum(quotient(self.law, s[..., a], s[..., b], self.mu) - off, 0.0)
            twist = np.maximum(quotient(self.law, s[..., a], -s[..., b], self.mu) + off, 0.0)
            dP[..., a, b] = (flip + twist) / 2 * D[..., a, b] + (flip - twist) / 2 * D[..., b, a]
            dP[..., b, a] = (flip + twist) / 2 * D[..., b, a] + (flip - twist) / 2 * D[..., a, b]
        w, Q = np.linalg.eigh(A)
        dP[..., k, k] = np.einsum("tqij,tqj,tqkj,tqk->tqi", Q, np.maximum(w, 0.0), Q, D[..., k, k])
        cofactors = np.einsum("tqij,tqj,tqjk->tqik", U, pair, V)
        grown = np.einsum("tq,tqij,tqij->t", self.volume, cofactors, dF) / self.volume.sum(axis=1)
        curve = np.maximum(self._of_mean(mean)[2], 0.0)
        turned = np.einsum("tqij,tqjk,tqkl->tqil", U, dP, V)
        return -self._spread(turned + (curve * grown)[:, None, None, None] * cofactors, x)


def others(s):
    """Products of the other two of (..., 3)."""
    return s[..., [1, 2, 0]] * s[..., [2, 0, 1]]


class Rigid:
    """The rigid motions of the free pieces of a body at nodes x (n,3), with masses (n,)."""

    def __init__(self, piece, mass, x):
        self.pieces = []
        for k in range(piece.max(initial=-1) + 1):
            own = np.flatnonzero(piece == k)
            m, arm = mass[own, None, None], x[own] - mass[own] @ x[own] / mass[own].sum()
            across = np.cross(np.eye(3), arm[:, None]).swapaxes(1, 2)
            R = np.concatenate([np.tile(np.eye(3), (len(own), 1, 1)), across], axis=2)
            self.pieces.append((own, arm, R, m * R, np.linalg.inv(np.einsum("nia,nib->ab", R, m * R))))

    def momenta(self, v):
        """Momenta and angular momenta (K,6) of velocities v (n,3)."""
        return np.array([np.einsum("nia,ni->a", MR, v[own]) for own, _, _, MR, _ in self.pieces]).reshape(-1, 6)

    def twists(self, v):
        """Velocities of the centres and angular velocities (K,6) of velocities v (n,3)."""
        inverse = np.array([piece[4] for piece in self.pieces]).reshape(-1, 6, 6)
        return np.einsum("kab,kb->ka", inverse, self.momenta(v))

    def deforming(self, v):
        """v (n,3) without its rigid part."""
        out = v.copy()
        for (own, _, R, _, _), twist in zip(self.pieces, self.twists(v), strict=True):
            out[own] -= R @ twist
        return out

    def balanced(self, force):
        """force (n,3) without its sum and its moment."""
        out = force.copy()
        for own, _, R, MR, inverse in self.pieces:
            out[own] -= MR @ (inverse @ np.einsum("nia,ni->a", R, force[own]))
        return out

    def unwidened(self, v, time):
        """How far (n,3) nodes go where each piece that turns by v (n,3) loses what moving straight for `time` adds to
        its width."""
        out = np.zeros_like(v)
        for (own, arm, *_), twist in zip(self.pieces, self.twists(v), strict=True):
            rate = np.linalg.norm(twist[3:])
            axis = twist[3:] / max(rate, 1e-300)
            out[own] = (1 / np.sqrt(1 + (time * rate) ** 2) - 1) * (arm - np.outer(arm @ axis, axis))
        return out
