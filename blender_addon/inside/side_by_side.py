"""Runs of one scene with several methods, shown beside the scene as instances, each with its name above it."""

import bpy
import numpy as np

from ..bakers import instances
from ..bakers.base import ObjectFinder
from ..exporting import reading as readings
from ..running.frames import RunFrames
from ..running.places import run_folder
from ..running.run import source_of

# Room between two runs, as a part of the scene's width.
ROOM = 0.2


def show(scene, folder, methods):
    """Show the runs in folder/METHOD beside the scene; returns lines for a table: how far each ends from the bake."""
    clear(scene)
    baked = RunFrames(run_folder(scene) or scene.stiction.run).load()
    reading = readings.load(baked.folder)
    export = source_of(reading, baked)
    links, _ = ObjectFinder(scene.objects).pairs(link for link in export.links if link.active)
    low, high = _bounds(baked, export.unit)
    lines = [f"{'method':24} {'residual m/s':>13} {'overlap mm':>11} {'largest difference at the end m':>32}"]
    for number, method in enumerate(methods, 1):
        frames = RunFrames(folder / method).load()
        shift = (0.0, number * (1 + ROOM) * (high - low)[1], 0.0)
        name = f"Stiction {method}"
        carrier = instances.build(
            scene, name, links, frames, export.unit, reading.frame_start, shift, folder=folder / method
        )
        carrier[instances.MARK] = "comparison"
        _label(scene, method, low, high, shift)
        lines.append(_line(method, frames, baked))
    return lines


def _line(method, frames, baked):
    last = min(frames.count, baked.count) - 1
    apart = np.linalg.norm(frames.positions[last] - baked.positions[last], axis=1)
    body = frames.names[int(apart.argmax())]
    residual, overlap = (float(frames.steps[name].max(initial=0.0)) for name in ("residual", "overlap"))
    return f"{method:24} {residual:13.2e} {1e3 * overlap:11.4g} {apart.max():20.4g} of {body!r}"


def _bounds(frames, unit):
    """Low and high corner (3,) of what moves, over all frames, with the bodies' sizes [Blender units]."""
    moving = np.array([motion != "static" for motion in frames.header["motion"]])
    size = np.array(frames.header["size"])[moving]
    places = frames.positions[:, moving]
    low, high = (places - size[:, None]).min(axis=(0, 1)), (places + size[:, None]).max(axis=(0, 1))
    return low / unit, high / unit


def _label(scene, method, low, high, shift):
    curve = bpy.data.curves.new(f"Stiction {method} Name", "FONT")
    curve.body, curve.size, curve.align_x = method, 0.12 * float(high[0] - low[0]), "CENTER"
    label = bpy.data.objects.new(curve.name, curve)
    label.location = (0.5 * (low[0] + high[0]), low[1] + shift[1], high[2])
    label.rotation_euler.x = np.pi / 2
    label[instances.MARK] = "label"
    scene.collection.objects.link(label)


def clear(scene):
    """Remove what `show` made."""
    for ob in [ob for ob in scene.objects if ob.get(instances.MARK) in ("comparison", "label")]:
        instances.remove(ob)
