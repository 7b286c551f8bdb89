"""Clear of many baked objects in a real window: it goes on in slices, says how far it is, and Esc keeps the bake.

Run by WALK=tests/gui/clear.py BODIES=1500 sh tools/test_gui.sh. The bodies are keyed by hand-made frames: nothing is
simulated.
"""

import os
import sys
from types import SimpleNamespace

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, key, middle, part, say, state

BODIES, FRAMES = int(os.environ.get("BODIES", "1500")), 60
state.update(told="", ticks=0, times=0)


def build():
    driver.install()
    driver.remove_meshes()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_cube_add(size=0.5)
    mesh = bpy.context.object.data
    bpy.context.object.stiction.type = "ACTIVE"
    side = int(BODIES**0.5) + 1
    for i in range(1, BODIES):
        ob = bpy.data.objects.new(f"Body {i:05d}", mesh)
        ob.location, ob.stiction.type = (i % side - side / 2, i // side - side / 2, 0), "ACTIVE"
        scene.collection.objects.link(ob)
    bpy.context.view_layer.update()


def bake():
    """Key the bodies with waves."""
    scene = bpy.context.scene
    export = part("blender_addon.exporting.export").export_scene(scene)
    start = np.array([body.position for body in export.scene.bodies])
    waves = np.sin(np.arange(FRAMES)[:, None] / 5 + start.sum(axis=1))
    positions = start + waves[:, :, None] * (0, 0, 1)
    turns = np.tile([body.orientation for body in export.scene.bodies], (FRAMES, 1, 1))
    frames = SimpleNamespace(names=tuple(body.name for body in export.scene.bodies), steps={}, header={},
                             times=np.arange(FRAMES) / export.fps, positions=positions, orientations=turns)  # fmt: skip
    part("blender_addon.baking.bake").bake(scene, export, frames)
    scene.frame_set(10)
    bpy.ops.ed.undo_push(message="bake")
    check(baked() == BODIES, f"{baked()} objects are keyed")
    windows = part("blender_addon.base.windows")
    told = windows.tell_status
    part("operators.clear").tell_status = lambda context, text: (note(text), told(context, text))


def note(text):
    state["told"], state["times"] = text, state["times"] + 1


def baked():
    return sum(ob.animation_data is not None and ob.animation_data.action is not None for ob in bpy.data.objects)


def press():
    state.update(told="", ticks=0, times=0)
    with driver.override():
        result = bpy.ops.stiction.clear("INVOKE_DEFAULT")
    check(result == {"RUNNING_MODAL"}, "pressing Clear returns at once and goes on")


def until_told():
    """Until it has said how far it is some times, so that the window has drawn it, and the picture is taken."""
    state["ticks"] += 1
    if state["times"] < 4 and state["ticks"] < 600:
        return True
    driver.picture(f"clear_{state['name']}")
    return False


def escape():
    check("of" in state["told"] and "Esc: keep the bake" in state["told"], f"it says: {state['told']!r}")
    key("Escape", *middle())


def until_free():
    return part("operators.bake").Running.busy()


def kept():
    say("after Esc:", baked(), "objects keyed")
    check(baked() == BODIES, "Esc keeps the whole bake")


def cleared():
    check(baked() == 0, "Clear takes the bake off every object")
    check(state["told"] != "", "and says how far it is")
    driver.picture("clear_done")


def back():
    with driver.override():
        bpy.ops.ed.undo()
    check(baked() == BODIES, "one undo brings the bake back")


STATIONS = [build, driver.open_sidebar, driver.open_tab, bake, press, until_told, escape, until_free, kept, press,
            until_free, cleared, back, driver.finish]  # fmt: skip

driver.begin("clear", STATIONS, pause=1.5, again=0.02, first=1.5)
