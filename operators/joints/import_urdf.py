"""File > Import > URDF (Stiction)."""

import bpy
from bpy_extras.io_utils import ImportHelper

from ...blender_addon.base.events import waits
from ...blender_addon.joints.robots import import_robot
from ...solver.base.refusal import SceneError


class STICTION_OT_import_urdf(bpy.types.Operator, ImportHelper):
    """Make bodies and joints of a robot's URDF file"""

    bl_idname = "stiction.import_urdf"
    bl_label = "Import URDF"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".urdf"
    filter_glob: bpy.props.StringProperty(default="*.urdf;*.xml", options={"HIDDEN"})
    fixed_base: bpy.props.BoolProperty(name="Fixed Base", default=True, description="The root link does not move")
    self_collision: bpy.props.BoolProperty(
        name="Self Collision", default=False,
        description="Let links touch that no joint joins; many robots are drawn with hulls in each other",
    )  # fmt: skip

    # Blender's choice of a file waits for events.
    invoke = waits(ImportHelper.invoke)

    def execute(self, context):
        try:
            bodies, joints, notes = import_robot(context.scene, self.filepath, self.fixed_base, self.self_collision)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in notes:
            self.report({"INFO"}, note)
        self.report({"INFO"}, f"{len(bodies)} bodies, {len(joints)} joints; {len(notes)} notes in the Info editor")
        return {"FINISHED"}


def draw_in_import(self, context):
    """The entry of Blender's Import menu."""
    self.layout.operator("stiction.import_urdf", text="URDF (Stiction)")


CLASSES = (STICTION_OT_import_urdf,)
