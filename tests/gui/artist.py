"""What an artist does in an afternoon, by real clicks and keys: bake, move a body, bake again, scrub, extend, go on,
cancel, bake what there is, undo, clear, save while it runs, load.

Run by WALK=tests/gui/artist.py sh tools/test_gui.sh.
"""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import PACE, at, check, click, do, jobs, key, middle, picture, state, window

# Places of buttons below the top of the sidebar [pixels], and how far to the right they are.
BAKE, CLEAR, THIRD_ROW, CANCEL, IN_BOX = (0.25, 50), (0.75, 50), (0.4, 80), (0.75, 109), (0.4, 113)
BLEND = os.path.join(driver.HERE, "afternoon.blend")
kept = {}


def press(button):
    region = window()[2]["UI"]
    click(*at(region, button[0] * region.width, button[1]))


def ob():
    return bpy.data.objects["Cube.003"]


def keyed():
    return [one for one in bpy.data.objects if one.animation_data and one.animation_data.action]


def place():
    return np.array(ob().matrix_world.translation)


def build():
    driver.install()
    scene = bpy.context.scene
    driver.remove_meshes()
    with driver.override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.25), scale=(8, 8, 0.5))
        bpy.ops.stiction.add_passive()
        for i in range(5):
            bpy.ops.mesh.primitive_cube_add(size=0.6, location=(0.2 * i, 0, 0.6 + 0.9 * i), rotation=(0.1 * i, 0, 0))
            bpy.ops.stiction.add_active()
        ob().keyframe_insert("scale", frame=1)
        ob().animation_data.action.name = "Of the person"
        bpy.ops.ed.undo_push(message="build")
    scene.frame_end = 40
    kept["start"] = place()


def select():
    for one in bpy.data.objects:
        one.select_set(one == ob())
    bpy.context.view_layer.objects.active = ob()


def first_bake():
    press(BAKE)


def begun():
    """Until the click has arrived; a busy window loses one now and then, and a person presses again."""
    state["looks"] = state.get("looks", 0) + 1
    if driver.baking() or jobs().current() is not None and jobs().current() is not kept.get("job"):
        kept["job"], state["looks"] = jobs().current(), 0
        return False
    if state["looks"] % 100 == 0:
        state["again"]()
    return state["looks"] < 400


def baked():
    return driver.baking()


def look_at_first():
    picture("first")
    check(len(keyed()) == 5, f"{len(keyed())} of 5 bodies are keyed")
    check(np.allclose(place(), kept["start"], atol=1e-4), "at the first frame it stands where it was put")
    bpy.context.scene.frame_set(1)
    select()


def move():
    x, y = middle()
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep {0.3 * PACE}; xdotool key g; sleep 0.3; xdotool key x; "
       f"sleep 0.3; xdotool key 2; sleep 0.3; xdotool key Return")  # fmt: skip
    state["clicks"] += 4


def look_at_moved():
    picture("moved")
    kept["moved"] = place()
    check(np.allclose(place() - kept["start"], (2, 0, 0), atol=1e-4), f"G X 2 has moved it: {place() - kept['start']}")


def second_bake():
    press(BAKE)


def look_at_second():
    picture("second")
    bpy.context.scene.frame_set(1)
    check(np.allclose(place(), kept["moved"], atol=1e-4), "the second bake begins where the person has moved it")
    check(len(keyed()) == 5, "all are keyed")


def scrub():
    win = window()[0]
    area = next(area for area in win.screen.areas if area.type in ("DOPESHEET_EDITOR", "TIMELINE"))
    region = next(region for region in area.regions if region.type == "WINDOW")
    y = win.height - region.y - region.height + 12
    places = [int(region.x + share * region.width) for share in (0.05, 0.08, 0.11, 0.14)]
    moves = "; ".join(f"xdotool mousemove {x} {int(y)}; sleep 0.4" for x in places)
    do(f"xdotool mousemove {places[0] - 10} {int(y)}; sleep 0.5; xdotool mousedown 1; sleep 0.3; {moves}; "
       "xdotool mouseup 1")  # fmt: skip


