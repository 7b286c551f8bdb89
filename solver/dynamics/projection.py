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
from ..mechanisms import off
from ..methods.counted import improve_within
from ..options import changed
from ..problems.islands import body_islands
from ..residuals import block_residuals
from . import rotation
from .contact_step import columns_of_step, contact_step
from .report_kernels import NEWLY_DEEP, deep_islands
from .rigid import moved


def deep_limits(settings):
    """What report_kernels.deep_islands takes; None where no overlap is closed at the end of steps: methods that split
    no loads, and other treatments than "soft"."""
    most = getattr(settings.method_options, "even_loads", 0)
    if settings.overlap != "soft" or most == 0 or off("penetration_correction"):
        return None
    return settings.overlap_tolerance, int(most), 0.5 * settings.time_step


def closed_at_end(model, there, after, solution, settings):
    """(State after, StepSolution) with overlap closed by positions alone; there: the State where contacts were found.

    All of it under the treatment "projection"; under "soft" that of islands in which it is deep, see deep_limits.
    """
    wanted, limits = None, deep_limits(settings)
    if limits is not None:
        poses = (there.position, there.orientation), (after.position, after.orientation)
        wanted = deep_islands(model.bodies, columns_of_step(solution.step), solution.islands.of_block, limits, *poses)
    if settings.overlap != "projection" and (wanted is None or not wanted.any()):
        return after, solution
    closed = projected(model, after, settings, wanted, np.inf if wanted is None else limits[1])
    changes = (closed.position != after.position).any(axis=1) | (closed.orientation != after.orientation).any(axis=1)
    if not changes.any():
        return after, solution
    contacts = solution.step.contacts
    opened = (contacts.gap < 0.0) & (changes[contacts.body_a] | changes[contacts.body_b])
    settings.events.some("penetration_correction", model, contacts, opened)
    return closed, changed(solution, motion=solution.motion + shift_between(after, closed) / (after.time - there.time))


def shift_between(before, after):
    """Displacements (R,6) [m, rad] from one State to another."""
    shift = np.zeros_like(before.twist)
    shift[:, :3] = after.position - before.position
    back = before.orientation * (1.0, -1.0, -1.0, -1.0)
    shift[:, 3:] = rotation.rotation_vector(rotation.multiply(after.orientation, back))
    return shift


def projected(model, state, settings, wanted=None, most=np.inf):
    """Return `state` with its overlap removed: positions and orientations change, nothing else.

    Overlap below settings.overlap_tolerance of the smaller body is let be, and so is an island without any other. What
    eight rounds leave stays for the next step, whose StepReport says how deep it is. wanted (R,) bool: only islands
    with one of these bodies and at most so many contacts, `most`, are looked at, and those without an answer, or
    out of which a body would fly, are left, and what is not NEWLY_DEEP times as deep; None: all are looked at.
    """
    still, let_be = np.zeros_like(state.twist), settings.overlap_tolerance * (1.0 if wanted is None else NEWLY_DEEP)
    # The gap is linearised: what is left, or new, goes in another round.
    for _ in range(8):
        contacts = find_contacts(
            model.collision, state.position, state.orientation, still, 0.0, workers=settings.workers
        )
        deep = -contacts.gap > let_be * smaller_size(model, contacts)
        label = body_islands(model.inverse_mass, contacts.body_a, contacts.body_b)
        of_contact = _island_of(model, label, contacts)
        moves = (model.inverse_mass > 0) & np.isin(label, of_contact[deep])
        if wanted is not None:
            few = np.bincount(of_contact, minlength=len(label)) <= most
            moves &= np.isin(label, label[wanted]) & few[label]
        if not np.any(moves):
            break
        contacts = chosen(contacts, moves[contacts.body_a] | moves[contacts.body_b])
        shift, left = _displacement(model, state, contacts, label, settings)
        if wanted is not None:
            way = np.linalg.norm(shift[:, :3], axis=1) / model.size + np.linalg.norm(shift[:, 3:], axis=1)
            moves &= ~np.isin(label, (*left, *label[way > settings.largest_push]))
            # The square of what little bodies move by, which the linear gap lacks, is let be.
            wanted = moves & (way**2 > settings.overlap_tolerance)
        position, orientation = moved(state, shift, 1.0)
        state = replace(
            state, position=np.where(moves[:, None], position, state.position),
            orientation=np.where(moves[:, None], orientation, state.orientation),
        )  # fmt: skip
        if wanted is not None and not np.any(wanted):
            break
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
    # The judge's residual may be above the one that ended a solve by round-off.
    return shift, own[block_residuals(problem, impulse) > 2.0 * tolerance]
