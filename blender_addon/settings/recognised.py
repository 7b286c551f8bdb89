"""What a body's mesh is taken for where its choice of shape does not say it, as a line for the panel.

Drawing only reads the line last found and asks for a new one, which is found between redraws, at most a few percent of
the time, and redraws the sidebars if the line has changed. Lines are remembered by the mesh's content.
"""

import time

import bpy
import numpy as np

from ...solver.base.refusal import SceneError
from ..baking.signature import PATIENCE
from ..base.windows import redraw_sidebars
from ..exporting.assembly import axes_of, checked_matrix, own_scale
from ..exporting.current_graph import graph_of
from ..exporting.meshes import digest, read_geometry
from ..exporting.reader import own_scale_of, unit_length
from ..exporting.shape_choice import choose, takes_edges, takes_triangles, wire_moves
from ..exporting.wires import wire_line
from .motion import is_dynamic

SHORTEST = 0.2  # seconds between two
MOST_FACES = 20_000  # larger meshes are not read: Blender would stand still

_known = {}  # object -> (line, when to find it anew)
_lines = {}  # (content of the mesh, scale, solid) -> line
_wanted = [None]


def line(ob):
    """What object `ob` was last taken for: 'Recognised as box 1 x 0.5 x 0.2 m', 'Flat: its 2 triangles collide'; empty
    if that is not known (yet), or what its choice of shape says."""
    text, again = _known.get(ob.session_uid, ("", 0.0))
    _wanted[0] = ob.session_uid
    if not bpy.app.timers.is_registered(_find):
        bpy.app.timers.register(_find, first_interval=max(0.0, again - time.monotonic()))
    return text


def stop():
    """Find no more lines."""
    if bpy.app.timers.is_registered(_find):
        bpy.app.timers.unregister(_find)


def _find():
    scene, uid = bpy.context.scene, _wanted[0]
    ob = next((ob for ob in scene.objects if ob.session_uid == uid), None)
    if ob is not None:
        start = time.monotonic()
        text = _line_of(scene, ob, graph_of(scene).now())
        end = time.monotonic()
        before, _ = _known.get(uid, ("", 0.0))
        _known[uid] = text, end + max(SHORTEST, PATIENCE * (end - start))
        if text != before:
            redraw_sidebars(bpy.context.window_manager)


def _line_of(scene, ob, depsgraph):
    """The line of an object as it is now; empty where there is nothing to say."""
    evaluated = ob.evaluated_get(depsgraph)
    if not evaluated.is_evaluated or evaluated.type != "MESH" or ob.mode != "OBJECT":
        return ""
    if len(evaluated.data.polygons) > MOST_FACES:
        return ""
    who = f"object {ob.name!r}"
    try:
        geometry = read_geometry(evaluated, who)
        matrix, (signs, exact) = checked_matrix(np.array(evaluated.matrix_world), who), own_scale_of(evaluated)
        scale = own_scale(exact, axes_of(matrix, signs, who)[0], matrix) * unit_length(scene)
        choice, solid = ob.stiction.shape, is_dynamic(ob.stiction)
        if geometry.is_wire:
            edges = takes_edges(choice, geometry) and (not solid or wire_moves(choice, geometry))
            return wire_line(geometry, ob.stiction.thickness) if edges else ""
        key = digest(geometry), scale.tobytes(), choice, solid
        if key not in _lines:
            _lines[key] = _said(choice, geometry.transformed(scale), who, solid)
        return _lines[key]
    except SceneError:
        # Baking says what is wrong, and what to do.
        return ""


def _said(choice, geometry, who, solid):
    """The line of a mesh in metres."""
    if takes_triangles(choice, geometry, solid):
        return f"Flat: its {len(geometry.triangles)} triangles collide"
    return f"Recognised as {described(choose(choice, geometry, who, solid)[0])}" if choice == "AUTO" else ""


def described(shape):
    """A shape in a few words, lengths in metres."""
    if shape.type == "compound":
        # A shape that lies turned in the mesh's frame is one part of a compound.
        shape = shape.parts[0].shape
    if shape.type == "box":
        return "box " + " x ".join(f"{length:.4g}" for length in shape.size) + " m"
    if shape.type == "convex_hull":
        return f"convex hull of {len(shape.surface()[0])} corners"
    if shape.type == "mesh":
        return f"mesh of {len(shape.surface()[1])} triangles"
    height = "" if shape.type == "sphere" else f", length {shape.length:.4g} m"
    return f"{shape.type} of radius {shape.radius:.4g} m{height}"