def look_at_scrubbed():
    frame = bpy.context.scene.frame_current
    picture("scrubbed")
    check(1 < frame <= 40, f"the timeline is scrubbed: frame {frame}")
    check(place()[2] < kept["moved"][2] - 0.01, "and the body has fallen there")


def extend():
    bpy.context.scene.frame_end = 60
    window()[1].tag_redraw()


def go_on():
    picture("extended")
    press(THIRD_ROW)


def look_at_longer():
    picture("longer")
    ends = {round(one.animation_data.action.frame_range[1]) for one in keyed()}
    check(ends == {60}, f"Go On bakes to the new end: {ends}")
    bpy.context.scene.frame_set(1)
    check(np.allclose(place(), kept["moved"], atol=1e-4), "from the same start")


def third_bake():
    bpy.context.scene.frame_end = 40000
    ob().stiction.friction = 0.1
    press(BAKE)


def wait_for_frames():
    return jobs().running() and jobs().current().done < 200


def cancel():
    picture("running")
    press(CANCEL)


def until_cancelled():
    state["looks"] += 1
    if state["looks"] % 60 == 0:
        state["again"]()
    return driver.baking() and state["looks"] < 600


def bake_what_there_is():
    picture("cancelled")
    check(jobs().current().state.value == "cancelled", "Cancel has ended the run")
    kept["frames"] = max(round(one.animation_data.action.frame_range[1]) for one in keyed())
    check(kept["frames"] == 60, "and the earlier bake is whole")
    press(IN_BOX)


def look_at_part():
    picture("part")
    end = max(round(one.animation_data.action.frame_range[1]) for one in keyed())
    check(end not in (60, 40000), f"Bake What There Is: up to frame {end}")
    kept["part"] = end


def undo():
    key("ctrl+z", *middle())


def look_at_undone():
    end = max(round(one.animation_data.action.frame_range[1]) for one in keyed())
    check(end == 60, f"Ctrl Z brings the bake before it back: to frame {end}")


def redo():
    key("ctrl+shift+z", *middle())


def look_at_redone():
    end = max(round(one.animation_data.action.frame_range[1]) for one in keyed())
    check(end == kept["part"], f"Ctrl Shift Z the later one: to frame {end}")
    press(CLEAR)


def look_at_cleared():
    picture("cleared")
    actions = [one.animation_data.action.name for one in keyed()]
    check(actions == ["Of the person"], f"Clear leaves the person's action alone: {actions}")
    check(np.allclose(place(), kept["moved"], atol=1e-4), "and the pose that was set")


def fourth_bake():
    bpy.context.scene.frame_end = 40000
    press(BAKE)


def save_meanwhile():
    check(bpy.context.scene.frame_current > 1, "the viewport follows")
    bpy.ops.wm.save_as_mainfile(filepath=BLEND)
    check(jobs().running(), "it runs on while the file is saved")
    picture("saved")


def load():
    process = jobs().current()._worker.process
    bpy.ops.wm.open_mainfile(filepath=BLEND)
    check(process.wait(timeout=10) is not None and not jobs().running(), "loading the file ends the run")


def look_at_loaded():
    picture("loaded")
    bpy.context.scene.frame_set(1)
    check(np.allclose(place(), kept["moved"], atol=1e-4), "the file holds the bodies where the person had put them")
    check(len(keyed()) == 1, "and no keys of the run")


def again(function):
    """The station that presses, told to `begun` in case the click is lost."""

    def station():
        state["again"], state["looks"] = function, 0
        function()

    return station


STATIONS = [
    build, driver.open_sidebar, driver.open_tab, again(first_bake), begun, baked, look_at_first, move, look_at_moved,
    again(second_bake), begun, baked, look_at_second, scrub, look_at_scrubbed, extend, again(go_on), begun, baked,
    look_at_longer, again(third_bake), begun, wait_for_frames, again(cancel), until_cancelled, bake_what_there_is,
    baked, look_at_part, undo, look_at_undone, redo, look_at_redone, look_at_cleared, again(fourth_bake), begun,
    wait_for_frames, save_meanwhile, load, look_at_loaded, driver.finish,
]  # fmt: skip


driver.begin("artist", STATIONS, pause=2 * PACE, pictures="artist_", first=1.5)
