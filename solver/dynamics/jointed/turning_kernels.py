"""Kernels: what velocities along the rows of joints lose by the rows' turning until the end of a step."""

import numpy as np

from ...jit import kernel
from ..rigid import drift
from ..step_kernels import rotation_matrices
from .function_kernels import evaluate, row_rates


@kernel
def turn_of_rows(f, r, bodies, symmetry, linear, rows, stiff, position, orientation, twist, time, turned):
    """turned (k,) [m/s]: rates of the `rows` (k,) of the tables for `twist` (R,6) as they are at poses (R,3), (R,4),
    where they are Linearised, less those where the bodies are after `time` [s]; 0 where not `stiff` (k,)."""
    new_position, new_orientation, later = drift(bodies, symmetry, position, orientation, twist, time)
    R, value = np.empty((position.shape[0], 3, 3)), np.empty(f.part.size)
    J, here, there = np.empty((f.part.size, 2, 6)), np.empty(r.role.size), np.empty(r.role.size)
    rotation_matrices(new_orientation, R)
    evaluate(f, new_position, R, linear.value, value, J)
    row_rates(r, f, linear.J, twist, here)
    row_rates(r, f, J, later, there)
    for k in range(rows.size):
        turned[k] = here[rows[k]] - there[rows[k]] if stiff[k] else 0.0
