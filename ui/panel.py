"""The tab "Stiction" in the sidebar of the 3D view."""

import bpy

from ..blender_addon.base.enums import solver_key
from ..blender_addon.checks.store import facts
from ..blender_addon.running import job as jobs
from ..blender_addon.settings import recognised
from ..blender_addon.settings.generated import option_fields
from ..blender_addon.settings.motion import is_deformable, is_dynamic
from ..blender_addon.settings.properties import COMMON_OPTIONS, GIVEN_OPTIONS, method_attribute
from ..solver.methods import get_method
from ..solver.runs.simulation_options import SimulationOptions
from .base import StictionPanel
from .material_panel import draw_material

# The number that goes with a shape.
FRICTION = ("use_friction_t", "friction_t", "torsional_friction", "tangential_restitution", "law")
DAMPING = ("use_damping", "linear_damping", "angular_damping")
LAYERS = ("layers", "collides_with", "ignore")
SHAPE_NUMBERS = {"VOXEL_REMESH": "voxel_size", "SOLIDIFY": "thickness", "PROXY": "triangle_count"}


def shown(context, group, names=None):
    """True for a developer, or where one of the settings is not as Blender starts it: nothing set stays unseen."""
    if context.scene.stiction.developer:
        return True
    names = names or [entry.identifier for entry in group.bl_rna.properties if not entry.is_readonly]
    return any(group.is_property_set(name) and _changed(group, name) for name in names)


def _changed(group, name):
    entry, value = group.bl_rna.properties[name], getattr(group, name)
    if getattr(entry, "is_array", False):
        return tuple(value) != tuple(entry.default_array)
    return value != getattr(entry, "default", None)


class STICTION_PT_bodies(StictionPanel, bpy.types.Panel):
    """Which objects take part."""

    bl_label = "Bodies"
    bl_idname = "STICTION_PT_bodies"

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("stiction.add_active", icon="ADD")
        row.operator("stiction.add_passive", icon="ADD")
        kinds = [ob.stiction.type for ob in context.scene.objects]
        there = kinds.count("NONE") < len(kinds)
        if there:
            layout.operator("stiction.remove", text="Remove", icon="REMOVE")
        ob = context.object
        if ob is None or ob.stiction.type == "NONE":
            # Of a body there is enough to see; Object > Transform has it always.
            layout.operator("stiction.drop_to_rest", icon="TRIA_DOWN_BAR")
        if any(ob.rigid_body or ob.soft_body for ob in context.scene.objects):
            layout.operator("stiction.import_rigid_body", icon="IMPORT")
        if not there:
            layout.operator_menu_enum("stiction.add_example", "example", text="Add an Example", icon="PRESET")
            return
        layout.label(text=f"{kinds.count('ACTIVE')} Active, {kinds.count('PASSIVE')} Passive")


class _BodyPanel(StictionPanel):
    bl_parent_id = "STICTION_PT_bodies"

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.stiction.type != "NONE"


class STICTION_PT_body(_BodyPanel, bpy.types.Panel):
    """The active object's role, shape and material."""

    bl_label = "Active Object"
    bl_idname = "STICTION_PT_body"

    def draw(self, context):
        layout, settings = self.columns(), context.object.stiction
        layout.label(text=context.object.name, icon="OBJECT_DATA")
        layout.prop(settings, "type")
        layout.prop(settings, "kinematic")
        if settings.type == "ACTIVE" and (settings.release or settings.kinematic and not is_deformable(settings)):
            layout.prop(settings, "release")
            if settings.release:
                layout.prop(settings, "release_frame")
                layout.prop(settings, "held_again")
        layout.prop(settings, "shape")
        known = recognised.line(context.object)
        if known:
            layout.label(text=known)
        number = "thickness" if known.startswith("No faces") else SHAPE_NUMBERS.get(settings.shape)
        if number is not None:
            layout.prop(settings, number)
        draw_material(layout, settings)
        column = layout.column(align=True)
        column.prop(settings, "friction")
        column.prop(settings, "restitution")

