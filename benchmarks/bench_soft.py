"""Cost of one linearisation of a deformable body, single thread: assembly, factor, condensed matrix, solve [ms CPU].

A cube of n^3 cells of 5 tetrahedra lies on the floor; run from the root: python benchmarks/bench_soft.py
"""

import time

import numpy as np

from stiction.solver.dynamics.cholesky import Factor
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.meshes.tet_grids import box_grid


def timed(function):
    """(CPU time [ms], value) of a call, the best of three."""
    best, value = np.inf, None
    for _ in range(3):
        start = time.process_time()
        value = function()
        best = min(best, time.process_time() - start)
    return 1e3 * best, value


def main():
    """Print the table."""
    print("tets   nodes  touching  assembly  factor  condensed  solve")
    for cells in (5, 10, 16):
        vertices, tets = box_grid((cells,) * 3, (0.2,) * 3)
        body = deformable(vertices, tets, 1e6, 0.4, 1000.0)
        x, none = body.rest * [1.02, 0.99, 0.97], np.zeros(len(vertices), dtype=bool)
        touching = np.flatnonzero(body.rest[:, 2] < -0.0999)
        factor = Factor(body.symbolic)
        assembly, force = timed(lambda body=body, x=x: body.forces(x, body.blocks))
        factoring, _ = timed(lambda f=factor, b=body, n=none: f.refactor(b.blocks, 1e-4, b.mass, n))
        condensed, _ = timed(lambda f=factor, t=touching: f.condensed(t))
        solve, _ = timed(lambda f=factor, r=force: f.solve(r))
        print(f"{len(tets):5} {len(vertices):6} {len(touching):9} {assembly:9.1f} {factoring:7.1f} {condensed:10.1f} "
              f"{solve:6.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
