"""Running the checks: all at once, or a few milliseconds at a time while the window lives on."""

import time

import bpy

from ..baking import bake as baking
from ..base import events
from ..base.changes import forget, listen
from ..base.steps import exhausted, named
from ..base.windows import redraw_sidebars
from ..exporting.current_graph import CurrentGraph, graph_of
from ..exporting.export import bodies_of, frame_range
from . import CHECKS
from .forms.by_worker import mended
from .scan import is_large, scanning
from .store import keep

SLICE = 0.012  # seconds of a timer call
PAUSE = 0.01  # seconds between two calls
LATER = 0.5  # seconds between two looks whether what holds a check up is over

_work = {}


def register():
    """Check after every change of the bodies."""
    listen(soon)


def unregister():
    """Check no more."""
    forget(soon)
    stop()


def checking(scene, graph, at_start):
    """Yield while there is more to do, in words before what takes long; returns (findings by check's key, Scan)."""
    scan = yield from scanning(scene, graph, at_start)
    found = {}
    for check in CHECKS.values():
        found[check.key] = []
        for finding in check.find(scan):
            # None: nothing found, a moment to breathe.
            if finding is not None:
                found[check.key].append(finding)
            yield None
        yield None
    return found, scan


def check_now(scene, view_layer=None):
    """Run all checks in one go; as `check_steps`."""
    return exhausted(check_steps(scene, view_layer))


def check_steps(scene, view_layer=None):
    """Generator that runs all checks on the scene at its first frame, without its bake, and yields often, in words;
    keeps and returns (findings by key, Scan). Closed before its end, the scene is as it was."""
    view_layer = view_layer or bpy.context.view_layer
    start, _ = frame_range(scene)
    current, subframe = scene.frame_current, scene.frame_subframe
    lift = baking.Lift(scene)
    try:
        yield from named("without the bake", lift.up())
        try:
            scene.frame_set(start)
            view_layer.update()
            steps = checking(scene, CurrentGraph(scene, view_layer), at_start=True)
            last = yield from named("the bodies", steps)
        finally:
            scene.frame_set(current, subframe=subframe)
    finally:
        lift.restore()
    keep(scene, *last)
    return last


def soon(at_once=0.0):
    """Check again when Blender next has a moment; what is being checked is begun anew. at_once: seconds to spend on it
    right away."""
    _work.clear()
    if at_once and not _is_heavy(bpy.context.scene) and _tick(at_once) is None:
        return
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=PAUSE)


def stop():
    """Check no more."""
    _work.clear()
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)


def _tick(seconds=SLICE):
    scene = bpy.context.scene
    if any(ob.stiction.record.carried for ob in scene.objects):
        # The bodies are hidden behind their instances; the button looks behind them.
        _work.clear()
        return None
    if "steps" not in _work and events.waiting() and _is_heavy(scene):
        # Whoever cancels what is at work would wait for a body to be checked, for seconds.
        return LATER
    at_start = shows_start(scene)
    if _work.get("at_start") != at_start:
        # Bodies read at other frames would be compared as if they were of one.
        _work.clear()
    if "steps" not in _work:
        _work.update(at_start=at_start, steps=checking(scene, graph_of(scene), at_start))
    until = time.perf_counter() + seconds
    try:
        while time.perf_counter() < until:
            next(_work["steps"])
    except ReferenceError:
        # Undo or a new file took the objects away; what is there now is checked when it next changes.
        _work.clear()
        return None
    except StopIteration as end:
        _work.clear()
        keep(scene, *end.value)
        redraw_sidebars(bpy.context.window_manager)
        return None
    return PAUSE


def _is_heavy(scene):
    """True if a body has so large a mesh that to look at it holds the window up."""
    graph = graph_of(scene)
    return any(is_large(ob, graph) for ob in bodies_of(scene))


def shows_start(scene):
    """True if the bodies are where a simulation would begin: at its first frame, without a bake and without a run that
    is shown on them."""
    shown = any(ob.stiction.record.shown for ob in scene.objects)
    return scene.frame_current == scene_start(scene) and not shown and not baking.baked_objects(scene)


def scene_start(scene):
    """First frame of the simulation."""
    return scene.frame_start if scene.stiction.use_scene_range else scene.stiction.frame_start


def repair(scene, key, view_layer=None):
    """Repair all objects on which a fresh check finds `key`; returns the sentence on what was done, "" if nothing."""
    found, scan = check_now(scene, view_layer)
    names = list(dict.fromkeys(finding.names[0] for finding in found[key]))
    objects = [scene.objects[name] for name in names if name in scene.objects]
    if not objects:
        return ""
    said = CHECKS[key].repair(scene, objects, scan)
    mended(scene, names)
    (view_layer or bpy.context.view_layer).update()
    check_now(scene, view_layer)
    return said
