"""Real mouse events on the panel: fields of a selected body are dragged from row to row down the sidebar, whatever
stands there, and each change is taken back by one Ctrl Z.

Run by WALK=tests/gui/drag.py sh tools/test_gui.sh.
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import at, check, do, key, override, part, picture, say, state, window

# Rows that are dragged, in pixels below the top of the sidebar, how far, and how many changes there must be.
ROWS, FAR, LEAST = range(330, 960, 24), 40, 3
seen = []


def build():
    driver.install()
    driver.remove_meshes()
    with override():
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 1))
        bpy.ops.stiction.add_active()
    bpy.ops.ed.undo_push(message="build")
    driver.open_sidebar()


def values():
    """All settings of the bodies and of the scene, and which objects there are."""
    plain = part("blender_addon.exporting.reading").plain_values
    return ({ob.name: plain(ob.stiction, ("record",)) for ob in bpy.data.objects if ob.type == "MESH"},
            plain(bpy.context.scene.stiction, ("record",)))  # fmt: skip


def changed(one, other):
    """Names of the settings that differ."""
    pairs = [(one[1], other[1]), *((one[0][name], other[0].get(name, {})) for name in one[0])]
    return [name for a, b in pairs for name in a if a[name] != b.get(name)] + [
        "objects" for _ in range(one[0].keys() != other[0].keys())]  # fmt: skip


def drag(y):
    """The stations that drag what stands in a row, and take it back."""

    def down():
        state["before"] = values()
        region = window()[2]["UI"]
        x, there = (int(c) for c in at(region, 0.75 * region.width, y))
        moves = "; ".join(f"xdotool mousemove {x + FAR * k // 4} {there}; sleep 0.1" for k in range(1, 5))
        do(f"xdotool mousemove {x} {there}; sleep 0.3; xdotool mousedown 1; sleep 0.2; {moves}; xdotool mouseup 1")

    def look():
        state["changed"] = changed(state["before"], values())
        if state["changed"]:
            picture(f"dragged_{y}")
            key("ctrl+z", *driver.middle())
        else:
            # A menu that has opened goes.
            key("Escape", *driver.middle())

    def back():
        if state["changed"]:
            left = changed(state["before"], values())
            seen.extend(state["changed"])
            say(f"{y} pixels down: {state['changed']}")
            check(not left, f"Ctrl Z takes back what was dragged: {state['changed']}, left {left}")

    return [down, wait(1.5), look, wait(1.0), back]


def wait(seconds):
    """A station that waits so long."""
    return driver.until(lambda: False, seconds)


def finish():
    check(len(set(seen)) >= LEAST, f"dragging has changed {sorted(set(seen))}")
    driver.finish()


STATIONS = [build, driver.open_tab, wait(2.0), *(station for y in ROWS for station in drag(y)), finish]


driver.begin("drag", STATIONS, pause=0.2, pictures="drag_", give_up=True)
