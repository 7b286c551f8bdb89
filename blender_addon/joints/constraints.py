"""Read Blender's Rigid Body constraints, as plain data, live: their objects stay the user's own."""

import numpy as np

from ..exporting.reading import plain_values

# Blender's own defaults where a scene has no Rigid Body World.
SUBSTEPS = 10


def constraints_of(scene):
    """Objects of the scene with an enabled Rigid Body constraint between two different objects, by name; those outside
    the Rigid Body World's collection of constraints take no part in Blender either."""
    world = scene.rigidbody_world
    members = None if world is None or world.constraints is None else set(world.constraints.objects)
    found = [ob for ob in scene.objects if ob.rigid_body_constraint is not None]
    return sorted((ob for ob in found if _works(ob.rigid_body_constraint) and (members is None or ob in members)),
                  key=lambda ob: ob.name)  # fmt: skip


def _works(constraint):
    a, b = constraint.object1, constraint.object2
    return constraint.enabled and a is not None and b is not None and a != b


def read_constraints(scene, objects, depsgraph):
    """Constraints between two of the bodies `objects`: plain dicts of name, object1, object2, world matrix, settings
    and steps a second of Blender's own simulation, which its breaking threshold depends on."""
    bodies, found = set(objects), []
    world = scene.rigidbody_world
    rate = scene.render.fps / scene.render.fps_base * (SUBSTEPS if world is None else world.substeps_per_frame)
    rate /= world.time_scale if world is not None and world.time_scale > 0 else 1.0
    for ob in constraints_of(scene):
        own = ob.rigid_body_constraint
        if own.object1 not in bodies or own.object2 not in bodies:
            continue
        matrix = np.array(ob.evaluated_get(depsgraph).matrix_world, dtype=float)
        settings = plain_values(own, ("object1", "object2"))
        found.append({"name": ob.name, "object1": own.object1.name, "object2": own.object2.name,
                      "matrix": matrix.tolist(), "settings": settings, "rate": rate})  # fmt: skip
    return tuple(found)
