"""Overlay of what bodies come from, go into and are counted by."""

import numpy as np

from ..flow.reading import box_of, plane_of
from ..flow.settings import objects_of
from .strokes import Stroke, arrows, box_edges

EMITTER, SINK, COUNTER, GATE = (0.2, 0.9, 1.0, 0.9), (1.0, 0.35, 0.2, 0.9), (1.0, 0.9, 0.1, 0.9), (0.9, 0.3, 1.0, 0.9)
# Half width of the square drawn for a counter, and length of its arrow, in the size of the empty.
WIDE, LONG = 2.0, 1.0


def flow(view):
    """Boxes of emitters with the velocity they give, of sinks and gates; squares of counters with their way."""
    scene, strokes = view.scene, []
    for kind, color in (("EMITTER", EMITTER), ("SINK", SINK), ("GATE", GATE)):
        bounds = [box_of(ob) for ob in objects_of(scene, kind)]
        if bounds:
            corners = np.array(bounds)
            strokes.append(Stroke(box_edges(corners[:, 0], corners[:, 1]), color, 2.0))
    emitters = [ob for ob in objects_of(scene, "EMITTER") if np.any(ob.stiction_flow.velocity)]
    if emitters:
        start = np.array([box_of(ob).mean(axis=0) for ob in emitters])
        velocity = view.length * np.array([tuple(ob.stiction_flow.velocity) for ob in emitters])
        strokes.append(Stroke(arrows(start, velocity), EMITTER, 2.0))
    counters = objects_of(scene, "COUNTER")
    if counters:
        strokes.append(Stroke(np.concatenate([_square(ob) for ob in counters]), COUNTER, 2.0))
    return strokes


def _square(ob):
    """Segments of a counter's square and its arrow."""
    point, normal = plane_of(ob)
    matrix = np.array(ob.matrix_world, dtype=float)
    size = ob.empty_display_size if ob.type == "EMPTY" else 1.0
    x, y = (WIDE * size * matrix[:3, axis] for axis in (0, 1))
    corners = point + np.array([x + y, x - y, -x - y, -x + y])
    edges = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    return np.concatenate([edges, arrows(point[None], LONG * size * normal[None])])
