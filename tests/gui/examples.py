"""An example as an artist goes through it, by clicks: Bake, Cancel, a change, Bake, Go On, Verify, Inspect, Clear.

Run by WALK=tests/gui/examples.py EXAMPLE=1 sh tools/test_gui.sh; EXAMPLE: 1 the wall, 2 the monkeys, 3 the hopper. The
pictures are for looking at.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import baking, check, jobs, part, picture, press, state, until, window

NUMBER, FRAMES = int(os.environ.get("EXAMPLE", "1")), 40
# Buttons: part of the sidebar's width, pixels below its top.
BAKE, CLEAR, CANCEL, GO_ON, VERIFY = (0.25, 50), (0.75, 50), (0.75, 109), (0.4, 80), (0.5, 274)
kept = {}


def keys():
    return list(part("blender_addon.examples").EXAMPLES)


def build():
    driver.install()
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    key = keys()[NUMBER - 1]
    with driver.override():
        bpy.ops.stiction.add_example(example=part("blender_addon.base.enums").identifier(key))
    scene.stiction.simulation.store_contacts = True
    window()[1].spaces.active.region_3d.view_perspective = "CAMERA"
    bpy.ops.ed.undo_push(message="example")
    state["pictures"] = f"example_{key}_"
    driver.open_sidebar()


def ends():
    return {round(ob.animation_data.action.frame_range[1]) for ob in bpy.data.objects
            if ob.animation_data and ob.animation_data.action}  # fmt: skip


def begun():
    return baking()


def bake():
    if not baking():
        press(*BAKE)


def some():
    return jobs().running() and jobs().current().done > jobs().current().total // 4


def cancel():
    if jobs().running():
        press(*CANCEL)


def over():
    return not baking()


def change():
    picture("cancelled")
    check(jobs().current().state.value == "cancelled" and not ends(), "Cancel has ended it, and keyed nothing")
    active = [ob for ob in bpy.context.scene.objects if ob.stiction.type == "ACTIVE"]
    # Of the wall the ball, of the others what lies on top.
    moved = max(active, key=lambda ob: (NUMBER == 1 and ob.name == "Ball", ob.location.z))
    moved.location.z += 0.2
    bpy.ops.ed.undo_push(message="move")
    window()[1].tag_redraw()


def look_at_changed():
    picture("changed")


def baked_to(frame):
    def is_so():
        return not baking() and ends() == {frame}

    return is_so


def look_at_baked():
    check(ends() == {FRAMES}, f"baked to frame {ends()}: {bpy.context.scene.stiction.summary}")
    bpy.context.scene.frame_set(FRAMES * 2 // 3)


def longer():
    picture("baked")
    bpy.context.scene.frame_end = FRAMES + 10
    window()[1].tag_redraw()


def go_on():
    if not baking():
        press(*GO_ON)


def look_at_longer():
    picture("longer")
    check(ends() == {FRAMES + 10}, f"Go On bakes to frame {ends()}")


def verify():
    press(*VERIFY)


def verified():
    return bool(bpy.context.scene.stiction.verified)


def inspect():
    picture("verified")
    said = bpy.context.scene.stiction.verified
    check(said.startswith(("Verified", "Not verified")), f"Verify Run says: {said}")
    look = bpy.context.window_manager.stiction_look
    look.points = look.normals = look.chains = True
    bpy.context.scene.frame_set(FRAMES)
    window()[1].spaces.active.shading.type = "WIREFRAME"


def look_at_forces():
    picture("forces")
    look = bpy.context.window_manager.stiction_look
    look.points = look.normals = look.chains = False
    window()[1].spaces.active.shading.type = "SOLID"


def clear():
    if not baking() and ends():
        press(*CLEAR)


def cleared():
    return not baking() and not ends()


def look_at_cleared():
    picture("cleared")
    check(not ends(), "Clear takes the bake off every object")


STATIONS = [
    build, driver.open_tab, bake, until(begun, again=bake), until(some), cancel, until(over, again=cancel), change,
    look_at_changed, bake, until(baked_to(FRAMES), again=bake), look_at_baked, longer, go_on,
    until(baked_to(FRAMES + 10), again=go_on), look_at_longer, verify, until(verified, again=verify), inspect,
    look_at_forces, clear, until(cleared, again=clear), look_at_cleared, driver.finish,
]  # fmt: skip


driver.begin("examples", STATIONS, pause=driver.PACE, give_up=True)
