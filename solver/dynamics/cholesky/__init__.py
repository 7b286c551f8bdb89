"""Sparse Cholesky of symmetric positive definite matrices of 3x3 blocks, by fronts: W = (M + c K)^-1 of a body."""

from .factor import Factor
from .symbolic import Symbolic, analyse

__all__ = ["Factor", "Symbolic", "analyse"]
