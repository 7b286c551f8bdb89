"""What becomes of each Rigid Body constraint when settings are taken over."""

from ..base.curves import animated_under
from ..joints.constraints import MOTORS, PATH, constraints_of, holds, switches_of
from .report import Entry

NAMES = {"FIXED": "Fixed", "POINT": "Point: a ball joint", "HINGE": "Hinge about its Z", "SLIDER": "Slider along its X",
         "PISTON": "Piston along its X", "GENERIC": "Generic", "GENERIC_SPRING": "Generic with springs",
         "MOTOR": "Motor along and about its X"}  # fmt: skip


def constraint_entries(scene):
    """Entries of the report, one a constraint of the scene."""
    working = set(constraints_of(scene))
    found = [ob for ob in scene.objects if ob.rigid_body_constraint is not None]
    return [_entry(ob, ob in working, scene) for ob in sorted(found, key=lambda ob: ob.name)]


def _entry(ob, works, scene):
    own, entry = ob.rigid_body_constraint, Entry(ob.name)
    switches = switches_of(ob, scene)
    if not works or switches is None or not holds(own):
        entry.left_out.append(_why(own, works, switches))
        return entry
    if switches:
        entry.taken.append("switched by its keys, as there")
    entry.taken.append(f"{NAMES[own.type]}, joins {own.object1.name!r} and {own.object2.name!r}; it is read as it is")
    entry.say_keys(animated_under(ob, PATH) - {"enabled", *(MOTORS if own.type == "MOTOR" else ())})
    if own.use_override_solver_iterations:
        entry.changed.append("its own solver iterations have no counterpart: joints are solved exactly")
    if own.use_breaking:
        entry.changed.append(
            "its breaking threshold, an impulse a substep in Blender, becomes a force: threshold times frames a second "
            "times substeps a frame"
        )
    if own.type == "GENERIC_SPRING" and own.spring_type == "SPRING1":
        entry.changed.append("springs of type 1: undamped, as a damping below 1 damps next to nothing there; type 2 is "
                             "damped in N s/m")  # fmt: skip
    return entry


def _why(own, works, switches):
    if works and switches is None:
        parts = ", and its bodies do not collide, as there" if own.disable_collisions else ""
        return f"the constraint is switched off{parts}"
    if works:
        return f"it joins {own.object1.name!r} and {own.object2.name!r}, and neither can move"
    if own.object1 is None or own.object2 is None:
        return "the constraint names one object only, so Blender ignores it: join to a Passive body to hold it"
    if own.object1 == own.object2:
        return "the constraint joins an object to itself"
    return "not in the Rigid Body World's collection of constraints, so it takes no part"
