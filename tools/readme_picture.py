"""Render the picture of the README from the demo's file: python tools/readme_picture.py [out/funnel.blend] [--frame N]

Needs `make demo` to have run. Cycles on the CPU, a few minutes.
"""

import argparse
import math
from pathlib import Path

import bpy
from mathutils import Vector

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = 24


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blend", nargs="?", default=ROOT / "out" / "funnel.blend")
    parser.add_argument("--frame", type=int, default=16)
    parser.add_argument("--output", default=ROOT / "docs" / "images" / "funnel.png")
    parser.add_argument("--width", type=int, default=900)
    options = parser.parse_args()
    bpy.ops.wm.open_mainfile(filepath=str(Path(options.blend).resolve()))
    scene = bpy.context.scene
    scene.frame_set(options.frame)
    for ob in scene.objects:
        if ob.type == "MESH":
            dress(ob)
    light(scene)
    add_floor(scene)
    use_cycles(scene, options.width)
    path = Path(options.output).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    print(path)


def dress(ob):
    """Give an object a material of its display colour; one that is see-through becomes glass."""
    color = tuple(ob.color)
    name = f"{color[0]:.2f} {color[1]:.2f} {color[2]:.2f} {color[3]:.2f}"
    material = bpy.data.materials.get(name)
    if material is None:
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        surface = material.node_tree.nodes["Principled BSDF"]
        shade = 0.35 if max(color[:3]) - min(color[:3]) < 0.1 else 1.0
        surface.inputs["Base Color"].default_value = (*(shade * x for x in color[:3]), 1)
        surface.inputs["Roughness"].default_value = 0.45
        if color[3] < 1:
            surface.inputs["Base Color"].default_value = (0.12, 0.25, 0.38, 1)
            surface.inputs["Alpha"].default_value = 0.13
            surface.inputs["Roughness"].default_value = 0.1
    if not ob.data.materials:
        ob.data.materials.append(material)
    # Objects of two colours share a mesh: the material is the object's.
    ob.material_slots[0].link = "OBJECT"
    ob.material_slots[0].material = material


def light(scene):
    """A soft key light from the left, and a bright sky."""
    for ob in [ob for ob in scene.objects if ob.type == "LIGHT"]:
        bpy.data.objects.remove(ob)
    data = bpy.data.lights.new("Key", "AREA")
    data.energy, data.size = 900, 4
    key = bpy.data.objects.new("Key", data)
    key.location = (-4.5, -4.0, 6.5)
    key.rotation_euler = (Vector((0, 0, 0.8)) - key.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(key)
    world = scene.world or bpy.data.worlds.new("World")
    scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.80, 0.87, 0.95, 1)
    background.inputs["Strength"].default_value = 0.5


def add_floor(scene):
    """A wide pale floor under the tray."""
    mesh = bpy.data.meshes.new("Floor")
    corners = [(60.0 * x, 60.0 * y, -0.08) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    floor = bpy.data.objects.new("Floor", mesh)
    floor.color = (0.95, 0.80, 0.62, 1)
    scene.collection.objects.link(floor)
    dress(floor)


def use_cycles(scene, width):
    """Few samples, denoised."""
    render = scene.render
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = width, round(width * 9 / 16), 100
    settings = render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.use_denoising = "CPU", SAMPLES, True
    cycles.max_bounces, cycles.transparent_max_bounces = 4, 8
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.camera.data.lens = 47
    scene.camera.rotation_euler.x += math.radians(-2.5)


if __name__ == "__main__":
    main()
