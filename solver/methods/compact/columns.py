"""Columns of the packed numbers of a block: `r` of all blocks, `pack` of plain contacts; see compact.py."""

# Columns of `r`: 1 / A_nn; 1 / the largest eigenvalue of the friction block; what turns a change of y into a velocity,
# as the judge measures it; that eigenvalue.
STEP_NORMAL, STEP_FRICTION, STEP_JUDGE, EIGENVALUE = range(4)
# Columns of `pack`: the row of b; steps as in `r`; how the normal impulse moves the friction rows; A_nn; as in `r`.
B_N, B_S, B_T, R_N, R_Y, A_SN, A_TN, A_NN, JUDGE, LARGEST = range(10)
# Numbers of a block in `pack`.
PACKED = 12
