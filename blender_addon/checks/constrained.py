"""Active bodies that something else moves: constraints, drivers, Blender's own Rigid Body."""

from ...solver.base.wording import counted
from .base import REFUSED, Check, Finding

SIGNS = ("has the constraint", "has a driver on", "Rigid Body too")


def find(scan):
    """Yield a Finding for every Active body that the export refuses because something else moves it."""
    for ob, subject in scan.objects():
        if any(sign in subject.refusal for sign in SIGNS):
            yield Finding((ob.name,), subject.refusal.partition(": ")[2].partition(";")[0], REFUSED)


def release(scene, objects, _scan):
    """Mute constraints and drivers of the pose; switch off Blender's own simulation of them."""
    for ob in objects:
        for constraint in ob.constraints:
            constraint.mute = True
        for driver in ob.animation_data.drivers if ob.animation_data else ():
            if driver.data_path.startswith(("location", "rotation")):
                ob.driver_remove(driver.data_path, driver.array_index)
    if scene.rigidbody_world and any(ob.rigid_body for ob in objects):
        scene.rigidbody_world.enabled = False
    return f"{counted(len(objects), 'object')} freed of what else moved it"


CHECK = Check("constrained", "Moved by something else", find, "Free of Constraints", release)
