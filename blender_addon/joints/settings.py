"""What the user sets of a joint: `object.stiction_joint`, on an Empty or any other object; its Z is the axis."""

import re

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatProperty, PointerProperty

from ...solver.dynamics.joints import JOINTS
from ..base.changes import bodies_changed

NONE = "NONE"
TYPE_ITEMS = ((NONE, "None", "No joint"), *((key, kind.label, kind.description) for key, kind in JOINTS.items()))

DRIVE_ITEMS = (
    ("NONE", "None", "Moves freely"),
    ("MOTOR", "Motor", "Moves at a speed, as far as its strength allows; speed 0 is a brake. The speed may be keyed"),
    ("SERVO", "Servo", "Moves to a place, as far as its strength allows. The place may be keyed"),
    ("SPRING", "Spring", "Is pulled to a place"),
)

# What keyframes may move, by the drive that uses it; anything else of a joint is read at the first frame.
KEYED = {"MOTOR": "speed", "SERVO": "target"}
TURNS, TRAVELS = ("rz", "rx", "ry", "swing", "twist"), ("z", "x", "y", "d")
LABELS = {
    "x": "Along X", "y": "Along Y", "z": "Along Z", "rx": "About X", "ry": "About Y", "rz": "About Z",
    "swing": "Swing", "twist": "Twist", "d": "Distance",
}  # fmt: skip
# Coordinates that are never below zero: their limits are upper ones alone.
ONE_SIDED = ("swing", "d")


def _coordinate_class(name, doc, unit, step, subtype):
    """A class of property groups: limits, drive and friction of a coordinate; unit and subtype as bpy has them."""
    length = {"unit": unit, "subtype": subtype}
    force, stiff, damp = ("N", "N/m", "N s/m") if unit == "LENGTH" else ("N m", "N m/rad", "N m s/rad")
    per_second = {"unit": "VELOCITY"} if unit == "LENGTH" else {}
    speed = "Speed" if unit == "LENGTH" else "Speed [rad/s]"
    annotations = {
        "use_low": BoolProperty(name="Lower Limit", description="Stop at the lower limit"),
        "low": FloatProperty(name="Lower", default=-step, description="Lower limit; 0 is where it starts", **length),
        "use_high": BoolProperty(name="Upper Limit", description="Stop at the upper limit"),
        "high": FloatProperty(name="Upper", default=step, description="Upper limit; 0 is where it starts", **length),
        "drive": EnumProperty(name="Drive", items=DRIVE_ITEMS, default="NONE", description="What moves the joint"),
        "speed": FloatProperty(
            name=speed, default=1.0, description="Of the second object against the first; keyframes count", **per_second
        ),
        "target": FloatProperty(
            name="Target", description="Where it goes; 0 is where it starts. Of a servo keyframes count", **length
        ),
        "stiffness": FloatProperty(
            name=f"Stiffness [{stiff}]", default=100.0, min=0.0, precision=2,
            description="Of the servo or the spring: how hard it is pulled to its target",
        ),
        "damping": FloatProperty(
            name=f"Damping [{damp}]", default=1.0, min=0.0, precision=3,
            description="Of the servo or the spring: how hard its speed is held back",
        ),
        "strength": FloatProperty(
            name=f"Strength [{force}]", default=0.0, min=0.0, precision=3,
            description="Most that a motor or a servo can give; 0: as much as it needs",
        ),
        "friction": FloatProperty(
            name=f"Friction [{force}]", default=0.0, min=0.0, precision=3,
            description="What it takes to move the joint; below that it holds still",
        ),
    }  # fmt: skip
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc})


StictionTravel = _coordinate_class("StictionTravel", "A motion along an axis.", "LENGTH", 0.1, "DISTANCE")
StictionTurn = _coordinate_class("StictionTurn", "A turn about an axis.", "ROTATION", 0.7853981633974483, "ANGLE")


def name_of(kind):
    """Name of a new object that is a joint of a type."""
    return f"{JOINTS[kind].label} Joint"


def _type_changed(own, context):
    """An object that has the name which its type gave it has that of its new type; any other name is the person's."""
    ob = own.id_data
    given = re.sub(r"\.\d+$", "", ob.name)
    if own.type != NONE and given in map(name_of, JOINTS) and given != name_of(own.type) and ob.library is None:
        ob.name = name_of(own.type)
    bodies_changed()


