"""Looking ahead at a quiet step, and along its solved motion: whether anything else is to be done.

Each says no only where step_review.py and impulses.py, which look pair by pair, would find nothing.
"""

import numpy as np

from ...dynamics.step_kernels import match, moved_beyond_search, relative_travels, smaller_moving
from ...jit import inner
from ..quiet_bounds import locked, moved_apart, none_turns, parting, quiet_ahead, turn_bound, way_bound
from .search import boxes_near, contacts_of, deeper


@inner
def contacts_at(search, poses, twist, h, known):
    """(ContactSet of bodies that move on for h [s] from poses (R,3), (R,4), whether all boxes are finite, the Known
    after it)."""
    place, pairs, lost = boxes_near(search, poses, twist, h, search.inflation)
    contacts, after = contacts_of(search, place, poses[1], pairs, h, -1.0, known, True)
    return contacts, lost < 0, after


@inner
def pairs_of(search, pairs, contacts, mask):
    """Those of pairs (P,2) of colliders, in the order of bodies, whose bodies have one of the contacts in mask (C,)."""
    found, count, k = np.empty_like(pairs), 0, 0
    for p in range(len(pairs)):
        a, b = search.geometry.body[pairs[p, 0]], search.geometry.body[pairs[p, 1]]
        while k < mask.size and (contacts.body_a[k] < a or (contacts.body_a[k] == a and contacts.body_b[k] < b)):
            k += 1
        q, met = k, False
        while q < mask.size and contacts.body_a[q] == a and contacts.body_b[q] == b:
            met = met or mask[q]
            q += 1
        if met:
            found[count, 0], found[count, 1] = pairs[p, 0], pairs[p, 1]
            count += 1
    return found[:count].copy()


@inner
def deepens(search, bounds, after, contacts, moved, known):
    """Whether a pair of bodies whose contacts `moved` (C,) lies in each other at the end of the step by more than what
    is no new overlap; after: poses and twist there."""
    position, orientation, twist = after
    place, pairs, lost = boxes_near(search, (position, orientation), np.zeros_like(twist), 0.0, search.none)
    if lost >= 0:
        return True
    suspects = pairs_of(search, pairs, contacts, moved)
    return deeper(search, place, orientation, suspects, bounds.allowed, bounds.again, known)


@inner
def depth_at_end(search, after, contacts, deep, known):
    """How deep [m] bodies of the contacts `deep` (C,) are in each other at the end of the step; after: poses and twist
    there."""
    position, orientation, twist = after
    place, pairs, _ = boxes_near(search, (position, orientation), np.zeros_like(twist), 0.0, search.none)
    suspects = pairs_of(search, pairs, contacts, deep)
    found, _ = contacts_of(search, place, orientation, suspects, 0.0, -1.0, known, False)
    return max(0.0, -found.gap.min()) if found.gap.size > 0 else 0.0


@inner
def unsearched_pairs(world, at, twist, astray, pairs):
    """Those of pairs (P,2) of colliders with a body `astray` (R,) that no search covers now that they move with `twist`
    (R,6), see relative.unsearched."""
    count, body = len(pairs), world.search.geometry.body
    a, b, travel = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
    for p in range(count):
        a[p], b[p] = body[pairs[p, 0]], body[pairs[p, 1]]
    size, found, used = world.bodies.size, np.empty_like(pairs), 0
    relative_travels(size, at.position, twist - at.before, world.times.horizon, a, b, travel)
    for p in range(count):
        apart = travel[p] > world.bounds.margin * min(size[a[p]], size[b[p]])
        if apart and (astray[a[p]] or astray[b[p]]):
            found[used, 0], found[used, 1] = pairs[p, 0], pairs[p, 1]
            used += 1
    return found[:used]


