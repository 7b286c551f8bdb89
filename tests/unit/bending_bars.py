"""Contact problems of bars that bend in a few modes and lie on the floor with many contacts: elasticity eliminated.

The modes are Ritz modes of a block of linear elastic material: displacements are products of Legendre polynomials, mass
and stiffness are integrated exactly. A bar has 6 + r velocities in one block of W = (M + h^2 K)^-1, those of the end of
the bar, so that the block is full.
"""

import numpy as np
from numpy.polynomial import legendre

from stiction.solver.problem import Block, BlockRows, InverseMass, assemble

SIZE, DENSITY, POISSON, GRAVITY = np.array([1.0, 0.12, 0.1]), 1000.0, 0.3, 9.81


def _ritz(X, degrees):
    """Products of Legendre polynomials (P,n) at X (P,3), and their derivatives (P,n,3)."""
    at = [legendre.legvander(2 * X[:, i] / SIZE[i], d) for i, d in enumerate(degrees)]
    slopes = [legendre.legval(2 * X[:, i] / SIZE[i], legendre.legder(np.eye(d + 1)) * 2 / SIZE[i]).T
              for i, d in enumerate(degrees)]  # fmt: skip

    def product(x, y, z):
        return np.einsum("pa,pb,pc->pabc", x, y, z).reshape(len(X), -1)

    gradient = [product(*(slopes[j] if i == j else at[j] for j in range(3))) for i in range(3)]
    return product(*at), np.stack(gradient, axis=2)


def modes(r, E, degrees=(12, 2, 2)):
    """(w^2 (r,) [1/s^2], a function from points (P,3) to mode shapes (P,3,r)) of the free bar, mass-orthonormal."""
    points, weights = zip(*(legendre.leggauss(d + 1) for d in degrees), strict=True)
    X = np.stack(np.meshgrid(*(p * s / 2 for p, s in zip(points, SIZE, strict=True)), indexing="ij"), 3).reshape(-1, 3)
    weight = np.einsum("a,b,c->abc", *weights).ravel() * SIZE.prod() / 8
    value, gradient = _ritz(X, degrees)
    n = value.shape[1]
    strain = np.zeros((len(X), 6, 3 * n))
    for row, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))):
        strain[:, row, i * n : (i + 1) * n] = gradient[:, :, j]
        if i != j:
            strain[:, row, j * n : (j + 1) * n] = gradient[:, :, i]
    lame, shear = E * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), E / (2 + 2 * POISSON)
    law = np.diag([2 * shear] * 3 + [shear] * 3)
    law[:3, :3] += lame
    stiffness = np.einsum("p,pin,ij,pjm->nm", weight, strain, law, strain, optimize=True)
    mass = DENSITY * np.einsum("p,pn,pm->nm", weight, value, value)
    # Legendre's polynomials are orthogonal: the mass is diagonal.
    scale = np.tile(1 / np.sqrt(np.diag(mass)), 3)
    square, shapes = np.linalg.eigh(scale[:, None] * stiffness * scale)
    shapes = (scale[:, None] * shapes[:, 6 : 6 + r]).reshape(3, n, r)
    return square[6 : 6 + r], lambda points: np.einsum("pn,inr->pir", _ritz(points, degrees)[0], shapes)


def bar_on_floor(r, E, grid, h=0.01, speed=(0.5, 0.0, -1.0)):
    """(J (3k,6+r), W, b (3k,)) of a bar that comes down flat with `grid` (2,) contacts below it; rows n, s, t."""
    x, y = (np.linspace(-s / 2, s / 2, n) for s, n in zip(SIZE, grid, strict=False))
    points = np.stack(np.meshgrid(x, y, indexing="ij"), 2).reshape(-1, 2)
    points = np.column_stack([points, np.full(len(points), -SIZE[2] / 2)])
    mass, N = DENSITY * SIZE.prod(), 6 + r
    inertia = mass / 12 * (SIZE @ SIZE - SIZE**2)
    square, shapes = modes(r, E) if r else (np.zeros(0), lambda points: np.zeros((len(points), 3, 0)))
    J = np.zeros((len(points), 3, N))
    J[:, :, :3] = np.eye(3)
    for i in range(3):
        J[:, :, 3 + i] = np.cross(np.eye(3)[i], points)
    J[:, :, 6:] = shapes(points)
    J = J[:, [2, 0, 1]].reshape(-1, N)
    inverse = 1 / np.concatenate([[mass] * 3, inertia, 1 + h * h * square])
    q = 1e-4 * np.random.default_rng(1).standard_normal(r)
    push = np.concatenate([[0, 0, -h * GRAVITY * mass], np.zeros(3), -h * square * q])
    free = np.concatenate([speed, [0.0, 0.3, 0.0], np.zeros(r)]) + inverse * push
    # Velocities of the end (1/2, 0, 0) in place of the centre's: v_end = v + omega x (1/2, 0, 0) + its own bending.
    to_end = np.eye(N)
    end = np.array([[SIZE[0] / 2, 0.0, 0.0]])
    for i in range(3):
        to_end[:3, 3 + i] = np.cross(np.eye(3)[i], end[0])
    to_end[:3, 6:] = shapes(end)[0]
    return J @ np.linalg.inv(to_end), to_end @ np.diag(inverse) @ to_end.T, J @ free


def problem_of(bodies, mu=0.5):
    """ContactProblem of bodies (J, W, b) that touch the floor alone, one block of W each."""
    sizes, counts = np.array([J.shape[1] for J, _, _ in bodies]), np.array([len(b) // 3 for _, _, b in bodies])
    start, of = np.concatenate(([0], np.cumsum(sizes))), np.repeat(np.arange(len(bodies)), counts)
    count, offset = len(of), np.concatenate(([0], np.cumsum(3 * sizes[of])))[:-1]

    def rows(parts):
        return BlockRows(np.arange(count + 1), start[of], sizes[of], offset, np.concatenate([x.ravel() for x in parts]))

    squares = np.concatenate(([0], np.cumsum(sizes**2)))[:-1]
    mass = InverseMass(start, squares, *(np.concatenate(x) for x in zip(
        *((W.ravel(), np.linalg.inv(W).ravel()) for _, W, _ in bodies), strict=True)))  # fmt: skip
    return assemble(
        np.full(count, int(Block.CONTACT)), 3 * np.arange(count + 1), rows([J for J, _, _ in bodies]),
        rows([J @ W for J, W, _ in bodies]), np.concatenate([b for _, _, b in bodies]),
        np.tile([mu, mu, 0], (count, 1)), int(start[-1]), inverse_mass=mass,
    )  # fmt: skip
