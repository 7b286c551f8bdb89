"""Passive bodies that what the simulation moves carries along: children of Active bodies, or tied to them by
constraints and drivers. Their own way is that of the animation before a bake, in which nothing carries them."""

from ...solver.base.wording import counted
from ..joints.adding import add_joint
from ..settings.motion import is_dynamic
from .base import WARNING, Check, Finding


def _leads(ob):
    """Yield (object, what ties it) of what an object's place is told by: parents, targets of constraints, drivers."""
    if ob.parent is not None:
        yield ob.parent, "PARENT"
    for constraint in ob.constraints:
        target = getattr(constraint, "target", None)
        if target is not None and not constraint.mute and constraint.influence > 0:
            yield target, constraint
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        for target in [target for variable in driver.driver.variables for target in variable.targets]:
            if hasattr(target.id, "stiction"):
                yield target.id, driver


def carrier(ob):
    """The Active body that carries a Passive one, or None."""
    seen, open_ends = {ob}, [ob] if ob.stiction.type == "PASSIVE" else []
    while open_ends:
        for lead, _ in _leads(open_ends.pop()):
            if lead.stiction.type != "NONE" and is_dynamic(lead.stiction):
                return lead
            if lead not in seen:
                seen.add(lead)
                open_ends.append(lead)
    return None


def _sentence(whole):
    return (f"is carried by {whole.name!r}, which the simulation moves: it stands still where others meet it, and is "
            "shown moving")  # fmt: skip


def find(scan):
    """Yield a Finding for every such body."""
    for ob, _ in scan.objects():
        whole = carrier(ob)
        if whole is not None:
            yield Finding((ob.name, whole.name), _sentence(whole), WARNING)


def carried_notes(objects):
    """What a bake says of such bodies: one made by a script has no check before it."""
    found = ((ob, carrier(ob)) for ob in objects)
    return [f"object {ob.name!r}: {_sentence(whole)}; {CHECK.repair_label}, below Checks in the panel, mends that"
            for ob, whole in found if whole is not None]  # fmt: skip


def fix(scene, objects, _scan):
    """Make children of Active bodies Active ones that a Fixed joint holds; mute what else ties the objects."""
    for ob in objects:
        whole = carrier(ob)
        for _, tie in [pair for pair in _leads(ob) if pair[1] != "PARENT"]:
            if tie in list(ob.constraints):
                tie.mute = True
            else:
                ob.driver_remove(tie.data_path, tie.array_index)
        if carrier(ob) is not None:
            ob.stiction.type, ob.stiction.kinematic = "ACTIVE", False
            add_joint(scene, "fixed", (whole, ob), ob.matrix_world.translation)
    return f"{counted(len(objects), 'object')} fixed to what carries them, or let go by it"


CHECK = Check("carried", "Carried along", find, "Fix to What Carries It", fix)
