"""What the demos share: an empty scene, the tray, bodies of one material, camera and light."""

import math

import bpy
from mathutils import Vector

from ...solver.shapes import generators
from ..base.render import use_workbench
from ..running.registered import ensure_registered

FPS = 24
STEPS_PER_FRAME = 4

FRICTION, RESTITUTION, DENSITY = 0.25, 0.1, 2500.0
JACK, BAR = 0.15, 0.036  # length and width of a jack's bars [m]

SAND, RUST, TEAL = (1.0, 0.62, 0.12, 1.0), (0.90, 0.16, 0.07, 1.0), (0.03, 0.42, 0.55, 1.0)
GLASS, STONE = (0.50, 0.68, 0.85, 0.18), (0.86, 0.84, 0.80, 1.0)

HOPPER_SEGMENTS = 32
# The tray: half its inner width, height of its rim, thickness of floor and rim [m].
TRAY, RIM, WALL = 1.0, 0.16, 0.08


def new_scene(frames):
    """An empty scene with the settings of the simulation."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    ensure_registered()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, frames
    scene.stiction.steps_per_frame = STEPS_PER_FRAME
    return scene


def build_tray(scene, color=STONE):
    """A floor with a rim, five boxes."""
    outer, middle = TRAY + WALL, TRAY + WALL / 2
    box(scene, "Tray", (0, 0, -WALL / 2), (2 * outer, 2 * outer, WALL), color)
    for sign in (-1, 1):
        box(scene, "Tray", (sign * middle, 0, RIM / 2), (WALL, 2 * outer, RIM), color)
        box(scene, "Tray", (0, sign * middle, RIM / 2), (2 * TRAY, WALL, RIM), color)


def box(scene, name, place, size, color):
    """A passive box of full lengths `size` [m]; returns its object."""
    cube = bpy.data.meshes.get("Cube") or mesh_of("Cube", *generators.plate((1.0, 1.0, 1.0)))
    ob = new_object(scene, name, cube, color)
    ob.location, ob.scale = place, size
    body(ob, "PASSIVE")
    return ob


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


def mesh_of(name, vertices, triangles, smooth=None):
    """Datablock of a closed triangle mesh; edges flatter than `smooth` [degrees] are shaded round."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    mesh.validate()
    if smooth is not None:
        mesh.shade_smooth()
        mesh.set_sharp_from_angle(angle=math.radians(smooth))
    return mesh


def aim(camera, eye, target, frame=None):
    """Put a camera at `eye` and turn it to `target` [m]; keyed at a frame, where one is given."""
    camera.location = eye
    camera.rotation_euler = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()
    if frame is not None:
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_euler", frame=frame)


def add_camera_and_light(scene):
    """A camera that sees hopper, pour and tray, and the look of the film."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    aim(camera, (3.1, -5.6, 3.3), (0.0, 0.0, 0.95))
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
