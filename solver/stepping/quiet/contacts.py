"""The solve of a quiet step whose rows are those of contacts alone."""

import numpy as np

from ...dynamics.assembly_kernels import Linear, Wants, asked, columns_of, contact_arrays
from ...dynamics.goal_kernels import be_patient_at_first, effort_before_search, no_couples
from ...jit import inner
from ...methods.accelerated.plain_kernels import HANDED_OVER, UNSOUND, solve_evenly
from ...methods.accelerated.turn_kernels import LIMITED
from ...methods.base import SETTLED
from .answers import BOTH, judged, no_rows, not_settled
from .world import Answer


@inner
def answer_of_contacts(world, contacts, at, earlier, begun):
    """The Answer of a step without joints; begun: StepArrays of its contacts, impulses of the warm start, loaded."""
    bodies, times, solving = world.bodies, world.times, world.solving
    out, impulse, loaded = begun
    own, size = contact_arrays(out, out.b, solving.sides), out.W.size // 6
    wants = Wants(times, solving.threshold, solving.numbers, no_couples(), BOTH)
    found = asked(bodies, Linear(own, out.W, out.M), columns_of(out, contacts), earlier, at, wants, impulse)
    be_patient_at_first(found.of_block, loaded, solving.numbers[2][1], found.patience, found.effort)
    if impulse.size == 0:
        return Answer(True, np.zeros(size), 0, 0.0, 0, impulse, own, own, found, no_rows(), np.zeros(0))
    effort = effort_before_search(found.of_block, found.hit.size, solving.part, found.small, found.effort)
    goals, start = (found.tolerance, found.acceptable, found.patience, effort), solving.start
    p, mass = contact_arrays(out, found.b, solving.sides), (out.mass_start, out.mass_offset, out.W)
    answer = impulse - found.held
    how, sweeps, _, looked = solve_evenly(p, mass, goals, start, answer, found.share, size)
    if how in (UNSOUND, LIMITED) or how >= HANDED_OVER or looked.left != SETTLED:
        return not_settled(impulse, own, found, no_rows())
    change, residual, relaxed = looked.change, looked.residual, sweeps * found.hit.size
    # What a solve leaves at -0 is 0.
    impulse = answer + found.held
    if found.held.any():
        change, residual = judged(p, impulse, found.held, size)
    return Answer(True, change, sweeps, residual, relaxed, impulse, own, p, found, no_rows(), np.zeros(0))
