"""Which deformable bodies make a step in parts: struck so fast that thin ones would be passed through, drifted into
others, crossed by waves, turned far or inside out."""

import numpy as np

from ...dynamics.elastic.nodes import rigid_part, with_looseness
from ...dynamics.elastic.schemes import touch_kernels as kernels
from ...dynamics.elastic.surface_search import find
from ...problems.islands import body_islands
from ..body_form import body_form
from ..body_groups import OF_THICKNESS
from .late_contacts import LATE

# Parts of a step at most that are made for what is struck fast: a sheet of 4 mm at 80 m/s, in steps of 10 ms.
FINEST = 512
# Parts of a step at most that are made for bodies that would drift into each other or inside out.
MOST_DRIFTED = 64
# Part of a body's radius that a wave may cross in a part of a step: its energy is kept to about a tenth then.
CROSSED = 0.35
# Parts of a step at most for waves; and radii that a wave crosses in a step from which on no parts would resolve it: a
# blow takes the energy of such a body, as it takes a rigid one's.
MOST_WAVES, UNRESOLVED = 8, 16.0
# Contacts whose gap would close in so many steps; blows of less than what gravity gives in so many steps, or of less
# than this part of the wave's speed (the strain they make), are too weak to divide a step for.
APPROACH, FALLS, WEAK = 1.5, 3.0, 1e-3
# Angle [rad] by which a body may turn in a part of a step: it is drawn out by an eighth of its square halfway.
TURNED = 0.25
# Parts of a step at most that are made for elements that it turns inside out.
MOST_TURNED = 16


def thickness_of(model):
    """Thickness (R,) [m] of rigid bodies and (N,) of deformable ones at their nodes, where they are thick twice their
    radius; infinite inside."""
    rigid = np.where(model.soft, np.inf, body_form(model.collision).thickness)
    at_nodes = np.full(int(model.node_start[-1]), np.inf)
    for number in np.flatnonzero(model.soft):
        surface = model.surfaces[number]
        whole = 2.0 * model.elastic[number].radius
        at_nodes[model.node_start[number] + surface.nodes] = np.minimum(surface.thickness, whole)
    return rigid, at_nodes


def closing_speeds(model, search, position, twist, velocity):
    """How fast (C,) [m/s] the contacts of a Search close; position (R,3), twist (R,6) of rigid bodies, velocity (N,3)
    of nodes."""
    closing = np.empty(search.contacts.count)
    kernels.closing(search.contacts[:5], *search.stencils, model.node_start, velocity, (position, twist, model.soft),
                    closing)  # fmt: skip
    return closing


def struck_fast(model, search, closing, thickness, h):
    """Bodies (R,) that close by more than OF_THICKNESS of where they meet within a step of h [s], at the contacts of a
    Search; closing (C,) [m/s]: see closing_speeds; thickness: see thickness_of."""
    contacts, least = search.contacts, np.empty(len(closing))
    fast = np.zeros(model.body_count, dtype=bool)
    kernels.least_thickness(contacts[:2], search.stencils.node, model.node_start, *thickness, least)
    struck = (contacts.gap <= h * closing) & (h * closing > OF_THICKNESS * least)
    fast[contacts.body_a[struck]] = fast[contacts.body_b[struck]] = True
    return fast


def passed_straight(model, state, twist, velocity, time, thickness, settings, coupled, known=None):
    """(bodies (R,) bool that go into others by more than OF_THICKNESS of where they meet, where all goes straight on
    from a State for `time` [s], or that are `known` (R,); pairs (P,2) of bodies that something joins or whose boxes
    meet in it).

    twist (R,6) of rigid bodies, velocity (N,3) of nodes; thickness: see thickness_of. Both halves of a step are
    straight: the filter's velocities take along what a contact had stopped, and those of the end may be any.
    """
    fastest = max(float(np.sqrt((velocity**2).sum(axis=1).max())), float(np.abs(twist[:, :3]).max()))
    thinnest = min(part.min(initial=np.inf) for part in thickness)
    known = np.zeros(model.body_count, dtype=bool) if known is None else known
    if not known.any() and time * fastest <= OF_THICKNESS * thinnest:
        return known, coupled
    twist, node_speed = twist.copy(), np.zeros(model.body_count)
    for number in np.flatnonzero(model.soft):
        body, span = model.elastic[number], model.span(number)
        twist[number], node_speed[number] = with_looseness(body, state.nodes.position[span], velocity[span])
    search = find(model, state.position, state.orientation, twist, state.nodes.position, velocity, node_speed, time,
                  settings.workers, coupled, settings.memory)  # fmt: skip
    closing = closing_speeds(model, search, state.position, twist, velocity)
    fast = known | struck_fast(model, search, closing, thickness, time)
    return fast, np.concatenate([search.pairs, coupled])


