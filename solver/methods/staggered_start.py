"""First answers of islands that begin at rest without impulses, by staggered projections from even loads.

Coulomb's law may have several answers: a block between two flat pads may hang on all their corners, or pivot about two
that carry all of the load. A sweep finds one of them by the order of contacts. Where its answer slips, another one is
looked for: normal impulses without friction, split as equal stiffness would (even.py); friction with those loads given;
normal impulses with that friction given, and so on (Kaufman et al. 2008). From even loads on that ends where bodies
that can stay do stay, and it is the same for mirrored and permuted scenes. It is taken where it comes to an answer.
"""

import numpy as np

from ..problem import Block
from ..problems.island_kernels import label_blocks
from ..residuals import block_residuals
from . import even_islands_kernels as kernels
from .assembly import friction_rows
from .base import Status
from .even import spread

# Rounds at most, how much of the residual a round may leave for another one, and the part of the tolerance that each
# projection is solved to.
ROUNDS, LEAVES, PART = 8, 0.5, 0.25


def begin(problem, impulse, before, goals, calm, even, work, plain):
    """Replace the impulses (K,) of islands that slip from rest by an answer from even loads, in place, where one comes.

    before (K,): impulses that the solve began with; calm (B,) bool: blocks of islands at rest; even: see
    even_kernels.Even; work: contacts relaxed in a projection at most; plain(problem, impulse, goals): solves, in place.

    An answer from even loads takes few sweeps. Where there is none, a projection would take all the work that an island
    at rest is given for an answer which later steps start with; this one is thrown away. Returns how many islands got
    one.
    """
    chosen = np.zeros(problem.block_count, dtype=bool)
    asked = even.tolerance, calm, even.most, problem.dof_count, chosen
    found = kernels.slipping_from_rest(problem.arrays, impulse, before, *asked)
    if found == 0:
        return 0
    begun = 0
    label = np.empty(problem.block_count, dtype=np.int64)
    label_blocks(problem.arrays, label, np.zeros(len(problem.G.start), dtype=bool))
    # Each by itself: none may go on or stop because of another.
    for island in np.unique(label[chosen]):
        blocks = np.flatnonzero(chosen & (label == island))
        part, rows = problem.restrict(blocks)
        own = goals.of(blocks)
        answer = _staggered(part, own._replace(effort=np.full(len(blocks), work)), even.share[blocks], even.most, plain)
        if answer is not None:
            impulse[rows] = answer
            begun += 1
    return begun


def _staggered(problem, goals, share, most, plain):
    """An answer (K,) to the problem of one island, None where none comes: rounds must halve the residual, and each
    projection must come to an end of its own."""
    tolerance, goals = goals.tolerance, goals._replace(tolerance=PART * goals.tolerance)
    tangential, x, left = friction_rows(problem), np.zeros(problem.row_count), np.inf
    normal = np.repeat(problem.kind == Block.CONTACT, np.diff(problem.row_start)) & ~tangential
    for _ in range(ROUNDS):
        friction = np.where(tangential, x, 0.0)
        pressing = problem.with_friction_given(friction)
        x[tangential] = 0.0
        if plain(pressing, x, goals).status != Status.CONVERGED:
            return None
        spread(pressing, x, np.zeros_like(x), tolerance, share, most)
        x += friction
        load = np.where(normal, x, 0.0)
        if plain(with_loads_given(problem, load), x, goals).status != Status.CONVERGED:
            return None
        x[normal] = load[normal]
        residual = block_residuals(problem, x).max()
        if residual <= tolerance.min():
            return x
        if residual >= LEAVES * left:
            return None
        left = residual
    return None


def with_loads_given(problem, load):
    """Return the problem of the friction impulses where the normal ones are `load` (K,) [N s], 0 in all other rows.

    Normal rows are cut from the bodies and give the loads back; all blocks that are no contacts stay as they are.
    """
    contact = problem.kind == Block.CONTACT
    squares = np.diff(problem.row_start)[contact] ** 2
    place, before = problem.compliance_offset.copy(), len(problem.compliance)
    place[contact] = before + np.cumsum(squares) - squares
    compliance = np.concatenate([problem.compliance, np.zeros(int(squares.sum()))])
    J, G = (rows._replace(data=rows.data.copy()) for rows in (problem.J, problem.G))
    b = problem.velocity(load)
    kernels.give_loads(problem.arrays, problem.diagonal, load, J.data, G.data, b, place, compliance)
    return problem.derive(J=J, G=G, b=b, compliance_offset=place, compliance=compliance)
