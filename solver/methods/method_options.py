"""Options of every method. No kernels here: panel and command line read this file without loading numba."""


from ..base.records import record
from ..options import option
from .base import SolveOptions


@record
class ProxOptions(SolveOptions):
    """PROX Gauss-Seidel with a scalar r on each friction block."""

    check_every: int = option(10, "Sweeps between two checks of the residual", minimum=1, maximum=10_000)


STOPPING = ("judge", "paper")
# What options that several methods have in common say of themselves.
DOCS = {
    "stopping": "judge: stop at the tolerance; paper: stop by the paper's own rule, the judge only grades",
    "start": "First iterate. zero: none, as the paper starts; warm: the impulses that are handed in",
}


@record
class PgsOptions(SolveOptions):
    """Projected Gauss-Seidel with the box model."""

    bounds: str = option("newest", "Normal impulse that bounds friction. newest: of this sweep; last: of the last "
                         "iterate, equations (17) and (18) as printed", choices=("newest", "last"))  # fmt: skip
    relaxation: float = option(1.0, "Over-relaxation omega of projected SOR", minimum=0.05, maximum=1.95)
    check_every: int = option(10, "Sweeps between two checks of the residual", minimum=1, maximum=10_000)


@record
class NncgOptions(SolveOptions):
    """Nonsmooth nonlinear conjugate gradients, 2010."""

    friction: str = option("problem", "problem: the contacts' own law; box: the paper's model, swept row by row",
                           choices=("problem", "box"))  # fmt: skip
    variant: str = option("fletcher_reeves", "Formula for the weight of the previous direction",
                          choices=("fletcher_reeves", "polak_ribiere"))  # fmt: skip
    line_search: bool = option(False, "Backtracking line search with the Armijo rule; the paper finds no gain")
    armijo: float = option(0.01, "c1 of the Armijo rule, with line search only", minimum=1e-8, maximum=0.5,
                           only=("line_search", True))  # fmt: skip
    stopping: str = option("judge", DOCS["stopping"], choices=STOPPING)
    merit_tolerance: float = option(1e-6, "Stop when |grad f| is below this, with stopping = paper only", unit="N s",
                                    minimum=0.0, only=("stopping", "paper"))  # fmt: skip
    check_every: int = option(10, "Sweeps between two checks of the residual", minimum=1, maximum=10_000)


@record
class AdaptiveProxOptions(SolveOptions):
    """PROX schemes of 2017 with adaptive r-factors; the defaults are the paper's."""

    strategy: str = option(
        "global",
        "r-factors. scalar: one a friction block. global: one for all, units kg. Warning: local and blocked, as "
        "printed in the paper, turn friction up to 45 degrees off the sliding direction",
        choices=("scalar", "global", "local", "blocked"),
    )
    r_global: float = option(5.0, "r of strategy global", unit="kg", minimum=1e-12, only=("strategy", "global"))
    back_tracking: bool = option(True, "Undo an iteration whose merit grows, and reduce all r-factors by nu")
    roll_back: str = option("grown", "grown: undo an iteration whose merit is larger, as printed; not_less: also one "
                            "whose merit repeats", choices=("grown", "not_less"),
                            only=("back_tracking", True))  # fmt: skip
    nu: float = option(0.0, "Back-tracking factor; 0 for the paper's: 0.9 local, 0.5 global and blocked",
                       minimum=0.0, maximum=0.999, only=("back_tracking", True))  # fmt: skip
    start: str = option("zero", DOCS["start"], choices=("zero", "warm"))
    stopping: str = option("paper", DOCS["stopping"], choices=STOPPING)
    absolute: float = option(1e-3, "Stop when the merit |change|_inf is below this, with stopping = paper only",
                             unit="N s", minimum=0.0, only=("stopping", "paper"))  # fmt: skip
    relative: float = option(1e-3, "Stop when the merit changes by less than this fraction, with stopping = paper only",
                             minimum=0.0, only=("stopping", "paper"))  # fmt: skip
    check_every: int = option(10, "Sweeps between two checks of the residual", minimum=1, maximum=10_000)


