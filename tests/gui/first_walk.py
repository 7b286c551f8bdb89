"""The first three minutes: from Blender's first window to a rendered picture, by real clicks and keys (xdotool).

Run by WALK=tests/gui/first_walk.py sh tools/test_gui.sh. EXAMPLE is the entry of the menu, from 1: the wall, the
monkeys. EXAMPLE=0 takes over a scene of Blender's own Rigid Body instead. The lists of clicks are those in
docs/blender.md. PACE: seconds between two clicks; give a busy machine more.
"""

import os
import resource
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import PACE, at, click, do, jobs, key, middle, picture, say, state, window

EXAMPLE, FRAMES = int(os.environ.get("EXAMPLE", "1")), int(os.environ.get("FRAMES", "60"))


def install():
    driver.install()
    bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
    bpy.context.scene.display.shading.color_type = "MATERIAL"
    bpy.context.scene.render.resolution_percentage = 50
    if EXAMPLE == 0:
        build_rigid_body()
    view = window()[1].spaces.active.region_3d
    view.view_distance, view.view_location = (9.0, (1.0, 0.0, 1.0)) if EXAMPLE else (14.0, (1.0, 0.0, 1.5))
    state["start"], state["cpu"] = time.monotonic(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def build_rigid_body():
    """What a person has from another day: cubes in rigid bodies on a slab, a ball that hangs until frame 20."""
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    with bpy.context.temp_override(window=window()[0], area=window()[1], region=window()[2]["WINDOW"]):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.25), scale=(10, 10, 0.5))
        bpy.ops.rigidbody.object_add(type="PASSIVE")
        for k in range(20):
            place = 0.62 * (k % 4) - 0.93 + 0.02 * (k // 4), 0.0, 0.3 + 0.6 * (k // 4)
            bpy.ops.mesh.primitive_cube_add(size=0.6, location=place)
            bpy.ops.rigidbody.object_add(type="ACTIVE")
            bpy.context.object.rigid_body.collision_shape = "BOX"
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.45, location=(0.3, -0.2, 4.5))
        bpy.ops.rigidbody.object_add(type="ACTIVE")
        ball = bpy.context.object.rigid_body
        ball.collision_shape, ball.mass = "SPHERE", 40.0
        for frame, held in ((1, True), (19, True), (20, False)):
            ball.kinematic = held
            bpy.context.object.keyframe_insert("rigid_body.kinematic", frame=frame)


def delete_cube():
    # 1: the cube of the first window is selected already.
    key("Delete", *middle())


def open_sidebar():
    # 2
    key("n", *middle())


def open_tab():
    # 3: the last tab of the sidebar, below Item, Tool and View.
    region = window()[2]["UI"]
    # Blender shows one tab more with an active object, and another from 5.2 on.
    place = 125 + (47 if EXAMPLE == 0 else 0) + (73 if bpy.app.version >= (5, 2) else 0)
    click(*at(region, region.width - 15, place))


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


def press_import():
    picture("tab")
    # Import Rigid Body stands where the examples do.
    region = window()[2]["UI"]
    click(*at(region, region.width / 2 - 10, state["menu_y"]))


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
    if jobs().current() is None:
        state["waited"] = state.get("waited", 0) + 1
        if state["waited"] % 80 == 0:
            # A window that is drawing loses a click now and then; a person presses again, and it counts.
            press_bake()
        if state["waited"] > 400:
            raise RuntimeError("Bake was not pressed: see the pictures")
        return True
    job = jobs().current()
    if job.done and "pictured" not in state and job.fraction > 0.4:
        state["pictured"] = True
        picture("running")
    if driver.baking():
        return True
    state["baked"] = time.monotonic()
    return False


def show_frame():
    say("result:", bpy.context.scene.stiction.summary)
    # 7: the end of the timeline.
    bpy.context.scene.frame_set(FRAMES * 2 // 3)


def look_before_moving():
    picture("baked")
    x, y = middle()
    do(f"xdotool mousemove {int(x)} {int(y)}")


def look_after_moving():
    """The mouse lay where the progress bar was: nothing of that may be left before it moves."""
    picture("moved")
    region = window()[2]["UI"]
    left, top = at(region, 0, 0)
    part = f"{region.width}x{RESULT[1] - RESULT[0]}+{int(left)}+{int(top + RESULT[0])}"
    share = driver.difference("baked", "moved", part)
    driver.check(share < 0.02, f"the result is drawn as itself before the mouse moves ({share:.1%} of it changes)")


def render():
    bpy.app.handlers.render_complete.append(lambda *_: state.update(rendered=True))
    # 8
    press_render()


def press_render():
    """F12; from 5.2 on that key asks for a scene of the sequencer, so the first entry of the menu Render it is."""
    if bpy.app.version < (5, 2):
        key("F12", *middle())
        return
    state["clicks"] += 2
    # Escape: a menu that a lost click has left open would take the next one.
    do(f"xdotool mousemove 112 14; xdotool key Escape; sleep {0.4 * PACE}; xdotool click 1; sleep {0.4 * PACE}; "
       f"xdotool mousemove 140 42; sleep {0.4 * PACE}; xdotool click 1")  # fmt: skip


def wait_for_render():
    state["looked"] = state.get("looked", 0) + 1
    if state["looked"] % 150 == 0 and "rendered" not in state and not bpy.app.is_job_running("RENDER"):
        # As with Bake: a key that a busy window has lost is pressed again, and counts.
        press_render()
    return "rendered" not in state


def look_at_render():
    picture("rendered")


def finish():
    took = time.monotonic() - state["start"]
    jobs().stop_all()
    own, others = (sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    say(f"processor time: {own - state['cpu']:.0f} s of Blender, {others:.0f} s of the worker and the clicks")
    baked = sum(bool(ob.animation_data and ob.animation_data.action) for ob in bpy.context.scene.objects)
    say(f"{baked} objects baked, {state['clicks']} clicks and keys, {took:.0f} s from the first to the picture")
    driver.finish(baked and state["clicks"] <= 12)


state["menu_y"], state["bake_y"] = 197, 50
# The lines below the buttons of the panel Bake, from the top of the sidebar.
RESULT = 95, 190
BEGIN = [open_sidebar, open_tab, press_import] if EXAMPLE == 0 else [
    delete_cube, open_sidebar, open_tab, open_menu, choose]  # fmt: skip
STATIONS = [install, *BEGIN, look, press_bake, wait, show_frame, look_before_moving, look_after_moving, render,
            wait_for_render, look_at_render, finish]  # fmt: skip


driver.begin("first", STATIONS, pause=PACE, pictures=f"first_{EXAMPLE}_", give_up=True)
