"""Settings of Blender's own Rigid Body physics -> ours, with a report on every object: taken, changed, left out."""

import bpy

from .body import copy_body, damping_rate, geometries_of, part_of
from .constraints import constraint_entries
from .hollow import make_hollow
from .report import Entry, write_report
from .world import copy_range, copy_sleeping, copy_world

__all__ = ["take_over"]


def take_over(scene, remove=False):
    """Copy the Rigid Body settings of every object of the scene, and switch that simulation off; `remove`: take it from
    the objects altogether.

    Returns (number of objects, entries of the report). The combine rule becomes the product, which is what Blender's
    simulation uses.
    """
    objects = [ob for ob in scene.objects if ob.rigid_body]
    if not objects:
        return 0, []
    common = _most_common([(ob.rigid_body.linear_damping, ob.rigid_body.angular_damping) for ob in objects])
    scene.stiction.combine = "PRODUCT"
    scene.stiction.simulation.linear_damping = damping_rate(common[0])
    scene.stiction.simulation.angular_damping = damping_rate(common[1])
    world, begins = scene.rigidbody_world, copy_range(scene)
    members = set(world.collection.objects) if world and world.collection else set(objects)
    entries, geometries = [], geometries_of(objects)
    for ob in objects:
        entry = Entry(ob.name)
        if ob not in members:
            entry.left_out.append("not in the Rigid Body World's collection, so it takes no part")
        elif part_of(ob) is not None:
            entry.taken.append(f"a part of the compound {part_of(ob).name!r}, of its own shape")
            copy_body(ob, entry, scene, common, geometries[ob])
            ob.stiction.type = "NONE"
        else:
            copy_body(ob, entry, scene, common, geometries[ob])
        entries.append(entry)
    make_hollow(objects, geometries, entries)
    entries = [copy_world(scene, common), *entries, *constraint_entries(scene)]
    entries[0].taken += begins
    copy_sleeping(scene, [ob for ob in objects if ob in members and part_of(ob) is None], entries[0])
    if remove:
        _remove(objects)
        entries[0].changed.append("Rigid Body removed from all objects")
    elif world:
        world.enabled = False
        entries[0].changed.append("Blender's own simulation is switched off, its settings are kept")
    write_report(scene, entries)
    return len(objects), entries


def _most_common(values):
    return max(dict.fromkeys(values), key=values.count)


def _remove(objects):
    for ob in objects:
        with bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
            bpy.ops.rigidbody.object_remove()
