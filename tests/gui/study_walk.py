"""From an open .blend of a hopper to a jam probability with its interval in five clicks, by real clicks (xdotool).

Run by WALK=tests/gui/study_walk.py sh tools/test_gui.sh. After the five: the plot, one run loaded, all rendered.
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
PACKAGE = "bl_ext.user_default.stiction"
# Place of what is clicked, from the top of the sidebar [pixels], in a window 1040 high.
STUDY_Y, SET_UP_Y, RUN_Y = 519, 616, 751
bpy.context.preferences.view.show_splash = False
state, failures = {"clicks": 0}, []


def say(*words):
    print("[study]", *words, flush=True)


def check(condition, sentence):
    say("ok  " if condition else "FAIL", sentence)
    if not condition:
        failures.append(sentence)


def window():
    win = bpy.context.window_manager.windows[0]
    area = next(area for area in win.screen.areas if area.type == "VIEW_3D")
    return win, area, {region.type: region for region in area.regions}


def override():
    win, area, regions = window()
    return bpy.context.temp_override(window=win, area=area, region=regions["WINDOW"])


def at(region, x, y):
    """Place on the screen of a point of a region, from its left and its top."""
    return region.x + x, window()[0].height - region.y - region.height + y


def do(command):
    subprocess.Popen(["sh", "-c", command])


def click(x, y):
    state["clicks"] += 1
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep 2; xdotool click 1")


def picture(name):
    subprocess.run(["import", "-window", "root", os.path.join(HERE, f"gui_study_{name}.png")], check=True)


def part(name):
    return importlib.import_module(f"{PACKAGE}.blender_addon.study.{name}")


def install():
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    root = os.path.dirname(importlib.import_module(PACKAGE).__file__)
    for folder, _, names in os.walk(root):
        for name in names:
            os.utime(os.path.join(folder, name), (1.5e9, 1.5e9))


def make_file():
    """A .blend of a hopper: bodies and their settings, nothing of a study but how often and how long."""
    scene = bpy.context.scene
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    with override():
        bpy.ops.stiction.add_example(example="hopper")
    study = scene.stiction_study
    study.repeats, study.time = 2, 8.0
    scene.camera.location, scene.camera.rotation_euler = (0, -7.5, 1.9), (1.53, 0, 0)
    scene.render.resolution_x = scene.render.resolution_y = 480
    scene.render.engine, scene.display.shading.color_type = "BLENDER_WORKBENCH", "MATERIAL"
    path = os.path.join(HERE, "hopper.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def open_sidebar():
    # 1
    state["clicks"] += 1
    do("xdotool mousemove 400 500; sleep 0.3; xdotool key n")


def open_tab():
    # 2: the last tab of the sidebar.
    region = window()[2]["UI"]
    click(*at(region, region.width - 15, 125))


def open_study():
    picture("tab")
    # 3: the title of the panel Study.
    click(*at(window()[2]["UI"], 100, STUDY_Y))


def set_up():
    picture("panel")
    # 4: Set Up Study.
    region = window()[2]["UI"]
    click(*at(region, region.width / 2 - 10, SET_UP_Y))


def redraw():
    window()[1].tag_redraw()


def run():
    picture("set_up")
    study = bpy.context.scene.stiction_study
    check(len(study.parameters) == 1, "Set Up has chosen the parameter")
    check("Outlet Counter" in bpy.context.scene.objects, "and put a counter below the outlet")
    # 5: Run Study.
    region = window()[2]["UI"]
    click(*at(region, region.width / 2 - 10, RUN_Y))
    state["start"] = time.monotonic()


def wait_for_study():
    work = part("process").current()
    if work is None:
        if time.monotonic() - state["start"] > 15 * state.setdefault("tries", 1):
            # A busy window has lost the click.
            state["tries"] += 1
            state["clicks"] -= 1
            region = window()[2]["UI"]
            click(*at(region, region.width / 2 - 30 + 10 * state["tries"], RUN_Y))
        return state["tries"] < 6
    if work.done >= 2 and "seen" not in state:
        state["seen"] = True
        picture("running")
    if not work.running and work.summary is None:
        check(False, f"the study ran: {work.error}")
        finish()
    return work.running or not bpy.context.scene.stiction_study.result


def look_at_result():
    study = bpy.context.scene.stiction_study
    say(study.shares.replace("\n", " | "))
    say(study.result)
    check(state["clicks"] == 5, f"{state['clicks']} clicks from the open file to the result")
    check(" jam [" in study.shares, "the panel names each share of jams with its interval")
    window()[1].tag_redraw()


def scroll():
    picture("result")
    x, y = at(window()[2]["UI"], 100, STUDY_Y)
    do(f"xdotool mousemove {int(x)} {int(y)}; for k in 1 2 3 4 5 6 7 8; do xdotool click 5; done")


def load_a_run():
    picture("result_scrolled")
    bpy.context.scene.stiction_study.row = len(part("table").rows_of(bpy.context.scene.stiction_study.folder))
    with override():
        begun = bpy.ops.stiction.study_load("INVOKE_DEFAULT")
    check(begun == {"RUNNING_MODAL"}, "Load This Run goes on beside Blender")


def wait_for_load():
    return part("process").running() or not bpy.context.scene.stiction.summary


def look_at_run():
    scene = bpy.context.scene
    say(scene.stiction.summary)
    moved = [ob for ob in scene.objects if ob.name.startswith("Ball") and ob.animation_data]
    check(len(moved) == 40, f"{len(moved)} of 40 balls have the run's keys")
    scene.frame_set(scene.frame_end)
    window()[1].spaces.active.region_3d.view_perspective = "CAMERA"


def render_all():
    picture("loaded")
    with override():
        check(bpy.ops.stiction.study_render("INVOKE_DEFAULT") == {"RUNNING_MODAL"}, "Render All goes on beside Blender")


def wait_for_sheet():
    folder = bpy.context.scene.stiction_study.folder
    return not os.path.exists(os.path.join(folder, part("pictures").SHEET)) and "end" not in state


def look_at_sheet():
    picture("sheet")
    folder = bpy.context.scene.stiction_study.folder
    for name in ("runs.png", "clog_probability.png"):
        there = os.path.join(folder, name)
        check(os.path.exists(there), f"{name} is there")
        subprocess.run(["cp", there, os.path.join(HERE, f"gui_study_{name}")], check=False)


def finish():
    say(f"{len(failures)} failures, {state['clicks']} clicks")
    sys.stdout.flush()
    os._exit(1 if failures else 0)


STATIONS = [
    install, make_file, open_sidebar, open_tab, open_study, set_up, redraw, run, wait_for_study, look_at_result,
    scroll, load_a_run, wait_for_load, look_at_run, render_all, wait_for_sheet, look_at_sheet, finish,
]  # fmt: skip


def tick():
    station = STATIONS[0]
    try:
        again = station()
    except Exception:
        traceback.print_exc()
        failures.append(station.__name__)
        again = False
    if not again:
        STATIONS.pop(0)
    return (0.3 if again else 4.0) if STATIONS else None


bpy.app.timers.register(tick, first_interval=2.0, persistent=True)
