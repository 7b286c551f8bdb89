"""Loads that the laws leave undetermined, split as contacts of equal stiffness would split them.

A table on four legs, a plank on rollers, a brick on a flat face: rigid bodies do not say which contact carries how
much, and a sweep decides it by the order of contacts. The limit of equal contact stiffness is the split of least norm

    min sum over contacts of (lambda_n^2 + |y|^2) / share,   lambda_F = D y,

among all loads that do to the bodies what those found do. It is unique, and mirrored and permuted with the scene.
Friction that slides is held meanwhile and follows its normal impulse: another solve from there brings it in line.
"""

import numpy as np

from . import even_islands_kernels as kernels
from .even_kernels import Even


def spread(problem, impulse, before, tolerance, share, most):
    """Spread the loads of the islands whose impulses (K,) are not those of `before`, in place.

    tolerance (B,) [m/s]: what the islands were solved to; share (B,): load of each contact under even pressure; most:
    blocks of the largest island that is considered. Returns (B,) bool: the blocks of islands whose loads were changed,
    which are to be solved again from there.
    """
    evened, even = np.zeros(problem.block_count, dtype=bool), Even(tolerance, share, most)
    kernels.spread_islands(problem.arrays, problem.diagonal, impulse, before, even, problem.dof_count, evened)
    return evened
