"""Shape vectors of a free body of tetrahedra: vibration modes, and static answers to spinning and to loads on patches.

Nodes are at x = c + R (X + U q). The columns of U are orthonormal by mass, have no momentum and no spin (the mean axes
of Tisserand and Buckens), and the stiffness at rest is diagonal in them (Rayleigh and Ritz).
"""

from functools import cached_property

import numpy as np

from ...base import kept
from ...kernels.sources import source_hash
from ..cholesky import Factor
from ..elastic.elements import boundary_faces
from .laws import second_forces


class FreeBody:
    """Stiffness at rest and masses of a free Deformable of n nodes; X (n,3) [m]: nodes about its centre of mass.

    Vectors are columns (3n,k).
    """

    def __init__(self, body):
        self.body, self.X = body, body.rest - body.mass @ body.rest / body.mass.sum()
        self.M = np.repeat(body.mass, 3)
        self.blocks = np.zeros_like(body.blocks)
        body.forces(body.rest, self.blocks, project=False)
        # K alone is singular by the rigid motions. Small beside the lowest mode, so that statics need few refinements.
        self.shift = 1e-3 * float(body.mu.mean() * body.volume.sum()) / (body.mass.sum() * body.size**2)
        self.rigid = self._rigid()

    @cached_property
    def solve(self):
        """The function from loads (3n,k) to (K + shift M)^-1 times them."""
        factor = Factor(self.body.symbolic)
        factor.refactor(self.blocks, 1.0, self.shift * self.body.mass, np.zeros(len(self.X), dtype=bool))
        return factor.solver()

    def _rigid(self):
        """The rigid motions (3n,6), orthonormal by mass."""
        motions = np.zeros((len(self.X), 3, 6))
        motions[:, :, :3] = np.eye(3)
        for axis in range(3):
            motions[:, :, 3 + axis] = np.cross(np.eye(3)[axis], self.X)
        return orthonormal(motions.reshape(-1, 6), self.M)

    def stiffness(self, vectors):
        """K times vectors (3n,k)."""
        found = np.zeros((vectors.shape[1], *self.X.shape))
        for vector, out in zip(vectors.T, found, strict=True):
            self.body.add_stiffness_product(self.blocks, 1.0, np.ascontiguousarray(vector).reshape(-1, 3), out)
        return found.reshape(len(found), -1).T

    def without_rigid(self, vectors):
        """Vectors (3n,k) without rigid motion."""
        return vectors - self.rigid @ (self.rigid.T @ (self.M[:, None] * vectors))

    def modes(self, count):
        """The `count` lowest vibration modes (3n,count), and those as low as the last of them, by Lanczos' method with
        blocks of vectors from a fixed start (Golub and Underwood 1977), all of which are kept orthogonal.

        Which of several equally low ones come first depends on how the body lies in the world: it has all or none."""
        new = np.random.default_rng(0).uniform(-1.0, 1.0, (len(self.M), 8))
        V = WV = np.zeros((len(self.M), 0))
        T, M = np.zeros((0, 0)), self.M[:, None]
        while True:
            for _ in range(2):
                new = orthonormal(self.without_rigid(new - V @ (V.T @ (M * new))), self.M)
            V, new = np.concatenate([V, new], axis=1), self.without_rigid(self.solve(M * new))
            WV, sides = np.concatenate([WV, new], axis=1), V.T @ (M * new)
            T = np.block([[T, sides[: len(T)]], [sides.T]])
            if len(T) < 2 * count:
                continue
            values, turn = (found[..., ::-1] for found in np.linalg.eigh(T))
            low = int(np.argmin(np.append(values, 0.0) > (1.0 - 1e-6) * values[count - 1]))
            values, found, turn = values[:low], V @ turn[:, :low], turn[:, :low]
            # Frequencies are right to the square of what is left of the vectors.
            if np.all(self.M @ (WV @ turn - values * found) ** 2 <= 1e-12 * values**2):
                return found

    def statics(self, loads):
        """Static answers (3n,k) to loads (3n,k) [N], which inertia balances (inertia relief)."""
        loads = loads - self.M[:, None] * (self.rigid @ (self.rigid.T @ loads))
        found, change = np.zeros_like(loads), np.inf
        # What the shift takes away is refined until nothing changes: a round leaves shift / (shift + w^2) of a mode.
        while change > 1e-10:
            more = self.without_rigid(self.solve(loads - self.stiffness(found)))
            found += more
            change = np.abs(more).max() / np.abs(found).max()
        return found

    def ritz(self, vectors):
        """(squares (r,) [1/s^2] of the angular frequencies, U (3n,r)) of the span of vectors (3n,k); of two opposite
        vectors that whose largest number is positive."""
        V = orthonormal(self.without_rigid(vectors), self.M)
        V = orthonormal(self.without_rigid(V), self.M)
        squares, turn = np.linalg.eigh(V.T @ self.stiffness(V))
        U = V @ turn
        largest = U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])]
        return squares, U * np.sign(largest)


def orthonormal(vectors, M):
    """Vectors (3n,r) orthonormal by masses M (3n,) with the span of vectors (3n,k), without what depends on others."""
    V = vectors / np.sqrt(M @ vectors**2)
    squares, turn = np.linalg.eigh(V.T @ (M[:, None] * V))
    kept = squares > 1e-8 * squares[-1]
    V = V @ (turn[:, kept] / np.sqrt(squares[kept]))
    # Once more for the last digits.
    return np.linalg.solve(np.linalg.cholesky(V.T @ (M[:, None] * V)), V.T).T