def _is_joint(_self, ob):
    return ob.stiction_joint.type != NONE


def _members():
    """Properties of a joint."""
    members = {
        "type": EnumProperty(name="Type", items=TYPE_ITEMS, default=NONE, update=_type_changed,
                             description="What the joint holds and what it leaves free"),
        "object1": PointerProperty(name="First", type=bpy.types.Object, update=bodies_changed,
                                   description="Body that the motion is counted against; empty: the ground"),
        "object2": PointerProperty(name="Second", type=bpy.types.Object, update=bodies_changed,
                                   description="Body that is joined to it; empty: the ground"),
        "end": PointerProperty(name="Other End", type=bpy.types.Object,
                               description="Where the rod or rope ends on the second body; empty: its origin"),
        "joint1": PointerProperty(name="Drives", type=bpy.types.Object, poll=_is_joint, update=bodies_changed,
                                  description="The joint that is followed"),
        "joint2": PointerProperty(name="Follows", type=bpy.types.Object, poll=_is_joint, update=bodies_changed,
                                  description="The joint that follows"),
        "collide": BoolProperty(name="Bodies Collide", default=False, description="Let the two bodies touch"),
        "use_breaking": BoolProperty(name="Breakable", default=False, description="Let go at a load"),
        "breaking": FloatProperty(name="Breaking Load [N]", default=1000.0, min=0.0, precision=1,
                                  description="Force at which the joint lets go, averaged over 5 ms"),
        "compliance": FloatProperty(name="Compliance [m/N]", default=0.0, min=0.0, precision=6,
                                    description="How far it gives a newton; 0: not at all"),
        "assemble": BoolProperty(name="Assemble", default=False,
                                 description="Move bodies that are apart together at the start, instead of refusing"),
        "length": FloatProperty(name="Length", default=0.0, min=0.0, precision=4, unit="LENGTH",
                                description="Of the rod or the rope; 0: as it is at the first frame"),
        "ratio": FloatProperty(name="Ratio", default=-1.0, precision=4,
                               description="Second joint's motion over the first's; negative for wheels that mesh"),
        "radius": FloatProperty(name="Radius", default=0.1, precision=4, unit="LENGTH",
                                description="Of the pinion: travel of the rack a radian"),
        "bearing": FloatProperty(name="Bearing Friction", default=0.0, min=0.0, precision=3,
                                 description="Coefficient of friction under the force that the joint carries"),
        "bearing_radius": FloatProperty(name="Bearing Radius", default=0.01, min=0.0, precision=4, unit="LENGTH",
                                        description="Where the bearing or the thread slides, from the axis"),
        "static_ratio": FloatProperty(name="Static over Sliding", default=1.0, min=1.0, precision=3,
                                      description="Friction that holds what sticks, over that of what slides"),
        "lead": FloatProperty(name="Lead", default=0.01, precision=4, unit="LENGTH", description="Travel a turn"),
        "free": BoolVectorProperty(name="Free", size=6, default=[False] * 6,
                                   description="Motions that are not held: along X Y Z, about X Y Z"),
        "friction": FloatProperty(name="Friction [N m]", default=0.0, min=0.0, precision=3,
                                  description="Of all turns of a ball joint"),
    }  # fmt: skip
    members |= {name: PointerProperty(type=StictionTravel, name=LABELS[name]) for name in TRAVELS}
    members |= {name: PointerProperty(type=StictionTurn, name=LABELS[name]) for name in TURNS}
    return members


StictionJoint = type(
    "StictionJoint", (bpy.types.PropertyGroup,), {"__annotations__": _members(), "__doc__": "Settings of one joint."}
)


def coordinates_of(joint):
    """Names of the coordinates that a joint's settings leave free, in the order of its type."""
    if joint.type == NONE:
        return ()
    names = JOINTS[joint.type].coordinates
    if joint.type == "generic":
        return tuple(name for name, free in zip(names, joint.free, strict=True) if free)
    return names


CLASSES = (StictionTravel, StictionTurn, StictionJoint)


def register():
    """Register the groups and attach them to objects."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.stiction_joint = PointerProperty(type=StictionJoint)


def unregister():
    """Detach and remove the groups."""
    del bpy.types.Object.stiction_joint
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
