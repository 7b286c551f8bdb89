"""How long Cancel takes in a busy window: heavy scenes, baked and cancelled at random moments by a click or by Esc.

Run by WALK=tests/gui/cancels.py EXAMPLE=1 STEPS=10 SEED=1 sh tools/test_gui.sh; EXAMPLE: 1 a pile of rigid boxes, 2 a
pile of concave meshes, 3 jellies, 4 a small scene whose kernels are compiled, 5 big meshes that are read, 6 many boxes
that fall side by side, whose bake is written for long. Told is the time from the click until the run, or its reading or
writing, has ended and the window is free, and what was at work then. SIZE="800 700" draws quickly.
"""

import os
import random
import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import at, check, do, jobs, override, part, press, say, state, until, window

KIND, COUNT, SEED = (int(os.environ.get(name, "1")) for name in ("EXAMPLE", "STEPS", "SEED"))
# Latest moment of a cancel after Bake [s], frames, and the longest that a cancel may take [s of Blender's own thread:
# the clock counts what other programs take, and software that draws].
LATEST = {1: 40.0, 2: 40.0, 3: 40.0, 4: 60.0, 5: 25.0, 6: 60.0}[KIND]
FRAMES = {1: 30, 2: 250, 3: 12, 4: 250, 5: 250, 6: 60}[KIND]
LONGEST = 1.0
BAKE, CANCEL = (0.25, 50), (0.75, 109)
# Written at the moment of the click.
SENT = os.path.join(driver.HERE, "sent")
chance, took = random.Random(SEED), []


def boxes(count, size):
    """A slab, and boxes of one mesh in layers over it."""
    mesh, side = box("Body", size), int(count ** (1 / 3)) + 1
    for i in range(count):
        layer, cell = divmod(i, side * side)
        place = [1.1 * size * (k - side / 2) for k in divmod(cell, side)]
        add(f"Body {i:05d}", mesh, (*place, (1.2 * layer + 0.7) * size), "ACTIVE")


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
    return ob


