"""The contact generators of PROX, on tetrahedra."""
