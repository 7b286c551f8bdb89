"""Meshes: preparation, repair, recognition, tetrahedra."""
