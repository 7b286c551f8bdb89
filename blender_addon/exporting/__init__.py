"""Blender scene -> plain data -> scene of the solver."""
