"""Add joints: one at the cursor, or between what is selected; and the menu of them in Add."""

import bpy

from ...blender_addon.base.enums import solver_key
from ...blender_addon.joints.adding import add_joint, connect, is_joint, pivot, still_first
from ...blender_addon.joints.settings import TYPE_ITEMS
from ...solver.dynamics.joints import JOINTS

TYPES = TYPE_ITEMS[1:]
OF_BODIES = [item for item in TYPES if JOINTS[solver_key(item[0])].bodies]
PIVOTS = (
    ("CENTER", "Center", "Half way between the two objects"),
    ("ACTIVE", "Active", "At the origin of the active object"),
    ("SELECTED", "Selected", "At the origin of each other object"),
)
PATTERNS = (
    ("SELECTED_TO_ACTIVE", "Selected to Active", "Each selected object to the active one"),
    ("CHAIN_DISTANCE", "Chain by Distance", "Each object to the nearest that is not joined yet, from the active one"),
)
AXES = (
    ("Z", "Z", "Along the world's Z"), ("X", "X", "Along the world's X"), ("Y", "Y", "Along the world's Y"),
    ("LINE", "Line", "From object to object"),
)  # fmt: skip


def _chosen(context, kind):
    """Selected objects that a joint of this type may join."""
    wanted = is_joint if not kind.bodies else lambda ob: ob.type == "MESH" or ob.stiction.type != "NONE"
    return [ob for ob in context.selected_objects if wanted(ob)]


def _select_only(context, objects):
    for ob in context.selected_objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    context.view_layer.objects.active = objects[-1]


def _make_bodies(objects):
    """Objects that are no bodies yet become Active ones; returns how many."""
    new = [ob for ob in objects if ob is not None and ob.type == "MESH" and ob.stiction.type == "NONE"]
    for ob in new:
        ob.stiction.type = "ACTIVE"
    return len(new)


class STICTION_OT_add_joint(bpy.types.Operator):
    """Add a joint at the 3D cursor: between the two selected objects, or between the active one and the ground"""

    bl_idname = "stiction.add_joint"
    bl_label = "Add Joint"
    bl_options = {"REGISTER", "UNDO"}

    type: bpy.props.EnumProperty(name="Type", items=TYPES, default="HINGE")
    at_cursor: bpy.props.BoolProperty(name="At the Cursor", default=True, description="Else between the objects")
    axis: bpy.props.EnumProperty(name="Axis", items=AXES, default="Z")

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        key = solver_key(self.type)
        kind = JOINTS[key]
        found = _chosen(context, kind)
        active = context.active_object if context.active_object in found else None
        others = [ob for ob in found if ob != active]
        if len(found) > 2:
            self.report({"WARNING"}, f"{len(found)} objects are selected; select two, or use Connect Selected")
            return {"CANCELLED"}
        ends = (others[0] if others else None, active or (others[1] if len(others) > 1 else None))
        if not kind.bodies and None in ends:
            self.report({"WARNING"}, f"a {kind.label} joint needs two joints: select them")
            return {"CANCELLED"}
        if len(found) == 1:
            ends = (None, found[0])
        if kind.bodies:
            ends = still_first(ends)
        between = not self.at_cursor and any(ends)
        place = pivot(key, ends, "CENTER") if between else context.scene.cursor.location
        if kind.bodies:
            _make_bodies(ends)
        _select_only(context, [add_joint(context.scene, key, ends, place, self.axis)])
        names = " and ".join(ob.name if ob else "the ground" for ob in ends)
        self.report({"INFO"}, f"{kind.label} joint added: {names if any(ends) else 'choose its bodies'}")
        return {"FINISHED"}


class STICTION_OT_connect(bpy.types.Operator):
    """Join the selected objects: each to the active one, or one to the next"""

    bl_idname = "stiction.connect"
    bl_label = "Connect Selected"
    bl_options = {"REGISTER", "UNDO"}

    type: bpy.props.EnumProperty(name="Type", items=OF_BODIES, default="FIXED")
    pivot: bpy.props.EnumProperty(name="Pivot", items=PIVOTS, default="CENTER")
    pattern: bpy.props.EnumProperty(name="Pattern", items=PATTERNS, default="SELECTED_TO_ACTIVE")
    axis: bpy.props.EnumProperty(name="Axis", items=AXES, default="Z")

    @classmethod
    def poll(cls, context):
        found = [ob for ob in context.selected_objects if ob.type == "MESH"]
        return context.mode == "OBJECT" and len(found) > 1 and context.active_object in found

    def execute(self, context):
        key = solver_key(self.type)
        kind = JOINTS[key]
        found = _chosen(context, kind)
        new = _make_bodies(found)
        made = connect(
            context.scene, key, found, context.active_object, self.pivot, self.pattern, self.axis
        )  # fmt: skip
        _select_only(context, made)
        tail = f"; {new} made Active" if new else ""
        self.report({"INFO"}, f"{len(made)} {kind.label} joint{'s' if len(made) > 1 else ''} added{tail}")
        return {"FINISHED"}


class STICTION_MT_add_joint(bpy.types.Menu):
    """Stiction's joints."""

    bl_idname = "STICTION_MT_add_joint"
    bl_label = "Stiction Joint"

    def draw(self, context):
        for item, label, _ in TYPES:
            self.layout.operator("stiction.add_joint", text=label).type = item


def draw_in_add(self, context):
    """The entry of Blender's Add menu."""
    self.layout.menu("STICTION_MT_add_joint", icon="EMPTY_SINGLE_ARROW")


CLASSES = (STICTION_OT_add_joint, STICTION_OT_connect, STICTION_MT_add_joint)
