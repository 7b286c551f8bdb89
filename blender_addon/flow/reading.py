"""Emitters, gates, counters and sinks of a Blender scene as plain data, lengths in Blender units."""

import numpy as np

from ...solver.base.refusal import SceneError
from ..base.geometry import bounds_of
from .settings import objects_of

EMITTER_FIELDS = ("count", "rate", "start", "size_spread", "turned", "seed")
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def box_of(ob):
    """Low and high corner (2,3) in the world of an object: an empty's cube, else its mesh's box."""
    corners = ob.empty_display_size * CUBE if ob.type == "EMPTY" else np.array(ob.bound_box, dtype=float)
    matrix = np.array(ob.matrix_world, dtype=float)
    world = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return bounds_of(world)


def plane_of(ob):
    """(point (3,), unit normal (3,)) of a counter in the world: its Z axis is the way that counts."""
    matrix = np.array(ob.matrix_world, dtype=float)
    axis = matrix[:3, 2]
    return matrix[:3, 3], axis / np.linalg.norm(axis)


def poured_objects(ob):
    """Meshes that an emitter pours; SceneError if there are none."""
    found = [] if ob.stiction_flow.pours is None else ob.stiction_flow.pours.objects
    meshes = sorted((one for one in found if one.type == "MESH"), key=lambda one: one.name)
    if not meshes:
        raise SceneError(f"emitter {ob.name!r}: pours nothing; choose a collection with a mesh under Pours")
    for one in meshes:
        if one.stiction.type != "NONE":
            raise SceneError(f"emitter {ob.name!r}: pours {one.name!r}, which is a body itself; press Remove on that")
    return meshes


def read_flow(scene, read_body):
    """Plain data of a scene's flow: {"gates": [...], "emitters": [...], "counters": [...], "sinks": [...]}, and
    {emitter: (BodyReading, ...)} of what they pour; read_body(object) reads one."""
    gates = [
        {"name": ob.name, "body": ob.name, "time": ob.stiction_flow.gate_time, "at_rest": ob.stiction_flow.at_rest}
        for ob in objects_of(scene, "GATE")
    ]
    counters = []
    for ob in objects_of(scene, "COUNTER"):
        point, normal = plane_of(ob)
        counters.append({"name": ob.name, "point": point.tolist(), "normal": normal.tolist()})
    sinks = [{"name": ob.name, "box": box_of(ob).tolist()} for ob in objects_of(scene, "SINK")]
    emitters, pours = [], {}
    for ob in objects_of(scene, "EMITTER"):
        flow = ob.stiction_flow
        values = {name: getattr(flow, name) for name in EMITTER_FIELDS}
        emitters.append({"name": ob.name, "box": box_of(ob).tolist(), "velocity": list(flow.velocity), **values})
        pours[ob.name] = tuple(read_body(one) for one in poured_objects(ob))
    return {"gates": gates, "emitters": emitters, "counters": counters, "sinks": sinks}, pours
