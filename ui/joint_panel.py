"""The joint of the active object: what it joins first, then what moves it, then the rest."""

import bpy

from ..blender_addon.inside.contacts import record_of
from ..blender_addon.joints import rope
from ..blender_addon.joints.adding import is_joint
from ..blender_addon.joints.ragdoll import parts_of
from ..blender_addon.joints.settings import LABELS, ONE_SIDED, coordinates_of, kind_of
from ..solver.base.wording import as_length
from .base import StictionPanel

# Numbers of a type that are not on a coordinate.
NUMBERS = ("length", "lead", "ratio", "radius")
DRIVEN = {"MOTOR": ("speed", "strength"), "SERVO": ("target", "stiffness", "damping", "strength"),
          "SPRING": ("target", "stiffness", "damping"), "NONE": ()}  # fmt: skip


class STICTION_PT_joints(StictionPanel, bpy.types.Panel):
    """What joins bodies."""

    bl_label = "Joints"
    bl_idname = "STICTION_PT_joints"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return any(ob.stiction.type != "NONE" for ob in context.scene.objects)

    def draw(self, context):
        row = self.layout.row(align=True)
        row.menu("STICTION_MT_add_joint", icon="EMPTY_SINGLE_ARROW", text="Add Joint")
        row.operator("stiction.connect", icon="LINKED")


class STICTION_PT_joint(StictionPanel, bpy.types.Panel):
    """Type, bodies, and the motion of a joint with one."""

    bl_label = "Joint"
    bl_idname = "STICTION_PT_joint"

    @classmethod
    def poll(cls, context):
        return context.object is not None and is_joint(context.object)

    def draw(self, context):
        layout, own = self.columns(), context.object.stiction_joint
        layout.label(text=context.object.name, icon="EMPTY_SINGLE_ARROW", translate=False)
        layout.prop(own, "type")
        kind = kind_of(own)
        for name in ("object1", "object2") if kind.bodies else ("joint1", "joint2"):
            layout.prop(own, name)
        if "length" in kind.keys:
            layout.prop(own, "end")
        for name in NUMBERS:
            if name in kind.keys:
                layout.prop(own, name)
        if "bearing" in kind.keys:
            layout.prop(own, "bearing")
            if own.bearing > 0 and own.type != "SLIDER":
                layout.prop(own, "bearing_radius")
        if "free" in kind.keys:
            row = layout.row(align=True, heading="Free")
            for index, name in enumerate(kind.coordinates):
                row.prop(own, "free", index=index, text=LABELS[name].split()[-1], toggle=True)
        if kind.resist:
            layout.prop(own, "friction")
        for name in coordinates_of(own) if kind.drives else ():
            draw_coordinate(layout, own, name, kind)
        draw_worst(layout, context)


def draw_coordinate(layout, own, name, kind):
    """Limits and drive of one coordinate."""
    group, names = getattr(own, name), coordinates_of(own)
    box = layout.box() if len(names) > 1 else layout
    if len(names) > 1:
        box.label(text=LABELS[name])
    column = box.column(align=True)
    for use, value in (("use_low", "low"), ("use_high", "high")):
        if use == "use_low" and name in ONE_SIDED:
            continue
        row = column.row(align=True, heading=group.bl_rna.properties[value].name)
        row.prop(group, use, text="")
        sub = row.row(align=True)
        sub.active = getattr(group, use)
        sub.prop(group, value, text="")
    if kind.resist:
        return
    box.prop(group, "drive")
    column = box.column(align=True)
    for value in DRIVEN[group.drive]:
        column.prop(group, value)
    box.prop(group, "friction")


def draw_worst(layout, context):
    """The largest gap of the joint in the baked run."""
    record = record_of(context.scene)
    found = None if record is None else record.joint_gap(context.object.name)
    if found is not None:
        layout.label(text=f"Gap at most {as_length(found[0], 2)}, {found[1]:.2g}°", icon="CHECKMARK")


class STICTION_PT_joint_more(StictionPanel, bpy.types.Panel):
    """What few joints need."""

    bl_label = "More"
    bl_parent_id = "STICTION_PT_joint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and is_joint(context.object)

    def draw(self, context):
        layout, own = self.columns(), context.object.stiction_joint
        if kind_of(own).bodies:
            layout.prop(own, "collide")
            layout.prop(own, "assemble")
            layout.prop(own, "use_breaking")
            if own.use_breaking:
                layout.prop(own, "breaking")
        layout.prop(own, "compliance")
        if slides(own):
            layout.prop(own, "static_ratio")


def slides(own):
    """Whether a joint has friction."""
    kind = kind_of(own)
    loaded = "bearing" in kind.keys and own.bearing > 0
    whole = bool(kind.resist) and own.friction > 0
    return loaded or whole or (kind.drives and any(getattr(own, name).friction > 0 for name in coordinates_of(own)))


class STICTION_PT_ragdoll(StictionPanel, bpy.types.Panel):
    """The active armature as bodies."""

    bl_label = "Ragdoll"
    bl_idname = "STICTION_PT_ragdoll"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "ARMATURE"

    def draw(self, context):
        layout = self.layout
        parts = parts_of(context.scene, context.object)
        if not parts:
            layout.operator("stiction.ragdoll", icon="ARMATURE_DATA")
            return
        layout.label(text=f"{sum(is_joint(ob) for ob in parts)} joints, press Bake", icon="INFO")
        layout.operator("stiction.ragdoll_to_bones", icon="REC")
        layout.operator("stiction.remove_parts", text="Remove Ragdoll", icon="X")


class STICTION_PT_rope(StictionPanel, bpy.types.Panel):
    """The active curve, or mesh of edges, as bodies."""

    bl_label = "Rope"
    bl_idname = "STICTION_PT_rope"

    @classmethod
    def poll(cls, context):
        return context.object is not None and rope.is_line(context.object)

    def draw(self, context):
        layout = self.layout
        parts = rope.parts_of(context.scene, context.object)
        if not parts:
            layout.operator("stiction.rope", icon="CURVE_PATH")
            return
        layout.label(text=f"{sum(is_joint(ob) for ob in parts)} joints, press Bake", icon="INFO")
        layout.operator("stiction.remove_parts", text="Remove Rope", icon="X")


CLASSES = (STICTION_PT_joints, STICTION_PT_joint, STICTION_PT_joint_more, STICTION_PT_ragdoll, STICTION_PT_rope)