class STICTION_PT_mass(_BodyPanel, bpy.types.Panel):
    """Mass of the active body, and what was measured of it."""

    bl_label = "Mass and Size"
    bl_parent_id = "STICTION_PT_body"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.columns(), context.object.stiction
        if is_dynamic(settings):
            layout.prop(settings, "use_mass")
            layout.prop(settings, "mass" if settings.use_mass else "density")
            if settings.use_mass and shown(context, settings, ("use_inertia",)):
                layout.prop(settings, "use_inertia")
                if settings.use_inertia:
                    layout.prop(settings, "center")
                    layout.prop(settings, "inertia")
        column = self.layout.column(align=True)
        for label, value in facts(context.object.name):
            row = column.split(factor=0.3)
            row.label(text=label)
            row.label(text=value, translate=False)


class STICTION_PT_friction(_BodyPanel, bpy.types.Panel):
    """Friction beyond one coefficient."""

    bl_label = "More Friction"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return super().poll(context) and shown(context, context.object.stiction, FRICTION)

    def draw(self, context):
        layout, settings = self.columns(), context.object.stiction
        for name in FRICTION:
            if name != "friction_t" or settings.use_friction_t:
                layout.prop(settings, name)


class STICTION_PT_layers(_BodyPanel, bpy.types.Panel):
    """Which bodies it collides with."""

    bl_label = "Collision Layers"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return super().poll(context) and shown(context, context.object.stiction, LAYERS)

    def draw(self, context):
        layout, settings = self.layout, context.object.stiction
        for name in ("layers", "collides_with"):
            layout.label(text=settings.bl_rna.properties[name].name)
            layout.prop(settings, name, text="")
        layout.prop(settings, "ignore")


class STICTION_PT_motion(_BodyPanel, bpy.types.Panel):
    """Motion at the first frame."""

    bl_label = "Initial Motion"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.stiction.type == "ACTIVE" and not ob.stiction.kinematic

    def draw(self, context):
        layout, settings = self.columns(), context.object.stiction
        layout.prop(settings, "velocity")
        # Its name with its unit is longer than the column of names.
        column = layout.column(align=True)
        column.use_property_split = False
        column.label(text=settings.bl_rna.properties["angular_velocity"].name)
        column.prop(settings, "angular_velocity", text="")
        layout.prop(settings, "asleep")
        if not is_deformable(settings) and shown(context, settings, DAMPING):
            layout.prop(settings, "use_damping")
            if settings.use_damping:
                column = layout.column(align=True)
                column.prop(settings, "linear_damping")
                column.prop(settings, "angular_damping")


class STICTION_PT_simulation(StictionPanel, bpy.types.Panel):
    """Frames, steps and method."""

    bl_label = "Simulation"
    bl_idname = "STICTION_PT_simulation"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction
        layout.active = not jobs.running()
        layout.prop(settings, "use_scene_range")
        if not settings.use_scene_range:
            column = layout.column(align=True)
            column.prop(settings, "frame_start")
            column.prop(settings, "frame_end")
        layout.prop(settings, "steps_per_frame")
        layout.prop(settings, "developer")
        if shown(context, settings, ("method",)):
            layout.prop(settings, "method")
        for name in ("gravity_weight", "time_scale", "combine"):
            if shown(context, settings, (name,)):
                layout.prop(settings, name)


class STICTION_PT_method(StictionPanel, bpy.types.Panel):
    """Options of the chosen method, generated."""

    bl_label = "Method Options"
    bl_parent_id = "STICTION_PT_simulation"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        settings = context.scene.stiction
        return shown(context, getattr(settings, method_attribute(settings.method)))

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction
        method = get_method(solver_key(settings.method))
        layout.label(text=method.label)
        if method.paper:
            layout.label(text=method.paper)
        _draw_options(layout, getattr(settings, method_attribute(settings.method)), method.options, COMMON_OPTIONS)


class STICTION_PT_options(StictionPanel, bpy.types.Panel):
    """Options of the simulation, generated."""

    bl_label = "Accuracy and Stepping"
    bl_parent_id = "STICTION_PT_simulation"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return shown(context, context.scene.stiction.simulation)

    def draw(self, context):
        layout = self.columns()
        _draw_options(layout, context.scene.stiction.simulation, SimulationOptions, GIVEN_OPTIONS)


def _draw_options(layout, group, options_class, exclude):
    for entry in option_fields(options_class, exclude):
        layout.prop(group, entry.name)


CLASSES = (
    STICTION_PT_bodies,
    STICTION_PT_body,
    STICTION_PT_mass,
    STICTION_PT_friction,
    STICTION_PT_layers,
    STICTION_PT_motion,
    STICTION_PT_simulation,
    STICTION_PT_method,
    STICTION_PT_options,
)
