"""Overlap taken away by positions alone at the end of a step: the first-order world of the PROX paper.

Bodies obey M dq = J^T lambda (eq. 44), so that displacements are shared out by mass, and lambda solves
0 <= lambda  perp  J W J^T lambda + g >= 0 (eq. 49), g the gaps. It is the contact problem without friction, in metres
instead of metres a second, and every method solves it. Velocities are left alone: no kinetic energy comes of it.
"""

from dataclasses import replace

import numpy as np

from .. import methods
from ..collision.contacts import chosen
from ..collision.pipeline import find_contacts
from ..methods.counted import improve_within
from ..problems.islands import body_islands
from .contact_step import contact_step
from .rigid import moved


def projected(model, state, settings):
    """Return `state` with its overlap removed: positions and orientations change, nothing else.

    Overlap below settings.overlap_tolerance of the smaller body is let be, and so is an island without any other. What
    eight rounds leave stays for the next step, whose StepReport says how deep it is.
    """
    still = np.zeros_like(state.twist)
    # The gap is linearised: what is left, or new, goes in another round.
    for _ in range(8):
        contacts = find_contacts(
            model.collision, state.position, state.orientation, still, 0.0, workers=settings.workers
        )
        deep = -contacts.gap > settings.overlap_tolerance * smaller_size(model, contacts)
        label = body_islands(model.inverse_mass, contacts.body_a, contacts.body_b)
        moves = (model.inverse_mass > 0) & np.isin(label, _island_of(model, label, contacts)[deep])
        if not np.any(moves):
            break
        contacts = chosen(contacts, moves[contacts.body_a] | moves[contacts.body_b])
        shift = _displacement(model, state, contacts, label, settings)
        position, orientation = moved(state, shift, 1.0)
        state = replace(
            state, position=np.where(moves[:, None], position, state.position),
            orientation=np.where(moves[:, None], orientation, state.orientation),
        )  # fmt: skip
    return state


def _island_of(model, label, contacts):
    """Label (C,) of each contact's island: that of its body that moves."""
    a, b = contacts.body_a, contacts.body_b
    return label[np.where(model.inverse_mass[a] > 0, a, b)]


def smaller_size(model, contacts):
    """Size (C,) [m] of the smaller moving body of each contact."""
    size = np.where((model.inverse_mass > 0) | model.soft, model.size, np.inf)
    return np.minimum(size[contacts.body_a], size[contacts.body_b])


def _displacement(model, state, contacts, label, settings):
    """Displacements dq = W J^T lambda (R,6) [m, rad] of eq. 45 that open the contacts' gaps; label (R,): islands, each
    solved as exactly as its smallest body asks for."""
    # The step's own problem without friction, whose row velocities are the gaps after the displacement.
    still, frictionless = np.zeros_like(state.twist), replace(model, mu=np.zeros_like(model.mu))
    step = contact_step(frictionless, state.position, state.orientation, still, still, contacts)
    size = smaller_size(model, contacts)
    # Beyond a tenth of the smaller body the linear gap means little.
    problem = step.problem.with_b(np.maximum(contacts.gap, -0.1 * size))
    smallest, own = np.full(len(label), np.inf), _island_of(model, label, contacts)
    np.minimum.at(smallest, own, size)
    given = settings.method_options
    # A tenth of the overlap that is let be.
    tolerance = 0.1 * settings.overlap_tolerance * smallest[own]
    work = (np.full(len(own), getattr(given, name, 0)) for name in ("patience", "effort"))
    impulse = np.zeros(problem.row_count)
    goals = methods.Goals(tolerance, np.zeros(len(own)), *work)
    improve_within(problem, impulse, settings, goals)
    shift = np.zeros_like(state.twist)
    shift[model.inverse_mass > 0] = problem.velocity_change(impulse).reshape(-1, 6)
    return shift
