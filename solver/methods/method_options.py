"""Options of every method. No kernels here: panel and command line read this file without loading numba."""

from dataclasses import dataclass

from ..options import option
from .base import SolveOptions


@dataclass(frozen=True)
class ProxOptions(SolveOptions):
    """PROX Gauss-Seidel with a scalar r on each friction block."""

    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)


@dataclass(frozen=True)
class PgsOptions(SolveOptions):
    """Projected Gauss-Seidel with the box model."""

    relaxation: float = option(1.0, "Over-relaxation omega of projected SOR", minimum=0.05, maximum=1.95)
    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)
