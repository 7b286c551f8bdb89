"""Options of every method. No kernels here: panel and command line read this file without loading numba."""

from dataclasses import dataclass

from ..options import option
from .base import SolveOptions


@dataclass(frozen=True)
class ProxOptions(SolveOptions):
    """PROX Gauss-Seidel with a scalar r on each friction block."""

    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)


STOPPING = ("judge", "paper")
STOPPING_DOC = "judge: stop at the tolerance; paper: stop by the paper's own rule, the judge only grades"


@dataclass(frozen=True)
class PgsOptions(SolveOptions):
    """Projected Gauss-Seidel with the box model."""

    relaxation: float = option(1.0, "Over-relaxation omega of projected SOR", minimum=0.05, maximum=1.95)
    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)


@dataclass(frozen=True)
class NncgOptions(SolveOptions):
    """Nonsmooth nonlinear conjugate gradients, 2010."""

    friction: str = option("problem", "problem: the contacts' own law; box: the paper's model, swept row by row",
                           choices=("problem", "box"))  # fmt: skip
    variant: str = option("fletcher_reeves", "Formula for the weight of the previous direction",
                          choices=("fletcher_reeves", "polak_ribiere"))  # fmt: skip
    line_search: bool = option(False, "Backtracking line search with the Armijo rule; the paper finds no gain")
    armijo: float = option(0.01, "c1 of the Armijo rule, with line search only", minimum=1e-8, maximum=0.5)
    stopping: str = option("judge", STOPPING_DOC, choices=STOPPING)
    merit_tolerance: float = option(1e-6, "Stop when |grad f| is below this, with stopping = paper only", unit="N s",
                                    minimum=0.0)  # fmt: skip
    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)
