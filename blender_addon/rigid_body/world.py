"""The Rigid Body World and what acts on all bodies."""

from math import isclose

from ..base.curves import animated_under
from ..checks.force_fields import unfelt_fields
from ..settings.motion import is_deformable, is_dynamic
from .report import Entry

# Steps a frame that a scene of Blender's own gets at most.
MOST_STEPS = 4
# Where a cache begins as Blender adds it.
AS_ADDED = 1


def copy_world(scene, common):
    """Set the scene's settings from its Rigid Body World; returns the Entry on it. common: damping of most bodies."""
    entry = Entry("World")
    entry.taken.append("friction and bounciness of a pair: the product of both, as there")
    entry.taken.append(f"damping {common[0]:.3g} and {common[1]:.3g}, as decay rates of all bodies without their own")
    world = scene.rigidbody_world
    if world:
        _copy_steps(scene, world, entry)
        entry.left_out.append(f"{world.solver_iterations} solver iterations: each step is solved to its accuracy")
        scene.stiction.time_scale = world.time_scale
        if world.time_scale < scene.stiction.time_scale:
            entry.changed.append(f"speed {world.time_scale:.3g}: {scene.stiction.time_scale:.3g}, the slowest here")
        elif not isclose(world.time_scale, 1.0, abs_tol=1e-6):
            entry.taken.append(f"speed {world.time_scale:.3g}")
        if not world.enabled:
            entry.changed.append("Rigid Body World: it is switched off, and its bodies are simulated here")
        entry.say_keys(animated_under(scene, "rigidbody_world."))
        _copy_gravity(scene, world, entry)
        _say_cache(world.point_cache, entry)
    entry.say_keys(animated_under(scene, "") & {"gravity", "use_gravity"})
    entry.left_out += fields_line(scene)
    return entry


def fields_line(scene):
    """A sentence on force fields, where there are any that nothing else feels."""
    fields = [f"{ob.name} ({ob.field.type.title()})" for ob in unfelt_fields(scene)]
    if not fields:
        return []
    return [f"force fields: {', '.join(fields)}: Blender does not tell an extension the force of a field at a place; "
            "animate a Passive body that pushes instead"]  # fmt: skip


def _copy_steps(scene, world, entry):
    """Steps per frame: those of a solver that needs many small ones are more than enough here, where a step is divided
    where it must be."""
    steps = scene.stiction.steps_per_frame = min(max(1, world.substeps_per_frame), MOST_STEPS)
    if world.substeps_per_frame > steps:
        entry.changed.append(f"{world.substeps_per_frame} steps per frame: {steps}, each divided where it must be")
    else:
        entry.taken.append(f"{steps} steps per frame")


def copy_sleeping(scene, objects, entry):
    """Sleeping on, where Blender's deactivation is on for all that move freely and nothing bends or flows."""
    free = [ob for ob in objects if is_dynamic(ob.stiction)]
    off = sum(not ob.rigid_body.use_deactivation for ob in free)
    if not free or off == len(free):
        return
    why = f"it is off for {off} of {len(free)} bodies" if off else ""
    soft = (one.type == "SOFT_BODY" and one.show_viewport for ob in scene.objects for one in ob.modifiers)
    if any(soft) or any(is_deformable(ob.stiction) for ob in scene.objects):
        why = "bodies that bend do not sleep"
    elif any(ob.stiction_flow.kind != "NONE" for ob in scene.objects):
        why = "bodies enter or leave"
    scene.stiction.simulation.sleeping = not why
    if why:
        entry.left_out.append(f"deactivation, as {why}")
    else:
        entry.taken.append("deactivation: Sleeping is on for all bodies")


def copy_range(scene):
    """Let the simulation begin where the cache of Blender's does: where that is later than the scene, bodies stand
    until then; earlier, they have moved by then. One as it was added says nothing of what is before the scene. Returns
    sentences on it."""
    world, settings = scene.rigidbody_world, scene.stiction
    cache = world.point_cache if world else None
    start = scene.frame_start if cache is None else cache.frame_start
    earlier = cache is not None and start < scene.frame_start and start != AS_ADDED
    later = scene.frame_start < start < scene.frame_end
    if not settings.use_scene_range or not (earlier or later):
        return []
    settings.use_scene_range, settings.frame_start, settings.frame_end = False, start, scene.frame_end
    what = "bodies stand until then" if later else "bodies have moved by the scene's first frame"
    return [f"its cache begins at frame {start}: {what}, and Scene Range is off"]


def _say_cache(cache, entry):
    """That a baked cache plays no part here: it would go on playing where Blender's simulation is on."""
    if cache is not None and cache.is_baked:
        entry.left_out.append(
            f"its baked cache, frames {cache.frame_start} to {cache.frame_end}: Bake simulates anew; to keep that "
            "motion, use Object > Rigid Body > Bake to Keyframes instead"
        )


def _copy_gravity(scene, world, entry):
    """Gravity's weight of the world, which there is multiplied by that of all effects."""
    weights = world.effector_weights
    scene.stiction.gravity_weight = weights.gravity * weights.all if weights else 1.0
    if not isclose(scene.stiction.gravity_weight, 1.0, abs_tol=1e-6):
        entry.taken.append(f"gravity weight {scene.stiction.gravity_weight:.3g}")