@inner
def meets_late(world, at, contacts, twist, astray, known):
    """Whether bodies `astray` (R,), which their impulses sent where no search covers, come to overlap there by more
    than they may, see impulses._late_contacts."""
    search, h = world.search, world.times.horizon
    place, pairs, lost = boxes_near(search, (at.position, at.orientation), twist, h, search.inflation)
    if lost >= 0:
        return True
    pairs = unsearched_pairs(world, at, twist, astray, pairs)
    found, _ = contacts_of(search, place, at.orientation, pairs.copy(), h, -1.0, known, False)
    source = np.empty(found.gap.size, np.int64)
    match(contacts, found, source)
    later, now = parting(found, twist, at.position), parting(contacts, twist, at.position)
    for k in range(source.size):
        before = 0.0
        if source[k] >= 0:
            before = min(0.0, contacts.gap[source[k]] + h * now[source[k]])
        if found.gap[k] + h * later[k] < before - world.bounds.late * smaller_moving(world.bodies, found, k):
            return True
    return False


@inner
def turn_together(world, position, orientation, twist, off):
    """Whether two bodies whose boxes come near turn further off their paths, off (R,) [m], than they may overlap."""
    search, allowed, body = world.search, world.bounds.allowed, world.search.geometry.body
    _, pairs, lost = boxes_near(search, (position, orientation), twist, 1.5 * world.times.step, search.none)
    far = lost >= 0
    for p in range(len(pairs)):
        a, b = body[pairs[p, 0]], body[pairs[p, 1]]
        far = far or not off[a] + off[b] <= min(allowed[a], allowed[b])
    return far


@inner
def unseen(world, now):
    """Whether the way of a body to the middle of the step is one that no search has covered: at a start, after a
    shorter step."""
    begins = now.horizon.size == 0
    for i in range(now.horizon.size):
        begins = begins or now.horizon[i] < 0.5 * (1.0 - 1e-9) * world.times.step
    return begins


@inner
def fly_through(world, now, off, leads, fly):
    """Whether two bodies may meet and pass each other where no search has covered their way, see step_review._flying;
    off (R,) [m]: how far they turn off their paths in a step; leads: whether a surface may be led into another one;
    fly: the least way [m] that matters."""
    bounds, h, count = world.bounds, world.times.step, now.twist.shape[0]
    way, fast, begins = np.empty(count), np.empty(count, np.bool_), leads or unseen(world, now)
    thickness, allowed = bounds.thickness, bounds.allowed
    if leads:
        thickness, allowed = np.minimum(thickness, bounds.unseen), np.minimum(allowed, bounds.unseen)
    for i in range(count):
        way[i] = way_bound(bounds.reach, now.twist, i, 0.5 * h)
        unknown = begins or off[i] > bounds.turns * bounds.allowed[i] or world.bodies.inverse_mass[i] == 0.0
        fast[i] = way[i] > fly and unknown
    if not fast.any():
        return False
    now_there = now.position, now.orientation, now.twist
    return pass_through(world, now_there, 0.5 * h, (fast, way, thickness, allowed), now.known)


@inner
def pass_through(world, there, h, bounds, known):
    """Whether bodies come deeper into each other in h seconds than they may, on ways longer than one of them is thick;
    there: poses and twist; bounds: which bodies (R,) count, how far each moves, is thick and may overlap [m]."""
    search, (place, orientation, twist), (some, way, thickness, allowed) = world.search, there, bounds
    body = search.geometry.body
    at, pairs, lost = boxes_near(search, (place, orientation), twist, h, search.inflation)
    thin, used = np.empty_like(pairs), 0
    for p in range(len(pairs)):
        a, b = body[pairs[p, 0]], body[pairs[p, 1]]
        if (some[a] or some[b]) and not way[a] + way[b] <= min(thickness[a], thickness[b]):
            thin[used, 0], thin[used, 1] = pairs[p, 0], pairs[p, 1]
            used += 1
    if lost >= 0 or used == 0:
        return lost >= 0
    found, _ = contacts_of(search, at, orientation, thin[:used].copy(), h, -1.0, known, False)
    speed, through = parting(found, twist, place), False
    for k in range(speed.size):
        most = min(allowed[found.body_a[k]], allowed[found.body_b[k]])
        through = through or (speed[k] < 0.0 and not found.gap[k] + h * speed[k] >= -most)
    return through


