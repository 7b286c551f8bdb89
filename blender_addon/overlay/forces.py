"""Overlays of the baked run: contacts, forces, motion. They need a run that kept its contacts."""

import numpy as np

from .strokes import Stroke, arrows, box_edges, crosses

TOUCHING, OVERLAPPING = (1.0, 0.85, 0.1, 1.0), (1.0, 0.1, 0.05, 1.0)
NORMAL, FRICTION = (0.15, 0.75, 1.0, 1.0), (1.0, 0.55, 0.1, 1.0)
CHAIN, VELOCITY, ASLEEP = (0.95, 0.2, 0.35, 1.0), (0.3, 1.0, 0.35, 1.0), (0.45, 0.5, 1.0, 1.0)
# Overlap, as a part of a body's size, that is drawn in red.
DEEP = 1e-3
# Chains are drawn in so many widths, up to the widest [pixels].
CLASSES, WIDEST = 8, 12.0
# Forces below this part of a large one are left out of the chains.
WEAK = 0.01
# What a body flies in this time [s] is its arrow.
FLIGHT = 0.15


def points(view):
    """Crosses at contacts."""
    found = view.contacts
    deep = found.gap < -DEEP * view.size
    size = 0.06 * view.size
    return [Stroke(crosses(found.position[~deep], size), TOUCHING),
            Stroke(crosses(found.position[deep], size), OVERLAPPING, 2.5)]  # fmt: skip


def normals(view):
    """Arrows of the normal forces, on the body that moves; of two that do, on the second."""
    found = view.contacts
    force = _on_moving(view, found) * view.force_length * found.normal_force[:, None] * found.normal
    return [Stroke(arrows(found.position, force), NORMAL)]


def friction(view):
    """Arrows of the friction forces, on the body that moves; of two that do, on the second."""
    found = view.contacts
    return [Stroke(arrows(found.position, _on_moving(view, found) * view.force_length * found.friction), FRICTION)]


def _on_moving(view, found):
    """1 for contacts (C,1) whose force is shown on the second body, -1 on the first."""
    fixed = np.array([motion == "static" for motion in view.record.motion])
    return np.where(fixed[found.body[:, 1]], -1.0, 1.0)[:, None]


def chain_links(record, found, row):
    """(bodies (P,2), force (P,) [N], ends (P,2,3)) of the pairs that touch: from centre to centre, and to the contacts'
    middle where a body does not move by the laws of motion (it may be a floor as wide as the scene)."""
    pair = np.sort(found.body, axis=1)
    pairs, which = np.unique(pair, axis=0, return_inverse=True)
    which = which.ravel()
    # The sum of vectors: friction of contacts that pull against each other is no load of the chain.
    on_larger = np.where(found.body[:, 1] == pair[:, 1], 1.0, -1.0)[:, None]
    total = on_larger * (found.normal_force[:, None] * found.normal + found.friction)
    force = np.linalg.norm(_summed(total, which, len(pairs)), axis=1)
    middle = _summed(found.position, which, len(pairs))
    # Where nothing touches the sums are of whole numbers, so not in place.
    middle = middle / np.maximum(np.bincount(which, minlength=len(pairs)), 1)[:, None]
    fixed = np.array([motion != "dynamic" for motion in record.motion])
    ends = record.centers(row)[pairs]
    ends = np.where(fixed[pairs][:, :, None], middle[:, None, :], ends)
    return pairs, force, ends


def _summed(values, which, count):
    """Sums (count,3) of the values (C,3) of each group."""
    return np.stack([np.bincount(which, values[:, k], count) for k in range(3)], axis=1)


def chains(view):
    """Lines between touching bodies, wider where they carry more."""
    _, force, ends = chain_links(view.record, view.contacts, view.row)
    largest = view.record.largest_pair_force
    if not largest:
        return []
    part = np.clip(force / largest, 0, 1)
    number = np.ceil(part * CLASSES).astype(int)
    widths = {k: 1.0 + (WIDEST - 1.0) * k / CLASSES for k in range(1, CLASSES + 1)}
    return [Stroke(ends[(number == k) & (part > WEAK)], CHAIN, width) for k, width in widths.items()]


def velocity(view):
    """Arrows along the velocities of the centres of mass."""
    speed, _ = view.record.velocities(view.row)
    start, way = view.record.centers(view.row)[view.chosen], FLIGHT * view.length * speed[view.chosen]
    return [Stroke(arrows(start, way), VELOCITY)]


def sleeping(view):
    """Boxes around the centres of bodies that do not move at all."""
    still = view.record.at_rest(view.row) & view.chosen
    center, half = view.record.centers(view.row)[still], 0.35 * view.record.size[still, None]
    return [Stroke(box_edges(center - half, center + half), ASLEEP)]
