"""Blender's own tools, undo and frames, in random order, without this extension: what a script does to a file without
steps of undo, as Blender's operators called from Python do, ends the process at some later undo.

    python tests/blender/blenders_own_undo.py SEED [steps]

With "steps" each tool is a step of undo, as when a person uses it, and all goes well. So must be what this extension
and the monkey change.
"""

import faulthandler
import os
import random
import sys

import bpy

STEPS = 2500


class Tools:
    """Blender's operators; each call is a step of undo if `steps`."""

    def __init__(self, at, steps):
        self.at, self.steps = at, steps

    def __getattr__(self, name):
        return Tools(getattr(self.at, name), self.steps)

    def __call__(self, **options):
        """Call the operator."""
        return self.at("EXEC_DEFAULT", True, **options) if self.steps else self.at(**options)


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


def steps_of(chance, ops):
    """Functions to choose from, some of them more often."""
    undo = bpy.ops.ed
    return [
        ops.mesh.primitive_cube_add,
        *[lambda: picked(chance) and ops.rigidbody.object_add()] * 3,
        *[lambda: undo.undo.poll() and undo.undo()] * 3,
        lambda: undo.redo.poll() and undo.redo(),
        lambda: bpy.context.scene.frame_set(chance.randint(0, 14)),
        lambda: picked(chance) and ops.object.delete(),
        lambda: chance.random() < 0.3 and begin(),
        *[lambda: bpy.context.object and ops.object.mode_set(mode="EDIT", toggle=True)] * 2,
        lambda: bpy.context.scene.rigidbody_world and ops.rigidbody.world_remove(),
        look_at_start,
        lambda: set_range(chance),
    ]


def main(seed, steps=""):
    """Make the steps of a seed."""
    faulthandler.enable()
    chance = random.Random(int(seed))
    begin()
    tools = steps_of(chance, Tools(bpy.ops, steps == "steps"))
    for number in range(STEPS):
        try:
            chance.choice(tools)()
        except RuntimeError as refusal:
            print(number, refusal)
        bpy.context.view_layer.update()
    print(f"seed {seed}: {STEPS} steps", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
