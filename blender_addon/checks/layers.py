"""Collision layers that do what nobody means: a body that meets nothing, a wish that only one side has."""

import numpy as np

from ...solver.base.wording import counted
from .base import WARNING, Check, Finding


def masks(objects):
    """(on (R,20), wants (R,20)) of the objects' switches, as integers."""
    on = np.array([list(ob.stiction.layers) for ob in objects], dtype=np.int64)
    wants = np.array([list(ob.stiction.collides_with) for ob in objects], dtype=np.int64)
    return on, wants


def find(scan):
    """Yield a Finding for every Active body that meets nothing, or that wants what does not want it."""
    objects = [ob for ob, _ in scan.objects()]
    if len(objects) < 2:
        return
    on, wants = masks(objects)
    willing = (wants @ on.T) > 0
    np.fill_diagonal(willing, False)
    mutual, one_sided = willing & willing.T, willing & ~willing.T
    for i, ob in enumerate(objects):
        if not scan.subjects[ob.name].dynamic:
            continue
        if not mutual[i].any():
            yield Finding((ob.name,), "its collision layers let it touch no other body", WARNING)
        elif one_sided[i].any():
            other = objects[int(np.flatnonzero(one_sided[i])[0])].name
            yield Finding((ob.name, other), f"collides with the layers of {other!r}, which does not want its", WARNING)


def reset(scene, objects, scan):
    """Let the objects, and those that do not want them, collide with every layer; one without gets the first."""
    both = set(objects)
    for finding in find(scan):
        both |= {scene.objects[name] for name in finding.names if scene.objects[finding.names[0]] in objects}
    for ob in both:
        ob.stiction.collides_with = [True] * len(ob.stiction.collides_with)
        if not any(ob.stiction.layers):
            ob.stiction.layers = [True] + [False] * (len(ob.stiction.layers) - 1)
    return f"{counted(len(both), 'object')} now collide{'s' if len(both) == 1 else ''} with all layers"


CHECK = Check("layers", "Collision layers", find, "Collide with All Layers", reset)
