"""Everything else that a bake refuses, in its own words."""

from ...solver.base.wording import counted
from . import constrained
from .base import REFUSED, Check, Finding
from .open_mesh import lies_flat

# What other checks say better.
ELSEWHERE = ("is no solid", "shears it", "disabled in the viewport", "is linked from", *constrained.SIGNS)


def find(scan):
    """Yield a Finding for every body that the export refuses and no other check speaks of."""
    for ob, subject in scan.objects():
        said = any(words in subject.refusal for words in ELSEWHERE) or lies_flat(ob, subject)
        if subject.refusal and not said:
            yield Finding((subject.name,), subject.refusal.partition(": ")[2], REFUSED)


def remove(_scene, objects, _scan):
    """Take the objects out of the simulation."""
    for ob in objects:
        ob.stiction.type = "NONE"
    return f"{counted(len(objects), 'object')} taken out of the simulation"


CHECK = Check("refused", "Cannot be simulated", find, "Take Out of the Simulation", remove)
