"""The first three minutes: from Blender's first window to a rendered picture, by real clicks and keys (xdotool).

Run by WALK=tests/gui/first_walk.py sh tools/test_gui.sh. EXAMPLE is the entry of the menu, from 1. The list of clicks
is the one in docs/blender.md.
"""

import importlib
import os
import subprocess
import sys
import time
import traceback

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
ZIP = os.environ["STICTION_GUI_ZIP"]
EXAMPLE = int(os.environ.get("EXAMPLE", "1"))
FRAMES = int(os.environ.get("FRAMES", "60"))
PACKAGE = "bl_ext.user_default.stiction"
bpy.context.preferences.view.show_splash = False
state = {"clicks": 0}


def say(*words):
    print("[first]", *words, flush=True)


def window():
    win = bpy.context.window_manager.windows[0]
    area = next(area for area in win.screen.areas if area.type == "VIEW_3D")
    return win, area, {region.type: region for region in area.regions}


def at(region, x, y):
    """Place on the screen of a point of a region, from its left and its top."""
    win = window()[0]
    return region.x + x, win.height - region.y - region.height + y


def do(command):
    """Hand keys and clicks to the window, as a person would; this call does not wait for them."""
    subprocess.Popen(["sh", "-c", command])


def click(x, y):
    state["clicks"] += 1
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep 0.8; xdotool click 1")


def key(name, x, y):
    state["clicks"] += 1
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep 0.3; xdotool key {name}")


def picture(name):
    subprocess.run(["import", "-window", "root", os.path.join(HERE, f"gui_first_{EXAMPLE}_{name}.png")], check=True)


def middle():
    return at(window()[2]["WINDOW"], 300, 500)


def install():
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    root = os.path.dirname(importlib.import_module(PACKAGE).__file__)
    for folder, _, names in os.walk(root):
        for name in names:
            os.utime(os.path.join(folder, name), (1.5e9, 1.5e9))
    bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
    bpy.context.scene.display.shading.color_type = "OBJECT"
    bpy.context.scene.render.resolution_percentage = 50
    state["start"] = time.monotonic()


def delete_cube():
    # 1: the cube of the first window is selected already.
    key("Delete", *middle())


def open_sidebar():
    # 2
    key("n", *middle())


def open_tab():
    # 3: the last tab of the sidebar, below Item, Tool and View.
    region = window()[2]["UI"]
    click(*at(region, region.width - 15, 125))


def open_menu():
    picture("tab")
    # 4: Add an Example, in the panel Bodies.
    region = window()[2]["UI"]
    click(*at(region, region.width / 2 - 10, state["menu_y"]))


def choose():
    picture("menu")
    # 5
    region = window()[2]["UI"]
    click(*at(region, region.width / 2 - 40, state["menu_y"] + 25 * EXAMPLE + 4))


def look():
    picture("added")
    active = [ob for ob in bpy.context.scene.objects if ob.stiction.type == "ACTIVE"]
    say(len(active), "active bodies after", state["clicks"], "clicks")
    if not active:
        raise RuntimeError("the clicks have added no bodies: see the pictures")


def press_bake():
    # 6
    region = window()[2]["UI"]
    click(*at(region, region.width / 4, state["bake_y"]))


def wait():
    jobs = importlib.import_module(PACKAGE + ".blender_addon.running.job")
    if jobs.current() is None:
        state["waited"] = state.get("waited", 0) + 1
        if state["waited"] % 80 == 0:
            # A window that is drawing loses a click now and then; a person presses again, and it counts.
            press_bake()
        if state["waited"] > 400:
            raise RuntimeError("Bake was not pressed: see the pictures")
        return True
    job = jobs.current()
    if job.done and "pictured" not in state and job.fraction > 0.4:
        state["pictured"] = True
        picture("running")
    if jobs.running():
        return True
    state["baked"] = time.monotonic()
    return False


def show_frame():
    say("result:", bpy.context.scene.stiction.summary)
    # 7: the end of the timeline.
    bpy.context.scene.frame_set(FRAMES * 2 // 3)


def render():
    picture("baked")
    bpy.app.handlers.render_complete.append(lambda *_: state.update(rendered=True))
    # 8
    key("F12", *middle())


def wait_for_render():
    return "rendered" not in state


def look_at_render():
    picture("rendered")


def finish():
    took = time.monotonic() - state["start"]
    baked = sum(bool(ob.animation_data and ob.animation_data.action) for ob in bpy.context.scene.objects)
    say(f"{baked} objects baked, {state['clicks']} clicks and keys, {took:.0f} s from the first to the picture")
    sys.stdout.flush()
    os._exit(0 if baked and state["clicks"] <= 12 else 1)


state["menu_y"], state["bake_y"] = 197, 50
STATIONS = [install, delete_cube, open_sidebar, open_tab, open_menu, choose, look, press_bake, wait, show_frame, render,
            wait_for_render, look_at_render, finish]  # fmt: skip


def tick():
    try:
        again = STATIONS[0]()
    except Exception:
        traceback.print_exc()
        picture("failed")
        sys.stdout.flush()
        os._exit(1)
    if not again:
        STATIONS.pop(0)
    return (0.1 if again else 2.0) if STATIONS else None


bpy.app.timers.register(tick, first_interval=2.0, persistent=True)
