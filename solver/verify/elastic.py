"""Elasticity of a deformable body: shape functions, laws, forces and stiffness; its rigid motions."""

import numpy as np

from .mechanics import connected

EDGES = [0, 1, 0, 0, 1, 2], [1, 2, 2, 3, 3, 3]
NEAR, FAR = 0.58541019662496852, 0.13819660112501052
# lambda over mu beyond which quadratic elements take the mean of the volume; J below which laws go on as parabolas.
POINTWISE, LEAST = 1.5, 0.02
# Exponents a of the stretches, by law; W = 2 mu / a sum of f_a(s) + U(J), with f_p as `power` has it.
EXPONENTS = {"neo_hookean": 2, "ciarlet_geymonat": 2, "hill_ogden": 8}
# |e_a x e_b|: the other axis of two.
OTHER = np.abs(np.cross(np.eye(3)[:, None], np.eye(3)))


def power(p, x, low, high, log):
    """f = (x^p - 1) / p, ln x where p is 0, its slope and its curvature; parabolas outside low .. high; log: ln x."""
    c = np.clip(x, low, high)
    d, slope, bend, log = x - c, c ** (p - 1.0), (p - 1.0) * c ** (p - 2.0), np.where(c == x, log, np.log(c))
    f = np.where(p == 0, log, np.expm1(p * log) / np.where(p == 0, 1, p))
    return np.array([f + slope * d + bend * d**2 / 2, slope + bend * d, bend + 0 * d])


def volumetric(law, J, mu, lam, log):
    """U(J), U', U'' (3,...) [J/m^3]; log: ln J."""
    terms = {"neo_hookean": ((lam + mu, 2), (-lam - 2 * mu, 1)), "ciarlet_geymonat": ((lam / 2, 2), (-mu - lam / 2, 0)),
             "hill_ogden": ((-mu / 4, -4 * lam / np.where(mu, mu, 1)),)}  # fmt: skip
    return sum(factor * power(p, J, LEAST, np.inf, log) for factor, p in terms[law])


def quotient(a, x, y):
    """(f_a'(x) - f_a'(y)) / (x - y)."""
    c, d = np.clip(x, -1, 1), np.clip(y, -1, 1)
    powers = (c - d) * sum(c**i * d ** (a - 2 - i) for i in range(a - 1))
    mean = ((a - 1) * (x - c - y + d) + powers) / np.where(x == y, 1.0, x - y)
    return np.where(x == y, (a - 1) * c ** (a - 2), mean)


def tables(rest, elements):
    """(gradients of the shape functions (T,q,a,3) [1/m], volumes of the points (T,q) [m^3])."""
    points = np.full((1, 4), 0.25) if elements.shape[1] == 4 else np.full((4, 4), FAR) + (NEAR - FAR) * np.eye(4)
    slope = np.tile(np.eye(4), (len(points), 1, 1))
    if elements.shape[1] == 10:
        edges = sum(4 * points[:, i, None] * np.eye(4)[j] for i, j in (EDGES, EDGES[::-1]))
        slope = np.concatenate([(4 * points - 1)[:, :, None] * slope, edges], axis=1)
    local = slope[:, :, 1:] - slope[:, :, :1]
    J = np.einsum("tai,qab->tqib", rest[elements], local)
    return np.einsum("qab,tqbi->tqai", local, np.linalg.inv(J)), np.linalg.det(J) / 6 / len(points)


