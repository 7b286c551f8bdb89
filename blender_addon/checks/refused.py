"""Everything else that a bake refuses, in its own words: bodies, and time that is stretched."""

from ...solver.base.refusal import SceneError
from ...solver.base.wording import counted
from ..exporting.reader import refuse_stretched_time
from ..exporting.shape_choice import BRANCHES
from . import constrained
from .base import REFUSED, Check, Finding
from .forms.by_worker import said_of
from .forms.unmeshed import SURFACES
from .open_mesh import lies_flat
from .posed import NOTHING, deforming
from .shear import CHANGES
from .unanimated import grows
from .unlikely import CRUSHED

# What other checks say better.
ELSEWHERE = (BRANCHES, "is no solid", "shears it", "disabled in the viewport", "is linked from", *constrained.SIGNS)


def find(scan):
    """Yield a Finding for every body that the export refuses and no other check speaks of."""
    for ob, subject in scan.objects():
        if subject.refusal and not _said_elsewhere(ob, subject):
            yield Finding((subject.name,), subject.refusal.partition(": ")[2], REFUSED)
    name, text = said_of(scan.subjects, scan.scene)
    if name and not any(words in text for words in (CHANGES, CRUSHED)):
        yield Finding((name,), text, REFUSED)


def _said_elsewhere(ob, subject):
    return (
        any(words in subject.refusal for words in ELSEWHERE) or lies_flat(ob, subject) or subject.instances
        or ob.type in SURFACES or (NOTHING in subject.refusal and deforming(ob))
        or ("leaves no volume" in subject.refusal and grows(ob))
    )  # fmt: skip


def remove(_scene, objects, _scan):
    """Take the objects out of the simulation."""
    for ob in objects:
        ob.stiction.type = "NONE"
    return f"{counted(len(objects), 'object')} taken out of the simulation"


CHECK = Check("refused", "Cannot be simulated", find, "Take Out of the Simulation", remove)


def find_stretched(scan):
    """Yield a Finding, at the first body, where Blender plays a frame's keys at another frame."""
    try:
        refuse_stretched_time(scan.scene)
    except SceneError as error:
        for name in list(scan.subjects)[:1]:
            yield Finding((name,), str(error).partition(": ")[2], REFUSED)


def play_unstretched(scene, _objects, _scan):
    """Set what Time Stretching makes of a span of frames to that span."""
    scene.render.frame_map_new = scene.render.frame_map_old
    return "Time Stretching is off"


STRETCHED = Check("stretched", "Time Stretching", find_stretched, "Switch Time Stretching Off", play_unstretched)
