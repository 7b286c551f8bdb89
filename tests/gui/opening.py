"""A window is opened while a panel moves: Blender lives on, and the event goes on in the window it came from.

Run by WALK=tests/gui/opening.py SIZE="800 640" SUITE=sid sh tools/test_gui.sh. With EXAMPLE=0 the window is opened by
Blender's operator alone, and the check of the event fails; Blender 5.2 crashes where the panel comes to its end then.
"""

import os
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, do, middle, override, say, window

PLAIN = os.environ.get("EXAMPLE") == "0"
# Seconds that a panel takes to its new place, and more.
MOVING = 0.5
seen = {}


class WALK_OT_opening(bpy.types.Operator):
    """Opens a window at the first timer's event: one of a panel that moves."""

    bl_idname = "walk.opening"
    bl_label = "Opening"

    def invoke(self, context, event):
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        time.sleep(MOVING)
        before = context.window
        if PLAIN:
            bpy.ops.wm.window_new()
        else:
            driver.part("blender_addon.base.windows").new_editor(context, "IMAGE_EDITOR")
        seen["same"] = context.window == before
        return {"FINISHED"}


def install():
    driver.install()
    bpy.utils.register_class(WALK_OT_opening)
    driver.open_sidebar()


def show():
    bpy.context.view_layer.objects.active = bpy.data.objects["Camera"]
    window()[2]["UI"].active_panel_category = "Item"
    window()[1].tag_redraw()


def begin():
    # What begins to wait last is asked first: the operator, once the panel moves.
    if "begun" not in seen:
        seen["begun"] = True
        # A mesh has dimensions, for which the panel Transform grows.
        bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
        return True
    with override():
        bpy.ops.walk.opening("INVOKE_DEFAULT")
    return False


def opened():
    seen["looks"] = seen.get("looks", 0) + 1
    return "same" not in seen and seen["looks"] < 100


def move():
    x, y = middle()
    do(f"for k in 1 2 3 4 5 6; do xdotool mousemove {int(x)} $(({int(y)} + 5 * k)); sleep 0.1; done")


def finish():
    count = len(bpy.context.window_manager.windows)
    check(count == 2, f"{count} windows")
    check(seen.get("same"), "the event goes on in its own window")
    say(f"Blender {bpy.app.version_string} lives on")
    driver.finish()


STATIONS = [install, show, begin, opened, move, finish]
driver.begin("opening", STATIONS, pause=2.0, pictures="opening_", give_up=True)
