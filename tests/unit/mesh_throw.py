"""One free body thrown at a fixed one, without friction: the least simulation that can tunnel."""

import numpy as np
from mesh_reference import rotation

from stiction.solver.collision.mesh.mesh_kernels import mesh_pair

GRAVITY = np.array([0.0, 0.0, -9.81])
ROOM = 4000


class Throw:
    """Body `moving` (mesh of the pool, mass 1, inertia (3,3)) against mesh `fixed` at the origin."""

    def __init__(self, pool, fixed, moving, inertia, h, margin):
        self.pool, self.fixed, self.moving, self.h, self.margin = pool, fixed, moving, h, margin
        self.inertia = inertia
        self.out = (np.zeros((ROOM, 3)), np.zeros((ROOM, 3)), np.zeros(ROOM), np.zeros(ROOM, dtype=np.int64))
        self.hits = 0

    def step(self, x, q, u):
        """Semi-implicit Euler with v_n >= -gap / h for gap > 0 and v_n >= 0 else; returns the new state."""
        u = u.copy()
        u[:3] += self.h * GRAVITY
        count = mesh_pair(
            self.pool, self.fixed, np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(6),
            self.moving, x, q, u, self.h, self.margin, *self.out,
        )  # fmt: skip
        assert count <= ROOM
        if count:
            u = self.solve(x, q, u, count)
        x = x + self.h * u[:3]
        turn = self.h * u[3:]
        w = np.concatenate(([0.0], turn))
        q = q + 0.5 * np.array(
            [-w[1:] @ q[1:], *(q[0] * w[1:] + np.cross(w[1:], q[1:]))]
        )  # first order is enough: the throw's rotation need not be exact
        return x, q / np.linalg.norm(q), u

    def solve(self, x, q, u, count):
        position, normal, gap = (a[:count] for a in self.out[:3])
        r = rotation(q)
        inverse = r @ np.linalg.inv(self.inertia) @ r.T
        jacobian = np.hstack((normal, np.cross(position - x, normal)))
        response = np.hstack((normal, jacobian[:, 3:] @ inverse))
        diagonal = np.einsum("ij,ij->i", jacobian, response)
        floor = np.where(gap > 0.0, -gap / self.h, 0.0)
        impulse = np.zeros(count)
        for _ in range(60):
            for i in range(count):
                new = max(0.0, impulse[i] + (floor[i] - jacobian[i] @ u) / diagonal[i])
                u = u + (new - impulse[i]) * response[i]
                impulse[i] = new
        self.hits += int(np.any(impulse > 0.0))
        return u
