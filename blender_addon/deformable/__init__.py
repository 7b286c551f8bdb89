"""Deformable bodies in Blender: settings, pins, and how a mesh hangs on the tetrahedra inside it."""
