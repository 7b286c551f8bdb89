"""Meshes and poses for the tests of mesh contacts."""

from dataclasses import dataclass

import numpy as np
from mesh_reference import mesh_distance, random_quaternion, rotation

from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.surface.mesh_pool import build_mesh_pool
from stiction.solver.shapes.mesh import Mesh

REST = np.zeros(6)
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
ORIGIN = np.zeros(3)


@dataclass
class Found:
    """Contacts of one pair, sorted by key."""

    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray

    def __len__(self):
        return len(self.gap)


class Gallery:
    """Named meshes in a pool, each about its centre of mass (open ones about their origin)."""

    def __init__(self, meshes, room=4000):
        self.names = list(meshes)
        self.meshes, self.inertia = [], []
        for vertices, triangles in meshes.values():
            mesh = Mesh(vertices, triangles)
            vertices, triangles = mesh.surface()
            closed = mesh.prepared.report.closed
            self.meshes.append((vertices - mesh.mass_properties().center if closed else vertices, triangles))
            self.inertia.append(mesh.mass_properties().inertia / mesh.mass_properties().volume if closed else None)
        self.found = {}
        self.pool = build_mesh_pool(self.meshes)
        self.out = (np.zeros((room, 3)), np.zeros((room, 3)), np.zeros(room), np.zeros(room, dtype=np.int64))

    def index(self, name):
        return self.names.index(name)

    def placed(self, name, x, q):
        return self.meshes[self.index(name)][0] @ rotation(q).T + x

    def contacts(self, a, xa, qa, b, xb, qb, ua=REST, ub=REST, h=0.01, margin=0.01):
        count = mesh_pair(
            self.pool, self.index(a), np.array(xa, dtype=float), qa, ua,
            self.index(b), np.array(xb, dtype=float), qb, ub, h, margin, *self.out,
        )  # fmt: skip
        assert count <= len(self.out[2])
        order = np.argsort(self.out[3][:count], kind="stable")
        return Found(*(table[:count][order].copy() for table in self.out))

    def poses(self, a, b, seed, count, gap):
        """Several touching poses, found once."""
        asked = (a, b, seed, count, gap)
        if asked not in self.found:
            rng = np.random.default_rng(seed)
            self.found[asked] = [self.touching(a, b, rng, gap) for _ in range(count)]
        return self.found[asked]

    def touching(self, a, b, rng, gap):
        """Random pose at which the least distance of a (at the origin) and b is `gap`: (qa, xb, qb, distance)."""
        ta, tb = self.meshes[self.index(a)][1], self.meshes[self.index(b)][1]
        while True:
            qa, qb = random_quaternion(rng), random_quaternion(rng)
            direction = random_quaternion(rng)[:3]
            direction /= np.linalg.norm(direction)
            offset = 0.15 * rng.normal(size=3)
            va, way = self.placed(a, 0.0, qa), 2.5
            while way > -2.5:
                distance = mesh_distance(va, ta, self.placed(b, offset + way * direction, qb), tb, 0.3)
                if distance < 1.0001 * gap:
                    return qa, offset + way * direction, qb, distance
                way -= max(distance - gap, 1e-7)
