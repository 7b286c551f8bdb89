"""Plots of the baked run, its check, methods compared on one of its steps, a step saved as a contact problem."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ..blender_addon.bakers import deformables
from ..blender_addon.base.clock import frames_per_second
from ..blender_addon.base.events import waits
from ..blender_addon.base.windows import show_image
from ..blender_addon.deformable import stress
from ..blender_addon.exporting import reading as readings
from ..blender_addon.inside import comparing, contact_mesh, pictures, verifying
from ..blender_addon.inside.contacts import record_of
from ..solver.base.refusal import SceneError
from .in_background import InBackground


def needed_record(context):
    """The Record of the scene's bake; SceneError without one."""
    record = record_of(context.scene)
    if record is None:
        raise SceneError("there is no run to look into; bake first")
    return record


def step_of(context, record):
    """The last step before the frame shown, at least the first."""
    return max(1, record.row(context.scene.frame_current) * record.steps_per_frame)


def drawn_since(folder):
    """True if the picture of a comparison is as new as its table: an older one is of another step."""
    picture, table = folder / "compare.png", folder / "compare.json"
    return picture.is_file() and picture.stat().st_mtime_ns >= table.stat().st_mtime_ns


class _OnRun(InBackground):
    """What operators share that work in the background on the run of the scene's bake."""

    @classmethod
    def poll(cls, context):
        return context.scene is not None and bool(context.scene.stiction.run)


class STICTION_OT_plots(_OnRun, bpy.types.Operator):
    """Plot residual, iterations, overlap, energies and contacts of the baked run: an image, and a PNG in its folder"""

    bl_idname = "stiction.plots"
    bl_label = "Plot Run"
    bl_options = {"UNDO"}
    known_codes = (0, 4)

    def start(self, context):
        record = needed_record(context)
        picture = pictures.picture_path(record.folder)
        fps = frames_per_second(context.scene)
        return self.worker("plot_worker", record.folder, picture, record.frame_start, fps)

    def done(self, context, code):
        record = needed_record(context)
        path = pictures.picture_path(record.folder)
        if code == 0:
            image = pictures.show_file(pictures.PLOTS, path)
            self.report({"INFO"}, f"plots: image {image.name!r}, file {path}")
        else:
            image = pictures.draw_plain(record.frames, path, record.frame_start, frames_per_second(context.scene))
            comparing.keep(pictures.PLOTS, pictures.table_of(record.frames))
            said = f"plain plots, as Blender's Python has no matplotlib: file {path}, and a Text block"
            self.report({"WARNING"}, said)
        show_image(context, image)
        return {"FINISHED"}


class STICTION_OT_compare_methods(_OnRun, bpy.types.Operator):
    """Solve the contact problem of the frame shown with several methods: a table in a Text block, and a plot"""

    bl_idname = "stiction.compare_methods"
    bl_label = "Compare Methods on This Step"
    bl_options = {"UNDO"}

    methods: bpy.props.StringProperty(
        name="Methods", default=comparing.USUAL, description="Keys of methods, with commas between them"
    )
    max_iterations: bpy.props.IntProperty(
        name="Max Iterations", default=0, min=0, description="Of each method; 0: its own limit"
    )

    def start(self, context):
        record, keys = needed_record(context), comparing.known_methods(self.methods)
        step, output = step_of(context, record), record.folder / "compare"
        return self.worker("step_worker", "compare", record.folder, step, output, ",".join(keys), self.max_iterations)

    def done(self, context, code):
        record = needed_record(context)
        folder = record.folder / "compare"
        lines = comparing.table(folder, step_of(context, record), context.scene.frame_current)
        comparing.keep(comparing.TEXT, lines)
        if drawn_since(folder):
            image = pictures.show_file(pictures.COMPARISON, folder / "compare.png")
        else:
            # The worker has no matplotlib.
            image = pictures.draw_comparison(folder)
        show_image(context, image)
        self.report({"INFO"}, f"methods compared: Text block and image {comparing.TEXT!r}")
        return {"FINISHED"}


class STICTION_OT_save_problem(_OnRun, bpy.types.Operator, ExportHelper):
    """Save the contact problem of the frame shown, for `stiction solve` and `stiction compare`"""

    bl_idname = "stiction.save_problem"
    bl_label = "Save Contact Problem"
    filename_ext = ".npz"
    filter_glob: bpy.props.StringProperty(default="*.npz", options={"HIDDEN"})

    # Blender's choice of a file waits for events as well.
    invoke = waits(ExportHelper.invoke)

    def start(self, context):
        record = needed_record(context)
        return self.worker("step_worker", "save", record.folder, step_of(context, record), Path(self.filepath))

    def done(self, context, code):
        self.report({"INFO"}, f"contact problem of frame {context.scene.frame_current} saved: {self.filepath}")
        return {"FINISHED"}


