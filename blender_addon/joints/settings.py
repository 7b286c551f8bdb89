"""What the user sets of a joint: `object.stiction_joint`, on an Empty or any other object; its Z is the axis."""

import re

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatProperty, PointerProperty

from ...solver.dynamics.joints import JOINTS
from ..base.changes import bodies_changed
from ..base.enums import OF_SOLVER, items_of, solver_key

NONE = "NONE"
TYPE_ITEMS = (
    (NONE, "None", "No joint"), *items_of((key, kind.label, kind.description) for key, kind in JOINTS.items())
)  # fmt: skip

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
        "use_low": BoolProperty(name="Lower Limit",
        description="Stop at the lower limit. Switch it on for what has a stop there"),
        "low": FloatProperty(name="Lower", default=-step,
        description="Lower limit; 0 is where it starts. Set it to where the stop is", **length),
        "use_high": BoolProperty(name="Upper Limit",
        description="Stop at the upper limit. Switch it on for what has a stop there"),
        "high": FloatProperty(name="Upper", default=step,
        description="Upper limit; 0 is where it starts. Set it to where the stop is", **length),
        "drive": EnumProperty(name="Drive", items=DRIVE_ITEMS, default="NONE",
        description="What moves the joint. Choose Motor for a speed, Servo for a place, Spring for what comes back"),
        "speed": FloatProperty(
            name=speed, default=1.0,
            description="Of the second object against the first; keyframes count. Set it negative for the other way",
            **per_second
        ),
        "target": FloatProperty(
            name="Target",
            description="Where it goes; 0 is where it starts. Of a servo keyframes count. Set it to the place that "
            "is held", **length
        ),
        "stiffness": FloatProperty(
            name=f"Stiffness [{stiff}]", default=100.0, min=0.0, precision=2,
            description="Of the servo or the spring: how hard it is pulled to its target. Raise it where it sags "
            "under its load",
        ),
        "damping": FloatProperty(
            name=f"Damping [{damp}]", default=1.0, min=0.0, precision=3,
            description="Of the servo or the spring: how hard its speed is held back. Raise it where it swings for "
            "too long",
        ),
        "strength": FloatProperty(
            name=f"Strength [{force}]", default=0.0, min=0.0, precision=3,
            description="Most that a motor or a servo can give; 0: as much as it needs. Set it to what the real one "
            "can, or it lifts everything",
        ),
        "friction": FloatProperty(
            name=f"Friction [{force}]", default=0.0, min=0.0, precision=3,
            description="What it takes to move the joint; below that it holds still. Raise it for what stays where "
            "it is put",
        ),
    }  # fmt: skip
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc})


StictionTravel = _coordinate_class("StictionTravel", "A motion along an axis.", "LENGTH", 0.1, "DISTANCE")
StictionTurn = _coordinate_class("StictionTurn", "A turn about an axis.", "ROTATION", 0.7853981633974483, "ANGLE")


def name_of(kind):
    """Name of a new object that is a joint of a type."""
    return f"{JOINTS[kind].label} Joint"


def kind_of(own):
    """What the solver knows of the type of a joint, by its settings; None for no joint."""
    return JOINTS.get(solver_key(own.type))


def _type_changed(own, context):
    """An object that has the name which its type gave it has that of its new type; any other name is the person's."""
    ob = own.id_data
    given = re.sub(r"\.\d+$", "", ob.name)
    kind = kind_of(own)
    if kind is not None and given in map(name_of, JOINTS) and given != name_of(kind.key) and ob.library is None:
        ob.name = name_of(kind.key)
    bodies_changed()


def _is_joint(_self, ob):
    return ob.stiction_joint.type != NONE


