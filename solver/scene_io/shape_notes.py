"""Sentences for the run's report about shapes and moments of inertia: one for all bodies of which the same is said."""

import numpy as np

from ..base.wording import listed

# By what part of the largest moment of inertia the other two may fall short of it.
ROUNDED = 1e-6


def said_together(found):
    """Sentences from (name, what is said of it) pairs, in order of first mention."""
    names: dict[str, list[str]] = {}
    for name, phrase in found:
        names.setdefault(phrase, []).append(name)
    return [f"{listed(bodies)}: {phrase}" for phrase, bodies in names.items()]


def shape_notes(scene):
    """What the shapes of a Scene say of themselves: repairs and their errors, meshes that go through themselves."""
    found = []
    for body in scene.bodies:
        parts = body.shape.parts if body.shape.type == "compound" else ()
        for shape in [body.shape, *(part.shape for part in parts)]:
            if shape.type == "mesh":
                found += [(body.name, note) for note in shape.notes()]
    return said_together(found)


def inertia_notes(scene):
    """Moments of inertia of a Scene that no body has, because the largest is more than the others together; they are
    simulated as they are given."""
    found = []
    for body in scene.bodies:
        if body.inertia is None:
            continue
        given = np.asarray(body.inertia, dtype=float)
        moments = np.linalg.eigvalsh(given) if given.ndim == 2 else np.sort(given)
        if moments[0] + moments[1] < (1.0 - ROUNDED) * moments[2]:
            text = ", ".join(f"{moment:.3g}" for moment in moments)
            found.append((body.name, f"no body has moments of inertia of {text} kg m^2, the largest is more than the "
                          "others together; taken as given, correct them if a real body is meant"))  # fmt: skip
    return said_together(found)


def shape_counts(scene):
    """How many bodies have a shape of each type."""
    types = [body.shape.type for body in scene.bodies]
    return {kind: types.count(kind) for kind in dict.fromkeys(sorted(types))}
