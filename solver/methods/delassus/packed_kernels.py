"""A whole solve of a few contacts without bodies in one call with two arrays, see packed.Packed."""

import numpy as np

from ...jit import kernel
from .delassus import DelassusRows
from .delassus_kernels import BEST_LAM, begin

# Numbers at the head of a memory: contacts, blocks, sweeps, goal, relative, check_every; then what `begin` returned.
HEAD = 8
GOAL, SWEEPS_DONE, ERROR = 3, 6, 7


@kernel
def parts(memory):
    """(DelassusRows, state (8,), work (5,3n), merit) of a memory: views of it."""
    n, s, count = int(memory[0]), int(memory[1]), int(memory[2])
    a = HEAD + n + 1
    b = a + s
    c = b + 9 * s
    d = c + 14 * n
    e = d + 8 + 15 * n
    rows = DelassusRows(
        memory[HEAD:a].view(np.int64), memory[a:b].view(np.int64), memory[b:c].reshape((s, 9)),
        memory[c : c + 3 * n], memory[c + 3 * n : d].reshape((n, 11)),
    )  # fmt: skip
    return rows, memory[d : d + 8], memory[d + 8 : e].reshape((5, 3 * n)), memory[e : e + count]


@kernel
def solve_packed(memory, impulse):
    """Sweeps from impulses (3n,); returns their number where they reach the goal, with the answer written, else -1."""
    d, state, work, merit = parts(memory)
    goal, relative, check_every = memory[GOAL], memory[GOAL + 1] > 0.0, int(memory[GOAL + 2])
    done, error = begin(d, impulse, merit.size, goal, relative, check_every, state, work, merit)
    memory[SWEEPS_DONE], memory[ERROR] = done, error
    if not error <= goal:
        return -1
    for k in range(impulse.size):
        impulse[k] = d.scale[k] * work[BEST_LAM, k]
    return done
