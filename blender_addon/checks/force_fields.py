"""Force fields: Blender does not tell an extension their force at a place, so they move no body of ours."""

from ...solver.base.wording import counted
from .base import WARNING, Check, Finding

# What a field may be there for instead.
MOVED = {"CLOTH", "SOFT_BODY", "PARTICLE_SYSTEM", "FLUID", "DYNAMIC_PAINT"}


def unfelt_fields(scene):
    """Force fields of a scene in which nothing that Blender simulates feels them; a Soft Body that was taken over is
    off."""
    others = (one for ob in scene.objects for one in ob.modifiers if one.show_viewport)
    if any(one.type in MOVED for one in others):
        return []
    return [ob for ob in scene.objects if ob.field is not None and ob.field.type != "NONE"]


def find(scan):
    """Yield a Finding for every field, where nothing else of the scene feels it."""
    if not any(subject.dynamic for subject in scan.subjects.values()):
        return
    yield None
    for ob in unfelt_fields(scan.scene):
        kind = ob.field.bl_rna.properties["type"].enum_items[ob.field.type].name
        text = f"is a force field ({kind}), which moves no body here: animate a Passive body that pushes instead"
        yield Finding((ob.name,), text, WARNING)


def take_off(_scene, objects, _scan):
    """Make them no fields; the objects stay."""
    for ob in objects:
        ob.field.type = "NONE"
    return f"{counted(len(objects), 'force field')} taken off"


CHECK = Check("force_fields", "Force fields", find, "Take Off", take_off)