class Elastic:
    """A deformable body of n nodes and T elements, from what recording.json says of it."""

    # How far frames may be from its nodes [m], [m/s].
    may_stray = 0.0

    def __init__(self, given):
        self.law, self.damping, self.exponent = given["law"], given["damping"], EXPONENTS.get(given["law"])
        self.rest, self.elements, self.mass, self.pinned, mu, lam = (
            np.array(given[name]) for name in ("rest", "elements", "mass", "pinned", "mu", "lambda"))  # fmt: skip
        self.gradient, self.volume = tables(self.rest, self.elements)
        self.whole, quadratic = self.volume.sum(axis=1), self.elements.shape[1] == 10
        # Of lumped masses corners and middles of edges have these parts of an element's.
        shares = np.repeat([1 / 36, 4 / 27], [4, 6]) if quadratic else np.full(4, 1 / 4)
        lumped = np.zeros(len(self.mass))
        np.add.at(lumped, self.elements, self.whole[:, None] * shares)
        density = self.mass / lumped
        self.uneven = np.ptp(density) / density.mean() if given["even"] else 0.0
        pointwise = np.where(quadratic & (lam > (1 + 1e-9) * POINTWISE * mu), POINTWISE * mu, lam)
        self.mu, self.lam, self.rest_lam = mu[:, None], pointwise[:, None], lam - pointwise
        # What forces on a node change by at most, where places are off, by metre.
        stiff, steep = np.zeros(len(self.mass)), (self.gradient**2).sum(axis=-1).max(axis=-1)
        np.add.at(stiff, self.elements, ((2 * self.mu + lam[:, None]) * self.volume * steep).sum(axis=1, keepdims=True))
        self.stiff = stiff.max()
        # That of pressure [m/s], lambda no more than at Poisson's ratio .49.
        self.wave_speed = np.sqrt(((np.minimum(lam, 49 * mu) + 2 * mu) @ self.whole) / self.mass.sum())
        label = connected(len(self.mass), self.elements[:, :1], self.elements)
        free = ~np.isin(label, label[self.pinned])
        self.piece = np.where(free, np.searchsorted(np.unique(label[free]), label), -1)

    def _at(self, x):
        """(U, s, V): F = U diag(s) V without mirrors at the points (T,q), e and U of `power` there (3,T,q,...), and
        those of the mean volume of elements (3,T)."""
        U, s, V = np.linalg.svd(np.einsum("tai,tqaj->tqij", x[self.elements], self.gradient))
        for M in (U, V.swapaxes(-1, -2)):
            mirror = np.where(np.linalg.det(M) < 0, -1.0, 1.0)
            M[..., 2] *= mirror[..., None]
            s[..., 2] *= mirror
        # Energies at rest are differences of terms of first order: of one logarithm for both, not of J.
        J, log = s.prod(axis=-1), np.log(np.maximum(abs(s), np.finfo(float).tiny))
        stretched = power(self.exponent, abs(s), np.finfo(float).tiny, 1.0, log)
        stretched *= 2 / self.exponent * self.mu[..., None]
        stretched[1] *= np.sign(s)
        mean = (self.volume * J).sum(axis=1) / self.whole
        of_mean = volumetric(self.law, mean, 0.0, 1.0, np.log(np.maximum(mean, LEAST))) * self.rest_lam
        return (U, s, V), stretched, volumetric(self.law, J, self.mu, self.lam, log.sum(axis=-1)), of_mean

    def energy(self, x):
        """Elastic energy [J] at x (n,3)."""
        _, stretched, volume, of_mean = self._at(x)
        return (self.volume * (stretched[0].sum(axis=-1) + volume[0])).sum() + (self.whole * of_mean[0]).sum()

    def _spread(self, P, x):
        """Forces (n,3) of stresses P (T,q,3,3)."""
        out = np.zeros_like(x)
        np.add.at(out, self.elements, -np.einsum("tq,tqij,tqaj->tai", self.volume, P, self.gradient))
        return out

    def forces(self, x):
        """Elastic forces (n,3) [N] at x (n,3)."""
        (U, s, V), stretched, volume, of_mean = self._at(x)
        pressure = volume[1] + of_mean[1][:, None]
        return self._spread(U * (stretched[1] + pressure[..., None] * pairs(s))[..., None, :] @ V, x)

    def stiffness(self, x, v):
        """K v (n,3) with the positive semidefinite stiffness at x (n,3)."""
        (U, s, V), stretched, volume, of_mean = self._at(x)
        dF = np.einsum("tai,tqaj->tqij", v[self.elements], self.gradient)
        D, diagonal, k = U.swapaxes(-1, -2) @ dF @ V.swapaxes(-1, -2), np.eye(3, dtype=bool), np.arange(3)
        off = (volume[1] + of_mean[1][:, None])[..., None, None] * np.einsum("abc,...c->...ab", OTHER, s)
        # Pairs of axes: shear in common, and turning against each other.
        x, y, stiff = s[..., :, None], s[..., None, :], 2 / self.exponent * self.mu[..., None, None]
        shear = np.maximum(stiff * quotient(self.exponent, x, y) - off, 0.0)
        turn = np.maximum(stiff * quotient(self.exponent, x, -y) + off, 0.0)
        dP = 0.5 * (shear * (D + D.swapaxes(-1, -2)) + turn * (D - D.swapaxes(-1, -2)))
        A = off + volume[2][..., None, None] * pairs(s)[..., :, None] * pairs(s)[..., None, :]
        w, Q = np.linalg.eigh(A + diagonal * stretched[2][..., None])
        dP[..., k, k] = np.einsum("tqij,tqj,tqkj,tqk->tqi", Q, np.maximum(w, 0.0), Q, D[..., k, k])
        cofactors = U * pairs(s)[..., None, :] @ V
        grown = np.einsum("tq,tqij,tqij->t", self.volume, cofactors, dF) / self.whole
        mean = np.maximum(of_mean[2], 0.0) * grown
        return -self._spread(U @ dP @ V + mean[:, None, None, None] * cofactors, x=v)