def rain(count):
    """Boxes that fall and touch nothing."""
    mesh = box("Drop", 0.2)
    for i in range(count):
        add(f"Drop {i:05d}", mesh, (0.5 * (i % 50 - 25), 0.5 * (i // 50 - 20), 60.0), "ACTIVE")


def rings(count):
    """Concave meshes, each one of its own with 2,304 faces."""
    for i in range(count):
        with override():
            bpy.ops.mesh.primitive_torus_add(major_segments=64, minor_segments=36, major_radius=0.5, minor_radius=0.15,
                                             location=(i % 5 - 2, i // 5 % 5 - 2, 0.6 + 0.5 * (i // 25)))  # fmt: skip
            bpy.context.object.stiction.type, bpy.context.object.stiction.shape = "ACTIVE", "MESH"


def jellies(count):
    """Deformable balls of many elements."""
    for i in range(count):
        with override():
            bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, radius=0.5, location=(0.3 * i, 0.0, 0.8 + 1.1 * i))
        own = bpy.context.object.stiction
        own.type, own.elastic.use, own.elastic.element_size = "ACTIVE", True, 0.07


def stones(count):
    """Big meshes: 330,000 faces each, drawn as boxes: software takes seconds to draw them whole."""
    for i in range(count):
        with override():
            bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=8, radius=0.5, location=(0.0, 1.5 * i, 0.8))
        bpy.context.object.data.vertices[0].co.z += 0.01 * i
        bpy.context.object.display_type = "BOUNDS"
        bpy.context.object.stiction.type, bpy.context.object.stiction.shape = "ACTIVE", "MESH"


def build():
    if KIND == 4:
        os.environ.update(STICTION_KERNELS="store", STICTION_CACHE_DIR=os.path.join(driver.HERE, "no_kernels"))
    driver.install()
    driver.remove_meshes()
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    add("Ground", box("Ground", 40.0), (0, 0, -20.0), "PASSIVE")
    {1: lambda: boxes(1500, 0.3), 2: lambda: rings(60), 3: lambda: jellies(3), 4: lambda: boxes(20, 0.3),
     5: lambda: stones(8), 6: lambda: rain(2000)}[KIND]()  # fmt: skip
    bpy.ops.ed.undo_push(message="build")
    driver.open_sidebar()


def listen():
    """Tell when the click has come to the operator, and how long that takes."""
    job = jobs().Job
    cancel = job.cancel

    def timed(self):
        if self.state.value == "running":
            state["heard"] = time.time()
        cancel(self)
        state["stopped"] = time.time()

    job.cancel = timed


def draw():
    """How long the window takes to draw."""
    begun = time.perf_counter()
    with override():
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    say(f"the window draws in {time.perf_counter() - begun:.2f} s")
    listen()


def bake():
    if not work():
        press(*BAKE)


def work():
    return part("operators.bake")._work.get("work")


def phase():
    one = work()
    if one is None:
        return "nothing"
    if one.run is None:
        return f"reading {one.last}"
    if one.writing is not None:
        return f"writing {one.last}"
    job = one.run.job
    return f"running, step {job.done}" if job.done else f"preparing ({job.status()})"


def begun():
    if work() is None:
        return False
    state.update(begun=time.monotonic(), at=chance.uniform(0.0, LATEST))
    return True


def moment():
    """Until the moment to cancel, or until the run is over by itself."""
    kind = phase().partition(" ")[0]
    if kind != state.get("kind"):
        state["kind"] = kind
        say(f"{kind} from {time.monotonic() - state['begun']:.1f} s on")
    return work() is not None and time.monotonic() - state["begun"] < state["at"]


def cancel():
    """A click on Cancel where it is there, or Esc with the mouse over the tab."""
    state.update(phase=phase(), heard=None, own=None)
    running, region = state["phase"].startswith("running"), window()[2]["UI"]
    where = CANCEL if running and chance.random() < 0.5 else (0.5, 300)
    state["by"] = "click" if where == CANCEL else "Esc"
    x, y = at(region, where[0] * region.width, where[1])
    if os.path.exists(SENT):
        os.remove(SENT)
    hit = "click 1" if where == CANCEL else "key Escape"
    do(f"xdotool mousemove {int(x)} {int(y)}; sleep 0.5; date +%s.%N > {SENT}.new; mv {SENT}.new {SENT}; xdotool {hit}")


def free():
    if os.path.exists(SENT) and state["own"] is None:
        state["own"] = time.thread_time()
    return work() is None and os.path.exists(SENT)


def note():
    now, sent = time.time(), float(Path(SENT).read_text())
    heard = ""
    if state["heard"]:
        heard = f"heard after {state['heard'] - sent:.2f} s, stopped after {state['stopped'] - sent:.2f} s, "
    current = jobs().current()
    ended = "nothing begun" if current is None else current.state.value
    own = time.thread_time() - state["own"]
    say(f"{state['by']} at {state['at']:.1f} s, {state['phase']}: {heard}free after {now - sent:.2f} s, {own:.2f} s of "
        f"own time, {ended}")  # fmt: skip
    if state["phase"] != "nothing":
        took.append((own, now - sent, state["phase"]))


def finish():
    took.sort()
    say("free after [s of own time, s on the clock]:", ", ".join(f"{own:.2f} {clock:.2f}" for own, clock, _ in took))
    check(bool(took) and took[-1][0] < LONGEST, f"the longest cancel took {took[-1][0]:.2f} s: {took[-1][2]}")
    driver.finish()


def round_of():
    """The stations of one bake that is cancelled."""
    return [bake, until(begun, 60.0, again=bake), moment, cancel, until(free, 120.0), note]


STATIONS = [build, driver.open_tab, draw, *(station for _ in range(COUNT) for station in round_of()), finish]


driver.begin("cancels", STATIONS, pause=0.05, again=0.02, pictures="cancels_", give_up=True)
