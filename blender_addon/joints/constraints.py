"""Read Blender's Rigid Body constraints, as plain data, live: their objects stay the user's own."""

import numpy as np

from ..base.clock import frames_per_second, given_range
from ..base.curves import animated_under
from ..base.switches import keyed_frames, setting_values, switch_values
from ..exporting.reading import plain_values
from ..settings.motion import is_dynamic

# Blender's own defaults where a scene has no Rigid Body World.
SUBSTEPS = 10
PATH = "rigid_body_constraint."
ENABLED = PATH + "enabled"
MOTORS = ("motor_lin_target_velocity", "motor_ang_target_velocity")


def constraints_of(scene):
    """Objects of the scene with a Rigid Body constraint between two different objects, by name; those outside the
    Rigid Body World's collection of constraints take no part in Blender either."""
    world = scene.rigidbody_world
    members = None if world is None or world.constraints is None else set(world.constraints.objects)
    found = [ob for ob in scene.objects if ob.rigid_body_constraint is not None]
    return sorted((ob for ob in found if _joins(ob.rigid_body_constraint) and (members is None or ob in members)),
                  key=lambda ob: ob.name)  # fmt: skip


def _joins(constraint):
    a, b = constraint.object1, constraint.object2
    return a is not None and b is not None and a != b


def switches_of(ob, scene):
    """Seconds at which a constraint lets go, holds again, and so on, None where it never holds. As with bodies, the
    frame that a key changes is the first after the change."""
    frames = keyed_frames(ob, (ENABLED,), scene)
    on = switch_values(ob, ENABLED, ob.rigid_body_constraint.enabled, frames, scene)
    if not on.any():
        return None
    changes = np.flatnonzero(np.diff(on.astype(int)))
    first = [] if on[0] else [0.0]
    # What is off at the first frame and on at the second holds from the start.
    times = first + [int(change) / frames_per_second(scene) for change in changes]
    return times[2:] if times[:2] == [0.0, 0.0] else times


def motor_keys(ob, scene):
    """{name: {"times" [s], "values"}} of the speeds of a motor that keys change. Blender drives a frame's way with the
    value at its end, which is that of the middle of the way here."""
    start, changed = given_range(scene)[0], animated_under(ob, PATH)
    frames = keyed_frames(ob, [PATH + name for name in MOTORS], scene)
    times = ((np.maximum(frames - 0.5, start) - start) / frames_per_second(scene)).tolist()
    return {name: {"times": times, "values": setting_values(ob, PATH + name, frames, scene).tolist()}
            for name in MOTORS if name in changed}  # fmt: skip


def holds(constraint):
    """True if at least one of the two bodies of a constraint can move."""
    return any(is_dynamic(ob.stiction) for ob in (constraint.object1, constraint.object2))


def read_constraints(scene, objects, depsgraph):
    """Constraints between two of the bodies `objects`, of which one can move: plain dicts of name, object1, object2,
    world matrix, settings at the first frame, switches [s], keys of a motor's speeds, and steps a second of Blender's
    own simulation, which its breaking threshold depends on."""
    found = []
    world = scene.rigidbody_world
    rate = scene.render.fps / scene.render.fps_base * (SUBSTEPS if world is None else world.substeps_per_frame)
    rate /= world.time_scale if world is not None and world.time_scale > 0 else 1.0
    for ob in between(scene, objects):
        own, switches = ob.rigid_body_constraint, switches_of(ob, scene)
        if switches is None or not holds(own):
            continue
        matrix = np.array(ob.evaluated_get(depsgraph).matrix_world, dtype=float)
        settings = plain_values(own, ("object1", "object2", "enabled"))
        for name in animated_under(ob, PATH) & settings.keys():
            # At other frames the object has the values of these.
            if not isinstance(settings[name], str):
                first = setting_values(ob, PATH + name, [given_range(scene)[0]], scene)[0]
                settings[name] = type(settings[name])(first)
        found.append({"name": ob.name, "object1": own.object1.name, "object2": own.object2.name, "switches": switches,
                      "matrix": matrix.tolist(), "settings": settings, "rate": rate,
                      "keyed": motor_keys(ob, scene) if own.type == "MOTOR" else {}})  # fmt: skip
    return tuple(found)


def parted_pairs(scene, objects):
    """Names of the pairs of the bodies `objects` that do not collide by a constraint that never holds: in Blender, one
    that is off keeps its bodies from colliding all the same."""
    pairs = set()
    for ob in between(scene, objects):
        own = ob.rigid_body_constraint
        if own.disable_collisions and switches_of(ob, scene) is None:
            pairs.add(tuple(sorted((own.object1.name, own.object2.name))))
    return tuple(sorted(pairs))


def between(scene, objects):
    """Objects of the scene with a constraint between two of the bodies `objects`."""
    bodies = set(objects)
    own = ((ob, ob.rigid_body_constraint) for ob in constraints_of(scene))
    return [ob for ob, constraint in own if constraint.object1 in bodies and constraint.object2 in bodies]
