"""What a person meets in the first minutes, by real clicks and keys: the menu of materials before and after the first
preset, units, joints from what stands still, a size with keys, a jelly with its estimate, what works in the background
pressed twice, Esc over the tab, a scene deleted during its run, and kernels that have to be compiled.

Run by WALK=tests/gui/first_minutes.py sh tools/test_gui.sh; the pictures are for looking at.
"""

import os
import pathlib
import sys
import tempfile
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import PACE, at, baking, check, click, do, jobs, key, middle, override, part, picture, press, until, window

# Places below the top of the sidebar of 4.3 and 5.2 [pixels], in Blender's first scene with the cube as a body.
MATERIAL, MASS, BAKE = 389, 469, 50
# The title of Bodies, and that of Deformable while Bodies is folded.
BODIES, DEFORMABLE = 113, 197
# The cross beside the name of the scene, and the field of the dialog of presets [pixels of the window].
DELETE_SCENE, NAME = (1099, 14), (240, 536)
kept = {}


def press_bake():
    if not baking():
        press(0.25, BAKE)


def search(words):
    """Stations that find an operator by F3 and run it."""
    name = words.replace(" ", "_")

    def write():
        do(f"xdotool type --delay 100 '{words}'; sleep {0.5 * PACE}; xdotool key Return")
        kept["until"] = time.monotonic() + 0.2 * len(words) + PACE

    return [lambda: key("F3", *middle()), write, lambda: time.monotonic() < kept["until"], lambda: picture(name)]


def cube():
    return bpy.data.objects["Cube"]


def build():
    driver.install()
    driver.open_sidebar()
    bpy.context.scene.frame_end = 20


def add():
    driver.open_tab()
    with override():
        bpy.ops.stiction.add_active()
        bpy.ops.ed.undo_push(message="active")


def checked():
    """What is found later moves what lies below it."""
    return bool(part("blender_addon.settings.recognised").line(cube())) and bool(
        bpy.context.window_manager.stiction_findings.body_count)


def presets():
    folders = bpy.utils.preset_paths(part("blender_addon.materials.own_presets").FOLDER)
    return [path for folder in folders for path in pathlib.Path(folder).glob("*.py")]


def open_materials():
    check(not presets(), "there is no preset yet")
    press(0.5, MATERIAL)


def look_at_materials():
    picture("materials")
    do("xdotool key Escape")


def name_preset():
    picture("preset_dialog")
    x, y = NAME
    do(f"xdotool mousemove {x} {y}; sleep {0.3 * PACE}; xdotool click --repeat 2 --delay 80 1; sleep {0.3 * PACE}; "
       f"xdotool key ctrl+a; xdotool type --delay 100 'Felt'; sleep {0.3 * PACE}; xdotool key Return; "
       f"sleep {0.5 * PACE}; xdotool key Return")  # fmt: skip


def look_at_preset():
    text = "".join(path.read_text(encoding="utf-8") for path in presets())
    check("stiction.friction = 0.5" in text, f"the preset holds the material: {text.splitlines()[2:4]}")
    press(0.5, MATERIAL)


def look_at_materials_again():
    picture("materials_with_preset")
    do("xdotool key Escape")


def open_mass():
    press(0.3, MASS)


def look_at_units():
    picture("units")
    press(0.3, MASS)


def two_bodies():
    """The wheel, which moves, is the active one: what is clicked last."""
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -3))
        bpy.context.object.name = "Frame"
        bpy.ops.stiction.add_passive()
        cube().select_set(True)
        bpy.context.view_layer.objects.active = cube()
        bpy.ops.ed.undo_push(message="frame")


def joint():
    return next((ob for ob in bpy.data.objects if ob.stiction_joint.type != "NONE"), None)


def look_at_joint():
    made = joint()
    check(made is not None, "Connect Selected has made a joint")
    own = made.stiction_joint
    check(own.object1.name == "Frame" and own.object2 == cube(), f"from {own.object1.name} to {own.object2.name}")
    before = made.name
    own.type = "SLIDER" if own.type == "HINGE" else "HINGE"
    check(made.name != before and own.type.capitalize() in made.name, f"{before} is called {made.name} now")
    kept["type"] = before


def look_at_name():
    picture("joint")
    bpy.data.objects.remove(joint())
    bpy.context.view_layer.objects.active = cube()
    for frame, size in ((1, 1.0), (20, 1.5)):
        cube().scale = (size,) * 3
        cube().keyframe_insert("scale", frame=frame)


