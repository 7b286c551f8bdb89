"""The demo scenes, built in Blender, simulated, baked, rendered and plotted: the whole path in one command."""

import json
import math
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ..solver.refusal import SceneError
from .headless_bake import ensure_registered, simulate_and_bake

FPS = 25
STEPS_PER_FRAME = 4
FRAMES = 126  # 5 s, the first frame included

FRICTION, RESTITUTION, DENSITY = 0.5, 0.1, 2500.0
BODY_COUNT = 200
SEED = 7

SAND, RUST, TEAL = (1.0, 0.62, 0.12, 1.0), (0.90, 0.16, 0.07, 1.0), (0.03, 0.42, 0.55, 1.0)
GLASS, STONE = (0.50, 0.68, 0.85, 0.25), (0.72, 0.73, 0.76, 1.0)

# Profile of the hopper's wall in (radius, height) [m], once around: a cone of 60 degrees under a short cylinder.
# The outlet is six bodies wide: at five, some pours end in an arch over it.
HOPPER = (
    (0.33, 0.60), (0.75, 1.33), (0.75, 1.72), (0.80, 1.72), (0.80, 1.31), (0.38, 0.58), (0.38, 0.54), (0.33, 0.54),
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
    if name != "funnel":
        raise SceneError(f"no demo {name!r}; there is: funnel")
    if frames is not None and frames < 2:
        raise SceneError(f"--frames is {frames}; give at least 2")
    folder = output_folder(output)
    if render:
        from .render import refuse_without_graphics

        refuse_without_graphics()
    stage = getattr(progress, "stage", lambda label: None)
    scene = new_scene(frames or FRAMES)
    build_funnel(scene)
    blend = folder / f"{name}.blend"
    save(blend)
    stage(f"simulating {BODY_COUNT} bodies, {(scene.frame_end - 1) / FPS:g} s at {FPS * STEPS_PER_FRAME} Hz")
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
    from .render import quiet

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
    """A round hopper, a concave triangle mesh, over a tray of boxes; above it convex bodies of three shapes."""
    hopper = new_object(scene, "Hopper", lathe("Hopper", HOPPER, HOPPER_SEGMENTS), GLASS)
    body(hopper, "PASSIVE")
    hopper.stiction.shape = "MESH"
    build_tray(scene)
    meshes = [(box_mesh(), SAND), (icosahedron_mesh(), RUST), (shard_mesh(), TEAL)]
    rng = np.random.default_rng(SEED)
    kinds = rng.permutation(np.arange(BODY_COUNT) % len(meshes))
    for i, (place, kind) in enumerate(zip(lattice(BODY_COUNT, rng), kinds, strict=True)):
        mesh, color = meshes[kind]
        ob = new_object(scene, f"{mesh.name} {i:03d}", mesh, color)
        ob.location, ob.rotation_mode = place, "QUATERNION"
        q = rng.normal(size=4)
        ob.rotation_quaternion = q / np.linalg.norm(q)
        body(ob, "ACTIVE")
    add_camera_and_light(scene)


def build_tray(scene):
    """A floor with a rim, five boxes."""
    outer, middle = TRAY + WALL, TRAY + WALL / 2
    cube = box_mesh("Tray", (1, 1, 1))
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


def lattice(count, rng, columns=6, spacing=0.17, jitter=0.01, bottom=1.64):
    """`count` jittered places (count,3) in layers above the hopper, far enough apart for bodies of any turn."""
    index = np.arange(count)
    layer, cell = np.divmod(index, columns * columns)
    row, column = np.divmod(cell, columns)
    half = 0.5 * (columns - 1)
    grid = np.stack([column - half, row - half, layer], axis=1) * spacing
    return grid + rng.uniform(-jitter, jitter, (count, 3)) + (0, 0, bottom)


def lathe(name, profile, segments):
    """Closed mesh of a profile (radius, height) turned about the z axis; radius 0 closes it on the axis."""
    angles = 2 * math.pi * np.arange(segments) / segments
    vertices, rings = [], []
    for radius, height in profile:
        if radius == 0:
            rings.append([len(vertices)] * segments)
            vertices.append((0, 0, height))
        else:
            rings.append(list(range(len(vertices), len(vertices) + segments)))
            vertices += [(radius * math.cos(a), radius * math.sin(a), height) for a in angles]
    faces = []
    closed = profile[0][0] != 0
    for k in range(len(profile) if closed else len(profile) - 1):
        lower, upper = rings[k], rings[(k + 1) % len(profile)]
        for i in range(segments):
            j = (i + 1) % segments
            faces.append(list(dict.fromkeys((lower[i], upper[i], upper[j], lower[j]))))
    return new_mesh(name, vertices, faces)


def new_mesh(name, vertices, faces):
    """A mesh datablock whose faces point outward."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, v)) for v in vertices], [], faces)
    mesh.validate()
    corners = np.array(vertices, dtype=float)
    volume = sum(
        np.dot(corners[face[0]], np.cross(corners[face[i]], corners[face[i + 1]]))
        for face in faces for i in range(1, len(face) - 1)
    )  # fmt: skip
    if volume < 0:
        mesh.flip_normals()
    return mesh


def box_mesh(name="Brick", size=(0.115, 0.09, 0.075)):
    """A box about its origin."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return new_mesh(name, np.array(corners) * size, faces)


def icosahedron_mesh(radius=0.06):
    """A regular icosahedron."""
    g = (1 + math.sqrt(5)) / 2
    corners = np.array([p for a in (-1, 1) for b in (-g, g) for p in ((0, a, b), (a, b, 0), (b, 0, a))])
    edge = 2.0
    faces = []
    for i in range(12):
        for j in range(i + 1, 12):
            for k in range(j + 1, 12):
                a, b, c = corners[[i, j, k]]
                if all(abs(np.linalg.norm(p - q) - edge) < 1e-9 for p, q in ((a, b), (b, c), (c, a))):
                    outward = np.dot(np.cross(b - a, c - a), a) > 0
                    faces.append((i, j, k) if outward else (i, k, j))
    return new_mesh("Pebble", corners * radius / np.linalg.norm(corners[0]), faces)


def shard_mesh(radius=0.05, length=0.07, tip=0.025):
    """A hexagonal prism with two points."""
    half = 0.5 * length
    return lathe("Shard", ((0, -half - tip), (radius, -half), (radius, half), (0, half + tip)), 6)


def add_camera_and_light(scene):
    """A camera that sees hopper, pour and tray, and the look of the film."""
    from .render import use_workbench

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (3.4, -6.0, 3.6)
    camera.rotation_euler = (Vector((0.0, 0.0, 1.12)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 39
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
    from ..solver.cli import run_summary

    return run_summary(trajectory) | {"warnings": warnings}


def render_all(scene, files, progress):
    """Film and six moments."""
    from .render import contact_sheet, render_movie

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
    axes[3].set_ylabel("energy [J]")
    axes[3].legend(loc="center right")
    axes[3].set_xlabel("time [s]")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.suptitle(f"{len(trajectory.names)} bodies, method {trajectory.header['method']}")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
