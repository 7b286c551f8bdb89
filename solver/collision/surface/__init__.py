"""The pool of triangle meshes and what deforms it."""