def pairs(s):
    """Products of the other two of (..., 3)."""
    return s[..., [1, 2, 0]] * s[..., [2, 0, 1]]


class Rigid:
    """The rigid motions of the free pieces (K of them; -1 for none) of a body of n nodes at x, with their masses."""

    def __init__(self, piece, mass, x):
        own = (piece[:, None] == np.arange(piece.max(initial=-1) + 1)).astype(float)
        part, self.mass = own * mass[:, None], mass[:, None]
        self.arm = own[..., None] * (x[:, None] - (part.T @ x / part.sum(axis=0)[:, None]))
        # Velocities of nodes (n,3) by a unit of each of six motions of every piece (6 K).
        across = np.cross(np.eye(3), self.arm[:, :, None])
        self.R = np.concatenate([own[..., None, None] * np.eye(3), across], axis=2).reshape(len(x), -1, 3)
        self.inverse = np.linalg.inv(np.einsum("nai,nbi->ab", mass[:, None, None] * self.R, self.R))

    def momenta(self, v):
        """Momenta and angular momenta (K,6) of velocities v (n,3)."""
        return np.einsum("nai,ni->a", self.R, self.mass * v).reshape(-1, 6)

    def twists(self, v):
        """Velocities of the centres and angular velocities (K,6) of velocities v (n,3)."""
        return (self.inverse @ self.momenta(v).ravel()).reshape(-1, 6)

    def deforming(self, v):
        """v (n,3) without its rigid part."""
        return v - np.einsum("nai,a->ni", self.R, self.twists(v).ravel())

    def balanced(self, force):
        """force (n,3) without its sum and its moment, on each piece."""
        return force - self.mass * np.einsum("nai,a->ni", self.R, self.twists(force / self.mass).ravel())

    def across(self, v, factor):
        """Arms (n,3) across the axis that each piece turns about by v (n,3), times a factor of how fast it does."""
        spin = self.twists(v)[:, 3:]
        rate = np.linalg.norm(spin, axis=1)[:, None]
        axis = spin / np.maximum(rate, 1e-300)
        along = (self.arm * axis).sum(axis=2, keepdims=True) * axis
        return (factor(rate) * (self.arm - along)).sum(axis=1)

    def unwidened(self, v, time):
        """How far (n,3) nodes go where each piece that turns by v (n,3) loses what moving straight for `time` adds to
        its width."""
        return self.across(v, lambda rate: 1 / np.sqrt(1 + (time * rate) ** 2) - 1)

    def outward(self, v, h):
        """What of v (n,3) leads outward where a piece that turns evenly has come straight to the middle of a substep of
        h."""
        return self.across(v, lambda rate: (1 - np.sqrt(np.maximum(0, 1 - (h * rate) ** 2))) / h)
