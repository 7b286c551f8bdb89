"""What the user sets of a study: `scene.stiction_study`."""

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

# Paths that make sense in every scene; those of its own bodies and materials come from the last study written.
COMMON_PATHS = (
    "materials.*.friction", "materials.*.restitution", "materials.*.density", "gravity.2", "settings.time_step",
    "settings.method",
)  # fmt: skip
EMITTER_PATHS = ("emitters.*.size_spread", "emitters.*.rate", "emitters.*.count")


def paths_of(bodies, materials):
    """Paths that a parameter can take in a scene, given the names of its bodies and materials."""
    own = [f"materials.{name}.{what}" for name in materials for what in ("friction", "restitution")]
    own += [f"bodies.{name}.position.{axis}" for name in bodies for axis in range(3)]
    return [*COMMON_PATHS, *own]


def _suggest(self, context, text):
    """Paths that hold what has been typed."""
    scene = context.scene
    bodies = [ob.name for ob in scene.objects if getattr(ob, "stiction", None) and ob.stiction.type != "NONE"]
    pours = any(ob.stiction_flow.kind == "EMITTER" for ob in scene.objects)
    known = [*paths_of(bodies[:40], ()), *(EMITTER_PATHS if pours else ())]
    return [path for path in known if text.lower() in path.lower()]


class StictionStudyParameter(bpy.types.PropertyGroup):
    """One thing that a study varies."""

    path: StringProperty(
        name="Property", default="materials.*.friction", search=_suggest, search_options={"SUGGESTION"},
        description="What is varied, such as materials.*.friction or bodies.Gate.position.2 [m]. Type a part of a "
        "name to see what there is",
    )  # fmt: skip
    values: StringProperty(
        name="Values", default="0.1, 0.5",
        description="Its values, separated by commas, or from..to:count. Set few at first: each takes as many runs "
        "as a point has"
    )


class StictionStudy(bpy.types.PropertyGroup):
    """Settings of a scene's study."""

    parameters: CollectionProperty(type=StictionStudyParameter)
    active: IntProperty()
    repeats: IntProperty(
        name="Runs a Point", default=10, min=1, soft_max=200,
        description="Runs with other seeds at each point: bodies are shifted a little at random. Raise it for "
        "narrower intervals; the time grows with it",
    )  # fmt: skip
    gate: PointerProperty(name="Gate", type=bpy.types.Object,
                          description="Passive body that is taken away once everything rests. Set it to the lid of "
                          "the hopper")  # fmt: skip
    gate_time: FloatProperty(name="Open at the Latest", default=2.0, min=0.0, subtype="TIME_ABSOLUTE",
                             description="Time at which the gate opens even if something still moves [s]. Raise it "
                             "where filling takes longer")  # fmt: skip
    counter: PointerProperty(name="Counter", type=bpy.types.Object,
                             description="Object whose height is that of the plane bodies are counted at. Set it "
                             "below the outlet")  # fmt: skip
    quiet: FloatProperty(name="Jammed after", default=1.5, min=0.01, subtype="TIME_ABSOLUTE",
                         description="Seconds without an exit after which a run counts as jammed. Raise it for slow "
                         "flows")  # fmt: skip
    time: FloatProperty(name="Longest Run", default=20.0, min=0.1, subtype="TIME_ABSOLUTE",
                        description="Simulated time after which a run ends in any case [s]. Raise it where runs end "
                        "before the hopper is empty")  # fmt: skip
    result: StringProperty(description="First line of the last report")
    shares: StringProperty(description="Share of jams of each point, a line each")
    folder: StringProperty(description="Folder of the last study")
    row: IntProperty(name="Run", default=1, min=1,
        description="Row of the table of runs, from 1. Change it to look at another run")


CLASSES = (StictionStudyParameter, StictionStudy)


def register():
    """Register the settings."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Scene.stiction_study = PointerProperty(type=StictionStudy)


def unregister():
    """Remove the settings."""
    del bpy.types.Scene.stiction_study
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
