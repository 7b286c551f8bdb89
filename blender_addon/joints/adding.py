"""Making joints: an Empty at a pivot, joined to what was selected."""

import bpy
from mathutils import Matrix, Vector

from ...solver.dynamics.joints import JOINTS
from ..base.enums import identifier
from ..settings.motion import is_dynamic
from .settings import NONE, name_of

# How the Empty looks, so that its axis is seen without an overlay.
DISPLAY = {"ball": "SPHERE", "fixed": "CUBE", "distance": "PLAIN_AXES", "rope": "PLAIN_AXES", "generic": "ARROWS",
           "universal": "ARROWS", "planar": "ARROWS"}  # fmt: skip
AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}
# Joints that reach from one body to the other.
LONG = ("distance", "rope")
# An Empty is this part of the distance of the bodies large.
SIZE = 0.3


def add_joint(scene, kind, ends, place, axis="Z"):
    """A new Empty of the scene that is a joint of type `kind`; ends: two objects or None for the ground (two joints
    where the type joins those); place (3,), world; axis: X, Y, Z of the world or LINE, from end to end."""
    first, second = ends
    ob = bpy.data.objects.new(name_of(kind), None)
    scene.collection.objects.link(ob)
    ob.matrix_world = Matrix.Translation(place) @ _turn(axis, ends).to_matrix().to_4x4()
    ob.empty_display_type = DISPLAY.get(kind, "SINGLE_ARROW")
    ob.empty_display_size = SIZE * _apart(ends)
    own = ob.stiction_joint
    own.type = identifier(kind)
    if JOINTS[kind].bodies:
        own.object1, own.object2 = first, second
    else:
        own.joint1, own.joint2 = first, second
    return ob


def _center(ob):
    return ob.matrix_world @ (sum((Vector(corner) for corner in ob.bound_box), Vector()) / 8.0)


def _apart(ends):
    """A length to go by: the distance of the ends, or the size of the one there is."""
    there = [ob for ob in ends if ob is not None]
    if len(there) == 2 and (length := (_center(there[0]) - _center(there[1])).length) > 0:
        return length
    return max((max(ob.dimensions) for ob in there), default=1.0) or 1.0


def _turn(axis, ends):
    """Rotation that takes Z to the axis."""
    way = AXES.get(axis)
    if way is None:
        there = [ob for ob in ends if ob is not None]
        way = _center(there[1]) - _center(there[0]) if len(there) == 2 else AXES["Z"]
    return AXES["Z"].rotation_difference(way) if way.length > 0 else AXES["Z"].rotation_difference(AXES["Z"])


def pivot(kind, ends, where):
    """Place (3,) of a new joint: CENTER between the ends, ACTIVE or SELECTED: at the second's or the first's origin. A
    rod or rope begins at the first body."""
    first, second = ends
    there = [ob for ob in ends if ob is not None]
    if kind in LONG and first is not None:
        return first.matrix_world.translation.copy()
    if where == "CENTER":
        return sum((_center(ob) for ob in there), Vector()) / len(there)
    chosen = {"ACTIVE": second, "SELECTED": first}[where] or there[0]
    return chosen.matrix_world.translation.copy()


def still_first(ends):
    """The two objects of a joint, one that stands still or is animated before one that moves: motion is counted of the
    second against the first, so that a motor turns what moves as its axis says. Any other order is left."""
    first, second = ends
    if second is None or first is None or second.stiction.type == "NONE":
        return ends
    return (second, first) if is_dynamic(first.stiction) and not is_dynamic(second.stiction) else ends


def connect(scene, kind, objects, active, where="CENTER", pattern="SELECTED_TO_ACTIVE", axis="Z"):
    """Join `objects` to the active one, or each to the next along a chain that begins at it, as Blender's Connect does;
    with the active one alone, to the ground. Returns the joints."""
    others = sorted((ob for ob in objects if ob != active), key=lambda ob: ob.name)
    if not others:
        pairs = [(None, active)]
    elif pattern == "CHAIN_DISTANCE":
        chain = _chain(others, active)
        pairs = list(zip(chain[:-1], chain[1:], strict=True))
    else:
        pairs = [(ob, active) for ob in others]
    made = []
    for ends in pairs:
        order = still_first(ends)
        # Where the active object is, is asked of the pair as it was selected.
        place = pivot(kind, order if kind in LONG else ends, where)
        made.append(add_joint(scene, kind, order, place, axis))
    return made


def _chain(others, active):
    """From the active object each time to the nearest that is left."""
    chain, left = [active], list(others)
    while left:
        place = _center(chain[-1])
        chain.append(min(left, key=lambda ob: (_center(ob) - place).length))
        left.remove(chain[-1])
    return chain


def is_joint(ob):
    """True if an object carries a joint."""
    return ob.stiction_joint.type != NONE
