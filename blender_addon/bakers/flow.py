"""Bodies that come and go: those of emitters as instances on a carrier, hidden until they come; gates that are gone."""

from pathlib import Path

import bpy
import numpy as np

from ..baking.record import remember_view, seal
from ..base.curves import ActionWriter, add_held, curves_of
from ..exporting.assembly import Link, Maker
from ..flow.made import solver_flow
from .base import Baker, ObjectFinder
from .instances import build_steps
from .presence import taken_out, times_here

# On the action of a gate: what was there before.
MARK = "stiction_gate"
# What keeps a body out of view that a sink has taken.
HIDING_PATHS = ("hide_render", "hide_viewport")


def bake(scene, export, trajectory, frames, name):
    """Generator that shows what emitters have poured and takes gates away; returns sentences to show."""
    flow = export.reading.flow
    if not any(flow.values()):
        return []
    finder = ObjectFinder(scene.objects)
    present, notes = trajectory.header.get("present", {}), []
    for gate in flow["gates"]:
        gone = present.get(gate["body"], (0.0, None))[1]
        if gone is not None:
            notes += _hide_from(finder, export, gate["body"], export.frame_start + gone * export.fps, name)
    gates = {gate["body"] for gate in flow["gates"]}
    yield from _hide_taken(finder, export, trajectory, taken_out(trajectory) - gates)
    for ob, links in _poured(export, notes):
        folder = Path(trajectory.folder) / f"poured_{bpy.path.clean_name(ob)}"
        folder.mkdir(exist_ok=True)
        here = times_here([link.name for link, _ in links], trajectory)
        yield from build_steps(scene, f"{name} {ob}", links, trajectory, export.unit, int(round(frames[0])),
                               folder=folder, here=here)  # fmt: skip
    return notes


def _hide_taken(finder, export, trajectory, names):
    """Generator that takes the keyed objects of bodies out of view from where a sink has taken them. What the user has
    keyed of that stays the user's."""
    for link in export.links:
        ob = finder.find(link) if link.name in names else None
        if ob is None or not ob.stiction.record.baked:
            continue
        if any(curve.data_path in HIDING_PATHS for curve in curves_of(ob.animation_data)):
            continue
        remember_view(ob)
        gone = export.frame_start + trajectory.header["present"][link.name][1] * export.fps
        for path in HIDING_PATHS:
            first = export.frame_start, float(getattr(ob, path))
            add_held(ob, path, [first, (max(np.ceil(gone - 1e-6), export.frame_start + 1), 1.0)])
        seal(ob, ob.stiction.record.frame)
        yield link.name


def _poured(export, notes):
    """[(emitter's name, [(Link, object to show it by)])] of what the emitters of a run poured."""
    from ...solver.dynamics.flow import draws

    reading = export.reading
    maker = Maker(reading.unit, reading.meshes)
    emitters = solver_flow(reading, maker).get("emitters", ())
    # What an emitter pours may be in no scene.
    finder = ObjectFinder(bpy.data.objects)
    for emitter in emitters:
        links = []
        links_made = [maker.body(body)[1] for body in reading.pours[emitter.name]]
        objects = [finder.find(link) for link in links_made]
        if None in objects:
            gone = links_made[objects.index(None)].name
            notes.append(f"emitter {emitter.name!r}: {gone!r} is gone; its bodies are not shown")
            continue
        for k, (shape, size, _) in enumerate(draws(emitter)):
            offset = links_made[shape].offset.copy()
            offset[:3] *= size
            links.append((Link(f"{emitter.name}.{k}", 0, True, offset), objects[shape]))
        yield emitter.name, links


def _hide_from(finder, export, body, frame, name):
    """Take the object of a gate out of view from a frame on. Returns sentences to show."""
    link = next((link for link in export.links if link.name == body), None)
    ob = None if link is None else finder.find(link)
    if ob is None:
        return [f"gate {body!r} is gone"]
    if ob.animation_data and ob.animation_data.action:
        return [f"gate {body!r}: has an action of its own, so it stays in view; hide it from frame {frame:.0f} on"]
    # In the viewport it shows its edges: hidden there, it would read as another scene.
    kinds = bpy.types.Object.bl_rna.properties["display_type"].enum_items
    before = kinds[ob.display_type].value
    at = np.array([export.frame_start, max(np.ceil(frame) - 1, export.frame_start), np.ceil(frame)], dtype=float)
    saved = [float(ob.hide_render), float(before)]
    values = [[saved[0], saved[0], 1.0], [before, before, kinds["WIRE"].value]]
    ActionWriter(f"{name} {ob.name}", at).write(ob, [("hide_render", 0), ("display_type", 0)], values)
    ob.animation_data.action[MARK] = saved
    for curve in curves_of(ob.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    return []


def clear(scene):
    """Generator that shows gates again; returns their number and sentences to show. Carriers go with those of all
    instances."""
    count = 0
    yield
    for ob in scene.objects:
        action = ob.animation_data.action if ob.animation_data else None
        if action is None or MARK not in action:
            continue
        hide_render, display = action[MARK]
        ob.animation_data_clear()
        kinds = bpy.types.Object.bl_rna.properties["display_type"].enum_items
        ob.hide_render = bool(hide_render)
        ob.display_type = next(kind.identifier for kind in kinds if kind.value == int(display))
        if action.users == 0:
            bpy.data.actions.remove(action)
        count += 1
    return count, []


def baked_objects(scene):
    """Gates that a bake has taken away."""
    return [ob for ob in scene.objects if ob.animation_data and ob.animation_data.action
            and MARK in ob.animation_data.action]  # fmt: skip


BAKER = Baker("flow", bake, clear)