@inner
def strays_ahead(world, now):
    """Whether bodies would turn or fly too far in the coming step, see step_review.look_ahead."""
    bounds, h = world.bounds, world.times.step
    # A surface may be led into another one where no search has covered its way.
    leads = world.search.surfaces and unseen(world, now)
    fly = min(bounds.fly, 0.5 * bounds.unseen.min()) if leads else bounds.fly
    if quiet_ahead(bounds.reach, now.twist, 1.5 * h, bounds.turn, fly):
        return False
    off = np.empty(now.twist.shape[0])
    for i in range(off.size):
        off[i] = turn_bound(bounds.reach, now.twist, i, h)
    turns = turn_together(world, now.position, now.orientation, now.twist, off)
    return turns or fly_through(world, now, off, leads, fly)


@inner
def strays_after(world, contacts, start, twist, after):
    """Whether bodies that met, or are near each other, turned further off their paths than they may overlap."""
    bounds, h = world.bounds, world.times.step
    if none_turns(bounds.reach, start, twist, h, bounds.turn):
        return False
    off = np.empty(twist.shape[0])
    for i in range(off.size):
        off[i] = max(turn_bound(bounds.reach, start, i, h), turn_bound(bounds.reach, twist, i, h))
    for k in range(contacts.gap.size):
        a, b = contacts.body_a[k], contacts.body_b[k]
        if not off[a] + off[b] <= min(bounds.allowed[a], bounds.allowed[b]):
            return True
    return turn_together(world, after[0], after[1], after[2], off)


@inner
def searched_enough(world, contacts, at, twist, known):
    """Whether bodies meet nothing new with the velocities twist (R,6) of the solution; at: Places."""
    astray = moved_beyond_search(world.bodies, at.before, twist, world.times.horizon, world.bounds.margin)
    return not (astray.any() and meets_late(world, at, contacts, twist, astray, known))


@inner
def led_astray(world, at, twist, motion, after, known):
    """Whether bodies that `motion` (R,6), otherwise than the velocities twist (R,6) of the solution, takes to where no
    search covers turn off their paths, pass through others, or lie in them at the end by more than what is no new
    overlap; after: poses and twist there."""
    bodies, times, margin, search = world.bodies, world.times, world.bounds.margin, world.search
    bounds, remaining = world.bounds, times.step - times.elapsed
    searched = at.before
    if moved_beyond_search(bodies, searched, twist, times.horizon, margin).any():
        searched = twist
    astray = moved_beyond_search(bodies, searched, motion, remaining, margin)
    if not astray.any():
        return False
    if not none_turns(bounds.reach, motion, motion, remaining, bounds.turn):
        return True
    way = np.empty(astray.size)
    for i in range(way.size):
        way[i] = way_bound(bounds.reach, motion, i, remaining)
    moved = at.position, at.orientation, motion
    if pass_through(world, moved, remaining, (astray, way, bounds.thickness, bounds.allowed), known):
        return True
    place, pairs, lost = boxes_near(search, (after[0], after[1]), np.zeros_like(motion), 0.0, search.none)
    suspects, used = np.empty_like(pairs), 0
    for p in range(len(pairs)):
        if astray[search.geometry.body[pairs[p, 0]]] or astray[search.geometry.body[pairs[p, 1]]]:
            suspects[used, 0], suspects[used, 1] = pairs[p, 0], pairs[p, 1]
            used += 1
    return lost >= 0 or deeper(search, place, after[1], suspects[:used].copy(), bounds.allowed, bounds.again, known)


@inner
def settled(world, contacts, at, twists, after, known):
    """Whether the look along the solved motion finds nothing to do: at: Places; twists: velocities (R,6) at the start
    and of the solution, and those that moved the bodies; after: poses and twist at the end; known: Known of the search.
    """
    (start, twist, motion), bodies, bounds, times = twists, world.bodies, world.bounds, world.times
    moved = np.empty(contacts.gap.size, np.bool_)
    if strays_after(world, contacts, start, twist, after):
        return False
    if locked(bodies, contacts, motion, at.position, times.step, bounds.locked).any():
        return False
    apart = moved_apart(bodies, bounds.allowed, after[0], (start, twist), contacts, times.step, bounds.grown, moved)
    if apart and deepens(world.search, bounds, after, contacts, moved, known):
        return False
    return not led_astray(world, at, twist, motion, after, known)


@inner
def all_finite(after):
    """Whether poses and twist are; a sum is finite if all of its numbers are."""
    return np.isfinite(after[0].sum() + after[1].sum() + after[2].sum())
