"""The methods. To add one: write its file, its options in method_options.py, and one line in METHODS."""

import time
from functools import cache
from importlib import import_module
from typing import NamedTuple

import numpy as np

from ..mechanisms import off
from ..options import changed
from . import method_options as options_of
from .base import EVEN_ROUNDS, EVENED, SETTLED, Goals, Method, Outcome, SolveOptions, SolveReport, Status, strictest

METHODS = {
    method.key: method
    for method in (
        Method("accelerated", "Accelerated Gauss-Seidel",
               "Gauss-Seidel with momentum and Newton steps in turns, island by island: the best for a bake",
               options_of.AcceleratedOptions, "accelerated.accelerated", "Erleben 2017; O'Donoghue and Candes 2015",
               finishes=True),
        Method("accurate", "Accurate",
               "The same to 1e-8 and beyond, with as much work as that takes: up to thousands of bodies",
               options_of.AccurateOptions, "accelerated.accelerated", "Acary et al. 2023; Castro et al. 2022",
               accurate=True, finishes=True),
        Method("prox", "PROX Gauss-Seidel",
               "Proximal Gauss-Seidel with one scalar r a friction block: the plain, right sweep",
               options_of.ProxOptions, "papers.prox", "Erleben 2017"),
        Method("pgs", "Projected Gauss-Seidel",
               "Projected Gauss-Seidel / SOR, row by row with box friction: up to 41 % too strong on the diagonal",
               options_of.PgsOptions, "papers.pgs", "Silcowitz-Hansen et al. 2010"),
        Method("nncg", "NNCG",
               "Conjugate gradients on Gauss-Seidel sweeps: fewer sweeps on stacks and stuck walls",
               options_of.NncgOptions, "papers.nncg", "Silcowitz-Hansen et al. 2010"),
        Method("prox_literal", "PROX Gauss-Seidel, as published",
               "Algorithm 2 of 2017 with adaptive r-factors. Its Local and Blocked strategies turn the friction",
               options_of.AdaptiveProxOptions, "papers.prox_literal", "Erleben 2017"),
        Method("jacobi", "PROX Jacobi",
               "Algorithm 1 of 2017: every contact sees the previous iteration; slow, for comparison",
               options_of.AdaptiveProxOptions, "papers.jacobi", "Erleben 2017"),
        Method("newton", "Non-smooth Newton",
               "Complementarity functions solved by damped Newton steps, 2019: for stiff joints and mass ratios",
               options_of.NewtonOptions, "papers.newton", "Macklin et al. 2019"),
        Method("staggered", "Staggered projections",
               "Normal and friction impulses projected in turn, 2008: never penetrates, friction as exact as asked for",
               options_of.StaggeredOptions, "papers.staggered", "Kaufman et al. 2008"),
    )
}  # fmt: skip

# The names that always mean the best there is for a bake, and for 1e-8.
ALIASES = {"default": "accelerated"}


class UnknownMethod(ValueError):
    """A method name that is not in the table."""


def get_method(key):
    """Return the Method called `key`, which may be an alias ("default", "accurate")."""
    name = ALIASES.get(key, key)
    if name not in METHODS:
        raise UnknownMethod(f"unknown method {key!r}; choose one of {', '.join([*ALIASES, *METHODS])}")
    return METHODS[name]


def solve(problem, impulse=None, method="default", options=None, brief=False):
    """Solve a ContactProblem and let the judge grade the answer.

    problem : ContactProblem.  impulse : (K,) start values [N s], updated in place; None starts at zero.
    method : key of METHODS or an alias.  options : the method's option dataclass; None for its defaults.
    brief : leave out the Siconos error and the violations, which a time step does not need.
    Returns a SolveReport. Raises ProblemError, OptionError or UnknownMethod for input that cannot be used.
    """
    impulse = np.zeros(problem.row_count) if impulse is None else impulse
    solved = improve(problem, impulse, method, options, share=np.ones(problem.block_count))
    return grade(problem, impulse, solved, brief)


class Solved(NamedTuple):
    """What a method says of its own work: its key, an Outcome and times [s]; nobody has graded it."""

    method: str
    outcome: Outcome
    wall_s: float
    cpu_s: float

    @property
    def unjudged(self):
        """The same of impulses or a problem that were changed since."""
        return self if self.outcome.judged is None else self._replace(outcome=self.outcome._replace(judged=None))


def improve(problem, impulse, method="default", options=None, goals=None, share=None):
    """What `solve` does to impulses (K,) [N s], without a grade; returns Solved.

    goals: Goals of every block, or (tolerance, acceptable, patience) (B,), the same for all blocks of an island; None:
    those of the options. Methods that do not work island by island aim at the strictest. share (B,): the load of each
    contact under even pressure, by which the methods that finish split loads that the laws leave open, see even.py;
    None: they stay as they were found.
    """
    entry, options = _known(method, options)
    plain, more = _module(entry.module).solve, ()
    if goals is not None and problem.block_count:
        if entry.finishes:
            more = (Goals(*goals),)
        else:
            options = changed(options, **strictest(Goals(*goals), options))

    even = share is not None and _can_be_even(problem, entry, options)
    later = even and _checked_in_the_kernel(problem, impulse)
    if not later:
        problem.check()
        impulse = _start(problem, impulse)

    def run(x):
        if later:
            problem.check()
            _start(problem, x)
        return plain(problem, x, options, *more)

    if even:
        asked = more[0] if more else None

        def first(x):
            return _module(entry.module).solve_evenly(problem, x, options, asked, share)

        run = _evenly(problem, options, plain, run, asked, share, first)
    return _timed(entry, problem, impulse, options, run)


