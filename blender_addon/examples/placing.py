"""Where an example stands in a person's scene: in a collection of its own, seen whole by a camera."""

import bpy
import numpy as np
from mathutils import Matrix, Vector

# From where the camera looks: from the right, in front and above, as Blender's own does.
AWAY = Vector((0.55, -0.75, 0.38)).normalized()
# Of the distance at which all is just seen.
MARGIN = 1.08
# Places [m] of the camera and the cube in a new file of Blender's, and how far off they may be and count as these.
CAMERA_AT, CUBE_AT, NEAR = (7.3589, -6.9258, 4.9583), (0.0, 0.0, 0.0), 1e-3


def collect(scene, name, objects):
    """Put new objects of the scene into a collection of their own; returns it."""
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    for ob in objects:
        for old in ob.users_collection:
            old.objects.unlink(ob)
        collection.objects.link(ob)
    return collection


def leave_out_default_cube(scene):
    """Hide the cube that a new file of Blender's has, if it is as it was; returns whether it was there."""
    cube = scene.objects.get("Cube")
    if cube is None or not _untouched(cube, "MESH", CUBE_AT) or cube.stiction.type != "NONE":
        return False
    if len(cube.data.vertices) != 8 or cube.modifiers or cube.hide_viewport:
        return False
    cube.hide_viewport = cube.hide_render = True
    return True


def look_at_all(scene, collection, objects):
    """Give a scene whose camera is that of a new file, or which has none, one that sees these objects whole."""
    if scene.camera is not None and not _untouched(scene.camera, "CAMERA", CAMERA_AT):
        return
    camera = bpy.data.objects.new("Example Camera", bpy.data.cameras.new("Example Camera"))
    collection.objects.link(camera)
    # The window's depsgraph does not know them yet.
    bpy.context.view_layer.update()
    points = np.array([ob.matrix_world @ Vector(corner) for ob in objects for corner in ob.bound_box])
    turn = (-AWAY).to_track_quat("-Z", "Y").to_matrix()
    camera.matrix_world = Matrix.LocRotScale(_place(scene, camera.data, points, np.array(turn)), turn, None)
    scene.camera = camera


def _place(scene, camera, points, turn):
    """Place (3,) from which a camera of rotation turn (3,3) just sees the points (n,3)."""
    seen = points @ turn
    render = scene.render
    wide = render.resolution_x * render.pixel_aspect_x
    high = render.resolution_y * render.pixel_aspect_y
    half = camera.sensor_width / (2.0 * camera.lens)
    slopes = np.array([half, half * high / wide] if wide >= high else [half * wide / high, half]) / MARGIN
    # In the camera's frame, which looks along -z: |x - x0| <= slope (z0 - z) on either side.
    above = (seen[:, :2] + slopes * seen[:, 2:]).max(axis=0)
    below = (-seen[:, :2] + slopes * seen[:, 2:]).max(axis=0)
    distance = float(((above + below) / (2.0 * slopes)).max())
    return Vector(turn @ np.array([*(0.5 * (above - below)), distance]))


def _untouched(ob, kind, place):
    at = np.array(ob.matrix_world.translation)
    return ob.type == kind and ob.animation_data is None and np.abs(at - place).max() < NEAR

