"""Blender's own tools, with a step of undo each and without this extension: an action is removed and another made in
one step. The second often lies where the first lay, and undo of that step takes the object for unchanged:

    blender --background --factory-startup --python tests/blender/blenders_own_addresses.py -- [number]

Blender 4.3.2 says that the object moves by an action that is in no list, and ends at some later moment. With "number"
the object gets a number of the action that no other has, as this extension gives it (blender_addon/base/renewed.py),
and all goes well. In 5.0.1 and 5.2.2 no address is used twice.
"""

import faulthandler
import os
import sys

import bpy


def push(name):
    """A step of undo, and what is shown follows."""
    bpy.ops.ed.undo_push(message=name)
    bpy.context.view_layer.update()


def move(ob, numbered):
    """Let the object move by a new action; returns where that lies."""
    action = bpy.data.actions.new("Motion")
    ob.animation_data_create().action = action
    if numbered:
        ob["number"] = action.session_uid
    return action.as_pointer()


def main(numbered):
    """Make the steps. Returns the exit code."""
    faulthandler.enable()
    bpy.context.preferences.edit.use_global_undo = True
    ob = bpy.data.objects["Cube"]
    push("begin")
    first = move(ob, numbered)
    push("first")
    ob.animation_data.action = None
    bpy.data.actions.remove(bpy.data.actions["Motion"])
    second = move(ob, numbered)
    push("second")
    bpy.ops.ed.undo()
    action = bpy.data.objects["Cube"].animation_data.action.as_pointer()
    well = action in [one.as_pointer() for one in bpy.data.actions]
    print(f"Blender {bpy.app.version_string}, {'the same address' if first == second else 'another address'}: the "
          f"object moves by {'an action of the file' if well else 'memory that was freed'}", flush=True)  # fmt: skip
    return 0 if well else 1


if __name__ == "__main__":
    os._exit(main("number" in sys.argv))
