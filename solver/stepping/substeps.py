"""Substeps: a time step is subdivided where a straight look ahead does not do, and taken back where it went wrong.

Contacts are found with straight paths, so a body that turns by an angle w h within a step h comes to lie up to
r (w h)^2 / 2 beside where it was expected, r its reach. Where that is more than a pair may overlap, both bodies are
taken out of the step, together with all that touches them, and make two steps of half the length. The same is done
afterwards with bodies that their impact made turn too fast, and with bodies that lie deeper in each other than they may
and did before. Halves are subdivided again where that is not enough. All other bodies make one step. Of a large pile
only a neighbourhood is stepped finely, see neighbourhood.py. Every decision is that of a component of bodies that may
come near each other in the step, see components.py.
"""

from dataclasses import replace

import numpy as np

from ..collision.pair_memory import PairMemory
from ..dynamics import kinematic
from .body_groups import whole_group
from .components import components, pairs_near, spread
from .neighbourhood import ends_of, work_on_driven
from .refinement import Coarse, refined, strays
from .step_parts import Part, in_classes, in_parts, together
from .step_review import FINEST, Review, look_ahead, turns_off
from .submodel import state_of


def fixed_substeps(step, count):
    """`step` in `count` equal parts for all bodies."""

    def advance(model, state, settings):
        def part(state, settings):
            return Part(*step(model, state, settings), np.zeros(model.body_count))

        return in_parts(part, state, settings, count)[:3]

    return advance if count > 1 else step


def adaptive_substeps(step):
    """`step` subdivided only where bodies need it."""
    known = []

    def advance(model, state, settings):
        if not known or known[0].model is not model:
            known[:] = [whole_group(model)]
        return _advance(step, known[0], state, settings, FINEST)[:3]

    return advance


def _advance(step, group, state, settings, room):
    """One step of a group; `room`: into how many parts it may still be subdivided."""
    state = kinematic.driven(group.model, state, settings.time_step)
    cut = np.zeros(len(group.reach), dtype=bool)
    if room > 1:
        cut = look_ahead(group, state, settings.time_step, settings.workers)
    alone = _alone(group, state, settings, cut)
    if not np.any(alone):
        return _reviewed(step, group, state, settings, room, cut)
    if np.all(alone[group.moving]):
        return _halves(step, group, state, settings, room)
    own, rest = np.flatnonzero(alone | ~group.moving), np.flatnonzero(~alone)
    apart = _apart(settings)
    fine = _halves(step, group.of(own), state_of(state, own), apart, room)
    coarse = _reviewed(step, group.of(rest), state_of(state, rest), apart, room, cut[rest])
    both = together(group, state, ((fine, own), (coarse, rest)))
    stray, a, b = strays(group, state, both.state, alone, settings, room)
    if not np.any(stray):
        return both
    # Their impact took bodies to others that were not near: the components of both are stepped together.
    label = components(group.moving, _near(group, state, settings, cut), ends_of(state.contacts), (a[stray], b[stray]))
    met = np.zeros(len(cut), dtype=bool)
    met[a[stray]] = met[b[stray]] = True
    return _reviewed(step, group, state, settings, room, cut | spread(label, met))


def _near(group, state, settings, bodies):
    return pairs_near(group, state, settings.time_step, bodies)


def _alone(group, state, settings, cut):
    """Bodies (R,) of components in which all are cut (R,): no other body is near them."""
    if not np.any(cut):
        return cut
    label = components(group.moving, _near(group, state, settings, cut), ends_of(state.contacts))
    return cut & ~spread(label, group.moving & ~cut)


def _apart(settings):
    """Settings for some of the bodies: what is remembered of all is left as it is."""
    return replace(settings, memory=PairMemory())


def _halves(step, group, state, settings, room, path=None):
    """The step of a group in two halves.

    Bodies that turn are not where a straight path takes them far ahead: they would be hit by nothing, and their
    components do not look beyond the second half.
    """
    following = settings.time_step if settings.next_step is None else settings.next_step

    def made(group, state, turning, bodies):
        own = path if path is None else path.of(bodies)
        return _both_halves(step, group, state, settings, room, None if turning else following, own)

    turning = turns_off(group, state, following)
    if not np.any(turning):
        return made(group, state, False, np.arange(len(turning)))
    label = components(group.moving, _near(group, state, settings, group.moving), ends_of(state.contacts))
    return in_classes(group, state, label, spread(label, turning), made)


def _both_halves(step, group, state, settings, room, following, path):
    def half(state, settings):
        after = _advance(step, group, state, settings, room // 2)
        if settings.next_step is None:
            return after
        # Seen further than to the second half, along a path that the impulses have bent since.
        bent = turns_off(group, after.state, settings.next_step) & (after.state.seen > 0.5 * settings.time_step)
        return _again(step, group, state, settings, room, after, bent) if np.any(bent) else after

    return in_parts(half, state, settings, 2, following, path)


def _again(step, group, state, settings, room, after, bent):
    """The Part `after` of a second half; components of bodies `bent` (R,) make it again, without looking beyond it."""
    near = _near(group, state, settings, bent)
    label = components(group.moving, near, ends_of(state.contacts), ends_of(after.state.contacts))
    bent = spread(label, bent)
    if np.all(bent[group.moving]):
        return _advance(step, group, state, replace(settings, next_step=None), room // 2)

    def made(group, state, bent, bodies):
        given = replace(_apart(settings), next_step=None if bent else settings.next_step)
        return _advance(step, group, state, given, room // 2)

    return in_classes(group, state, label, bent, made)


def _reviewed(step, group, state, settings, room, cut):
    """The step of a group in one; bodies known to need it, cut (R,), and those for which it turns out to have gone
    wrong make it again in halves if there is room."""
    review = Review(group, state, settings, room, cut)
    after, report, rows = step(group.model, state, settings, review)
    if not np.any(review.cut):
        driving = work_on_driven(group, after, review.there, ~review.cut)
        return Part(after, report._replace(unresolved=review.unresolved), rows, driving)
    if np.all(review.cut[group.moving]):
        return _halves(step, group, state, settings, room)

    def halves(inner, start, settings, room, path):
        return _halves(step, inner, start, _apart(settings), room, path)

    return refined(Coarse(group, state, settings, room, review, Part(after, report, rows, None), halves))
