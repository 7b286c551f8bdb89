"""What the user sets: `object.stiction`, `scene.stiction`. Running state is never stored here: it would be saved."""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...solver.laws.friction_laws import FRICTION_LAWS
from ...solver.methods import ALIASES, METHODS
from ...solver.runs.simulation_options import SimulationOptions
from ..base.changes import bodies_changed
from ..base.enums import identifier, items_of, solver_key
from ..deformable.settings import StictionElastic
from ..materials.pair_settings import StictionPair
from .generated import group_class

TYPE_ITEMS = (
    ("NONE", "None", "Takes no part in the simulation"),
    ("ACTIVE", "Active", "Moved by gravity and contacts"),
    ("PASSIVE", "Passive", "Stays where it is; Active bodies collide with it"),
)

SHAPE_ITEMS = (
    ("AUTO", "Automatic", "Box, sphere, capsule, cylinder or convex hull where the mesh is one, else the mesh"),
    ("BOX", "Box", "The mesh's bounds, along the object's axes"),
    ("SPHERE", "Sphere", "About the centre of the bounds, through the farthest face of the bounds"),
    ("CAPSULE", "Capsule", "Along the object's Z axis, in the bounds"),
    ("CYLINDER", "Cylinder", "Along the object's Z axis, in the bounds"),
    ("CONVEX_HULL", "Convex Hull", "The smallest convex body around the mesh"),
    ("MESH", "Mesh", "The triangles themselves; an Active body needs a closed mesh"),
    ("WINDING", "Close by Winding", "The triangles, with holes: mass of what they enclose by their winding number"),
    ("VOXEL_REMESH", "Voxel Remesh", "A new closed surface on a grid: joins overlapping parts, closes holes"),
    ("SOLIDIFY", "Solidify", "An open sheet, or the skin of a closed mesh, made this thick: hollow"),
    ("PROXY", "Proxy", "Fewer triangles for contacts, the mass of the mesh itself"),
    ("COMPOUND", "Compound Parent", "One body made of the object's children; each child's own shape choice is a part"),
)

COMBINE_ITEMS = (
    ("GEOMETRIC", "Geometric Mean", "Two equal materials keep their own value; 0 on either side gives 0"),
    ("PRODUCT", "Product", "As Blender's own Rigid Body: 0.5 and 0.5 give 0.25"),
    ("MINIMUM", "Minimum", "The smaller value"),
    ("MAXIMUM", "Maximum", "The larger value"),
    ("AVERAGE", "Average", "The arithmetic mean"),
)

# As many as Blender's own rigid bodies have.
LAYER_COUNT = 20

# Simulation options that follow from the frame range, the steps per frame and the method.
GIVEN_OPTIONS = ("time", "time_step", "steps_per_frame", "until_rest", "method", "method_options")
# Options of a method that the simulation sets for all of them, from its own.
COMMON_OPTIONS = ("max_iterations", "tolerance", "threads", "effort", "record_history")


def law_items():
    """Items of the friction law enum."""
    return items_of((info.key, info.label, info.description) for info in FRICTION_LAWS.values())


def method_items():
    """Items of the method enum: the best first, then every method by name."""
    best = [
        (alias, f"{alias.title()} ({METHODS[key].label})", METHODS[key].description) for alias, key in ALIASES.items()
    ]
    return items_of(best + [(method.key, method.label, method.description) for method in METHODS.values()])


def method_attribute(method):
    """Name of the scene property group that holds the options of a method, by its item or its key."""
    key = solver_key(method)
    return "options_" + ALIASES.get(key, key)


class StictionBakeRecord(bpy.types.PropertyGroup):
    """What the bake replaced on an object, so that Clear can put it back."""

    baked: BoolProperty()
    had_animation_data: BoolProperty()
    carried: BoolProperty()
    # The bake hides the object from where a sink takes it on.
    leaves: BoolProperty()
    hidden_viewport: BoolProperty()
    hidden_render: BoolProperty()
    action: PointerProperty(type=bpy.types.Action)
    slot: StringProperty()
    # Names of constraints, one a line, that the bake has muted.
    muted: StringProperty()
    blend_type: StringProperty()
    extrapolation: StringProperty()
    influence: FloatProperty()
    location: FloatVectorProperty(size=3)
    rotation: FloatVectorProperty(size=4)
    rotation_mode: StringProperty()
    # What the bake wrote: fingerprint of its keys, and the pose at its first frame.
    keys: StringProperty()
    frame: FloatProperty()
    start: FloatVectorProperty(size=7)
    # A run in work is shown on the object, in this pose.
    shown: BoolProperty()
    preview: FloatVectorProperty(size=7)
    # See base/renewed.py.
    refers: IntProperty()


