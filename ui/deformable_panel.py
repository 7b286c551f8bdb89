"""Panel of the active object's elasticity."""

import bpy

from ..blender_addon.deformable import estimate, modes
from .base import StictionPanel, draw_wrapped


class STICTION_PT_deformable(StictionPanel, bpy.types.Panel):
    """Whether the active object bends, and how."""

    bl_label = "Deformable"
    bl_idname = "STICTION_PT_deformable"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.type == "MESH" and ob.stiction.type == "ACTIVE"

    def draw_header(self, context):
        self.layout.prop(context.object.stiction.elastic, "use", text="")

    def draw(self, context):
        layout, elastic = self.columns(), context.object.stiction.elastic
        layout.active, full = elastic.use, elastic.motion == "FULL"
        layout.row().prop(elastic, "motion", expand=True)
        layout.prop(elastic, "preset")
        column = layout.column(align=True)
        column.prop(elastic, "young")
        column.prop(elastic, "poisson")
        column.prop(elastic, "damping")
        if not full:
            draw_modes(layout, context)
        layout.prop(elastic, "element")
        if elastic.element == "T10":
            layout.prop(elastic, "bent")
        layout.prop(elastic, "element_size")
        layout.prop(elastic, "mesher")
        # What modes do not know is there to be switched off.
        for name in ("pressure", "self_contact"):
            if full or getattr(elastic, name):
                layout.prop(elastic, name)
        layout.prop(elastic, "plays_as")
        draw_wrapped(layout, context, estimate.sentence(context.scene, context.object))
        layout.operator("stiction.tetrahedra", icon="MESH_ICOSPHERE")
        groups = context.object, "vertex_groups"
        if full or elastic.pin_group:
            layout.prop_search(elastic, "pin_group", *groups)
        layout.prop_search(elastic, "stiffness_group", *groups)
        if elastic.stiffness_group:
            layout.prop(elastic, "stiffness_factor")
        layout.prop_search(elastic, "mass_group", *groups)
        if full or elastic.use_goal:
            layout.prop(elastic, "use_goal")
        if elastic.use_goal:
            column = layout.column(align=True)
            for name in ("goal_default", "goal_min", "goal_max", "goal_spring", "goal_friction", "goal_factor"):
                if name != "goal_default" or not elastic.pin_group:
                    column.prop(elastic, name)
        if context.scene.stiction.developer:
            if full:
                layout.prop(elastic, "law")
            layout.prop(elastic, "mass_damping")


def draw_modes(layout, context):
    """What a body of a few modes has besides."""
    elastic = context.object.stiction.elastic
    column = layout.column(align=True)
    for name in ("modes", "bends", "damping_ratio"):
        column.prop(elastic, name)
    layout.prop(elastic, "spin")
    layout.prop(elastic, "struck")
    layout.operator("stiction.find_modes", icon="FORCE_HARMONIC")
    found = modes.found(context.object)
    if found is None:
        return
    column, now = layout.column(align=True), modes.playing(context.object)
    for number in range(1, len(found.frequency) + 1):
        icon, text = "PAUSE" if number == now else "PLAY", modes.sentence(number, found)
        column.operator("stiction.play_mode", text=text, icon=icon, depress=number == now).mode = number


CLASSES = (STICTION_PT_deformable,)
