"""Blender's own rigid-body tools, undo and frames, in random order, without this extension: why the monkey's usual
steps leave the rigid-body tools out.

    python tests/blender/blenders_own_undo.py SEED

With bpy 5.0.1 some seeds end in a segmentation fault.
"""

import faulthandler
import os
import random
import sys

import bpy

STEPS = 2500


def begin():
    """A new file with three cubes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.edit.use_global_undo = True
    for number in range(3):
        bpy.ops.mesh.primitive_cube_add(location=(0, 0, 2 * number))
    bpy.ops.ed.undo_push(message="begin")


def picked(chance):
    """True once a mesh object is selected and active."""
    objects = [ob for ob in bpy.context.view_layer.objects if ob.type == "MESH"]
    if not objects:
        return False
    chosen = chance.choice(objects)
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob == chosen)
    bpy.context.view_layer.objects.active = chosen
    return True


def look_at_start():
    """The first frame and back, as a check of the bodies does."""
    scene = bpy.context.scene
    frame = scene.frame_current
    scene.frame_set(1)
    bpy.context.view_layer.update()
    scene.frame_set(frame)


def set_range(chance):
    """Another last frame, as a step of undo."""
    bpy.context.scene.frame_end = chance.randint(5, 50)
    bpy.ops.ed.undo_push(message="range")


def steps_of(chance):
    """Functions to choose from, some of them more often."""
    ops = bpy.ops
    return [
        ops.mesh.primitive_cube_add,
        *[lambda: picked(chance) and ops.rigidbody.object_add()] * 3,
        *[lambda: ops.ed.undo.poll() and ops.ed.undo()] * 3,
        lambda: ops.ed.redo.poll() and ops.ed.redo(),
        lambda: bpy.context.scene.frame_set(chance.randint(0, 14)),
        lambda: picked(chance) and ops.object.delete(),
        lambda: chance.random() < 0.3 and begin(),
        *[lambda: bpy.context.object and ops.object.mode_set(mode="EDIT", toggle=True)] * 2,
        lambda: bpy.context.scene.rigidbody_world and ops.rigidbody.world_remove(),
        look_at_start,
        lambda: set_range(chance),
    ]


def main(seed):
    """Make the steps of a seed."""
    faulthandler.enable()
    chance = random.Random(int(seed))
    begin()
    steps = steps_of(chance)
    for number in range(STEPS):
        try:
            chance.choice(steps)()
        except RuntimeError as refusal:
            print(number, refusal)
        bpy.context.view_layer.update()
    print(f"seed {seed}: {STEPS} steps", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
