"""The demo scenes, built in Blender, simulated, baked, rendered and plotted: the whole path in one command."""

import json
import math
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ...solver.base.refusal import SceneError
from ...solver.shapes import generators
from .headless_bake import ensure_registered, simulate_and_bake

FPS = 25
STEPS_PER_FRAME = 4
FRAMES = 126  # 5 s, the first frame included

FRICTION, RESTITUTION, DENSITY = 0.25, 0.1, 2500.0
BODY_COUNT = 140
CHALICES = 50  # of them; the rest are jacks
JACK, BAR = 0.15, 0.036  # length and width of a jack's bars [m]
CHALICE, CHALICE_SEGMENTS = 0.14, 12  # height [m]
SEED = 7

SAND, RUST, TEAL = (1.0, 0.62, 0.12, 1.0), (0.90, 0.16, 0.07, 1.0), (0.03, 0.42, 0.55, 1.0)
GLASS, STONE = (0.50, 0.68, 0.85, 0.18), (0.86, 0.84, 0.80, 1.0)

# Profile of the hopper's wall in (radius, height) [m], once around: a steep cone under a short cylinder.
# The outlet is six bodies wide: at four, jacks hook into one another and end in an arch over it.
HOPPER = (
    (0.48, 0.60), (0.80, 1.33), (0.80, 1.62), (0.85, 1.62), (0.85, 1.31), (0.53, 0.58), (0.53, 0.54), (0.48, 0.54),
)  # fmt: skip
HOPPER_SEGMENTS = 32
# The tray: half its inner width, height of its rim, thickness of floor and rim [m].
TRAY, RIM, WALL = 1.0, 0.16, 0.08

# Moments of the contact sheet, as parts of the film: most happens early.
MOMENTS = (0.0, 0.09, 0.14, 0.2, 0.3, 1.0)


def run(name="funnel", output="out", frames=None, render=True, progress=None):
    """Build the scene `name`, simulate, bake, save, render and plot it into the folder `output`.

    Returns the `simulate --json` summary and the files written. progress(done, total, report) is called during
    the simulation and the rendering; progress.stage(label), where there is one, before each of them.
    """
    demos = _demos()
    if name not in demos:
        raise SceneError(f"no demo {name!r}; choose one of {', '.join(demos)}")
    if frames is not None and frames < 2:
        raise SceneError(f"--frames is {frames}; give at least 2")
    folder = output_folder(output)
    if render:
        from ..base.render import refuse_without_graphics

        refuse_without_graphics()
    stage = getattr(progress, "stage", lambda label: None)
    build, own_frames = demos[name]
    scene = new_scene(frames or own_frames)
    build(scene)
    bodies = sum(ob.stiction.type == "ACTIVE" for ob in scene.objects)
    blend = folder / f"{name}.blend"
    save(blend)
    rate = FPS * scene.stiction.steps_per_frame
    stage(f"simulating {bodies} bodies, {(scene.frame_end - 1) / FPS:g} s at {rate} Hz")
    trajectory, warnings = simulate_and_bake(scene, progress)
    save(blend)
    files = {"blend": blend, "json": folder / f"{name}.json", "plot": folder / f"{name}_plot.png"}
    summary = summarise(trajectory, warnings)
    files["json"].write_text(json.dumps(summary, indent=1))
    plot(trajectory, files["plot"])
    if render:
        files |= {"film": folder / f"{name}.mp4", "frames": folder / f"{name}_frames.png"}
        stage(f"rendering {scene.frame_end} frames")
        render_all(scene, files, progress)
    return {key: value for key, value in summary.items() if key != "bodies"} | {
        "files": {key: str(path) for key, path in files.items()}
    }


def _demos():
    """name -> (what builds its scene, frames)."""
    from . import demo_soft

    return {"funnel": (build_funnel, FRAMES), "soft": (demo_soft.build, demo_soft.FRAMES)}


def output_folder(path):
    """The folder, made if it was missing; SceneError if nothing can be written there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SceneError(f"output folder {folder}: {error.strerror}; choose another") from None
    return folder


def save(path):
    """Save the .blend quietly, without a backup beside it."""
    from ..base.render import quiet

    bpy.context.preferences.filepaths.save_version = 0
    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(path).resolve()))


def new_scene(frames):
    """An empty scene with the settings of the simulation."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    ensure_registered()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, frames
    scene.stiction.steps_per_frame = STEPS_PER_FRAME
    return scene


def build_funnel(scene):
    """A round hopper over a tray of boxes; above it jacks and chalices. Hopper and bodies are concave meshes."""
    surface = generators.lathe(HOPPER[::-1], HOPPER_SEGMENTS, loop=True)
    body(new_object(scene, "Hopper", mesh_of("Hopper", *surface, smooth=30), GLASS), "PASSIVE")
    build_tray(scene)
    jack = mesh_of("Jack", *generators.jack(JACK, BAR))
    chalice = mesh_of("Chalice", *generators.chalice(CHALICE, CHALICE_SEGMENTS), smooth=40)
    rng = np.random.default_rng(SEED)
    kinds = rng.permutation(np.arange(BODY_COUNT) < CHALICES)
    for i, (place, is_chalice) in enumerate(zip(lattice(BODY_COUNT, rng), kinds, strict=True)):
        mesh, color = (chalice, SAND) if is_chalice else (jack, (RUST, TEAL)[i % 2])
        ob = new_object(scene, f"{mesh.name} {i:03d}", mesh, color)
        ob.location, ob.rotation_mode = place, "QUATERNION"
        q = rng.normal(size=4)
        ob.rotation_quaternion = q / np.linalg.norm(q)
        body(ob, "ACTIVE")
    add_camera_and_light(scene)


