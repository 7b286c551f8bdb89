"""Bodies of a reading that begin partly below an open ground: said of a bake that no check went before."""

import numpy as np

from ....solver.base.refusal import SceneError
from ....solver.base.wording import as_length
from ...base.geometry import bounds_of
from ...exporting.assembly import Maker
from ...joints.apart import NOBODY, beside, read_apart
from ..scan import MOST_TRIANGLES, ShapeFacts, Subject
from .pairs import candidates, overlap, part_at_once

# Sentences on so many bodies; of the others their number.
MOST_SAID = 10
REMEDY = "Separate, below Checks in the panel, brings out what begins there"


def sunk_steps(reading):
    """Generator that looks at one body or pair after another; returns sentences, one for every body of a SceneReading
    that crosses an open surface which does not move freely. What the solver refuses is left to its sentence."""
    maker, known = Maker(reading.unit, reading.meshes, reading.fps), {}
    apart = beside(read_apart(reading.joints) | set(reading.excluded_pairs))
    moving = [one for one in reading.bodies if one.dynamic]
    boxes = [_bounds(one, reading) for one in moving]
    grounds = []
    for one in reading.bodies:
        if one.dynamic or not one.mesh or len(reading.meshes[one.mesh][1]) > MOST_TRIANGLES:
            continue
        # Most begin where no ground is near, or stand on it: nothing is made of either then.
        box = _bounds(one, reading)
        if not all(part_at_once(box, other) for other in boxes):
            subject = _subject(maker, one, known, apart, ground=True)
            if subject is not None:
                grounds.append(subject)
            yield None
    if not grounds:
        return []
    found = []
    for one, box in zip(moving, boxes, strict=True):
        if not all(part_at_once(box, ground.bounds) for ground in grounds):
            subject = _subject(maker, one, known, apart)
            for pair in candidates([subject, *grounds]) if subject is not None else ():
                depth = overlap(*pair)
                if depth:
                    found.append(f"object {one.name!r}: {overlap_text(pair[1], depth)}; {REMEDY}")
                yield None
    more = len(found) - MOST_SAID
    return found if more <= 1 else [*found[:MOST_SAID], f"{more} more bodies overlap an open surface; {REMEDY}"]


def overlap_text(other, depth):
    """What is said of a body that overlaps the Subject `other` by so much [m]."""
    return f"overlaps {other.name!r} by about {as_length(depth)} at the first frame"


def _subject(maker, one, known, apart, ground=False):
    """The Subject of a BodyReading; None where the solver will refuse it, its surface is too large to look at, or it is
    closed and a `ground` is wanted. apart: {name: names of those it never touches}."""
    try:
        shape = maker.shape(one)
        facts = known.setdefault(id(shape), ShapeFacts(shape))
        if facts.large or (ground and not facts.open):
            return None
        body, _ = maker.body(one)
    except SceneError:
        return None
    return Subject(one.name, one.dynamic, body, facts=facts, apart=apart.get(one.name, NOBODY))


def _bounds(one, reading):
    """Lowest and highest corner (2,3) [m] of a body's own mesh; of everything for a compound, which has none."""
    if not one.mesh:
        return np.array([[-np.inf] * 3, [np.inf] * 3])
    places = (reading.meshes[one.mesh][0] @ one.matrix[:3, :3].T + one.matrix[:3, 3]) * reading.unit
    return bounds_of(places)
