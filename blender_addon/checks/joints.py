"""Joints that a bake would refuse: without bodies, to what is no body, to themselves; and those it leaves out."""

from ...solver.base.wording import counted
from ..joints.own_reading import fault, idle, joint_objects
from .base import ADVICE, REFUSED, Check, Finding


def find(scan):
    """Yield a Finding for every such joint."""
    bodies = {ob for ob, _ in scan.objects()}
    for ob in joint_objects(scan.scene):
        wrong = fault(ob, bodies)
        if wrong:
            yield Finding((ob.name,), f"as a joint {wrong}", REFUSED)
        elif idle(ob):
            yield Finding((ob.name,), "as a joint joins what cannot move: it is left out", ADVICE)


def take_off(_scene, objects, _scan):
    """Make them no joints; the objects stay."""
    for ob in objects:
        ob.stiction_joint.type = "NONE"
    return f"{counted(len(objects), 'joint')} taken off"


CHECK = Check("joints", "Joints", find, "Take Off", take_off)
