"""How long a real window stands still, phase by phase: Check Bodies, press, reading, running, the bake itself.

Run by WALK=tests/gui/gaps.py BODIES=300 sh tools/test_gui.sh. A timer beats in the window; a thread writes down where
Blender's Python is whenever a beat is late. What has no Python behind it is Blender's own drawing, which software
OpenGL makes slow: DRAW=0 puts a text editor where the 3D view is. On a busy machine read the thread's own time: the
clock counts what other programs take.
"""

import os
import sys
import threading
import time
import traceback

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import jobs, say, state

BODIES, FRAMES = int(os.environ.get("BODIES", "300")), int(os.environ.get("FRAMES", "60"))
DRAW = os.environ.get("DRAW", "1") == "1"
LATE = 0.1
MAIN = threading.get_ident()
gaps = {}
state.update(phase="", last=None, round=0)


def beat():
    now, busy = time.perf_counter(), time.thread_time()
    if state["last"] is not None and state["phase"]:
        gaps.setdefault(state["phase"], []).append((now - state["last"], busy - state["busy"]))
    state["last"], state["busy"] = now, busy
    return 0.01


def watch():
    """Beside Blender: tell what Python does while a beat is late."""
    told = None
    while True:
        time.sleep(0.02)
        last = state["last"]
        if last is None or not state["phase"] or time.perf_counter() - last < LATE or told == last:
            continue
        told = last
        frame = sys._current_frames().get(MAIN)
        lines = traceback.extract_stack(frame)[-6:] if frame is not None else []
        where = " < ".join(f"{os.path.basename(line.filename)}:{line.lineno} {line.name}" for line in reversed(lines))
        say(f"late in {state['phase']}:", where or "Blender itself")


def install():
    driver.install()
    scene = bpy.context.scene
    scene.frame_end, scene.render.fps = FRAMES, 24
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    add("Ground", box("Ground", 200.0), (0, 0, -100.0), "PASSIVE")
    mesh, side = box("Body", 0.5), int(BODIES**0.5) + 1
    for i in range(BODIES):
        add(f"Body {i:05d}", mesh, (i % side - side / 2, i // side - side / 2, 0.6), "ACTIVE")
    bpy.ops.ed.undo_push(message="build")


def box(name, size):
    mesh = bpy.data.meshes.new(name)
    half = size / 2
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    return mesh


def add(name, mesh, place, kind):
    ob = bpy.data.objects.new(name, mesh)
    ob.location, ob.stiction.type = place, kind
    bpy.context.scene.collection.objects.link(ob)


def open_tab():
    driver.open_tab()
    if not DRAW:
        driver.window()[1].type = "TEXT_EDITOR"


def press_check():
    """Checked by hand: as often as it was checked by itself when the bodies came."""
    bpy.app.timers.register(watching, first_interval=0.0)
    pressed("check", "Check Bodies")
    state["phase"] = "checking"
    bpy.app.timers.register(beat)


def pressed(verb, label):
    """Invoke an operator in the window, and tell how long that took."""
    win = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=win, area=win.screen.areas[0]):
        start, busy = time.perf_counter(), time.thread_time()
        getattr(bpy.ops.stiction, verb)("INVOKE_DEFAULT")
        took, own = time.perf_counter() - start, time.thread_time() - busy
        say(f"pressing {label} {1e3 * took:.0f} ms on the clock, {1e3 * own:.0f} ms of own time")


def wait_for_check():
    return bool(driver.part("operators.check")._work)


def after_check():
    state["phase"], state["last"] = "", None
    bpy.app.timers.unregister(beat)


def press():
    bpy.app.timers.register(watching, first_interval=0.0)
    pressed("bake", "Bake")
    state["phase"] = f"{state['round']} reading"
    state["pressed"] = time.perf_counter()
    bpy.app.timers.register(beat)


def watching():
    if "thread" not in state:
        state["thread"] = threading.Thread(target=watch, daemon=True)
        state["thread"].start()


def wait():
    current = jobs().current()
    if current is not None and current.state.value == "running" and state["phase"].endswith("reading"):
        say(f"round {state['round']}: the worker begins after {time.perf_counter() - state['pressed']:.2f} s")
        state["phase"] = f"{state['round']} running"
    if current is not None and current.done and "first" not in state:
        state["first"] = time.perf_counter() - state["pressed"]
        say(f"round {state['round']}: first frame after {state['first']:.2f} s")
    if current is not None and current.state.value != "running" and state["phase"].endswith("running"):
        state["phase"] = f"{state['round']} writing"
    return bool(driver.part("operators.bake")._work)


def after():
    whole = time.perf_counter() - state["pressed"]
    say(f"round {state['round']}: whole {whole:.1f} s; {bpy.context.scene.stiction.summary}")
    baked = [ob for ob in bpy.context.scene.objects if ob.animation_data and ob.animation_data.action]
    say(len(baked), "objects keyed")
    state["phase"], state["last"] = "", None
    state.pop("first", None)
    if bpy.app.timers.is_registered(beat):
        bpy.app.timers.unregister(beat)
    state["round"] += 1


def finish():
    for phase, some in gaps.items():
        for kind, column in (("on the clock", 0), ("of this thread's own time", 1)):
            values = sorted(1e3 * pair[column] for pair in some)
            median, high = (values[int(part * len(values))] for part in (0.5, 0.95))
            longest = ", ".join(f"{gap:.0f}" for gap in values[:-6:-1])
            say(f"{phase}: {len(some)} beats, {kind}: median {median:.0f}, 95 % {high:.0f}, longest {longest} ms")
    driver.finish()


BAKE = [press, wait, after]
STATIONS = [install, driver.open_sidebar, open_tab, press_check, wait_for_check, after_check, *BAKE, *BAKE, finish]


driver.begin("gaps", STATIONS, pause=1.5, again=0.02, first=1.5, give_up=True)