def spin_loads(free):
    """Loads (3n,6) of inertia in spinning, m_i S X_i for six symmetric S: without the answers to them nothing
    stretches, as the lowest modes bend."""
    loads = []
    for a in range(3):
        for b in range(a, 3):
            S = np.zeros((3, 3))
            S[a, b] = S[b, a] = 1.0
            loads.append((free.M.reshape(-1, 3) * (free.X @ S)).ravel())
    return np.stack(loads, axis=1)


def patch_loads(free, nodes):
    """Loads (3n,3) of 1 N along the axes, shared evenly by `nodes` (k,)."""
    share = np.zeros(len(free.X))
    share[nodes] = 1.0 / len(nodes)
    return _along_axes(share)


def pressures(free, nodes):
    """Loads (3n,3) of 1 N along the axes, spread evenly over the faces of elements that have all their nodes among
    `nodes` (k,), as a plate presses that these lie flat on; shared evenly by these where there are none."""
    faces = boundary_faces(free.body.elements)
    faces = faces[np.isin(faces, nodes).all(axis=1)]
    if len(faces) == 0:
        return patch_loads(free, nodes)
    a, b, c = (free.X[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    share = np.zeros(len(free.X))
    # Even pressure on a quadratic face loads its middle nodes alone.
    np.add.at(share, faces[:, -3:], area[:, None] / (3.0 * area.sum()))
    return _along_axes(share)


def _along_axes(share):
    """Loads (3n,3) along the axes that nodes have a share (n,) of."""
    return (share[:, None, None] * np.eye(3)).reshape(-1, 3)


def derivatives(free, vectors, count):
    """The `count` vectors (3n,count) by which vectors (3n,k) change most as they deform the body (Barbic and James
    2005): static answers to what Green's strain adds to its forces, D_ab = -K^-1 d2f/dq_a dq_b, in parts of
    w_a^2 w_b^2."""
    squares, V = free.ritz(vectors)
    U = V.reshape(*free.X.shape, -1)
    pairs = np.triu_indices(len(squares))
    loads = [second_forces(free.body, U[:, :, a], U[:, :, b]) / (squares[a] * squares[b])
             for a, b in zip(*pairs, strict=True)]  # fmt: skip
    D = free.statics(-np.stack(loads, axis=1))
    turn = np.linalg.eigh(D.T @ (free.M[:, None] * D))[1]
    return D @ turn[:, : -count - 1 : -1]


def surface_patches(free, count=24):
    """Lists of nodes (k,) of the surface, each nearest to one of `count` points, which lie far from each other: enough
    to load every end, edge and side of a body by itself."""
    nodes = free.body.surface_nodes
    at = free.X[nodes]
    away, near = np.full(len(at), np.inf), np.zeros(len(at), dtype=int)
    centre = int(np.argmax((at**2).sum(axis=1)))
    for number in range(min(count, len(nodes))):
        square = ((at - at[centre]) ** 2).sum(axis=1)
        near[square < away], away = number, np.minimum(away, square)
        centre = int(np.argmax(away))
    return [nodes[near == number] for number in range(near.max() + 1)]


def answers_wanted(loads, answers, squares, U, error, most):
    """Which of the static answers (3n,k) to loads (3n,k) are to join vectors U (3n,r) with squares (r,), so that these
    lack at most `error` of the way of any load under itself: that which they lack most, again and again, Cholesky's
    method with pivots on what they lack. Raises OutOfReach where more than `most` are."""
    whole, by = loads.T @ answers, U.T @ loads
    left, wanted = whole - by.T @ (by / squares[:, None]), []
    while True:
        lack = np.diag(left) / np.diag(whole)
        worst = int(np.argmax(lack))
        if lack[worst] <= error:
            return wanted
        if len(wanted) >= most:
            raise OutOfReach(float(lack[worst]))
        wanted.append(worst)
        left = left - np.outer(left[:, worst], left[worst]) / left[worst, worst]


def answers_beyond(free, vectors, error, most):
    """The answers_wanted to loads on surface_patches, beyond what vectors (3n,k) know of them; all are at most
    `most`."""
    squares, U = free.ritz(vectors)
    loads = np.concatenate([patch_loads(free, nodes) for nodes in surface_patches(free)], axis=1)
    answers = free.statics(loads)
    wanted = answers_wanted(loads, answers, squares, U, error, most - len(squares))
    # Without what is known of them already: beside it a narrow dent would be lost in round-off.
    return answers[:, wanted] - U @ ((U.T @ loads[:, wanted]) / squares[:, None])


class OutOfReach(Exception):
    """Shape vectors lack more than they may; given: how much."""


def shape_vectors(body, modes, spin, patches, bends=0, error=1.0, most=np.inf):
    """(squares (r,) [1/s^2], U (n,3,r)) of a free Deformable: so many modes, the answers to loads on patches, lists of
    nodes (k,), with `spin` those to spinning, with an error below 1 as many answers to loads elsewhere as it takes, and
    so many derivatives of all but the answers to spinning. Raises OutOfReach where these are more than `most`."""
    free = FreeBody(body)

    def make():
        vectors = free.modes(modes)
        if patches:
            held = free.statics(np.concatenate([pressures(free, nodes) for nodes in patches], axis=1))
            vectors = np.concatenate([vectors, held], axis=1)
        more = [free.statics(spin_loads(free))] if spin else []
        if error < 1.0:
            new = answers_beyond(free, np.concatenate([vectors, *more], axis=1), error, most - bends)
            vectors = np.concatenate([vectors, new], axis=1)
        more += [derivatives(free, vectors, bends)] if bends else []
        squares, U = free.ritz(np.concatenate([vectors, *more], axis=1))
        return {"squares": squares, "U": U.reshape(*free.X.shape, -1)}

    asked = source_hash(__file__), body.rest, body.mass, free.blocks, modes, spin, bends, error, most
    kept_ones = kept.found("shapes", (*asked, *patches), make)
    return kept_ones["squares"], kept_ones["U"]
