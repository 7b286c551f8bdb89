"""The search of F3: words that a person types find an operator, Return runs it, and the history of undo names it.

Run by WALK=tests/gui/search.py sh tools/test_gui.sh; the pictures are for looking at.
"""

import os
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import PACE, baking, check, do, key, middle, override, picture

# Seconds after which what was found has run.
LONGEST = 60.0
kept = {}


def install():
    driver.install()
    driver.open_sidebar()


def open_tab():
    driver.open_tab()
    driver.remove_meshes()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5), scale=(8, 8, 1))
        bpy.ops.stiction.add_passive()
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 1.5))
        bpy.context.object.name = "falls"
        bpy.ops.ed.undo_push(message="begin")
    bpy.context.scene.frame_end, bpy.context.scene.stiction.simulation.store_contacts = 20, True


def cube():
    return bpy.data.objects["falls"]


def dropped():
    return abs(cube().location.z - 0.5) < 1e-3


def active():
    return cube().stiction.type == "ACTIVE"


def baked():
    return not baking() and cube().animation_data is not None and cube().animation_data.action is not None


def cleared():
    return not baking() and (cube().animation_data is None or cube().animation_data.action is None)


def checked():
    return driver.part("blender_addon.checks.runner").shows_start(bpy.context.scene)


def verified():
    return bpy.context.scene.stiction.verified.startswith("Verified")


def plotted():
    return any(image.name.startswith("Stiction") for image in bpy.data.images)


# What is typed, and what is so when it has run; None: looked at alone, what a person finds who knows less. The plot
# comes last: its window lies over the 3D view.
SEARCHES = (
    ("drop to rest", dropped), ("add active", active), ("check bodies", checked), ("bake simulation", baked),
    ("bake", None), ("physics", None), ("verify", verified), ("clear bake", cleared), ("bake sim", baked),
    ("plot run", plotted),
)  # fmt: skip


def stations_of(words, is_so):
    """Stations that search, look, and where is_so is given run it and wait until it is so."""
    name = words.replace(" ", "_")

    def search():
        key("F3", *middle())

    def write():
        do(f"xdotool type --delay 150 '{words}'")
        kept["until"] = time.monotonic() + 0.2 * len(words) + PACE

    def written():
        return time.monotonic() < kept["until"]

    def look():
        picture(name)
        do("xdotool key " + ("Return" if is_so else "Escape"))
        kept["until"] = time.monotonic() + LONGEST

    def runs():
        return is_so is not None and not is_so() and time.monotonic() < kept["until"]

    def judge():
        if is_so is not None:
            check(is_so(), f"F3, {words!r}, Return: {is_so.__name__}")
            picture(f"{name}_done")

    return [search, write, written, look, runs, judge]


STATIONS = [install, open_tab]
for words, is_so in SEARCHES:
    STATIONS += stations_of(words, is_so)
STATIONS.append(driver.finish)
driver.begin("search", STATIONS, pause=0.5 * PACE, pictures="search_", give_up=True)
