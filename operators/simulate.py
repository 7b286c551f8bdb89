"""Simulate without baking, and studies: for Python, with the arguments of the command line."""

import bpy

from ..blender_addon.running import command_line
from ..blender_addon.running import run as runs
from ..solver.base.refusal import SceneError, TrajectoryError
from ..solver.options import OptionError

REFUSALS = (SceneError, OptionError, TrajectoryError, runs.JobFailed, OSError)


class STICTION_OT_simulate(bpy.types.Operator):
    """Simulate this scene into a folder and bake nothing; waits for the end. For scripts"""

    bl_idname = "stiction.simulate"
    bl_label = "Simulate into a Folder"

    output: bpy.props.StringProperty(
        name="Output", subtype="DIR_PATH", description="Folder of the run; empty: in the cache"
    )

    def execute(self, context):
        output = bpy.path.abspath(self.output) if self.output else None
        try:
            folder = command_line.simulate_here(context.scene, output)
        except REFUSALS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"simulated: {folder}")
        return {"FINISHED"}


class STICTION_OT_study(bpy.types.Operator):
    """Run a study file on all cores, as `stiction study` does; waits for the end. For scripts"""

    bl_idname = "stiction.study"
    bl_label = "Run Study File"

    study: bpy.props.StringProperty(name="Study", subtype="FILE_PATH", description="Study file (.toml)")
    output: bpy.props.StringProperty(name="Output", subtype="DIR_PATH", description="Folder of the results")
    workers: bpy.props.IntProperty(name="Workers", default=0, min=0, description="Runs at a time; 0: one a core")

    def execute(self, context):
        arguments = ["study", bpy.path.abspath(self.study)]
        arguments += ["--output", bpy.path.abspath(self.output)] if self.output else []
        arguments += ["--workers", str(self.workers)] if self.workers else []
        code = command_line.run(arguments)
        if code == command_line.BAD_INPUT:
            self.report({"ERROR"}, "the study was refused; the reason is in the console")
            return {"CANCELLED"}
        self.report({"INFO" if code == 0 else "WARNING"}, f"study ended with code {code}")
        return {"FINISHED"}


CLASSES = (STICTION_OT_simulate, STICTION_OT_study)
