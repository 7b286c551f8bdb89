"""Imported bodies whose origin lies within them and off their middle: in Blender's own simulation it is the centre of
mass, and some were given it so that they stand up again."""

import numpy as np

from ....solver.base.wording import counted
from ..base import ADVICE, Check, Finding

# Parts of a body's size: how far an origin is off at least, and how far it may be to be well within.
OFF, WITHIN = 0.05, 0.4


def off_center(ob, geometry):
    """Whether an object's origin lies well within the bounds of its mesh, and off their middle: not at an end, where
    it is for other reasons."""
    scale = np.abs(ob.matrix_world.to_scale())
    size, off = geometry.size * scale, np.abs(geometry.center) * scale
    return bool((off < WITHIN * size).all() and off.max() > OFF * size.max())


def find(scan):
    """Yield a Finding for every such body."""
    for ob, subject in scan.objects():
        known = subject.solid is not None and subject.geometry is not None and subject.body.elastic is None
        if known and ob.rigid_body and not ob.stiction.use_inertia and off_center(ob, subject.geometry):
            text = "its origin is its centre of mass in Blender's own simulation, and not here"
            yield Finding((ob.name,), text, ADVICE)
    yield None


def weigh(_scene, objects, scan):
    """Put the centre of mass into the origins; mass and inertia stay as they are."""
    for ob in objects:
        own, subject = ob.stiction, scan.subjects[ob.name]
        inertia = subject.mass / subject.solid.volume * subject.solid.inertia
        own.use_mass, own.mass, own.use_inertia, own.center = True, subject.mass, True, (0.0, 0.0, 0.0)
        own.inertia = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return f"{counted(len(objects), 'object')} weighed about their origins"


CHECK = Check("off_center", "Origin off the middle", find, "Weigh about the Origin", weigh)
