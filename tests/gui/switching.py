"""Switched off and on again at work, in a real window in which nothing else happens: Blender lives on, and what is
pressed then is refused in words or works.

Run by WALK=tests/gui/switching.py SIZE="800 640" sh tools/test_gui.sh. Blender 4.3 crashes where an operator begins to
wait for events before the one that was unregistered has been dropped.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, override, say, window

VERBS = "bake", "drop_to_rest"
REFUSED = "switched off at work a moment ago"
waited = {"ticks": 0}


def build():
    bpy.ops.wm.read_homefile(use_empty=True)
    with override():
        for number in range(3):
            bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.3 * number, 0.0, 0.6 + 1.1 * number))
            bpy.context.object.stiction.type = "ACTIVE"
    # Long enough to be at work while it is switched off.
    bpy.context.scene.frame_end = 100000


def press(verb):
    """What an operator answers, or says where it refuses."""
    try:
        with override():
            return str(getattr(bpy.ops.stiction, verb)("INVOKE_DEFAULT"))
    except RuntimeError as error:
        return str(error)


def waiting():
    """What waits in the window: labels, "" for what is gone."""
    points = bpy.types.bpy_struct.as_pointer
    return ["" if one is None or not points(one) else one.bl_label for one in window()[0].modal_operators]


def switch(on):
    getattr(bpy.ops.preferences, "addon_enable" if on else "addon_disable")(module=driver.PACKAGE)


def at_once(verb):
    """Stations: off, on and pressed before the window gets an event."""

    def begin():
        check("RUNNING_MODAL" in press(verb), f"{verb} works")

    def off_on():
        switch(False)
        check(waiting() == [""], f"Blender holds what is left of {verb}: {waiting()}")
        switch(True)
        for one in (verb, "import_urdf"):
            said = press(one)
            check(REFUSED in said, f"{one} pressed at once is refused: {said.strip()}")

    return [begin, off_on, dropped, begin, lambda: switch(False), dropped, lambda: switch(True), begin,
            lambda: switch(False), dropped, lambda: switch(True)]  # fmt: skip


def dropped():
    waited["ticks"] += 1
    if waiting() and waited["ticks"] < 50:
        return True
    check(not waiting(), f"Blender drops it without an event of a person: {waiting()}")
    waited["ticks"] = 0
    return False


def finish():
    say(f"Blender {bpy.app.version_string}")
    driver.finish()


stations = [driver.install, driver.open_sidebar, build, driver.open_sidebar]
driver.begin("switching", [*stations, *(one for verb in VERBS for one in at_once(verb)), finish], pause=0.5,
             pictures="switching_", give_up=True)  # fmt: skip
