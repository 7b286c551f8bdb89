"""Blender's Rigid Body constraints as joints: read from objects, made for the solver, reported when settings are taken
over."""
