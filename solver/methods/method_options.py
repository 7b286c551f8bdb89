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


@dataclass(frozen=True)
class AdaptiveProxOptions(SolveOptions):
    """PROX schemes of 2017 with adaptive r-factors."""

    strategy: str = option(
        "scalar",
        "r-factors. scalar: one a friction block. global: one for all, units kg. Warning: local and blocked, as "
        "printed in the paper, turn friction up to 45 degrees off the sliding direction",
        choices=("scalar", "global", "local", "blocked"),
    )
    r_global: float = option(5.0, "r of strategy global", unit="kg", minimum=1e-12)
    back_tracking: bool = option(True, "Undo an iteration whose merit grows, and reduce all r-factors by nu")
    nu: float = option(0.0, "Back-tracking factor; 0 for the paper's: 0.9 local, 0.5 global and blocked",
                       minimum=0.0, maximum=0.999)  # fmt: skip
    stopping: str = option("judge", STOPPING_DOC, choices=STOPPING)
    absolute: float = option(1e-3, "Stop when the merit |change|_inf is below this, with stopping = paper only",
                             unit="N s", minimum=0.0)  # fmt: skip
    relative: float = option(1e-3, "Stop when the merit changes by less than this fraction, with stopping = paper only",
                             minimum=0.0)  # fmt: skip
    check_every: int = option(10, "Sweeps between two looks at the residual", minimum=1, maximum=10_000)