@record
class NewtonOptions(SolveOptions):
    """Non-smooth Newton, 2019; the defaults are the paper's."""

    max_iterations: int = option(200, "Largest number of Newton iterations", minimum=0, maximum=1_000_000)
    ncp: str = option("fischer_burmeister", "Function that stands for complementarity",
                      choices=("fischer_burmeister", "minimum_map"))  # fmt: skip
    preconditioner: str = option(
        "effective_mass", "Scale r of the impulse in the complementarity function; constant: the paper's h^2",
        choices=("effective_mass", "constant", "identity"),
    )  # fmt: skip
    friction_factor: float = option(1.0, "Part of the effective mass that friction rows take as r; 1 is the paper's, "
                                    "0.5 swings less", minimum=1e-6, maximum=10.0)  # fmt: skip
    time_step: float = option(0.01, "h that the identity preconditioner refers to", unit="s", minimum=1e-9,
                              only=("preconditioner", "identity"))  # fmt: skip
    least_denominator: float = option(0.0, "Least denominator of friction's compliance (104), as a part of the normal "
                                      "impulse; 0 for none, as printed", minimum=0.0, maximum=1.0)  # fmt: skip
    linear_solver: str = option("pcr", "Solver of the linear systems; auto: direct if small, else the paper's pcr",
                                choices=("auto", "pcr", "pcg", "jacobi", "gauss_seidel", "direct"))  # fmt: skip
    linear_iterations: int = option(80, "Iterations of the linear solver in one Newton step", minimum=1,
                                    maximum=100_000)  # fmt: skip
    damping: float = option(0.75, "Fraction t of the Newton step that is taken", minimum=0.01, maximum=1.0)
    patience: int = option(0, "Steps without progress before steps and friction's r shrink; 0 for never, the paper's",
                           minimum=0, maximum=10_000)  # fmt: skip
    start: str = option("zero", "First iterate. zero: no impulse, no velocity, (67) and (68); free: no impulse; warm: "
                        "the impulses that are handed in", choices=("zero", "free", "warm"))  # fmt: skip
    line_search: bool = option(False, "Halve the step until the residual falls, section 8.1; the paper finds that "
                               "friction stalls it")  # fmt: skip
    epsilon: float = option(1e-6, "Shift of the system matrix relative to its mean diagonal", minimum=0.0, maximum=1.0)
    check_every: int = option(1, "Newton steps between two checks of the residual", minimum=1, maximum=10_000)


@record
class AcceleratedOptions(SolveOptions):
    """Gauss-Seidel with momentum and Newton steps in turns, island by island."""

    max_iterations: int = option(10_000, "Largest number of sweeps; a Newton step counts as many as it costs",
                                 minimum=0, maximum=10_000_000)  # fmt: skip
    check_every: int = option(10, "Sweeps between two checks of the residual", minimum=1, maximum=10_000)
    newton: bool = option(True, "Give islands turns of Newton steps between those of sweeps")
    acceptable: float = option(0.0, "Residual that will do after the work until then", unit="m/s", minimum=0.0)
    patience: int = option(20_000, "Contacts relaxed (contacts times sweeps) before an acceptable residual will do",
                           minimum=0, maximum=10_000_000_000)  # fmt: skip
    effort: int = option(0, "Largest number of contacts relaxed (contacts times sweeps); 0 for no such limit",
                         minimum=0, maximum=10_000_000_000)  # fmt: skip
    threads: int = option(1, "Threads that sweep a large island, 0 for one a core; any number gives the same bits",
                          minimum=0, maximum=1024)  # fmt: skip
    even_loads: int = option(200, "Contacts of the largest island whose loads, where the laws leave them open, are "
                             "split as contacts of equal stiffness would; 0 to leave them as found", minimum=0,
                             maximum=1_000_000)  # fmt: skip


@record
class StaggeredOptions(SolveOptions):
    """Staggered projections, 2008."""

    max_iterations: int = option(200, "Largest number of pairs of projections", minimum=0, maximum=1_000_000)
    friction: str = option("problem", "problem: the contacts' own law; polygon: the paper's",
                           choices=("problem", "polygon"))  # fmt: skip
    directions: int = option(8, "Directions 2m of the polygon, with friction = polygon only", minimum=4, maximum=256,
                             only=("friction", "polygon"))  # fmt: skip
    subproblems: str = option("auto", "Solver of the convex parts; auto: accurate for islands of more than 60 rows; "
                              "with limits, drives or stopping = paper Clarabel beyond 300, if installed",
                              choices=("auto", "sweeps", "accurate", "clarabel"))  # fmt: skip
    inner_iterations: int = option(1000, "Largest number of sweeps for one subproblem", minimum=1, maximum=1_000_000)
    extrapolation: int = option(0, "Pairs of projections that the friction of the next one is extrapolated from "
                                "(Anderson); 0 for none, the paper's", minimum=0, maximum=100)  # fmt: skip
    stopping: str = option("judge", DOCS["stopping"], choices=STOPPING)
    friction_tolerance: float = option(1e-4, "Relative kinetic error of friction, with stopping = paper only",
                                       minimum=0.0, only=("stopping", "paper"))  # fmt: skip


@record
class AccurateOptions(AcceleratedOptions):
    """The same, to 1e-8 and with more work."""

    max_iterations: int = option(1_000_000, "Largest number of sweeps; a Newton step counts as many as it costs",
                                 minimum=0, maximum=100_000_000)  # fmt: skip
    tolerance: float = option(1e-8, "Stop when the judge's residual is at most this", unit="m/s", minimum=0.0)
