"""Render the pictures of docs/scenes.md: python tools/scene_pictures.py [SCENE ...] [--runs FOLDER] [--sheets]

Simulates each scene of the papers (or takes the run that lies in --runs), renders its last frame with Workbench and
puts the pictures of a paper on one sheet in docs/images. Prints bodies, contacts, overlap and CPU per simulated second.
"""

import argparse
import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from stiction.blender_addon.base.render import render_still, use_workbench
from stiction.solver.scene import Motion
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory

ROOT = Path(__file__).resolve().parents[1]
SIZE = (480, 360)
# The sheets: scenes and how long each is simulated for its picture [s].
SHEETS = {
    "prox-scenes": (
        ("prox_tower", 0.5), ("prox_wall", 0.5), ("prox_glasses", 1.0), ("prox_jacks", 1.0), ("prox_temple", 0.1),
        ("prox_colosseum", 1.0), ("prox_spheres", 1.0), ("prox_funnel", 1.0), ("prox_chalices", 1.0),
    ),
    "nncg-scenes": (
        ("nncg_slope", 0.5), ("nncg_crib", 0.5), ("nncg_stack9", 0.5), ("nncg_gears6", 0.1), ("nncg_gears10", 0.1),
        ("nncg_stack4", 0.5), ("nncg_heavy", 0.5),
    ),
    "concave-scenes": (("glass_tower", 0.5), ("hanging_chain", 0.5), ("chain_bridge", 1.0), ("gear_train", 1.0)),
    "soft-scenes": (("soft_pneunet", 1.2), ("soft_extension", 1.0), ("soft_gripper", 1.6)),
}  # fmt: skip
# What is poured into hides what is in it: drawn see-through.
CONTAINERS = ("glass", "funnel", "wall0", "wall1", "wall2", "wall3")
PALETTE = ((0.90, 0.55, 0.15), (0.75, 0.22, 0.12), (0.10, 0.42, 0.52), (0.55, 0.60, 0.25), (0.40, 0.28, 0.50))
STONE = ((0.80, 0.72, 0.58), (0.72, 0.63, 0.50), (0.86, 0.79, 0.66))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", help="default: all of the sheets")
    parser.add_argument("--runs", type=Path, default=ROOT / "out" / "scenes", help="folder of runs and pictures")
    parser.add_argument("--sheets", action="store_true", help="only put the pictures there are on the sheets")
    parser.add_argument("--start", action="store_true", help="draw the scenes as they are built, without simulating")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    for rows in SHEETS.values():
        for key, time in rows:
            if not options.sheets and (not options.scenes or key in options.scenes):
                picture(key, 0.0 if options.start else time, options.runs)
    for name, rows in SHEETS.items():
        missing = [key for key, _ in rows if not (options.runs / f"{key}.png").exists()]
        if missing:
            print(f"{name}: left as it is, without pictures of {', '.join(missing)} in {options.runs}")
        else:
            sheet([key for key, _ in rows], options.runs, ROOT / "docs" / "images" / f"{name}.png")


def picture(key, time, folder):
    """Simulate a scene and render its last frame to folder/key.png; time 0 [s]: as it is built."""
    scene = SCENES[key].build()
    if time == 0.0:
        draw(scene, np.array([b.position for b in scene.bodies]), np.array([b.orientation for b in scene.bodies]),
             folder / f"{key}.png")  # fmt: skip
        return
    run_folder = folder / key
    if (run_folder / "header.json").exists():
        run = Trajectory.load(run_folder)
    else:
        run = simulate(scene, options_for(scene, time=time, steps_per_frame=5), run_folder)
    steps = run.steps
    lasted = float(steps["time"][-1])
    checked = SCENES[key].check(run) if SCENES[key].check else []
    print(
        f"{key}: {len(scene.bodies)} bodies, {lasted:g} s, {run.header['cpu_s'] / lasted:.2f} CPU s a second, "
        f"contacts {int(steps['contact_count'].max())}, overlap {1e3 * steps['overlap'].max():.3g} mm, "
        + "; ".join(f"{line.quantity} {line.measured} ({'ok' if line.passed else 'not ok'})" for line in checked),
        flush=True,
    )
    draw(scene, run.positions[-1], run.orientations[-1], folder / f"{key}.png", bent_surfaces(run))


