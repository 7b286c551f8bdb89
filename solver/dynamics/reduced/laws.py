"""Elastic energy of a reduced body as a polynomial in q: of second order, or of fourth as Green's strain has it."""

import numpy as np


class LinearLaw:
    """V = sum of squares q^2 / 2: linear in strain, in the frame that turns with the body."""

    def __init__(self, squares):
        self.squares = squares

    def stored(self, q):
        """Elastic energy [J] at q (r,)."""
        return 0.5 * float(self.squares @ q**2)

    def force(self, q):
        """Elastic forces (r,) on q (r,)."""
        return -self.squares * q

    def stiffness(self, q):
        """The stiffness (r,r) at q (r,)."""
        return np.diag(self.squares)


class CubicLaw:
    """The law of St. Venant and Kirchhoff, whose forces are cubic in q (Barbic and James 2005).

    With z the products q_a q_b, a <= b, and y = E1 q + E2 z what root_strains of all points add up to, V = y.y / 2;
    gram (r+p,r+p) holds the products of the columns of E1 and E2.
    """

    def __init__(self, gram, r):
        self.a, self.b = np.triu_indices(r)
        self.K, self.Q, self.C = gram[:r, :r], gram[:r, r:], gram[r:, r:]
        at, twice = np.zeros((r, r), dtype=int), 1.0 + np.eye(r)
        at[self.a, self.b] = at[self.b, self.a] = np.arange(len(self.a))
        self.third = self.Q[:, at] * twice
        self.fourth = self.C[at[:, :, None, None], at] * twice * twice[:, :, None, None]

    def _slopes(self, q):
        """(z, derivative (p,) of V by z)."""
        z = q[self.a] * q[self.b]
        return z, self.Q.T @ q + self.C @ z

    def stored(self, q):
        """Elastic energy [J] at q (r,)."""
        z, slope = self._slopes(q)
        return 0.5 * float(q @ (self.K @ q) + q @ (self.Q @ z) + z @ slope)

    def force(self, q):
        """Elastic forces (r,) on q (r,)."""
        z, slope = self._slopes(q)
        by = [np.bincount(i, slope * q[j], len(q)) for i, j in ((self.a, self.b), (self.b, self.a))]
        return -(self.K @ q + self.Q @ z + by[0] + by[1])

    def stiffness(self, q):
        """The stiffness (r,r) at q (r,)."""
        turned, S = self.third @ q, np.zeros_like(self.K)
        S[self.a, self.b] = self._slopes(q)[1]
        return self.K + turned + turned.T + S + S.T + (self.fourth @ q).transpose(0, 2, 1) @ q


def gradients(body, u):
    """Displacement gradients (P,3,3) at all points of a Deformable for displacements u (n,3)."""
    at = np.einsum("tai,tqaj->tqij", u[body.elements], body.gradient)
    return at.reshape(-1, 3, 3)


def stresses(body, E):
    """Stresses (P,3,3) [Pa] for strains E (P,3,3), of which the symmetric part counts."""
    points = body.volume.shape[1]
    lam, mu = (np.repeat(x, points)[:, None, None] for x in (body.lam, body.mu))
    return lam * np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) + mu * (E + E.transpose(0, 2, 1))


def root_strains(E, material):
    """y (k,7P) of k strains E (k,P,3,3) with material (lam, mu, volume) of the points (P,): y^2 is twice the energy."""
    lam, mu, volume = material
    off = np.sqrt(0.5) * (E[..., (1, 0, 0), (2, 2, 1)] + E[..., (2, 2, 1), (1, 0, 0)])
    own = np.diagonal(E, axis1=2, axis2=3)
    y = np.concatenate([np.sqrt(2.0 * mu)[:, None] * np.concatenate([own, off], axis=2),
                        np.sqrt(lam)[:, None] * own.sum(axis=2)[..., None]], axis=2)  # fmt: skip
    return (np.sqrt(volume)[:, None] * y).reshape(len(E), -1)


def gram_of(body, U):
    """The gram (r+p,r+p) of a CubicLaw in vectors U (n,3,r)."""
    G = np.stack([gradients(body, u) for u in np.moveaxis(U, 2, 0)])
    points, (a, b) = body.volume.shape[1], np.triu_indices(len(G))
    material = np.stack([np.repeat(body.lam, points), np.repeat(body.mu, points), body.volume.ravel()])
    factor, gram = np.where(a == b, 0.5, 1.0)[:, None, None, None], 0.0
    # Some points at a time: all products of large bodies would not fit into memory.
    for first in range(0, G.shape[1], 1000):
        g, own = G[:, first : first + 1000], material[:, first : first + 1000]
        Y = root_strains(np.concatenate([g, factor * (g[a].transpose(0, 1, 3, 2) @ g[b])]), own)
        gram = gram + Y @ Y.T
    return gram


def second_forces(body, u, v):
    """Second derivative (3n,) of the inner forces of Green's strain at rest, by displacements along u and v (n,3)."""
    A, B = gradients(body, u), gradients(body, v)
    inner = A @ stresses(body, B) + B @ stresses(body, A) + stresses(body, A.transpose(0, 2, 1) @ B)
    inner = inner.reshape(*body.volume.shape, 3, 3) * body.volume[:, :, None, None]
    force = np.zeros_like(body.rest)
    np.add.at(force, body.elements, np.einsum("tqij,tqaj->tai", inner, body.gradient))
    return force.ravel()
