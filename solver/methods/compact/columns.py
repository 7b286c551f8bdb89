"""Rows of a Compact, see compact.py, and the columns of a block's packed numbers: `r` of all blocks, `pack` of plain
contacts."""

from typing import NamedTuple

import numpy as np

# Columns of `r`: 1 / A_nn; 1 / the largest eigenvalue of the friction block; what turns a change of y into a velocity,
# as the judge measures it; that eigenvalue.
STEP_NORMAL, STEP_FRICTION, STEP_JUDGE, EIGENVALUE = range(4)
# Columns of `pack`: the row of b; steps as in `r`; how the normal impulse moves the friction rows; A_nn; as in `r`.
B_N, B_S, B_T, R_N, R_Y, A_SN, A_TN, A_NN, JUDGE, LARGEST = range(10)
# Numbers of a block in `pack`.
PACKED = 12


class Rows(NamedTuple):
    """The arrays of a Compact in the form kernels take them (B blocks, R rows, n nodes and one for none).

    row (B+1,) first row; square (B,) first entry of the m x m blocks diagonal and compliance; node (B,2);
    J (R,12); b (R,); r (B,4): 1 / A_nn, 1 / lambda_max of the friction block, and what turns |change of y| into the
    judge's velocity, and into a squared merit; form (B,): how a block is swept, see compact_kernels; inverse: those of
    the diagonal blocks of form FIXED, zero elsewhere; pack (B,PACKED): b, steps and coupling of a plain contact in one
    stretch; compliant (B,): 1 where the compliance is not zero.
    """

    kind: np.ndarray
    row: np.ndarray
    square: np.ndarray
    node: np.ndarray
    J: np.ndarray
    b: np.ndarray
    r: np.ndarray
    diagonal: np.ndarray
    inverse: np.ndarray
    compliance: np.ndarray
    compliant: np.ndarray
    form: np.ndarray
    pack: np.ndarray
    law: np.ndarray
    bounds: np.ndarray
    sides: int
    all_plain: bool
