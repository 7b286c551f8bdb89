"""From an open .blend of a hopper to a jam probability with its interval in five clicks, by real clicks (xdotool).

Run by WALK=tests/gui/study_walk.py sh tools/test_gui.sh. After the five: the plot, one run loaded, all rendered.
"""

import os
import subprocess
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import at, check, click, key, override, picture, say, state, window

# Two seconds before each click: the window draws much here.
driver.PACE = 5.0
# Place of what is clicked, from the top of the sidebar [pixels], in a window 1040 high.
STUDY_Y, SET_UP_Y, RUN_Y = 519, 616, 751


def part(name):
    return driver.part(f"blender_addon.study.{name}")


def make_file():
    """A .blend of a hopper: bodies and their settings, nothing of a study but how often and how long."""
    scene = bpy.context.scene
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    with override():
        bpy.ops.stiction.add_example(example="HOPPER")
    study = scene.stiction_study
    study.repeats, study.time = 2, 8.0
    scene.camera.location, scene.camera.rotation_euler = (0, -7.5, 1.9), (1.53, 0, 0)
    scene.render.resolution_x = scene.render.resolution_y = 480
    scene.render.engine, scene.display.shading.color_type = "BLENDER_WORKBENCH", "MATERIAL"
    path = os.path.join(driver.HERE, "hopper.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def open_sidebar():
    # 1
    key("n", 400, 500)


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
        driver.finish()
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
    driver.do(f"xdotool mousemove {int(x)} {int(y)}; for k in 1 2 3 4 5 6 7 8; do xdotool click 5; done")


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
        subprocess.run(["cp", there, os.path.join(driver.HERE, f"gui_study_{name}")], check=False)


STATIONS = [
    driver.install, make_file, open_sidebar, open_tab, open_study, set_up, redraw, run, wait_for_study, look_at_result,
    scroll, load_a_run, wait_for_load, look_at_run, render_all, wait_for_sheet, look_at_sheet, driver.finish,
]  # fmt: skip


driver.begin("study", STATIONS, pause=4.0, again=0.3, pictures="study_")
