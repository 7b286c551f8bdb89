"""The Rigid Body World and what acts on all bodies."""

from math import isclose

from .report import Entry


def copy_world(scene, common):
    """Set the scene's settings from its Rigid Body World; returns the Entry on it. common: damping of most bodies."""
    entry = Entry("World")
    entry.taken.append("friction and bounciness of a pair: the product of both, as there")
    entry.taken.append(f"damping {common[0]:.3g} and {common[1]:.3g}, as decay rates of all bodies without their own")
    world = scene.rigidbody_world
    if world:
        scene.stiction.steps_per_frame = max(1, world.substeps_per_frame)
        entry.taken.append(f"{scene.stiction.steps_per_frame} steps per frame")
        entry.left_out.append(f"{world.solver_iterations} solver iterations: each step is solved to its accuracy")
        if not isclose(world.time_scale, 1.0, abs_tol=1e-6):
            entry.left_out.append(f"speed {world.time_scale:.3g}: stretch the time by Output, Time Stretching")
        weight = world.effector_weights.gravity if world.effector_weights else 1.0
        if not isclose(weight, 1.0, abs_tol=1e-6):
            entry.left_out.append(f"gravity weight {weight:.3g}: change the scene's gravity")
    fields = [ob.name for ob in scene.objects if ob.field and ob.field.type != "NONE"]
    if fields:
        entry.left_out.append(f"force fields: {', '.join(fields)}")
    return entry
