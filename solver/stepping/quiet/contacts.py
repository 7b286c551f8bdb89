"""The solve of a quiet step whose rows are those of contacts alone."""

import numpy as np

from ...dynamics.assembly_kernels import asked, be_patient_at_first, columns_of, contact_arrays, no_couples
from ...jit import inner
from ...methods.accelerated.plain_kernels import HANDED_OVER, UNSOUND, solve_evenly
from ...methods.accelerated.turn_kernels import LIMITED
from ...methods.base import SETTLED
from .joints import no_rows, not_settled
from .world import Answer


@inner
def hits_hard(found, before, fast):
    """Whether something lands, bounces or comes too fast for where contacts were searched for; before (C,4)."""
    hard = found.onset
    for k in range(found.hit.size):
        hard = hard or found.hit[k] or before[k, 0] < -fast
    return hard


@inner
def answer_of_contacts(world, contacts, at, earlier, begun):
    """The Answer of a step without joints; begun: StepArrays of its contacts, impulses of the warm start, loaded."""
    bodies, times, solving = world.bodies, world.times, world.solving
    out, impulse, loaded = begun
    own, size = contact_arrays(out, out.b, solving.sides), out.W.size // 6
    found = asked(bodies, own, out.W, out.M, contacts, columns_of(out), earlier, at.position, at.before, times,
                  solving.threshold, np.zeros(0), 0.0, solving.numbers, impulse, no_couples())  # fmt: skip
    be_patient_at_first(found.of_block, loaded, solving.numbers[2][2], found.patience, found.effort)
    if hits_hard(found, out.before, solving.fast):
        return not_settled(impulse, own, no_rows())
    if impulse.size == 0:
        return Answer(True, np.zeros(size), 0, 0.0, 0, impulse, own, no_rows(), np.zeros(0))
    effort = found.effort.copy()
    for k in range(effort.size):
        if effort[k] == solving.effort:
            effort[k] = solving.first_effort
    goals, start = (found.tolerance, found.acceptable, found.patience, effort), solving.start
    p, mass = contact_arrays(out, found.b, solving.sides), (out.mass_start, out.mass_offset, out.W)
    how, sweeps, _, looked = solve_evenly(p, mass, goals, start, impulse, found.share, size)
    if how in (UNSOUND, LIMITED) or how >= HANDED_OVER or looked.left != SETTLED:
        return not_settled(impulse, own, no_rows())
    # What a solve leaves at -0 is 0.
    return Answer(True, looked.change, sweeps, looked.residual, sweeps * found.hit.size, impulse + 0.0, own, no_rows(),
                  np.zeros(0))  # fmt: skip
