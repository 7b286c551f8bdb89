"""What the user sets of an object through which bodies come, go or are counted: `object.stiction_flow`."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty

KINDS = (
    ("NONE", "None", "Bodies neither come nor go here"),
    ("EMITTER", "Emitter", "Pours bodies into the scene, each in the object's bounds where it touches nothing"),
    ("SINK", "Sink", "Takes bodies out of the scene whose centre of mass is in the object's bounds"),
    ("COUNTER", "Counter", "Counts the bodies that pass the object's plane along its Z axis, down at first"),
)
# What an empty of a kind looks like: it draws itself.
DISPLAYS = {"EMITTER": "CUBE", "SINK": "CUBE", "COUNTER": "SINGLE_ARROW"}


class StictionFlow(bpy.types.PropertyGroup):
    """Settings of one object; gate and what belongs to it are for Passive bodies, the rest for emitters."""

    kind: EnumProperty(name="Flow", items=KINDS, default="NONE",
        description="What bodies do at this object. Change it to let bodies in, out, or count them")
    gate: BoolProperty(
        name="Gate", default=False,
        description="Holds bodies back until it is taken away; for a Passive body. Switch it on for the lid of a "
        "hopper"
    )
    gate_time: FloatProperty(
        name="Open at the Latest", default=2.0, min=0.0, subtype="TIME_ABSOLUTE",
        description="Time at which the gate is taken away even if something still moves [s]. Raise it where filling "
        "takes longer",
    )  # fmt: skip
    at_rest: BoolProperty(
        name="Once All Rests", default=True,
        description="Open as soon as every body has come to rest. Switch it off to open at the time below, whatever "
        "moves"
    )
    pours: PointerProperty(
        name="Pours", type=bpy.types.Collection,
        description="Its meshes are the bodies' shapes, with the material that each has; they take no part "
        "themselves. Choose the collection of what is poured",
    )  # fmt: skip
    count: IntProperty(name="Count", default=100, min=1, soft_max=2000,
        description="Bodies in all. Raise it for more; the time a bake takes grows with it")
    rate: FloatProperty(name="Rate [1/s]", default=50.0, min=1e-3, soft_max=1000.0,
        description="Bodies a second. Lower it where bodies come faster than they fall away")
    start: FloatProperty(
        name="Start", default=0.0, min=0.0, subtype="TIME_ABSOLUTE",
        description="When the first one comes [s]. Set it where something has to happen before"
    )
    size_spread: FloatProperty(
        name="Size Spread", default=0.0, min=0.0, soft_max=0.5, precision=3,
        description="Standard deviation of the logarithm of the bodies' size; 0: all as large as their object. Raise "
        "it to .1 or .2 for gravel and grain",
    )  # fmt: skip
    turned: BoolProperty(name="Random Turn", default=True,
        description="Every orientation is as likely as any other. Switch it off for what lies in order")
    velocity: FloatVectorProperty(
        name="Velocity", size=3, subtype="VELOCITY", unit="VELOCITY",
        description="Of the bodies as they come. Set it for what is thrown and not dropped"
    )
    seed: IntProperty(name="Seed", default=1, min=0,
        description="Of all that is random: sizes, turns and places. Change it for another pour of the same kind")


def register():
    """Attach the settings to objects."""
    bpy.utils.register_class(StictionFlow)
    bpy.types.Object.stiction_flow = PointerProperty(type=StictionFlow)


def unregister():
    """Take them back."""
    del bpy.types.Object.stiction_flow
    bpy.utils.unregister_class(StictionFlow)


def objects_of(scene, kind):
    """Objects of a scene of a kind, by name; kind "GATE": Passive bodies that are gates."""
    if kind == "GATE":
        return [ob for ob in _sorted(scene) if ob.stiction_flow.gate and ob.stiction.type == "PASSIVE"]
    return [ob for ob in _sorted(scene) if ob.stiction_flow.kind == kind]


def _sorted(scene):
    return sorted(scene.objects, key=lambda ob: ob.name)


def add(scene, kind, location):
    """A new empty of a kind that draws itself; returns it."""
    ob = bpy.data.objects.new(kind.title(), None)
    ob.location, ob.empty_display_type = location, DISPLAYS[kind]
    if kind == "COUNTER":
        # The arrow points the way that counts.
        ob.rotation_euler = (3.141592653589793, 0.0, 0.0)
    scene.collection.objects.link(ob)
    ob.stiction_flow.kind = kind
    return ob
