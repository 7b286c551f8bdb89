"""Bodies of a robot whose hulls are in each other at the start: robots are drawn so, and such pairs are let through."""

from dataclasses import replace

import numpy as np

from ..collision.pipeline import find_contacts
from ..model import compile_scene

# Overlap, as a part of the smaller body's size, from which on a pair is meant to overlap.
MEANT = 1e-3
NAMED = 5


def apart(scene):
    """The Scene, in which pairs that overlap at the start do not touch; a note names them."""
    model, state = compile_scene(scene)
    found = find_contacts(model.collision, state.position, state.orientation, np.zeros_like(state.twist), 0.0)
    size = np.minimum(model.size[found.body_a], model.size[found.body_b])
    deep = -found.gap > MEANT * size
    pairs = sorted({(int(a), int(b)) for a, b in zip(found.body_a[deep], found.body_b[deep], strict=True)})
    if not pairs:
        return scene
    names = [(model.names[a], model.names[b]) for a, b in pairs]
    said = ", ".join(f"{a} and {b}" for a, b in names[:NAMED]) + (" ..." if len(names) > NAMED else "")
    note = f"{len(names)} pairs overlap at the start and do not touch: {said}"
    return replace(scene, excluded_pairs=(*scene.excluded_pairs, *names), notes=(*scene.notes, note))
