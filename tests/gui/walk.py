"""A walk through the panel in a real Blender window: run by tools/test_gui.sh, which looks at the exit code.

Installs the built zip, adds bodies, bakes with the window responding, undoes, redoes, cancels, loads a file while a
simulation runs. A screenshot is taken at each station.
"""

import os
import subprocess
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, jobs, open_sidebar, open_tab, override, say, window

gaps, beats = [], {}


def picture(name):
    # The window waits for the picture, not for the extension.
    beats.pop("last", None)
    driver.picture(name)


def build():
    scene = bpy.context.scene
    driver.remove_meshes()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.25), scale=(8, 8, 0.5))
        bpy.context.object.name = "Ground"
        bpy.ops.stiction.add_passive()
        for i in range(12):
            bpy.ops.mesh.primitive_cube_add(
                size=0.6, location=(0.25 * (i % 3), 0.2 * (i % 2), 0.6 + 1.1 * i), rotation=(0.2 * i, 0.1 * i, 0.3)
            )
            bpy.ops.stiction.add_active()
    # Enough steps that the run goes on while it is looked at.
    scene.frame_end, scene.stiction.steps_per_frame = 1200, 60
    with override():
        bpy.ops.ed.undo_push(message="build")
    check(sum(ob.stiction.type == "ACTIVE" for ob in scene.objects) == 12, "Add Active and Add Passive mark objects")


def look_at_panel():
    picture("panel")


def start_bake():
    start = time.perf_counter()
    with override():
        result = bpy.ops.stiction.bake("INVOKE_DEFAULT")
    took = time.perf_counter() - start
    check(result == {"RUNNING_MODAL"}, "Bake returns at once and goes on in the background")
    check(took < 0.3, f"pressing Bake holds the window for {1e3 * took:.0f} ms")
    beats["on"] = True
    bpy.app.timers.register(heartbeat)


def heartbeat():
    """Measures how long the window's event loop is held up while the worker simulates."""
    now = time.perf_counter()
    if "last" in beats:
        gaps.append(now - beats["last"])
    beats["last"] = now
    return 0.01 if beats["on"] else None


def look_at_progress():
    say("state:", jobs().current().status())
    picture("progress")
    subprocess.Popen("xdotool mousemove 400 500; sleep 0.2; xdotool key Escape", shell=True)


def wait_for_frames():
    return jobs().running() and jobs().current().done < 40


def look_at_frames():
    job = jobs().current()
    if jobs().running():
        check(bpy.context.scene.frame_current > 1, f"the viewport follows: frame {bpy.context.scene.frame_current}")
        check(not any(ob.animation_data for ob in bpy.context.scene.objects), "without keyframes")
        with override():
            bpy.ops.stiction.pause()
    check(job.state.value == "running", "Esc over the viewport ends no run")
    window()[1].tag_redraw()


def look_at_pause():
    picture("following")
    check(jobs().current().paused, "Pause holds the run")
    beats["frames"] = bpy.context.scene.frame_current
    bpy.context.scene.frame_set(5)


def scrubbed():
    lowest = min(ob.matrix_world.translation.z for ob in bpy.context.scene.objects if ob.stiction.type == "ACTIVE")
    say(f"lowest body at frame 5: {lowest:.2f} m")
    picture("scrubbed")
    check(bpy.context.scene.frame_current == 5, "while it is paused, frames can be scrubbed")
    with override():
        bpy.ops.stiction.pause()


def wait_for_bake():
    beats["on"] = driver.baking()
    return beats["on"]


def after_bake():
    scene = bpy.context.scene
    baked = [ob for ob in scene.objects if ob.animation_data and ob.animation_data.action]
    check(len(baked) == 12, f"{len(baked)} of 12 objects have keyframes {jobs().current().error}")
    if not baked:
        return
    check("contacts" in scene.stiction.summary, f"result line: {scene.stiction.summary}")
    ordered = sorted(gaps)
    median, high = (1e3 * ordered[int(part * len(ordered))] for part in (0.5, 0.95))
    largest = 1e3 * ordered[-1]
    check(median < 100, f"event loop: median gap {median:.0f} ms, 95 % below {high:.0f} ms, largest {largest:.0f} ms")
    scene.frame_set(120)
    lowest = min(ob.matrix_world.translation.z for ob in baked)
    check(lowest > 0.2, f"no body fell through the ground (lowest centre at {lowest:.2f} m)")


def look_at_result():
    known = driver.part("blender_addon.settings.recognised").line(bpy.context.object)
    check(known == "Recognised as box 0.6 x 0.6 x 0.6 m", f"the panel says what the active mesh is: {known!r}")
    picture("result")


def undo_bake():
    with override():
        bpy.ops.ed.undo()
    objects = [ob for ob in bpy.context.scene.objects if ob.stiction.type == "ACTIVE"]
    check(len(objects) == 12 and not any(ob.animation_data for ob in objects), "one undo takes the whole bake back")


def redo_bake():
    with override():
        bpy.ops.ed.redo()
    objects = [ob for ob in bpy.context.scene.objects if ob.stiction.type == "ACTIVE"]
    check(all(ob.animation_data for ob in objects), "redo brings it back")


def change_setting():
    bpy.context.scene.objects["Cube"].stiction.friction = 0.1
    window()[1].tag_redraw()


def look_at_warning():
    picture("out_of_date")


def start_long():
    bpy.context.scene.frame_end = 5000
    with override():
        bpy.ops.ed.undo_push(message="long")
        bpy.ops.stiction.bake("INVOKE_DEFAULT")
    check(jobs().running(), "a second bake starts")


def cancel_long():
    start = time.perf_counter()
    with override():
        bpy.ops.stiction.cancel()
    check(time.perf_counter() - start < 1 and not jobs().running(), "Cancel stops it at once")


def wait_for_some():
    return jobs().running() and jobs().current().done < 40


def after_cancel():
    check(bool(bpy.context.scene.stiction.summary), "the earlier bake is still there after Cancel")
    picture("stopped")


def bake_partial():
    with override():
        check(bpy.ops.stiction.bake_partial() == {"FINISHED"}, "Bake What There Is")
    say(bpy.context.scene.stiction.summary)


def look_at_partial():
    picture("partial")


def load_while_running():
    with override():
        bpy.ops.stiction.bake("INVOKE_DEFAULT")
    process = jobs().current()._worker.process
    with override():
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    check(process.wait(timeout=10) is not None and not jobs().running(), "loading a file ends the worker")


def refused():
    with override():
        try:
            bpy.ops.stiction.bake("INVOKE_DEFAULT")
            check(False, "an empty scene is refused")
        except RuntimeError as error:
            check("no Active body" in str(error), f"refusal: {str(error).strip()}")


STATIONS = [
    driver.install, build, open_sidebar, open_tab, look_at_panel, start_bake, look_at_progress, wait_for_frames,
    look_at_frames, look_at_pause, scrubbed, wait_for_bake, after_bake, look_at_result, undo_bake, redo_bake,
    change_setting, look_at_warning, start_long, wait_for_some, cancel_long, after_cancel, bake_partial,
    look_at_partial, load_while_running, refused, driver.finish,
]  # fmt: skip


driver.begin("walk", STATIONS, pause=1.0, first=1.5)