def look_at_size():
    found = [item.text for item in bpy.context.window_manager.stiction_findings.found]
    check(any("size" in text for text in found), f"its keyed size is mentioned: {found}")
    cube().animation_data_clear()
    cube().scale = (1, 1, 1)
    cube().stiction.elastic.use = True
    bpy.ops.ed.undo_push(message="jelly")


def fold_bodies():
    """To have room for a long panel."""
    picture("size")
    press(0.2, BODIES)


def open_jelly():
    press(0.3, DEFORMABLE)


def bake_jelly():
    picture("jelly")
    kept["start"] = time.monotonic()
    press(0.25, BAKE)


def jelly_baked():
    return not baking() and any("Stiction" in one.name for one in cube().modifiers)


def look_at_baked_jelly():
    picture("jelly_baked")
    took = time.monotonic() - kept["start"]
    check(jelly_baked(), f"a first jelly of 20 frames is baked {took:.0f} s after the press (a busy machine)")


def plot_twice():
    """Plots take a second or two: the second press comes as quickly as a double click."""
    with override():
        kept["answers"] = [bpy.ops.stiction.plots("INVOKE_DEFAULT") for _ in range(2)]


def look_at_twice():
    picture("twice")
    check(kept["answers"] == [{"RUNNING_MODAL"}, {"CANCELLED"}], f"pressed twice: {kept['answers']}")


def plotted():
    return any(image.name.startswith("Stiction") for image in bpy.data.images)


def close_plots():
    picture("plotted")
    windows = bpy.context.window_manager.windows
    with bpy.context.temp_override(window=windows[-1], screen=windows[-1].screen):
        bpy.ops.wm.window_close()


def long_run():
    cube().stiction.elastic.use = False
    bpy.context.scene.frame_end = 40000
    press(0.25, BAKE)


def frames():
    return jobs().running() and jobs().current().done > 100


def over_the_tab():
    picture("running")
    region = window()[2]["UI"]
    key("Escape", *at(region, 0.5 * region.width, 300))


def stopped():
    return not baking()


def look_at_stopped():
    picture("stopped")
    check(jobs().current().state.value == "cancelled", "Esc over the tab cancels the run")
    with override():
        bpy.ops.scene.new(type="EMPTY")
    window()[0].scene = bpy.data.scenes["Scene"]
    press(0.25, BAKE)


def delete_scene():
    kept["job"] = jobs().current()
    picture("two_scenes")
    click(*DELETE_SCENE)


def look_at_deleted():
    picture("scene_deleted")
    check(len(bpy.data.scenes) == 1, f"a click has deleted the scene: {[scene.name for scene in bpy.data.scenes]}")
    check(kept["job"].state.value == "cancelled", f"its run has ended with it: {kept['job'].state.value}")


def compile_anew():
    """As where there is no library for the machine: kernels are compiled, into an empty folder."""
    os.environ.update(STICTION_KERNELS="store", STICTION_CACHE_DIR=tempfile.mkdtemp())
    jobs().stop_all()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=2, location=(0, 0, 2))
        bpy.ops.stiction.add_active()
        bpy.ops.ed.undo_push(message="anew")
    bpy.context.scene.frame_end = 20


def compiled():
    return jobs().running() and jobs().current().compiled > 2


def look_at_compiling():
    picture("compiling")
    job = jobs().current()
    check(job is not None and " of " in job.status() and "once" in job.advice(), f"{job.status()}; {job.advice()}")
    jobs().stop_all()


STATIONS = [
    build, add, until(checked), open_materials, look_at_materials, *search("keep as preset"), name_preset,
    until(presets, 10.0), look_at_preset, look_at_materials_again, open_mass, look_at_units, two_bodies,
    *search("connect selected"), look_at_joint, look_at_name, *search("check bodies"), look_at_size, fold_bodies,
    open_jelly, bake_jelly, until(jelly_baked, again=press_bake), look_at_baked_jelly, plot_twice, look_at_twice,
    until(plotted), close_plots, long_run, until(frames, again=press_bake), over_the_tab, until(stopped),
    look_at_stopped, until(frames, again=press_bake), delete_scene, until(stopped), look_at_deleted, compile_anew,
    press_bake, until(compiled, again=press_bake), look_at_compiling, driver.finish,
]  # fmt: skip


driver.begin("minutes", STATIONS, pause=PACE, pictures="minutes_", give_up=True)
