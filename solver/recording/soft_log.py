"""What the log of substeps gets of an island with deformable bodies, stepped with the midpoint scheme."""

from types import SimpleNamespace

import numpy as np

from .columns import NODE_COLUMNS


def island_solution(solved, twist):
    """What a StepSolution says of contacts and joints, of a Solved Island; twist (R,6): of its rigid bodies."""
    return SimpleNamespace(step=solved.step, problem=solved.step.problem, impulse=solved.impulse, twist=twist)


def island_numbers(island, solved, number):
    """{nodes, stencils} of a Substep of a Solved Island; number (R,): of its bodies in the run."""
    return {"nodes": _nodes(island, solved, number), "stencils": _stencils(island, solved)}


def _nodes(island, solved, number):
    gravity = island.model.gravity
    rows = [np.column_stack([np.full(len(part.x), number[part.number]), part.x, part.before, part.u, part.filtered,
                             part.low, part.v, part.after, part.left_open(gravity)])
            for part in solved.parts]  # fmt: skip
    return np.concatenate(rows) if rows else np.zeros((0, NODE_COLUMNS))


def _stencils(island, solved):
    """Rows (S, STENCIL_COLUMNS) of the contacts that touch deformable bodies."""
    step, soft, count = solved.step, solved.soft, island.contacts.count
    A = np.zeros((count, 4, 4))
    if solved.problem is not None:
        offset, blocks = solved.problem.diagonal
        for k, block in enumerate(solved.chosen.blocks):
            if block < count:
                m = int(step.rows[block])
                A[block, :m, :m] = blocks[offset[k] : offset[k] + m * m].reshape(m, m)
    first = np.array([part.first for part in solved.parts])
    node, body = soft.node[:count], soft.body[:count]
    own = np.where(node >= 0, node - first[body][:, :, None], -1)
    weight = np.where(island.stencils.node >= 0, island.stencils.weight, 0.0)
    sides = np.stack([own, weight], axis=2).reshape(count, 12)
    rows = np.column_stack([np.arange(count), sides, A.reshape(count, 16)])
    return rows[(body >= 0).any(axis=1)]
