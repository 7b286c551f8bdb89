"""Deformable bodies of tetrahedra: laws, elements, and the step in which they meet rigid ones."""