def bent_surfaces(run):
    """{body: (vertices (v,3), triangles (F,3))} of the deformable bodies in the last frame, world frame."""
    if run.deformables is None:
        return {}
    nodes, found = run.node_positions[-1], {}
    start = run.deformables["triangle_start"]
    for i in np.flatnonzero(np.diff(start)):
        used, number = np.unique(run.deformables["triangles"][start[i] : start[i + 1]], return_inverse=True)
        found[int(i)] = nodes[used], number.reshape(-1, 3)
    return found


def draw(scene, positions, orientations, path, bent=None):
    """One still of the bodies at positions (R,3) [m] and orientations (R,4); bent: see bent_surfaces."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    view, meshes, points = bpy.context.scene, {}, []
    for i, body in enumerate(scene.bodies):
        own = (bent or {}).get(i)
        mesh = None if own else meshes.get(id(body.shape))
        if mesh is None:
            vertices, triangles = own or body.shape.surface()
            mesh = meshes[id(body.shape)] = bpy.data.meshes.new(body.name)
            mesh.from_pydata(np.asarray(vertices).tolist(), [], np.asarray(triangles).tolist())
            mesh.shade_smooth()
            mesh.set_sharp_from_angle(angle=0.6)
        ob = bpy.data.objects.new(body.name, mesh)
        ob.rotation_mode = "QUATERNION"
        if own is None:
            ob.location, ob.rotation_quaternion = positions[i], orientations[i]
        ob.color = color(scene, body, i)
        view.collection.objects.link(ob)
        if body.name not in ("floor", "ramp"):
            points.append(corners(ob))
    look(view, np.concatenate(points))
    use_workbench(view, SIZE)
    view.display.shading.show_specular_highlight = False
    view.view_settings.view_transform = "Standard"
    render_still(view, path, 1)


def color(scene, body, number):
    """Display colour: grey for the ground, see-through for containers, and a few colours for the rest."""
    if body.name in ("floor", "ramp"):
        return (0.93, 0.94, 0.95, 1.0)
    if body.motion == Motion.STATIC and body.name in CONTAINERS:
        return (0.55, 0.72, 0.88, 0.22)
    if body.motion != Motion.DYNAMIC:
        return (0.35, 0.38, 0.42, 1.0)
    colors = STONE if scene.name in ("prox_tower", "prox_temple", "prox_colosseum") else PALETTE
    return (*colors[(number * 7) % len(colors)], 1.0)


def corners(ob):
    """The eight corners (8,3) [m] of an object's bounds in the world."""
    turn = ob.rotation_quaternion.to_matrix()
    return np.array([turn @ Vector(corner) + ob.location for corner in ob.bound_box])


def look(view, points):
    """Light, and a camera from the front left that sees all points (n,3), the stray few aside."""
    low, high = np.percentile(points, 1, axis=0), np.percentile(points, 99, axis=0)
    middle, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))
    direction = np.array([0.45, -1.0, 0.42])
    direction /= np.linalg.norm(direction)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = middle + 3.9 * radius * direction
    camera.rotation_euler = Vector(-direction).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens, camera.data.clip_start, camera.data.clip_end = 50, 0.01 * radius, 100 * radius
    view.collection.objects.link(camera)
    view.camera = camera
    view.world = bpy.data.worlds.new("World")
    view.world.color = (0.86, 0.88, 0.90)
    view.display.light_direction = (0.35, 0.5, 0.8)


def sheet(keys, folder, path):
    """Put the pictures of the scenes side by side, three a row, each with its name."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = -(-len(keys) // 3)
    figure, axes = plt.subplots(rows, 3, figsize=(9.6, 2.65 * rows), squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for axis, key in zip(axes.flat, keys, strict=False):
        file = folder / f"{key}.png"
        if file.exists():
            axis.imshow(plt.imread(file))
        axis.set_title(key, fontsize=9)
    figure.subplots_adjust(left=0.005, right=0.995, bottom=0.005, top=1 - 0.22 / (2.65 * rows), wspace=0.02, hspace=0.1)
    with tempfile.TemporaryDirectory() as scratch:
        rendered = Path(scratch) / "sheet.png"
        figure.savefig(rendered, dpi=100)
        shrink(rendered, path)
    plt.close(figure)
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")


def shrink(source, target):
    """Write a picture with a palette of 256 colours, a third of the size."""
    from PIL import Image

    Image.open(source).convert("RGB").quantize(256).save(target, optimize=True)


if __name__ == "__main__":
    main()
