"""The kernel that labels islands of coupled bodies."""

from ..jit import kernel
from .island_kernels import find_root


@kernel
def label_islands(inverse_mass, a, b, root):
    """See islands.body_islands; fills root (R,)."""
    for i in range(root.size):
        root[i] = i
    for k in range(a.size):
        if inverse_mass[a[k]] == 0.0 or inverse_mass[b[k]] == 0.0:
            continue
        i, j = find_root(root, a[k]), find_root(root, b[k])
        # The smaller index wins, so that the result does not depend on the order of couplings.
        if i < j:
            root[j] = i
        elif j < i:
            root[i] = j
    for i in range(root.size):
        root[i] = find_root(root, i)
