"""PROX Jacobi: Algorithm 1 of Erleben 2017 with adaptive r-factors.

All blocks take the impulses and w of the previous iteration, and the friction set takes the previous
normal impulse (line 8). The same strategies, stops and roll-back as prox_literal.py; the default strategy is
one scalar a friction block.
"""

from .prox_literal import iterate


def solve(problem, impulse, options):
    """Run Algorithm 1 on `problem`; impulse (K,) is the start and receives the answer."""
    return iterate(problem, impulse, options, jacobi=True)
