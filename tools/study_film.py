"""The film of the studies: one hopper at two friction coefficients side by side, one flows, one jams.

    python tools/study_film.py [OUTPUT] [--frames N] [--no-render]

Writes hoppers.blend, hoppers.mp4 and hoppers_frames.png into OUTPUT (default: out).
"""

import argparse
import sys
from pathlib import Path

import bpy

from stiction.blender_addon.base.render import contact_sheet, render_movie
from stiction.blender_addon.demos.stage import add_camera_and_light, new_scene
from stiction.blender_addon.examples import EXAMPLES
from stiction.blender_addon.running.demo import output_folder, save
from stiction.blender_addon.running.loaded_bake import simulate_and_bake
from stiction.solver.base.progress import Progress

FRICTION, APART, FRAMES = (0.1, 0.8), 2.6, 120
# In diameters: at 3 the arch of the rough balls gives way after some seconds.
OUTLET = 2.8
OPENS = 1.2  # [s]
SAND, RUST = (1.0, 0.62, 0.12, 1.0), (0.9, 0.16, 0.07, 1.0)
MOMENTS = (0.0, 0.25, 0.35, 0.5, 0.7, 1.0)


def build(scene):
    """Two hoppers of the example, with balls of other friction in each, over one ground."""
    for number, friction in enumerate(FRICTION):
        for ob in EXAMPLES["hopper"].build(scene, OUTLET):
            _fit(ob, number, friction)
    add_camera_and_light(scene)
    camera = scene.camera
    camera.location, camera.rotation_euler = (0.0, -10.5, 2.0), (1.55, 0.0, 0.0)
    camera.data.lens = 60
    for number, friction in enumerate(FRICTION):
        _label(scene, f"friction {friction:g}", (number - 0.5) * APART)


def _fit(ob, number, friction):
    """Move an object of a hopper to its place and set what the film needs."""
    if ob.name.startswith("Ground"):
        ob.color = (0.86, 0.84, 0.80, 1.0)
        if number:
            bpy.data.objects.remove(ob)
        return
    ob.location.x += (number - 0.5) * APART
    if ob.name.startswith("Plate"):
        # In front it would hide the balls.
        ob.hide_render = True
        return
    ob.stiction.friction = friction
    ob.color = (SAND, RUST)[number] if ob.name.startswith("Ball") else (0.35, 0.45, 0.55, 1.0)
    if ob.name.startswith("Gate"):
        ob.stiction_flow.gate, ob.stiction_flow.at_rest, ob.stiction_flow.gate_time = True, False, OPENS


def _label(scene, text, x):
    curve = bpy.data.curves.new(text, "FONT")
    curve.body, curve.size, curve.align_x = text, 0.22, "CENTER"
    ob = bpy.data.objects.new(text, curve)
    ob.location, ob.rotation_euler, ob.color = (x, -0.6, 3.05), (1.5708, 0.0, 0.0), (0.1, 0.1, 0.12, 1.0)
    scene.collection.objects.link(ob)


def main():
    """Build, simulate, bake, render."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default="out")
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--no-render", action="store_true")
    given = parser.parse_args()
    folder, progress = output_folder(given.output), Progress()
    scene = new_scene(given.frames)
    build(scene)
    save(folder / "hoppers.blend")
    bpy.context.view_layer.update()
    progress.stage("simulating")
    _, warnings = simulate_and_bake(scene, progress)
    for sentence in warnings:
        print(sentence, file=sys.stderr)
    save(folder / "hoppers.blend")
    if not given.no_render:
        progress.stage("rendering")
        last = scene.frame_end - scene.frame_start
        contact_sheet(scene, Path(folder) / "hoppers_frames.png",
                      [scene.frame_start + round(part * last) for part in MOMENTS])  # fmt: skip
        render_movie(scene, Path(folder) / "hoppers.mp4", progress)
    return 0


if __name__ == "__main__":
    sys.exit(main())