class STICTION_OT_compare_runs(_OnRun, bpy.types.Operator):
    """Simulate the baked scene with several methods, up to the frame shown, and show each beside it as instances"""

    bl_idname = "stiction.compare_runs"
    bl_label = "Compare Runs Side by Side"
    bl_options = {"REGISTER", "UNDO"}

    methods: bpy.props.StringProperty(
        name="Methods", default="pgs,prox", description="Keys of methods, with commas between them"
    )

    def start(self, context):
        record, keys = needed_record(context), comparing.known_methods(self.methods)
        output = record.folder / "compare"
        return self.worker("step_worker", "runs", record.folder, step_of(context, record), output, ",".join(keys))

    def done(self, context, code):
        from ..blender_addon.inside import side_by_side

        keys = comparing.known_methods(self.methods)
        lines = side_by_side.show(context.scene, needed_record(context).folder / "compare", keys)
        comparing.keep(f"{comparing.TEXT} of Runs", lines)
        self.report({"INFO"}, f"{len(keys)} runs beside the scene; table in the Text block '{comparing.TEXT} of Runs'")
        return {"FINISHED"}


class STICTION_OT_contact_mesh(bpy.types.Operator):
    """Make meshes of the run's forces, force chains and velocities, with attributes, for render and geometry nodes"""

    bl_idname = "stiction.contact_mesh"
    bl_label = "Make Meshes of These"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.scene is not None and bool(context.scene.stiction.run)

    def execute(self, context):
        try:
            record = needed_record(context)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        made = contact_mesh.build(context.scene, record)
        self.report({"INFO"}, f"made {', '.join(repr(ob.name) for ob in made)}")
        if not record.has_contacts:
            self.report({"WARNING"}, "this run kept no contacts; switch Keep Contacts on and bake again for the forces")
        return {"FINISHED"}


class STICTION_OT_verify(_OnRun, bpy.types.Operator):
    """Check every step of the baked run without the solver: momentum, Coulomb's law, joints, energy"""

    bl_idname = "stiction.verify"
    bl_label = "Verify Run"
    bl_options = {"REGISTER", "UNDO"}

    def start(self, context):
        record = needed_record(context)
        if not record.has_contacts:
            raise SceneError("this run kept no contacts, which are checked; switch Keep Contacts on and bake again")
        return self.worker("verify_worker", record.folder, record.folder / verifying.FILE)

    def done(self, context, code):
        folder = self.process.folder
        scene = verifying.scene_of(folder)
        if scene is None:
            raise SceneError("the bake that was verified was removed meanwhile; bake, and press it again")
        said = verifying.show(scene, folder)
        kind = "INFO" if said.startswith(verifying.HOLDS) else "WARNING"
        self.report({kind}, f"{said}: see the Text block {verifying.TEXT!r}")
        return {"FINISHED"}


class STICTION_OT_stress(_OnRun, bpy.types.Operator):
    """Give the deformable bodies of the run attributes of their stress [Pa] and stretch, frame by frame, for shading"""

    bl_idname = "stiction.stress"
    bl_label = "Stress Attributes"
    bl_options = {"REGISTER", "UNDO"}

    def start(self, context):
        record = needed_record(context)
        if not deformables.baked_objects(context.scene):
            raise SceneError("no object of this scene plays a deformable body; switch Deformable on, and bake")
        return self.worker("stress_worker", record.folder, self._path(record))

    def done(self, context, code):
        record = needed_record(context)
        reading = readings.load(record.folder)
        objects = deformables.baked_objects(context.scene)
        made = stress.build(context.scene, objects, record, reading, self._path(record))
        self.report({"INFO"}, f"{', '.join(ob.name for ob in made)}: attributes 'stress' [Pa] and 'stretch'")
        return {"FINISHED"}

    def _path(self, record):
        return Path(record.folder) / "stress.npz"


CLASSES = (
    STICTION_OT_stress,
    STICTION_OT_verify,
    STICTION_OT_plots,
    STICTION_OT_compare_methods,
    STICTION_OT_compare_runs,
    STICTION_OT_save_problem,
    STICTION_OT_contact_mesh,
)