def drifted_in(model, search, state, there, h, parts):
    """Bodies (R,) bool that drifted into others before contacts were known, in a step of h [s], one of `parts`: at
    the start of a run, or where a longer step follows than was foreseen. state: before the drift; there: after it."""
    contacts, inside = search.contacts, np.zeros(model.body_count, dtype=bool)
    if parts >= MOST_DRIFTED or contacts.count == 0:
        return inside
    closing = closing_speeds(model, search, there.position, state.twist, there.nodes.velocity)
    least = LATE * np.minimum(model.size[contacts.body_a], model.size[contacts.body_b])
    deep = np.minimum(-contacts.gap, 0.5 * h * closing) > least
    inside[contacts.body_a[deep]] = inside[contacts.body_b[deep]] = True
    return inside


def wave_parts(model, search, closing, node_speed, h):
    """Into how many parts (R,) a step of h [s] is to be divided for deformable bodies that something strikes, or that
    rebound from it: waves have to cross them in several, or the step takes the energy of the blow.

    closing (C,) [m/s]: see closing_speeds; node_speed (R,) [m/s]: of nodes relative to the body's rigid motion.
    """
    contacts, count = search.contacts, np.ones(model.body_count, dtype=np.int64)
    speed = np.maximum(closing, 0.0) + node_speed[contacts.body_a] + node_speed[contacts.body_b]
    fall = FALLS * h * float(np.linalg.norm(model.gravity))
    meets = (contacts.gap < APPROACH * h * speed) & (speed > fall)
    for number in np.flatnonzero(model.soft):
        wave, radius = model.elastic[number].wave_speed, model.elastic[number].radius
        own = meets & ((contacts.body_a == number) | (contacts.body_b == number)) & (speed > WEAK * wave)
        if own.any() and h * wave < UNRESOLVED * radius:
            count[number] = min(MOST_WAVES, int(np.ceil(h * wave / (CROSSED * radius))))
    return count


def turned_inside_out(model, done, h):
    """Bodies (R,) with elements that a step of h [s] turned inside out, none of which was before; done: (Solved,
    Island, bodies) of the islands. What a blade holds may stretch around it meanwhile until it slips through, and what
    lies on a floor may have no way back."""
    turned = np.zeros(model.body_count, dtype=bool)
    for solved, island, bodies in done:
        for part in solved.parts:
            start = island.nodes.position[island.spans[part.number]]
            turned[bodies[part.number]] = _turns(part.body, start, part.position(h))
    return turned


def turned_in_the_middle(model, starts):
    """Bodies (R,) that turn too far in a step, or with elements that are inside out in its middle, where contacts are
    found, and were not at its start: surfaces of these do not know where out is; starts: MidpointPart of each
    deformable body."""
    turned = np.zeros(model.body_count, dtype=bool)
    for number, part in starts.items():
        turned[number] = _turns(part.body, part.x, part.y)
        # Nodes go straight, which draws out what turns; bodies of a few modes turn as a whole.
        if part.body.reduced is None:
            spin = rigid_part(part.body, part.x, part.u)[3:]
            turned[number] |= part.h * np.linalg.norm(spin) > TURNED
    return turned


def _turns(body, before, after):
    # Elements of a reduced body do not act.
    return body.reduced is None and body.least_stretch(after) <= 0.0 < body.least_stretch(before)


def counts_of_components(able, pairs, wanted):
    """The largest of wanted (R,) in the component of each body that is able (R,) to move: bodies whose boxes meet
    within the step (pairs (P,2)), directly or through others; 1 for the others."""
    label = body_islands(able, pairs[:, 0], pairs[:, 1])
    count, moves = np.ones(len(able), dtype=np.int64), able > 0
    most = np.ones(int(label.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, label[moves], wanted[moves])
    count[moves] = most[label[moves]]
    return count