class StictionObject(bpy.types.PropertyGroup):
    """Settings of one body."""

    solver_keys = ("law",)

    type: EnumProperty(
        name="Type", items=TYPE_ITEMS, default="NONE",
        description="Role in the simulation. Choose Active for what falls and Passive for what it falls on",
        update=bodies_changed
    )
    kinematic: BoolProperty(
        name="Animated",
        default=False,
        description="Follow the object's own animation and push Active bodies, as in Blender's Rigid Body. Switch it "
        "on for what has keys of its own",
        update=bodies_changed,
    )
    release: BoolProperty(
        name="Release", default=False, update=bodies_changed,
        description="Let the body go at a frame: it follows its animation until then, or stands where it is if not "
        "Animated, and falls from there on. Switch it on to throw or drop things",
    )  # fmt: skip
    release_frame: IntProperty(
        name="Release Frame", default=30,
        description="Frame at which the body is let go, with the velocity it has. Set it to the frame of the throw"
    )
    held_again: StringProperty(
        name="Held Again",
        description="Frames after that at which the body is held again, let go again, and so on, as 40, 80. "
        "Set it for what is taken, carried and put down",
    )  # fmt: skip
    shape: EnumProperty(
        name="Shape", items=SHAPE_ITEMS, default="AUTO",
        description="Collision and mass shape. Change it where a mesh is open, or for speed", update=bodies_changed
    )
    # Only the shapes that use them show these numbers.
    voxel_size: FloatProperty(
        name="Voxel Size", default=0.0, min=0.0, precision=4, unit="LENGTH",
        description="Edge of a voxel of Voxel Remesh; 0: a 48th of the longest side. Lower it where the grid loses "
        "details that touch",
    )  # fmt: skip
    thickness: FloatProperty(
        name="Thickness", default=0.01, min=0.0, precision=4, unit="LENGTH",
        description="Thickness that Solidify gives a sheet, and that edges and points of a mesh without faces have. "
        "Set it to that of the real thing",
    )
    triangle_count: IntProperty(
        name="Triangles", default=1000, min=4,
        description="Most triangles that a Proxy has for contacts. Lower it for speed, raise it where contacts look "
        "coarse"
    )
    material: StringProperty(
        name="Material",
        description="Name of the material of these numbers, by which the table of pairs finds it. Set it where a "
        "pair needs friction of its own"
    )
    # The limits are soft: a value no material can have is refused at the bake with the object's name, not bent.
    density: FloatProperty(
        name="Density [kg/m³]", default=1000.0, soft_min=1.0, soft_max=20000.0, precision=1,
        description="Mass per volume; water 1000, stone 2600, steel 7800. Change it to what the body is made of",
    )  # fmt: skip
    use_mass: BoolProperty(name="Set Mass", default=False,
        description="Give the mass instead of the density. Switch it on where the body was weighed, or is hollow")
    mass: FloatProperty(
        name="Mass [kg]", default=1.0, soft_min=0.001, soft_max=1000.0, precision=4,
        description="Mass of the body. Set it to what a scale says"
    )
    use_inertia: BoolProperty(
        name="Set Inertia", default=False,
        description="Give centre of mass and inertia instead of taking them from the shape; needs Set Mass. Switch "
        "it on where mass is not spread evenly",
    )  # fmt: skip
    center: FloatVectorProperty(
        name="Center of Mass", size=3, subtype="XYZ", unit="LENGTH",
        description="In the object's own axes. Set it where the body is heavier on one side"
    )
    inertia: FloatVectorProperty(
        name="Inertia [kg m²]", size=6, default=(1, 1, 1, 0, 0, 0), precision=6,
        description="About the centre of mass, in the object's own axes: xx, yy, zz, xy, xz, yz. Set it to "
        "what a CAD program gives",
    )  # fmt: skip
    friction: FloatProperty(
        name="Friction", default=0.5, soft_min=0.0, soft_max=1.0, precision=3,
        description="Coulomb coefficient; a pair's value follows from the scene's Combine rule. Lower it for what "
        "slides as ice, raise it for what grips as rubber",
    )  # fmt: skip
    use_friction_t: BoolProperty(
        name="Direction Dependent", default=False,
        description="Another coefficient along the object's Y axis. Switch it on for skates, brushed metal, snake "
        "skin"
    )
    friction_t: FloatProperty(
        name="Friction Y", default=0.5, soft_min=0.0, soft_max=1.0, precision=3,
        description="Coulomb coefficient along the object's Y axis. Set it to another value than Friction",
    )  # fmt: skip
    torsional_friction: FloatProperty(
        name="Torsional Friction", default=0.0, soft_min=0.0, soft_max=0.1, precision=4, unit="LENGTH",
        description="Resistance to spinning about the contact normal: largest torque over normal force [m]. Set it "
        "to a few mm for tops and balls that should stop spinning",
    )  # fmt: skip
    restitution: FloatProperty(
        name="Bounciness", default=0.0, soft_min=0.0, soft_max=1.0, precision=3,
        description="Restitution: speed after an impact over speed before it. Raise it for what bounces: steel balls "
        ".9, wood .5",
    )  # fmt: skip
    tangential_restitution: FloatProperty(
        name="Tangential Bounciness", default=0.0, soft_min=0.0, soft_max=1.0, precision=3,
        description="Part of the sliding speed that a bounce reverses; a superball has nearly 1. Raise it for rubber "
        "balls with spin",
    )  # fmt: skip
    law: EnumProperty(
        name="Friction Law", items=law_items(), default=identifier("ellipsoid"),
        description="How friction limits the forces along a contact; Coulomb's law is the ellipsoid. Change it to "
        "compare with programs that use a box or a pyramid",
    )  # fmt: skip
    velocity: FloatVectorProperty(
        name="Velocity", size=3, subtype="VELOCITY", unit="VELOCITY",
        description="Velocity of the centre of mass at the first frame, along the world axes. Set it for what flies "
        "in",
    )  # fmt: skip
    angular_velocity: FloatVectorProperty(
        name="Angular Velocity [rad/s]", size=3, subtype="XYZ",
        description="Angular velocity at the first frame about the world axes. Set it for what spins at the "
        "start; a turn a second is 6.28",
    )  # fmt: skip
    asleep: BoolProperty(
        name="Start Deactivated", default=False,
        description="Stay in place, even in the air, until another body touches it. Switch it on for walls that "
        "stand until they are hit",
    )  # fmt: skip
    use_damping: BoolProperty(
        name="Own Damping", default=False,
        description="Slow this body by rates of its own, in place of those under Accuracy and Stepping. Switch it on "
        "for what sinks in water, or a parachute",
    )  # fmt: skip
    linear_damping: FloatProperty(
        name="Damping [1/s]", default=0.0, soft_min=0.0, soft_max=10.0, precision=4,
        description="Rate at which the velocity decays; at 1 two thirds of it are gone after a second. Raise "
        "it for what moves in air or water",
    )  # fmt: skip
    angular_damping: FloatProperty(
        name="Rotation [1/s]", default=0.0, soft_min=0.0, soft_max=10.0, precision=4,
        description="Rate at which the angular velocity decays. Raise it for what spins too long",
    )  # fmt: skip
    layers: BoolVectorProperty(
        name="Layers", size=LAYER_COUNT, subtype="LAYER", default=[True] + [False] * (LAYER_COUNT - 1),
        description="Collision layers the body is on. Change it for bodies that pass through others",
    )  # fmt: skip
    collides_with: BoolVectorProperty(
        name="Collides With", size=LAYER_COUNT, subtype="LAYER", default=[True] * LAYER_COUNT,
        description="Layers that it collides with; a contact needs each of two bodies to list a layer of the other. "
        "Change it for bodies that pass through others",
    )  # fmt: skip
    ignore: PointerProperty(
        name="Ignore", type=bpy.types.Collection,
        description="Bodies of this collection never touch this body. Set it for parts that are built into each "
        "other"
    )
    elastic: PointerProperty(type=StictionElastic)
    record: PointerProperty(type=StictionBakeRecord)


