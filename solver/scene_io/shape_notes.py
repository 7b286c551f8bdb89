"""Sentences for the run's report about shapes: one for all bodies of which the same is said."""

from ..base.wording import listed


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


def shape_counts(scene):
    """How many bodies have a shape of each type."""
    types = [body.shape.type for body in scene.bodies]
    return {kind: types.count(kind) for kind in dict.fromkeys(sorted(types))}
