"""Blender's own tools, with a step of undo each and without this extension: a linked copy of a scene, an object deleted
in all scenes (Shift Delete), undo, and a look at the other scene. Blender 4.3 goes on with the object's freed memory:

    blender --background --factory-startup --python tests/blender/blenders_own_scenes.py -- [follow]

ends with a segmentation fault, or at some later moment elsewhere. The dependency graph of a scene that is not shown
keeps the deleted object, and takes the one that undo brings back for it. With "follow" the graphs of all scenes follow
before undo, as the monkey has them do, and all goes well.
"""

import faulthandler
import sys

import bpy

ops = bpy.ops


def push(name):
    """A step of undo, and what is shown follows."""
    ops.ed.undo_push(message=name)
    bpy.context.view_layer.update()


def follow():
    """Bring the graphs of all scenes up to date, those that are not shown, too."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            layer.update()


def main(follows):
    """Make the steps."""
    faulthandler.enable()
    bpy.context.preferences.edit.use_global_undo = True
    window, first = bpy.context.window_manager.windows[0], bpy.context.scene.name
    push("begin")
    ops.scene.new(type="LINK_COPY")
    other = window.scene.name
    push("copy")
    window.scene = bpy.data.scenes[first]
    push("first")
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name == "Cube")
    ops.object.delete(use_global=True)
    push("delete")
    if follows:
        follow()
    ops.ed.undo()
    bpy.context.view_layer.update()
    # Where the freed object was lies something else by now.
    kept = [bytearray(1200) for _ in range(3000)]
    bpy.context.window.scene = bpy.data.scenes[other]
    bpy.context.view_layer.update()
    print(f"Blender {bpy.app.version_string} lives on, {len(kept)}", flush=True)


if __name__ == "__main__":
    main("follow" in sys.argv)
