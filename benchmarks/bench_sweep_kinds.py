"""What a row of a joint costs in a sweep beside a contact: the pile of bench_sweep.py with some of its contacts made
ball joints, limits or drives. One core, CPU time, least of many runs beside each other.

    python benchmarks/bench_sweep_kinds.py [contacts]

"times": a block of that kind against a plain contact in the pile of contacts alone; under 2 is asked. A tenth of the
blocks are of the kind, one in ten in the order of the pile; in the last row of each kind all are.
"""

import sys
import time

import numpy as np
from bench_sweep import pile

from stiction.solver.methods.accelerated.accelerated import sweeper_of
from stiction.solver.methods.compact.compact import compact
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.problem import Block, BlockRows, assemble

# Kind and rows of a block: a ball joint has three, a limit and a drive one.
KINDS = {"contact, no friction": (Block.CONTACT, 3), "ball joint": (Block.BILATERAL, 3), "limit": (Block.LIMIT, 1),
         "drive": (Block.DRIVE, 1)}  # fmt: skip
EVERY, SWEEPS, REPEATS = 10, 100, 25


def mixed(problem, kind, height, every):
    """The problem with every `every`-th block of a `kind` of so many rows."""
    blocks, other = problem.block_count, np.zeros(problem.block_count, dtype=bool)
    other[::every] = True
    heights = np.where(other, height, 3)
    row_start = np.concatenate(([0], np.cumsum(heights)))
    keep = np.arange(3) < heights[:, None]
    most = 9.81 * 0.01 * np.max(problem.inverse_mass.mass)
    return assemble(
        np.where(other, int(kind), problem.kind), row_start, _shortened(problem.J, keep), _shortened(problem.G, keep),
        problem.b[keep.ravel()], np.where(other[:, None], 0.0, problem.mu), problem.dof_count,
        bounds=np.tile([-most, most], (blocks, 1)), inverse_mass=problem.inverse_mass, name="mixed pile",
    )  # fmt: skip


def _shortened(rows, keep):
    """The segments of blocks of three rows with the rows that `keep` (B,3) says."""
    counts = np.diff(rows.indptr)
    kept = np.repeat(keep, counts, axis=0)
    sizes = 6 * kept.sum(axis=1)
    data = rows.data[(rows.offset[:, None] + np.arange(18)).ravel()].reshape(-1, 3, 6)
    return BlockRows(rows.indptr, rows.start, rows.size, np.cumsum(sizes) - sizes, data[kept].ravel())


def sweeps(problem):
    """A function that makes SWEEPS sweeps with momentum and residual, as solves run them."""
    sweeper, _ = sweeper_of(problem, compact(problem), AcceleratedOptions(max_iterations=0, threads=1))
    sweeper.begin(np.zeros(problem.row_count))
    sweeper.aims.goal[:], sweeper.aims.limit[:] = -1.0, np.inf
    return lambda: sweeper.advance(SWEEPS)


def cpu_time(run):
    """CPU time [s] of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main():
    """Print a row a kind and share."""
    problem = pile(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000)
    count, plain = problem.block_count, sweeps(problem)
    alone = min(cpu_time(plain) for _ in range(REPEATS)) / SWEEPS
    print(f"{count} contacts alone: {1e9 * alone / count:.1f} ns each a sweep with momentum and residual")
    for name, (kind, height) in KINDS.items():
        for every in (EVERY, 1):
            both = sweeps(mixed(problem, kind, height, every)), plain
            # One beside the other, so that what else runs slows both.
            took, alone = np.min([[cpu_time(run) for run in both] for _ in range(REPEATS)], axis=0)
            share, whole = 1 / every, took / alone
            times = (whole - (1 - share)) / share
            print(f"{name:22} {share:4.0%} of the blocks: whole sweep {whole:5.2f}, a block {times:5.2f} times")


if __name__ == "__main__":
    main()
