"""Modes of a plank: the panel with their list, one that swings, and its end by Esc.

Run by tools/test_gui.sh with WALK=tests/gui/modes.py; the pictures are to be looked at.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import check, key, middle, override, part, picture, window

seen = []


def build():
    driver.remove_meshes()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, scale=(1.0, 0.2, 0.05))
        bpy.context.object.name = "Plank"
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
        bpy.ops.mesh.primitive_cube_add(size=1)
        bpy.data.objects.remove(bpy.context.object)
        bpy.context.view_layer.objects.active = bpy.data.objects["Plank"]
        bpy.data.objects["Plank"].select_set(True)
        bpy.ops.stiction.add_active()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.subdivide(number_cuts=12)
        bpy.ops.object.mode_set(mode="OBJECT")
    elastic = bpy.context.object.stiction.elastic
    elastic.use, elastic.motion, elastic.element, elastic.young = True, "MODES", "T10", 1e9
    elastic.element_size, elastic.modes, elastic.damping = 0.05, 8, 1e-6
    show_alone("STICTION_PT_deformable")
    driver.open_sidebar()
    space = window()[1].spaces.active
    space.region_3d.view_distance, space.show_region_ui = 2.2, True


def show_alone(name):
    """One panel unfolded, as after a click on its name, and no others of the tab, so that all of it is in view."""
    classes = [cls for cls in part("ui")._classes() if issubclass(cls, bpy.types.Panel)]
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    for cls in classes:
        if cls.__name__ == name:
            cls.bl_options = set()
            bpy.utils.register_class(cls)


def find():
    driver.open_tab()
    with override():
        bpy.ops.stiction.find_modes("INVOKE_DEFAULT")


def found():
    return part("blender_addon.deformable.modes").found(bpy.data.objects["Plank"]) is not None


def look_at_list():
    picture("list")


def play():
    with override():
        check(bpy.ops.stiction.play_mode("INVOKE_DEFAULT", mode=2) == {"RUNNING_MODAL"}, "a mode is played")


def look_at_swing():
    modifiers = bpy.data.objects["Plank"].modifiers
    check(len(modifiers) == 1, "the plank swings")
    seen.append(modifiers[0].eval_frame)
    picture(f"swing_{len(seen)}")
    return len(seen) < 3


def stop():
    check(max(seen) - min(seen) > 0.05, f"it moves: {seen}")
    key("Escape", *middle())


def look_at_end():
    check(not bpy.data.objects["Plank"].modifiers, "Esc ends it, and nothing is left")
    picture("end")


driver.begin(
    "modes", [driver.install, build, find, driver.until(found), look_at_list, play, look_at_swing, stop, look_at_end,
              driver.finish], pause=2.0, again=0.37, pictures="modes_",
)  # fmt: skip
