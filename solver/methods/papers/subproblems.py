"""Parts of a ContactProblem that nothing couples, as problems of their own."""

import numpy as np

from ...problems.island_kernels import islands_of_blocks


def decoupled_blocks(problem):
    """Return a list of block index arrays; blocks of different arrays move no velocity component in common."""
    label = islands_of_blocks(problem.arrays, problem.dof_count)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.searchsorted(label[order], np.arange(1, label.max(initial=0) + 1)))


def part(problem, blocks):
    """Return (the ContactProblem of `blocks` alone, on the velocity components that they use; their rows)."""
    part, rows = problem.restrict(np.asarray(blocks))
    J, G, dof_count = _renumbered(part.J, part.G, problem.dof_count)
    return part.derive(J=J, G=G, dof_count=dof_count, inverse_mass=None), rows


def _renumbered(J, G, dof_count):
    """J and G on the velocity components that any of their segments covers, and how many those are."""
    edges = np.zeros(dof_count + 1, dtype=np.int64)
    for rows in (J, G):
        np.add.at(edges, rows.start, 1)
        np.add.at(edges, rows.start + rows.size, -1)
    used = np.cumsum(edges)[:-1] > 0
    new = np.cumsum(used) - 1
    return J._replace(start=new[J.start]), G._replace(start=new[G.start]), int(used.sum())
