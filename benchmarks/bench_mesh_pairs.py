"""Microseconds for the contacts of one pair of triangle meshes: touching and near, at rest and moving.

Called from Python. Poses are random, the best of several runs counts; `far` is what the call itself costs.
"""

import time

import numpy as np

from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.surface.mesh_pool import build_mesh_pool
from stiction.solver.shapes import generators
from stiction.solver.shapes.mesh import Mesh

MESHES = {
    "cube 12": generators.plate((1, 1, 1)),
    "jack 60": generators.jack(),
    "gear 480": generators.gear(),
    "torus 1120": generators.torus(),
    "chalice 1152": generators.chalice(segments=48),
    "sphere 5120": generators.icosphere(0.5, 4),
}
STEP, MARGIN, POSES = 0.01, 0.01, 8
UPRIGHT, ORIGIN, REST = np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(6)
OUT = (np.zeros((4096, 3)), np.zeros((4096, 3)), np.zeros(4096), np.zeros(4096, dtype=np.int64))


def touching(pool, i, rng):
    """Orientation and position at which body i just touches itself at the origin, and the way apart."""
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    far, stride = 3.0, 0.02
    while stride > 1e-4:
        x = (far - stride) * way
        if mesh_pair(pool, i, ORIGIN, UPRIGHT, REST, i, x, q, REST, STEP, 1e-3, *OUT):
            stride *= 0.5
        else:
            far -= stride
    return q, far * way, way


def best(pool, i, x, q, twist):
    """Least time of a call [us]."""
    least = np.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(20):
            mesh_pair(pool, i, ORIGIN, UPRIGHT, REST, i, x, q, twist, STEP, MARGIN, *OUT)
        least = min(least, time.perf_counter() - start)
    return least / 20 * 1e6


def main():
    """Print one row a mesh."""
    start = time.perf_counter()
    pool = build_mesh_pool([Mesh(*mesh).surface() for mesh in MESHES.values()])
    print(f"pool of {len(MESHES)} meshes: {time.perf_counter() - start:.2f} s with compilation, ", end="")
    print(f"{sum(table.nbytes for table in pool) / 1e6:.1f} MB")
    start = time.perf_counter()
    mesh_pair(pool, 0, ORIGIN, UPRIGHT, REST, 0, np.array([9.0, 0, 0]), UPRIGHT, REST, STEP, MARGIN, *OUT)
    print(f"first call {time.perf_counter() - start:.2f} s")
    print(f"{'mesh, triangles':16}{'touching':>10}{'moving':>10}{'near':>10}{'far':>10}{'contacts':>10}   [us a pair]")
    for i, name in enumerate(MESHES):
        rng = np.random.default_rng(i)
        rows = []
        for _ in range(POSES):
            q, x, way = touching(pool, i, rng)
            twist = np.concatenate((-2.0 * way, rng.normal(size=3)))
            count = mesh_pair(pool, i, ORIGIN, UPRIGHT, REST, i, x, q, REST, STEP, MARGIN, *OUT)
            near = x + 0.02 * way
            rows.append(
                (best(pool, i, x, q, REST), best(pool, i, x, q, twist), best(pool, i, near, q, REST))
                + (best(pool, i, 9.0 * way, q, REST), count)
            )
        means = np.mean(rows, axis=0)
        print(f"{name:16}" + "".join(f"{value:10.1f}" for value in means))


if __name__ == "__main__":
    main()