def build_tray(scene):
    """A floor with a rim, five boxes."""
    outer, middle = TRAY + WALL, TRAY + WALL / 2
    cube = mesh_of("Tray", *generators.plate((1.0, 1.0, 1.0)))
    parts = [((0, 0, -WALL / 2), (2 * outer, 2 * outer, WALL))]
    for sign in (-1, 1):
        parts.append(((sign * middle, 0, RIM / 2), (WALL, 2 * outer, RIM)))
        parts.append(((0, sign * middle, RIM / 2), (2 * TRAY, WALL, RIM)))
    for place, size in parts:
        ob = new_object(scene, "Tray", cube, STONE)
        ob.location, ob.scale = place, size
        body(ob, "PASSIVE")


def new_object(scene, name, mesh, color):
    """Link a new object with a display colour."""
    ob = bpy.data.objects.new(name, mesh)
    ob.color = color
    scene.collection.objects.link(ob)
    return ob


def body(ob, kind):
    """Make an object a body of the demo's material."""
    settings = ob.stiction
    settings.type, settings.density = kind, DENSITY
    settings.friction, settings.restitution = FRICTION, RESTITUTION


def lattice(count, rng, columns=6, spacing=0.17, jitter=0.005, bottom=1.60):
    """`count` jittered places (count,3) in layers above the hopper, far enough apart for bodies of any turn."""
    index = np.arange(count)
    layer, cell = np.divmod(index, columns * columns)
    row, column = np.divmod(cell, columns)
    half = 0.5 * (columns - 1)
    grid = np.stack([column - half, row - half, layer], axis=1) * spacing
    return grid + rng.uniform(-jitter, jitter, (count, 3)) + (0, 0, bottom)


def mesh_of(name, vertices, triangles, smooth=None):
    """Datablock of a closed triangle mesh; edges flatter than `smooth` [degrees] are shaded round."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    mesh.validate()
    if smooth is not None:
        mesh.shade_smooth()
        mesh.set_sharp_from_angle(angle=math.radians(smooth))
    return mesh


def add_camera_and_light(scene):
    """A camera that sees hopper, pour and tray, and the look of the film."""
    from ..base.render import use_workbench

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (3.1, -5.6, 3.3)
    camera.rotation_euler = (Vector((0.0, 0.0, 0.95)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 41
    scene.collection.objects.link(camera)
    scene.camera = camera
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.rotation_euler = (math.radians(40), math.radians(20), 0)
    sun.data.energy = 3.0
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.86, 0.88, 0.90)
    use_workbench(scene)
    scene.display.light_direction = (0.35, 0.5, 0.8)
    scene.view_settings.view_transform = "Standard"


def summarise(trajectory, warnings):
    """The `simulate --json` keys of the run."""
    from ...solver.results.summary import run_summary

    summary = run_summary(trajectory)
    return summary | {"warnings": warnings + summary["warnings"]}


def render_all(scene, files, progress):
    """Film and six moments."""
    from ..base.render import contact_sheet, render_movie

    last = scene.frame_end - scene.frame_start
    moments = scene.frame_start + np.unique(np.round(np.array(MOMENTS) * last).astype(int))
    render_movie(scene, files["film"], progress)
    contact_sheet(scene, files["frames"], moments.tolist())


def plot(trajectory, path):
    """Contacts, residual, overlap and energy of every step."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    steps, time = trajectory.steps, trajectory.steps["time"]
    figure, axes = plt.subplots(4, 1, figsize=(8, 9), sharex=True)
    axes[0].plot(time, steps["contact_count"], color="tab:blue")
    axes[0].set_ylabel("contacts")
    axes[1].semilogy(time, np.maximum(steps["residual"], 1e-16), color="tab:red")
    axes[1].axhline(trajectory.header["tolerance"], color="gray", linestyle="--", label="aim")
    axes[1].set_ylabel("residual [m/s]")
    axes[1].legend(loc="lower right")
    axes[2].plot(time, 1e3 * steps["overlap"], color="tab:purple")
    axes[2].set_ylabel("overlap [mm]")
    axes[3].plot(time, steps["kinetic"], label="kinetic")
    axes[3].plot(time, steps["potential"] - steps["potential"][-1], label="potential, from the end")
    axes[3].plot(time, -np.cumsum(steps["friction_work"]), label="lost to friction")
    axes[3].plot(time, -np.cumsum(steps["impact_loss"]), label="lost to impacts")
    axes[3].plot(time, np.cumsum(steps["stabilisation_work"]), label="given by stabilisation")
    axes[3].set_ylabel("energy [J]")
    axes[3].legend(loc="center right")
    axes[3].set_xlabel("time [s]")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.suptitle(f"{len(trajectory.names)} bodies, method {trajectory.header['method']}")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
