"""What differs before anything falls: frames, rates, units, gravity, speed, parents of imports, nodes, modifiers."""

from math import pi

import bpy
import numpy as np
from deforming_bodies import with_instances
from gallery_base import BALL, BOX, above, both, scaled, scene_of
from mathutils import Matrix
from tutorial import add, ground, join, key_places, key_setting


def falls(frames, height=10.0, settle=True, since=None):
    """Holds if the bodies have fallen freely from `height` after so many frames since the scene's first or another, and
    lie on the ground at the end."""

    def holds(film):
        ob, scene = bpy.data.objects["Cube"], film.scene
        seconds = frames * scene.render.fps_base / scene.render.fps * scene.rigidbody_world.time_scale
        fallen = film.place(ob, (scene.frame_start if since is None else since) + frames)[2]
        free = abs(height - fallen - 0.5 * 9.81 * seconds**2) < 0.03 * (height - fallen)
        return free and (not settle or abs(film.place(ob)[2] - 0.5) < 1e-3)

    return holds


def cube_over_ground(height=10.0):
    """A cube of the Add menu without damping."""
    ground()
    return add("cube", at=(0, 0, height), size=1, body={"linear_damping": 0.0, **BOX})


@scene_of(160)
def frames_from_101():
    """Scene and cache begin at frame 101."""
    cube_over_ground()
    scene = bpy.context.scene
    scene.frame_start = scene.rigidbody_world.point_cache.frame_start = 101
    return falls(20)


@scene_of(50)
def frames_from_below_0():
    """The cache begins at frame -10, the scene at 0, before which Blender lets none begin."""
    cube_over_ground()
    scene = bpy.context.scene
    scene.frame_start = scene.rigidbody_world.point_cache.frame_start = -10
    return falls(20, since=-10)


@scene_of(60)
def half_speed_many_substeps():
    """Slow motion by the world's Speed."""
    cube_over_ground()
    world = bpy.context.scene.rigidbody_world
    world.time_scale, world.substeps_per_frame, world.solver_iterations = 0.5, 60, 100
    return falls(30, settle=False)


@scene_of(110)
def sixty_frames_a_second():
    """A high rate."""
    cube_over_ground()
    bpy.context.scene.render.fps = 60
    return falls(60)


@scene_of(30)
def twelve_frames_a_second():
    """A low rate with a base, as films from America have."""
    cube_over_ground()
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 12, 1.001
    return falls(12)


@scene_of(60)
def stretched_time():
    """Time Stretching left on."""
    cube_over_ground()
    bpy.context.scene.render.frame_map_old, bpy.context.scene.render.frame_map_new = 100, 200
    return falls(24)


@scene_of(60, unit=0.01)
@scene_of(60, unit=0.001)
def toys_in_another_unit(unit):
    """Dice of 2 cm, in centimetres or millimetres; gravity stays at 9.81 units, which is slow."""
    bpy.context.scene.unit_settings.scale_length = unit
    size = 0.02 / unit
    add("plane", "PASSIVE", size=100 * size)
    dice = [add("cube", at=(0.3 * k * size, 0, (0.6 + 1.1 * k) * size), size=size, body=BOX) for k in range(4)]
    return both(above(*dice, deep=5e-3 * size), lambda film: film.place(dice[0])[2] < 0.6 * size)


@scene_of(50)
def gravity_along_x():
    """Sideways onto a wall."""
    bpy.context.scene.gravity = (9.81, 0, 0)
    add("cube", "PASSIVE", at=(6, 0, 0), size=2)
    cube = add("cube", size=1, body=BOX)
    return lambda film: abs(film.place(cube)[0] - 4.5) < 1e-3


@scene_of(60)
def billiards_in_space():
    """No gravity, no damping; a keyed throw hands its momentum on."""
    bpy.context.scene.use_gravity = False
    body = {"linear_damping": 0.0, "angular_damping": 0.0, "restitution": 1.0, **BALL}
    first, second = (add("uv_sphere", at=(4 * k, 0, 0), radius=0.5, body=body) for k in (0, 1))
    key_places(first, (1, (0, 0, 0)), (6, (1, 0, 0)), interpolation="LINEAR")
    key_setting(first.rigid_body, "kinematic", (1, True), (6, True), (7, False))
    return lambda film: film.place(second)[0] > 8 and film.rests(first) < 1e-3


@scene_of(50)
def import_of_fbx():
    """Under an empty of scale 0.01 that is turned, in centimetres, as importers make them."""
    ground()
    bpy.ops.object.empty_add(rotation=(pi / 2, 0, 0))
    root, boxes = bpy.context.object, []
    root.scale = (0.01, 0.01, 0.01)
    for k in range(4):
        box = scaled(add("cube", rotation=(0, 0.2 * k, 0), size=1, body=BOX), 100, 30, 50)
        box.parent, box.location = root, (150 * k, 200, 0)
        boxes.append(box)
    return lambda film: all(abs(film.lowest(box)) < 1e-3 for box in boxes)


@scene_of(50)
def sheared_by_the_parent():
    """A turned cube under a parent of uneven scale."""
    ground()
    bpy.ops.object.empty_add()
    parent = scaled(bpy.context.object, 1, 2, 0.5)
    cube = add("cube", at=(0, 0, 6), rotation=(0.4, 0.3, 0), size=1)
    cube.parent = parent
    return lambda film: abs(film.lowest(cube)) < 0.3


