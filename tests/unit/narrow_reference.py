"""Independent references for the narrow phase tests: the Minkowski difference built as a hull by Qhull."""

import numpy as np
from scipy.spatial import ConvexHull

from stiction.solver.collision.pipeline import find_contacts, prepare

UNTURNED = (1.0, 0.0, 0.0, 0.0)


def rotation(q):
    """Rotation matrix of a unit quaternion, by the action on the basis (not the formula of the package)."""
    w, v = q[0], np.asarray(q[1:])
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def turned(axis, angle):
    """Quaternion of a turn about an axis."""
    axis = np.asarray(axis, dtype=float)
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * axis / np.linalg.norm(axis))])


def random_quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def contacts_of(shapes, positions, orientations=None, twists=None, h=0.01, **options):
    """ContactSet of movable bodies given by the poses of their centres of mass."""
    count = len(shapes)
    centers = np.array([shape.mass_properties().center for shape in shapes])
    model = prepare(tuple(shapes), centers, np.ones(count, bool))
    turns = [UNTURNED] * count if orientations is None else orientations
    twist = np.zeros((count, 6)) if twists is None else np.asarray(twists, dtype=float)
    return find_contacts(model, np.asarray(positions, dtype=float), np.asarray(turns, dtype=float), twist, h, **options)


def triangle_nearest(a, b, c):
    """Point of triangle abc nearest the origin, by trying all its features."""
    best = min((a, b, c), key=lambda p: p @ p)
    for p, q in ((a, b), (b, c), (c, a)):
        t = -(p @ (q - p)) / ((q - p) @ (q - p))
        if 0 < t < 1 and (p + t * (q - p)) @ (p + t * (q - p)) < best @ best:
            best = p + t * (q - p)
    n = np.cross(b - a, c - a)
    foot = n * (n @ a) / (n @ n)
    sides = [np.cross(q - p, foot - p) @ n for p, q in ((a, b), (b, c), (c, a))]
    if min(sides) > 0 and foot @ foot < best @ best:
        best = foot
    return best


def signed_distance(points_a, points_b):
    """(distance, unit direction from a to b) of two hulls; negative: the least translation that parts them."""
    difference = (points_b[None, :, :] - points_a[:, None, :]).reshape(-1, 3)
    hull = ConvexHull(difference)
    offsets = hull.equations[:, 3]
    if (offsets < 0).all():
        face = np.argmax(offsets)
        # b must move by -offset along the face's inward normal reversed: away from a.
        return offsets[face], -hull.equations[face, :3]
    # Only a facet that the origin sees can hold the nearest point.
    nearest = min((triangle_nearest(*difference[s]) for s in hull.simplices[offsets >= 0]), key=lambda p: p @ p)
    distance = np.linalg.norm(nearest)
    return distance, nearest / distance