def starts_of(method, options):
    """What accelerated.plain_kernels.solve_evenly takes from a method's options, and of problems whose friction is
    given; None where it does not solve so."""
    entry, options = _known(method, options)
    return _module(entry.module).starts_of(options) if entry.finishes else None


def _can_be_even(problem, entry, options):
    known = problem.inverse_mass is not None and problem.symmetric and not problem.friction_given
    return entry.finishes and known and options.even_loads > 0 and not off("minimum_norm")


def _evenly(problem, options, plain, run, goals, share, first):
    """A function that does run(impulse), then splits the open loads evenly and goes on with `plain` from there, for as
    long as that changes them; loads that cannot be solved for again stay as they were found. first(impulse): both in
    one call, see accelerated.plain.solve_evenly, or None where it cannot."""

    def solve(impulse):
        before, done = impulse.copy(), first(impulse)
        outcome, looked = done = (run(impulse), None) if done is None else done
        if looked is not None and looked.left == SETTLED:
            return outcome
        return _made_even(problem, options, plain, goals, share, impulse, before, done)

    return solve


def _made_even(problem, options, plain, goals, share, impulse, before, done):
    """The Outcome after a solve from impulses `before` (K,) to `impulse` and what _evenly does after it; done: the
    Outcome of that solve, and what was found about it already, see accelerated.plain_kernels.Looked, or None."""
    from .even import Even, spread
    from .staggered_start import begin

    outcome, looked = done
    tolerance = np.full(problem.block_count, options.tolerance) if goals is None else goals.tolerance
    calm = np.zeros(problem.block_count, dtype=bool) if goals is None else goals.patience > options.patience
    goals = Goals(tolerance, None, None) if goals is None else goals

    def again(problem, impulse, goals):
        return plain(problem, impulse, options, goals)

    evened = None if looked is None or looked.left != EVENED else looked.evened
    begun, spreads = 0, 0
    if evened is None and not off("staggered_start"):
        # Each projection may take five patiences: with less, grips of flat pads end short.
        even = Even(tolerance, share, options.even_loads)
        begun = begin(problem, impulse, before, goals, calm, even, 5 * options.patience, again)
    for _ in range(EVEN_ROUNDS):
        if evened is None:
            found = impulse.copy()
            evened = spread(problem, impulse, before, tolerance, share, options.even_loads)
        else:
            found = looked.found
        if not evened.any():
            break
        spreads += np.count_nonzero(evened)
        before = impulse.copy()
        more = again(problem, impulse, goals._replace(tolerance=np.where(evened, tolerance, np.inf)))
        if more.status != Status.CONVERGED:
            impulse[:] = found
            break
        history = outcome.history + more.history if options.record_history else None
        relaxed = outcome.work(problem.block_count) + more.work(problem.block_count)
        total = outcome.iterations + more.iterations
        newton = outcome.events + more.events
        outcome, evened = Outcome(outcome.status, total, history, relaxed=relaxed, events=newton), None
    return outcome._replace(events=(*outcome.events, ("staggered_start", begun), ("minimum_norm", spreads)))


def grade(problem, impulse, solved, brief=False):
    """The SolveReport of impulses (K,) that `improve` has Solved; brief: see `solve`. Of other impulses or of another
    problem `solved` is Solved.unjudged."""
    from ..residuals import natural_map, siconos_error, violations

    return SolveReport(
        solved.method, solved.outcome.status, solved.outcome.iterations,
        natural_map(problem, impulse) if solved.outcome.judged is None else solved.outcome.judged[0],
        None if brief else siconos_error(problem, impulse), None if brief else violations(problem, impulse),
        solved.outcome.history, solved.wall_s, solved.cpu_s, problem.contact_count,
    )  # fmt: skip


# The options that were checked last.
_SOUND = [None]


@cache
def _module(name):
    return import_module("." + name, __name__)


def _checked_in_the_kernel(problem, impulse):
    """Whether all that is left to check are numbers, which accelerated.plain.solve_evenly does, too."""
    rows = (problem.row_count,)
    able = "structure_checked" in problem.__dict__ and problem.block_count > 0 and impulse is not None
    return able and problem.b.shape == rows == impulse.shape and problem.b.dtype == impulse.dtype == float


def _known(method, options):
    """(Method, checked options)."""
    entry = get_method(method)
    options = entry.options() if options is None else options
    if not isinstance(options, entry.options):
        raise TypeError(f"method {entry.key} takes {entry.options.__name__}, not {type(options).__name__}")
    # Options are frozen: the same ones come again in every step.
    if _SOUND[0] is not options:
        options.check()
        _SOUND[0] = options
    return entry, options


def _start(problem, impulse):
    from ..problem import ProblemError

    if impulse is None:
        return np.zeros(problem.row_count)
    if impulse.shape != (problem.row_count,) or not np.all(np.isfinite(impulse)):
        raise ProblemError(f"start impulses must be {problem.row_count} finite numbers")
    return impulse


def _timed(entry, problem, impulse, options, run):
    """Solved by run(impulse)."""
    cpu, wall = time.process_time(), time.perf_counter()
    if problem.block_count == 0:
        outcome = Outcome(Status.CONVERGED, 0, [] if options.record_history else None)
    else:
        outcome = run(impulse)
    return Solved(entry.key, outcome, time.perf_counter() - wall, time.process_time() - cpu)


__all__ = [
    "ALIASES", "METHODS", "Goals", "Method", "SolveOptions", "SolveReport", "Solved", "Status", "UnknownMethod",
    "get_method", "grade", "improve", "solve", "starts_of",
]  # fmt: skip