@scene_of(60)
def let_go_by_a_bone():
    """A ball in the hand of an armature, Animated until frame 8."""
    ground(60)
    bpy.ops.object.armature_add(location=(0, 0, 1))
    rig, ball = bpy.context.object, add("uv_sphere", radius=0.2, at=(0, 0, 2.2), body=BALL)
    ball.parent, ball.parent_type, ball.parent_bone = rig, "BONE", rig.data.bones[0].name
    bpy.context.view_layer.update()
    ball.matrix_world = Matrix.Translation((0, 0, 2.2))
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, -1.0), (10, 0.6)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    return both(above(ball), lambda film: np.linalg.norm((film.place(ball) - film.place(ball, 9))[:2]) > 1)


@scene_of(80)
def carried_by_child_of():
    """A tray that a Child Of constraint carries, cups on it."""
    bpy.ops.object.empty_add()
    hand = bpy.context.object
    key_places(hand, (1, (0, 0, 1)), (40, (2, 0, 2)), (80, (2, 2, 2)))
    tray = scaled(add("cube", "PASSIVE", size=1, body={"kinematic": True, "friction": 1.0, **BOX}), 2, 2, 0.1)
    held = tray.constraints.new("CHILD_OF")
    held.target, held.inverse_matrix = hand, Matrix()
    cups = [add("cylinder", at=(0.4 * k - 0.4, 0, 1.16), radius=0.15, depth=0.2, body={"friction": 1.0})
            for k in range(3)]  # fmt: skip
    return lambda film: all(np.allclose(film.place(cup) - film.place(tray), (0.4 * k - 0.4, 0, 0.15), atol=0.02)
                            for k, cup in enumerate(cups))  # fmt: skip


@scene_of(50)
def pushed_by_a_driver():
    """The expression of a driver moves an Animated wall."""
    ground()
    wall = scaled(add("cube", "PASSIVE", at=(-2, 0, 0.5), size=1, body={"kinematic": True, **BOX}), 0.2, 1, 1)
    wall.driver_add("location", 0).driver.expression = "-2 + frame / 20"
    box = add("cube", at=(0, 0, 0.4), size=0.8, body=BOX)
    return both(above(box), lambda film: abs(film.place(box)[0] - film.place(wall)[0] - 0.5) < 1e-3)


@scene_of(40)
def pegs_by_geometry_nodes():
    """A ball falls on instances that are no part of the mesh."""
    class Scene:
        collection = bpy.context.scene.collection

    def board(name, kind):
        return scaled(add("cube", kind, size=1, body={"collision_shape": "MESH", "mesh_source": "FINAL"}), 2, 2, 1)

    with_instances(Scene, board, keep_mesh=False)
    ball = add("uv_sphere", at=(1, 1, 2), radius=0.3, body=BALL)
    return lambda film: abs(film.place(ball)[2] - 0.9) < 1e-3


@scene_of(60)
def built_by_modifiers():
    """Array and Bevel on a Mesh, Subdivision on Suzanne, Solidify on a plane; source: Final."""
    ground()
    row = add("cube", at=(0, 0, 2), size=1, body={"collision_shape": "MESH", "mesh_source": "FINAL"})
    array = row.modifiers.new("row", "ARRAY")
    array.count, array.relative_offset_displace = 3, (1.1, 0, 0)
    row.modifiers.new("bevel", "BEVEL").width = 0.05
    monkey = add("monkey", at=(6, 0, 2), body={"mesh_source": "FINAL"})
    monkey.modifiers.new("smooth", "SUBSURF").levels = 2
    slab = add("plane", at=(-4, 0, 2), size=2, body={"mesh_source": "FINAL"})
    slab.modifiers.new("thick", "SOLIDIFY").thickness = 0.2
    heights = (row, 0.5), (slab, 0.2)
    return lambda film: all(abs(film.place(ob)[2] - z) < 2e-3 for ob, z in heights) and film.place(monkey)[2] < 0.6


@scene_of(50)
def outside_of_the_world():
    """One that was taken out of the world's collection, which Blender leaves where it is."""
    ground()
    inside, outside = (add("cube", at=(3 * k, 0, 3), size=1) for k in (0, 1))
    bpy.context.scene.rigidbody_world.collection.objects.unlink(outside)
    return lambda film: abs(film.place(inside)[2] - 0.5) < 1e-3 and film.place(outside)[2] == 3


@scene_of(50)
def hung_by_a_constraint_of_its_own():
    """The constraint is on the body itself, not on an empty."""
    hook = add("cube", "PASSIVE", at=(0, 0, 4), size=0.2)
    bob = add("cube", at=(1, 0, 4), size=0.4, body=BOX)
    bpy.ops.rigidbody.constraint_add(type="POINT")
    bob.rigid_body_constraint.object1, bob.rigid_body_constraint.object2 = hook, bob
    drop = join("FIXED", hook, add("cube", at=(-1, 0, 4), size=0.4), (-1, 0, 4))
    drop.rigid_body_constraint.enabled = False
    free = drop.rigid_body_constraint.object2
    return lambda film: abs(np.linalg.norm(film.place(bob) - (1, 0, 4))) < 1e-3 and film.place(free)[2] < -5