class StictionScene(bpy.types.PropertyGroup):
    """Settings of the simulation of one scene; the options of every method are added at registration."""

    solver_keys = ("method", "combine")

    use_scene_range: BoolProperty(name="Scene Range", default=True,
        description="Simulate the scene's frame range. Switch it off to simulate other frames than are played")
    frame_start: IntProperty(name="Start", default=1,
        description="First frame, where the bodies start. Set it to where the motion begins")
    frame_end: IntProperty(name="End", default=250, description="Last frame. Set it to where the motion ends")
    steps_per_frame: IntProperty(
        name="Steps per Frame", default=4, min=1, max=10000, soft_max=100,
        description="Time steps in each frame: more is more exact, and slower. Raise it for fast, small or stacked "
        "bodies",
    )  # fmt: skip
    method: EnumProperty(
        name="Method", items=method_items(), default=identifier("default"),
        description="How the contact forces are computed. Change it to compare methods of papers",
    )
    pairs: CollectionProperty(type=StictionPair)
    active_pair: IntProperty()
    combine: EnumProperty(
        name="Combine", items=COMBINE_ITEMS, default="GEOMETRIC",
        description="How the friction and bounciness of two bodies make those of the pair. Change it to match "
        "another program; Blender's Rigid Body takes the product",
    )  # fmt: skip
    gravity_weight: FloatProperty(
        name="Gravity Weight", default=1.0, soft_min=0.0, soft_max=1.0, precision=3,
        description="How much of the scene's gravity acts on the bodies. Lower it to 0 for space, .17 for the moon",
    )  # fmt: skip
    time_scale: FloatProperty(
        name="Speed", default=1.0, min=0.001, max=1000.0, soft_min=0.05, soft_max=10.0, precision=3,
        description="Simulated seconds in a second of the animation: below 1 is slow motion. Change it for slow "
        "motion or a time lapse",
    )  # fmt: skip
    cache: StringProperty(
        name="Cache", subtype="DIR_PATH",
        description="Folder for the simulated frames; empty: beside the file, or temporary while it is unsaved. Set "
        "it where that disk is full or slow",
    )  # fmt: skip
    bake_to: EnumProperty(
        name="Bake to", default="KEYFRAMES",
        description="What becomes of the motion; change it for hundreds of bodies, which keyframes play slowly",
        items=(
            ("KEYFRAMES", "Keyframes", "Location and rotation of each body: plain animation, as everywhere in Blender"),
            ("INSTANCES", "Instances", "One mesh with geometry nodes for all bodies: for hundreds to many thousands"),
        ),
    )  # fmt: skip
    bake_selected: BoolProperty(
        name="Selected Only", default=False,
        description="Bake the selected bodies alone; all are simulated. Switch it on to keep the motion of the "
        "others"
    )
    developer: BoolProperty(
        name="Developer", default=False,
        description="Show every option: methods, accuracy, friction beyond one coefficient, layers, pairs of "
        "materials. Switch it on where the usual settings do not do",
    )  # fmt: skip
    follow: BoolProperty(
        name="Follow", default=True,
        description="Let the viewport show the newest frame while the simulation runs; scrubbing the timeline looks "
        "at any other. Switch it off for speed with heavy scenes",
    )  # fmt: skip
    # What the bake was made from, to tell when it is out of date; written by a bake, empty without one.
    signature: StringProperty()
    run: StringProperty()
    summary: StringProperty()
    verdict: StringProperty()
    worth: StringProperty()
    verified: StringProperty()


def _generated_classes():
    """(attribute of StictionScene, class) for the simulation options and each method's."""
    groups = [("simulation", group_class("StictionSimulationOptions", SimulationOptions, GIVEN_OPTIONS))]
    for method in METHODS.values():
        name = "Stiction" + method.key.title().replace("_", "") + "Options"
        groups.append((method_attribute(method.key), group_class(name, method.options, COMMON_OPTIONS)))
    return groups


_registered = []


def register():
    """Register the property groups and attach them to objects and scenes."""
    groups = _generated_classes()
    for attribute, cls in groups:
        bpy.utils.register_class(cls)
        _registered.append(cls)
        StictionScene.__annotations__[attribute] = PointerProperty(type=cls)
    for cls in (StictionBakeRecord, StictionElastic, StictionObject, StictionPair, StictionScene):
        bpy.utils.register_class(cls)
        _registered.append(cls)
    bpy.types.Object.stiction = PointerProperty(type=StictionObject)
    bpy.types.Scene.stiction = PointerProperty(type=StictionScene)


def unregister():
    """Detach and remove the property groups."""
    del bpy.types.Object.stiction
    del bpy.types.Scene.stiction
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