def _members():
    """Properties of a joint."""
    members = {
        "type": EnumProperty(name="Type", items=TYPE_ITEMS, default=NONE, update=_type_changed,
                             description="What the joint holds and what it leaves free. Change it to Hinge for doors "
                             "and wheels, Slider for drawers, Ball for shoulders"),
        "object1": PointerProperty(name="First", type=bpy.types.Object, update=bodies_changed,
                                   description="Body that the motion is counted against; empty: the ground. Set it "
                                   "to what stands still"),
        "object2": PointerProperty(name="Second", type=bpy.types.Object, update=bodies_changed,
                                   description="Body that is joined to it; empty: the ground. Set it to what moves"),
        "end": PointerProperty(name="Other End", type=bpy.types.Object,
                               description="Where the rod or rope ends on the second body; empty: its origin. Set it "
                               "to an empty at the place of the knot"),
        "joint1": PointerProperty(name="Drives", type=bpy.types.Object, poll=_is_joint, update=bodies_changed,
                                  description="The joint that is followed. Choose the one with the motor"),
        "joint2": PointerProperty(name="Follows", type=bpy.types.Object, poll=_is_joint, update=bodies_changed,
                                  description="The joint that follows. Choose the one without a motor"),
        "collide": BoolProperty(name="Bodies Collide", default=False,
        description="Let the two bodies touch. Switch it on where they may hit each other, as a door its frame"),
        "use_breaking": BoolProperty(name="Breakable", default=False,
        description="Let go at a load. Switch it on for what tears or breaks off"),
        "breaking": FloatProperty(name="Breaking Load [N]", default=1000.0, min=0.0, precision=1,
                                  description="Force at which the joint lets go, averaged over 5 ms. Lower it where "
                                  "it holds too long"),
        "compliance": FloatProperty(name="Compliance [m/N]", default=0.0, min=0.0, precision=6,
                                    description="How far it gives a newton; 0: not at all. Raise it for straps and "
                                    "soft mounts"),
        "assemble": BoolProperty(name="Assemble", default=False,
                                 description="Move bodies that are apart together at the start, instead of refusing. "
                                 "Switch it on where parts were placed by eye"),
        "length": FloatProperty(name="Length", default=0.0, min=0.0, precision=4, unit="LENGTH",
                                description="Of the rod or the rope; 0: as it is at the first frame. Set it where a "
                                "rope hangs loose at the start"),
        "ratio": FloatProperty(name="Ratio", default=-1.0, precision=4,
                               description="Second joint's motion over the first's; negative for wheels that mesh. "
                               "Set it to the teeth of the first wheel over those of the second"),
        "radius": FloatProperty(name="Radius", default=0.1, precision=4, unit="LENGTH",
                                description="Of the pinion: travel of the rack a radian. Set it to the radius of the "
                                "wheel"),
        "bearing": FloatProperty(name="Bearing Friction", default=0.0, min=0.0, precision=3,
                                 description="Coefficient of friction under the force that the joint carries. Raise "
                                 "it for dry axles: .1 to .3"),
        "bearing_radius": FloatProperty(name="Bearing Radius", default=0.01, min=0.0, precision=4, unit="LENGTH",
                                        description="Where the bearing or the thread slides, from the axis. Set it "
                                        "to the radius of the axle"),
        "static_ratio": FloatProperty(name="Static over Sliding", default=1.0, min=1.0, precision=3,
                                      description="Friction that holds what sticks, over that of what slides. Raise "
                                      "it for what lets go with a jerk"),
        "lead": FloatProperty(name="Lead", default=0.01, precision=4, unit="LENGTH",
        description="Travel a turn. Set it to the pitch of the thread"),
        "free": BoolVectorProperty(name="Free", size=6, default=[False] * 6,
                                   description="Motions that are not held: along X Y Z, about X Y Z. Switch on what "
                                   "no other type leaves free"),
        "friction": FloatProperty(name="Friction [N m]", default=0.0, min=0.0, precision=3,
                                  description="Of all turns of a ball joint. Raise it for puppets that keep their "
                                  "pose"),
    }  # fmt: skip
    members |= {name: PointerProperty(type=StictionTravel, name=LABELS[name]) for name in TRAVELS}
    members |= {name: PointerProperty(type=StictionTurn, name=LABELS[name]) for name in TURNS}
    return members


StictionJoint = type(
    "StictionJoint", (bpy.types.PropertyGroup,),
    {"__annotations__": _members(), "__doc__": "Settings of one joint.", OF_SOLVER: ("type",)},
)  # fmt: skip


def coordinates_of(joint):
    """Names of the coordinates that a joint's settings leave free, in the order of its type."""
    kind = kind_of(joint)
    if kind is None:
        return ()
    if kind.key == "generic":
        return tuple(name for name, free in zip(kind.coordinates, joint.free, strict=True) if free)
    return kind.coordinates


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
