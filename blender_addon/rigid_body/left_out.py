"""What a bake says of Blender's own settings of its bodies that would move them otherwise."""

from ..base.curves import animated_under
from ..joints.constraints import MOTORS, PATH, constraints_of
from .world import fields_line

# Of which keys are read.
READ = {"kinematic", "enabled"}


def left_out_notes(scene):
    """Sentences on force fields, and on keys and drivers of Rigid Body settings, of which one value holds throughout:
    those of bodies and constraints that are simulated."""
    found = [f"scene {scene.name!r}: {line}" for line in fields_line(scene)]
    bodies = sorted((ob for ob in scene.objects if ob.rigid_body and ob.stiction.type != "NONE"),
                    key=lambda ob: ob.name)  # fmt: skip
    if bodies:
        found += _line(scene, "scene", "rigidbody_world", {"enabled", "substeps_per_frame", "solver_iterations"})
    for ob in bodies:
        found += _line(ob, "object", "rigid_body", READ)
    for ob in constraints_of(scene) if bodies else ():
        read = {"enabled", *(MOTORS if ob.rigid_body_constraint.type == "MOTOR" else ())}
        found += _line(ob, "constraint", PATH[:-1], read)
    return found


def _line(owner, kind, group, read):
    """A sentence, in a list, on the settings of a group of an owner's that keys or drivers change and nothing reads."""
    names = animated_under(owner, f"{group}.") - read
    kinds = getattr(owner, group).bl_rna.properties if names else {}
    named = sorted({kinds[name.partition(".")[0]].name for name in names if name.partition(".")[0] in kinds})
    if not named:
        return []
    return [f"{kind} {owner.name!r}: keys or drivers of Rigid Body's {', '.join(named)} are not used: one value holds "
            "throughout; bake what comes before and after a change as two scenes"]  # fmt: skip
