"""Contact solver: numpy, numba and scipy only; SI units; never bpy or mathutils."""
