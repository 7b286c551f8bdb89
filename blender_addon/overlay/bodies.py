"""Overlays of the bodies as last checked; they follow the objects as these move."""

import numpy as np

from ..checks import store
from .strokes import Stroke, arrows, crosses

DYNAMIC, FIXED = (0.2, 1.0, 0.55, 0.9), (0.65, 0.65, 0.65, 0.7)
CENTER, ALONG, ACROSS = (1.0, 1.0, 0.2, 1.0), (1.0, 0.3, 0.3, 1.0), (0.4, 0.9, 0.4, 1.0)
# Edges whose faces meet at a smaller angle than this are not drawn [cosine].
SMOOTH = np.cos(np.radians(1))
# More edges of a shape are thinned: a scan has millions.
MOST_EDGES = 5000


def outline(vertices, triangles):
    """Segments (S,2,3) of the edges at which a surface bends, or ends; vertices (V,3), triangles (T,3)."""
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    face = np.repeat(np.arange(len(triangles)), 3)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    edges, face = edges[order], face[order]
    first = np.flatnonzero(np.r_[True, (edges[1:] != edges[:-1]).any(axis=1)])
    count = np.diff(np.r_[first, len(edges)])
    partner = face[np.minimum(first + 1, len(face) - 1)]
    flat = np.einsum("ei,ei->e", normal[face[first]], normal[partner]) > SMOOTH
    drawn = edges[first[~((count == 2) & flat)]]
    return vertices[drawn[:: len(drawn) // MOST_EDGES + 1]]


def _round(radius):
    """Three circles of a sphere."""
    angle = np.linspace(0, 2 * np.pi, 33)
    ring = radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(33)], axis=1)
    rings = [ring, ring[:, [2, 0, 1]], ring[:, [1, 2, 0]]]
    return np.concatenate([np.stack([one[:-1], one[1:]], axis=1) for one in rings])


def _lines_of(subject):
    known = subject.facts.__dict__
    if "outline" not in known:
        shape = subject.body.shape
        known["outline"] = _round(shape.radius) if shape.type == "sphere" else outline(*subject.surface)
    return known["outline"]


def _shown(view):
    """(object, subject, matrix (4,4) from the body's frame [m] to the world [Blender units]) of bodies to draw."""
    for name, (subject, link) in store.last_subjects(view.scene).items():
        ob = view.scene.objects.get(name)
        if ob is None or subject.body is None or (view.only_selected and not ob.select_get()):
            continue
        # Object matrix = body pose @ offset: the pose follows the object without its mesh being read again.
        pose = np.array(ob.matrix_world, dtype=float) @ np.linalg.inv(link.offset)
        scale = np.diag([1 / store.last_unit()] * 3 + [1.0])
        yield ob, subject, pose @ scale


def _moved(matrix, points):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def shapes(view):
    """Edges of the collision shapes."""
    parts = {True: [], False: []}
    for _, subject, matrix in _shown(view):
        parts[subject.dynamic].append(_moved(matrix, _lines_of(subject)))
    return [Stroke(np.concatenate(parts[key]), color) for key, color in ((True, DYNAMIC), (False, FIXED)) if parts[key]]


def centers(view):
    """Crosses at the centres of mass."""
    solid = [(subject, matrix) for _, subject, matrix in _shown(view) if subject.solid is not None]
    found = [_moved(matrix, subject.solid.center[None]) for subject, matrix in solid]
    sizes = [subject.extents[0] / store.last_unit() for subject, _ in solid]
    segments = [crosses(point, 0.12 * size) for point, size in zip(found, sizes, strict=True)]
    return [Stroke(np.concatenate(segments), CENTER, 2.5)] if segments else []


def directions(view):
    """Arrows along the axes of friction that depends on direction: X, where Friction counts, and Y."""
    along, across = [], []
    for ob, subject, matrix in _shown(view):
        if ob.stiction.use_friction_t:
            start = _moved(matrix, subject.surface[0].mean(axis=0)[None])
            size = subject.extents[0] / store.last_unit()
            axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
            along.append(arrows(start, 0.8 * size * axes[:, 0][None]))
            across.append(arrows(start, 0.8 * size * axes[:, 1][None] * min(1.0, _ratio(ob.stiction))))
    return [Stroke(np.concatenate(found), color, 3.0) for found, color in ((along, ALONG), (across, ACROSS)) if found]


def _ratio(settings):
    """Length of the Y arrow beside that of X: as the coefficients."""
    return settings.friction_t / settings.friction if settings.friction else 1.0
