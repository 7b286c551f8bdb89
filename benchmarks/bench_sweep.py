"""Gauss-Seidel sweep: nanoseconds per contact and sweep on one core, at 10^4 and 10^5 contacts.

A pile of spheres, close-packed: about six contacts a sphere, each between another pair, so that every contact
reads and writes two bodies. State of the art for this work, measured on the same class of machine with a bare
loop over stored rows: 26 to 35 ns up to 3.6e5 contacts; the limit is the chain of arithmetic through the two
bodies' velocities (about 70 cycles), and beyond the cache the 384 bytes a contact has to be read from memory.

    python benchmarks/bench_sweep.py [contacts ...]
"""

import sys
import time

import numpy as np

from stiction.solver.dynamics.contact_rows import contact_rows, rigid_inverse_mass
from stiction.solver.methods.accelerated.accelerated import sweeper_of
from stiction.solver.methods.compact.compact import compact
from stiction.solver.methods.compact.compact_kernels import grade_plain, sweep_plain
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.problem import Block, assemble

RADIUS, DENSITY, STEP = 0.5, 1000.0, 0.01


def pile(contact_count):
    """A face-centred cubic packing of spheres with about `contact_count` contacts, as the problem of one step."""
    side = max(2, round((contact_count / 24) ** (1 / 3)))
    grid = np.stack(np.meshgrid(*3 * [np.arange(2 * side)], indexing="ij"), axis=-1).reshape(-1, 3)
    center = grid[grid.sum(axis=1) % 2 == 0] * RADIUS * np.sqrt(2)
    index = {tuple(cell): i for i, cell in enumerate(grid[grid.sum(axis=1) % 2 == 0])}
    steps = [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 1, -1), (1, 0, -1), (1, -1, 0)]
    pairs = [(i, index[other]) for cell, i in index.items() for step in steps
             if (other := tuple(np.add(cell, step))) in index]  # fmt: skip
    a, b = np.array(pairs, dtype=np.int64).T
    normal = (center[b] - center[a]) / (2 * RADIUS)
    s = np.cross(normal, np.array([0.36, 0.48, 0.8]))
    s /= np.linalg.norm(s, axis=1, keepdims=True)
    frame = np.ascontiguousarray(np.stack([normal, s, np.cross(normal, s)], axis=1))
    count, mass = len(center), DENSITY * 4 / 3 * np.pi * RADIUS**3
    inertia = np.tile(0.4 * mass * RADIUS**2 * np.eye(3), (count, 1, 1))
    inverse = np.full(count, 1 / mass)
    J, G, _ = contact_rows(a, b, 0.5 * (center[a] + center[b]), frame, np.full(len(a), 3), center, inverse,
                           np.linalg.inv(inertia))  # fmt: skip
    W = rigid_inverse_mass(inverse, np.linalg.inv(inertia), np.full(count, mass), inertia)
    velocity = np.random.default_rng(0).normal(scale=9.81 * STEP, size=3 * len(a))
    return assemble(np.full(len(a), int(Block.CONTACT)), 3 * np.arange(len(a) + 1), J, G, velocity,
                    np.tile([0.5, 0.5, 0.0], (len(a), 1)), 6 * count, inverse_mass=W, name="pile")  # fmt: skip


def shortest(run, repeat=15):
    """Shortest of `repeat` runs [s]."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(contact_count):
    """Print one line of figures."""
    problem = pile(contact_count)
    prepare, body = shortest(lambda: compact(problem), 5), compact(problem)
    rows, count = body.rows, len(body.rows.kind)
    sweeper, _ = sweeper_of(problem, body, AcceleratedOptions(max_iterations=0))
    sweeper.begin(np.zeros(problem.row_count))
    work = sweeper.work
    plain = shortest(lambda: sweep_plain(rows, 0, count, work, 0.0))
    grade = shortest(lambda: grade_plain(rows, 0, count, work.lam, work.w, work.v))
    sweeper.aims.goal[:], sweeper.aims.limit[:] = -1.0, np.inf
    whole = shortest(lambda: sweeper.advance(20), 9) / 20
    ns = 1e9 / count
    print(f"{count:8d} contacts {body.node_count:7d} bodies   sweep {plain * ns:5.1f} ns   with momentum "
          f"{whole * ns:5.1f} ns   residual {grade * ns:5.1f} ns   preparation {prepare * ns:6.0f} ns a contact")


def main():
    """Measure the counts given, 10^4 and 10^5 by default."""
    counts = [int(float(x)) for x in sys.argv[1:]] or [10_000, 100_000]
    # The first one compiles.
    measure(200)
    for count in counts:
        measure(count)


if __name__ == "__main__":
    main()
