"""What the options ask of a solve, in the form its kernels take."""

import numpy as np

from .turn_kernels import Limits, asked_of_islands

# Types of the four Goals, as kernels take them.
_TYPES = np.float64, np.float64, np.int64, np.int64


def goals_of_blocks(count, options, goals=None):
    """The four goals (B,) of `count` blocks: of `goals` (Goals or None) where they are given, of the options else."""
    if goals is not None and all(map(_ready, goals, _TYPES)):
        return tuple(goals)
    given = options.tolerance, options.acceptable, options.patience, options.effort
    return tuple(
        np.full(count, value, kind) if own is None else np.require(own, kind, "CW")
        for value, own, kind in zip(given, goals or (None,) * 4, _TYPES, strict=True)
    )


def _ready(own, kind):
    """Whether kernels take a goal as it is: compiled for arrays that may be written only."""
    return own is not None and own.dtype == kind and own.flags.carray


def limits_of(options, friction_given):
    """The Limits of a solve."""
    return Limits(options.max_iterations, options.patience, friction_given)


def asked_of(problem, options, size, first_block, goals=None):
    """The Asked of I islands. size (I,): blocks of each; first_block (I,): one block of each, by which `goals` (Goals,
    or None for what the options say of all) are read. Nothing about an island depends on another."""
    of_blocks = goals_of_blocks(max(problem.block_count, 1), options, goals)
    return asked_of_islands(size, first_block, of_blocks, limits_of(options, problem.friction_given))
