"""What every walk through a real window of Blender needs: words, checks, clicks and keys, pictures, stations.

A walk is a script beside this file that `tools/test_gui.sh` runs in Blender: it ends with `driver.begin(...)`, whose
stations are called one after the other, each again as long as it returns True.
"""

import faulthandler
import importlib
import os
import subprocess
import sys
import time
import traceback

import bpy

HERE = os.environ.get("STICTION_GUI_OUTPUT", os.path.dirname(os.path.abspath(__file__)))
ZIP = os.environ["STICTION_GUI_ZIP"]
PACKAGE = "bl_ext.user_default.stiction"
# Height of the screen [pixels], of test_gui.sh.
SCREEN = 1040
# Seconds between moving the mouse and clicking; a busy machine needs more.
PACE = float(os.environ.get("PACE", "2"))
failures, state = [], {"clicks": 0, "name": "walk", "pictures": ""}
bpy.context.preferences.view.show_splash = False
# Where Blender crashes, what Python was at.
faulthandler.enable()


def say(*words):
    """A line of the walk's report."""
    print(f"[{state['name']}]", *words, flush=True)


def check(condition, sentence):
    """Say whether what the sentence states is so; a walk with anything that is not fails."""
    say("ok  " if condition else "FAIL", sentence)
    if not condition:
        failures.append(sentence)


def part(name):
    """A module of the installed extension."""
    return importlib.import_module(f"{PACKAGE}.{name}" if name else PACKAGE)


def jobs():
    """The extension's module of running simulations."""
    return part("blender_addon.running.job")


def baking():
    """True while a simulation runs or its bake is written."""
    return jobs().running() or bool(part("operators.bake")._work)


def window():
    """(window, largest 3D view, its regions by type)."""
    win = bpy.context.window_manager.windows[0]
    area = max((area for area in win.screen.areas if area.type == "VIEW_3D"), key=lambda area: area.width)
    return win, area, {region.type: region for region in area.regions}


def override():
    """The context of the 3D view, for operators that ask for it."""
    win, area, regions = window()
    return bpy.context.temp_override(window=win, area=area, region=regions["WINDOW"])


def at(region, x, y):
    """Place on the screen of a point of a region, from its left and its top; a window stands on the screen's floor."""
    return region.x + x, SCREEN - region.y - region.height + y


def middle():
    """A place in the 3D view, beside the sidebar."""
    return at(window()[2]["WINDOW"], 300, 500)


def do(command):
    """Hand keys and clicks to the window, as a person would; this call does not wait for them."""
    subprocess.Popen(["sh", "-c", command])


def click(x, y):
    """Move there and click."""
    state["clicks"] += 1
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep {0.4 * PACE}; xdotool click 1")


def key(name, x, y):
    """Move there and press a key."""
    state["clicks"] += 1
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep 0.3; xdotool key {name}")


def press(x, y):
    """Click in the sidebar: x a part of its width, y [pixels] from its top."""
    region = window()[2]["UI"]
    click(*at(region, x * region.width, y))


def until(is_so, longest=240.0, again=None):
    """A station that waits until something is so, `longest` seconds at most; again: done anew every 20 s, as a busy
    window loses a click now and then, and a person presses again."""
    told = {}

    def station():
        if not told:
            told.update(begun=time.monotonic(), count=1)
        if is_so():
            return False
        if again is not None and time.monotonic() - told["begun"] > 20.0 * told["count"]:
            told["count"] += 1
            again()
        return time.monotonic() - told["begun"] < longest

    return station


def picture(name):
    """Keep a picture of the screen; Blender's own comes out black under software OpenGL."""
    subprocess.run(["import", "-window", "root", os.path.join(HERE, f"gui_{state['pictures']}{name}.png")], check=True)


def difference(one, other, part):
    """Share of the points of two pictures that differ, in `part` of the screen (WIDTHxHEIGHT+X+Y)."""
    names = [os.path.join(HERE, f"gui_{state['pictures']}{name}.png") for name in (one, other)]
    command = ["convert", *names, "-crop", part, "+repage", "-compose", "difference", "-composite",
               "-colorspace", "gray", "-threshold", "5%", "-format", "%[fx:mean]", "info:"]  # fmt: skip
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def install():
    """Install the zip. Its files get one date, or the code compiled in the last walk would be out of date."""
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    check(hasattr(bpy.types.Scene, "stiction"), "the zip installs and registers")
    check("numba" not in sys.modules, "registering does not load the compiler")
    root = os.path.dirname(part("").__file__)
    for folder, _, names in os.walk(root):
        for name in names:
            os.utime(os.path.join(folder, name), (1.5e9, 1.5e9))


def remove_meshes():
    """Take what Blender begins with out of the scene."""
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)


def open_sidebar():
    """Show the sidebar of the 3D view."""
    window()[1].spaces.active.show_region_ui = True


def open_tab():
    """Show the tab Stiction; the sidebar must have been drawn once."""
    _, area, regions = window()
    regions["UI"].active_panel_category = "Stiction"
    area.tag_redraw()


def finish(passed=True):
    """End Blender; exit code 0 if nothing failed."""
    say(f"{len(failures)} failures, {state['clicks']} clicks and keys")
    sys.stdout.flush()
    os._exit(0 if passed and not failures else 1)


def begin(name, stations, pause, again=0.1, pictures="", first=2.0, give_up=False):
    """Call the stations, `pause` seconds apart, one that returns True again after `again`; pictures: how the names of
    its files begin; give_up: end at the first station that raises."""
    state.update(name=name, pictures=pictures, begun=time.monotonic())
    left = list(stations)

    def tick():
        try:
            repeat = left[0]()
        except Exception:
            traceback.print_exc()
            failures.append(left[0].__name__)
            if give_up:
                picture("failed")
                finish()
            repeat = False
        if not repeat:
            left.pop(0)
        return (again if repeat else pause) if left else None

    bpy.app.timers.register(tick, first_interval=first, persistent=True)
