"""The kernel that labels islands of coupled bodies."""

from ..jit import kernel
from .island_kernels import find_root, join


@kernel
def label_islands(inverse_mass, a, b, root):
    """See islands.body_islands; fills root (R,)."""
    for i in range(root.size):
        root[i] = i
    for k in range(a.size):
        if inverse_mass[a[k]] != 0.0 and inverse_mass[b[k]] != 0.0:
            join(root, a[k], b[k])
    for i in range(root.size):
        root[i] = find_root(root, i)
