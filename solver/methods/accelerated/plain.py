"""Solves in one call of a kernel: of plain contacts between rigid bodies, see plain_kernels.py, and of those with
joints, see joined_kernels.py."""

from ..base import SETTLED, Outcome, Status
from ..compact.team import ALONE
from ..second_order import elimination
from . import joined_kernels
from . import plain_kernels as kernels
from .goals import goals_of_blocks, limits_of
from .turn_kernels import ACCEPTABLE, CONVERGED, FIRST_SWEEPS, LIMITED

STATUS = {CONVERGED: Status.CONVERGED, ACCEPTABLE: Status.ACCEPTABLE, LIMITED: Status.MAX_ITERATIONS,
          kernels.STAGNATED: Status.STAGNATED}  # fmt: skip


def fits(problem, options):
    """Whether a solve may be made in one call."""
    able = problem.inverse_mass is not None and problem.symmetric and 0 < problem.block_count <= kernels.LARGEST
    return able and _alone(options) and problem.contact_count == problem.block_count


def fits_joined(problem, options):
    """Whether a solve of a problem with joints may be made in one call."""
    able = problem.inverse_mass is not None and 0 < problem.block_count <= kernels.LARGEST
    return able and _alone(options) and elimination.fits(problem)


def solve_joined(problem, impulse, options, goals):
    """The Outcome of a solve of a problem with joints from impulses (K,), in place; None where it needs more than one
    call, and nothing was done."""
    how, sweeps, relaxed = joined_kernels.solve_with_joints(
        *_given(problem, impulse, options, goals), problem.dof_count
    )
    return None if how in (kernels.NOT_PLAIN, kernels.UNSOUND) else Outcome(STATUS[how], sweeps, relaxed=relaxed)


def _alone(options):
    return options.time_limit == 0 and not options.record_history


def solve(problem, impulse, options, goals, resumed):
    """The Outcome of a solve from impulses (K,), in place; None where contacts are not plain, and nothing was done.

    resumed(problem, impulse, options, goals, rest, sweeps): goes on with an island too large for one call.
    """
    how, sweeps, rest = kernels.solve_plain(*_given(problem, impulse, options, goals))
    return _outcome(problem, impulse, options, goals, resumed, how, sweeps, rest)


def solve_evenly(problem, impulse, options, goals, resumed, share):
    """(Outcome, plain_kernels.Looked or None where nothing was looked at); None where contacts are not plain or
    numbers not sound, and nothing was done."""
    given = _given(problem, impulse, options, goals)
    how, sweeps, rest, looked = kernels.solve_evenly(*given, share, problem.dof_count)
    if how == kernels.UNSOUND:
        return None
    problem.__dict__["diagonal"] = looked.diagonal
    outcome = _outcome(problem, impulse, options, goals, resumed, how, sweeps, rest)
    if how >= kernels.HANDED_OVER:
        return outcome and (outcome, None)
    if looked.left == SETTLED:
        evened = ("minimum_norm", int(looked.evened.sum()))
        outcome = outcome._replace(judged=(looked.residual, looked.change), events=(*outcome.events, evened))
    return outcome, looked


def starts_of(options):
    """The plain_kernels.Start of solves with these options, and of such whose friction is given; None where they are
    not made in one call."""
    if not _alone(options) or options.even_loads == 0:
        return None
    return _start(options, False), _start(options, True)


def _start(options, friction_given):
    settings = kernels.Settings(options.newton, options.check_every)
    return kernels.Start(limits_of(options, friction_given), settings, ALONE, options.even_loads)


def _given(problem, impulse, options, goals):
    """What the kernels take."""
    mass, asked = problem.inverse_mass, goals_of_blocks(problem.block_count, options, goals)
    start = _start(options, problem.friction_given)
    return problem.arrays, (mass.start, mass.offset, mass.data), asked, start, impulse


def _outcome(problem, impulse, options, goals, resumed, how, sweeps, rest):
    if how == kernels.NOT_PLAIN:
        return None
    if how == kernels.HANDED_OVER:
        return resumed(problem, impulse, options, goals, rest, sweeps)
    # The kernel does not say of what kind its work was: turns come after the first sweeps.
    came = options.newton and sweeps > FIRST_SWEEPS
    return Outcome(STATUS[how], sweeps, events=(("newton_turns", 1),) if came else ())
