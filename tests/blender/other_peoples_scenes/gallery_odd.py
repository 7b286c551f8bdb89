"""What people set without a second thought: every shape on a flat ground, odd meshes, limits, parents, layers, keys."""

from math import pi, sin

import bmesh
import bpy
import numpy as np
from gallery_base import BALL, BOX, MESH, above, both, scaled, scene_of
from tutorial import add, ground, join, key_places, key_setting


@scene_of(50, shape="SPHERE")
@scene_of(50, shape="CAPSULE")
@scene_of(50, shape="CONE")
@scene_of(50, shape="COMPOUND")
def flat_ground(shape):
    """A plane that was given a shape it has not, and bodies of the same one on it."""
    add("plane", "PASSIVE", size=10, body={"collision_shape": shape})
    body = {"collision_shape": "BOX" if shape == "COMPOUND" else shape}
    bodies = [add("cube", at=(1.5 * k, 0, 1.5), size=1, body=body) for k in range(3)]
    return lambda film: all(0.49 < film.place(ob)[2] < 0.55 for ob in bodies)


@scene_of(60)
def sunk_in_a_grid():
    """A cube and a ball that begin in the faces of a Mesh."""
    add("grid", "PASSIVE", x_subdivisions=8, y_subdivisions=8, size=10, body=MESH)
    cube, ball = add("cube", at=(0, 0, 0.49), size=1), add("uv_sphere", at=(2, 0, 0.49), radius=0.5, body=BALL)
    return both(above(cube, ball), lambda film: abs(film.place(cube)[2] - 0.5) < 5e-3)


@scene_of(60)
def hinge_limits():
    """Arms on posts they begin in: limits of 0 to 360, -180 to 180, 0 to 0, the wrong way round and none."""
    arms = []
    for k, (low, high) in enumerate(((0, 2 * pi), (-pi, pi), (0, 0), (pi / 4, -pi / 4), (-0.5, 0.5))):
        post = add("cube", "PASSIVE", at=(0, 3 * k, 3), size=0.2, body=BOX)
        arms.append(scaled(add("cube", at=(0.5, 3 * k, 3), size=1, body=BOX), 1, 0.1, 0.1))
        join("HINGE", post, arms[-1], (0, 3 * k, 3), (pi / 2, 0, 0), use_limit_ang_z=True, limit_ang_z_lower=low,
             limit_ang_z_upper=high)  # fmt: skip
    lowest = lambda film, arm: min(film.place(arm, k)[2] for k in range(1, 60, 2))  # noqa: E731
    return lambda film: (
        all(lowest(film, arms[k]) < 2.52 for k in (0, 1, 3)) and abs(film.place(arms[2])[2] - 3) < 1e-3
        and abs(film.place(arms[4])[2] - 3 + 0.5 * sin(0.5)) < 0.01
    )  # fmt: skip


@scene_of(60)
def compound_under_a_scaled_parent():
    """A Compound Parent of scale 2 whose parts have scales of their own."""
    ground()
    base = scaled(add("cube", at=(0, 0, 3), size=1, body={"collision_shape": "COMPOUND"}), 2, 2, 2)
    parts = [scaled(add("cube", at=(0, 0, 0), size=1, body=BOX), 1, 0.5, 0.2),
             scaled(add("cube", at=(0, 0, 0.35), size=1, body=BOX), 0.2, 0.2, 0.5)]  # fmt: skip
    for part in parts:
        part.parent = base
    return lambda film: abs(film.lowest(parts[0])) < 2e-3 and abs(film.place(parts[1])[2] - 0.9) < 2e-3


@scene_of(60)
def mirrored():
    """Scales below 0: Suzanne, a cone on its head, a Mesh torus."""
    ground()
    bodies = [scaled(add("monkey", at=(0, 0, 2), size=1), -1, 1, 1),
              scaled(add("cone", at=(3, 0, 2), body={"collision_shape": "CONE"}), 1, 1, -1),
              scaled(add("torus", at=(6, 0, 2), body=MESH), 1, -2, 1)]  # fmt: skip
    return both(above(*bodies), lambda film: max(film.lowest(ob) for ob in bodies) < 0.02)


def changed(ob, change):
    """The object with a mesh that change(bmesh) was called on."""
    mesh = bmesh.new()
    mesh.from_mesh(ob.data)
    mesh.faces.ensure_lookup_table()
    mesh.edges.ensure_lookup_table()
    change(mesh)
    mesh.to_mesh(ob.data)
    mesh.free()
    return ob


@scene_of(60)
def broken_meshes():
    """Cubes of the shape Mesh with a hole, a fin, each face twice, faces inside out, and a vertex far off."""
    ground()

    def fin(mesh):
        mesh.faces.new((*mesh.edges[0].verts, mesh.verts.new((1.5, 0, 0))))

    holed, finned, doubled, turned = (add("cube", at=(3 * k, 0, 2), size=1, body=MESH) for k in range(4))
    changed(holed, lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES"))
    changed(finned, fin)
    changed(doubled, lambda mesh: bmesh.ops.duplicate(mesh, geom=[*mesh.verts, *mesh.edges, *mesh.faces]))
    turned.data.flip_normals()
    loose = changed(add("cube", at=(-4, 0, 2), size=1), lambda mesh: mesh.verts.new((0, 0, 3)))
    bodies = holed, finned, doubled, turned, loose
    return lambda film: all(0.48 < film.place(ob)[2] < 0.52 for ob in bodies)


@scene_of(60)
def beads_of_a_millimetre():
    """Cubes of 1 mm with Blender's margin of 40."""
    ground(0.1)
    beads = [add("cube", at=(0.0004 * k, 0, 0.003 + 0.0015 * k), size=0.001) for k in range(5)]
    return lambda film: all(0.4e-3 < film.place(bead)[2] < 5e-3 for bead in beads)


@scene_of(60)
def layers_apart():
    """Bodies of two collections of collision fall through each other onto a ground that is in both."""
    ground()
    floor = bpy.context.object
    first, second = add("cube", at=(0, 0, 0.5), size=1), add("cube", at=(0, 0, 3), size=1)
    for ob, on in ((floor, (0, 1)), (first, (0,)), (second, (1,))):
        ob.rigid_body.collision_collections = [layer in on for layer in range(20)]
    return lambda film: all(abs(film.place(ob)[2] - 0.5) < 1e-3 for ob in (first, second))


@scene_of(60)
def breaking_loads():
    """A weight of 1 kg on Fixed constraints that break at an impulse of 0.01, 1 and 10 N s a substep."""
    ground()
    weights = []
    for k, load in enumerate((0.01, 1.0, 10.0)):
        hook = add("cube", "PASSIVE", at=(2 * k, 0, 4), size=0.2, body=BOX)
        weights.append(add("cube", at=(2 * k, 0, 3), size=0.5, body=BOX))
        join("FIXED", hook, weights[-1], (2 * k, 0, 3.5), use_breaking=True, breaking_threshold=load)
    return lambda film: np.allclose([film.place(ob)[2] for ob in weights], (0.25, 3, 3), atol=1e-3)


@scene_of(60)
def let_go_by_the_constraint():
    """A Fixed constraint that is keyed off at frame 21."""
    ground()
    hook, weight = add("cube", "PASSIVE", at=(0, 0, 5), size=0.2), add("cube", at=(0, 0, 4), size=0.5, body=BOX)
    held = join("FIXED", hook, weight, (0, 0, 4.5))
    key_setting(held.rigid_body_constraint, "enabled", (1, True), (20, True), (21, False))
    return lambda film: film.place(weight, 20)[2] > 3.99 and abs(film.place(weight)[2] - 0.25) < 1e-3


@scene_of(60)
def turned_by_the_parent():
    """An Animated plate whose parent turns carries a cube."""
    bpy.ops.object.empty_add()
    parent = bpy.context.object
    plate = scaled(add("cube", "PASSIVE", size=1, body={"kinematic": True, "friction": 1.0, **BOX}), 4, 4, 0.2)
    plate.parent = parent
    for frame, angle in ((1, 0), (60, pi / 2)):
        parent.rotation_euler.z = angle
        parent.keyframe_insert("rotation_euler", frame=frame)
    cube = add("cube", at=(1, 0, 0.35), size=0.5, body={"friction": 1.0})
    return lambda film: np.linalg.norm(film.place(cube) - (0, 1, 0.35)) < 0.02


@scene_of(60)
def thrown_by_the_parent():
    """The keys are the parent's, the ball is Animated until frame 8."""
    ground(60)
    bpy.ops.object.empty_add(location=(-4, 0, 1))
    parent, ball = bpy.context.object, add("uv_sphere", radius=0.4, at=(0, 0, 0), body=BALL)
    ball.parent = parent
    key_places(parent, (1, (-4, 0, 1)), (8, (-2, 0, 1.5)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    return both(above(ball), lambda film: film.place(ball)[0] > 5)


@scene_of(60)
def slope_by_friction():
    """tan 0.2 is 0.203: 0.5 times 0.5 holds a cube, 0.5 times 0.1 does not."""
    add("plane", "PASSIVE", size=20, rotation=(0, 0.2, 0), body={"friction": 0.5})
    on = 0.5 * np.array([sin(0.2), 0, (1 - sin(0.2) ** 2) ** 0.5])
    held, slid = (add("cube", at=on + (0, 3 * k, 0), rotation=(0, 0.2, 0), size=1, body={"friction": friction, **BOX})
                  for k, friction in enumerate((0.5, 0.1)))  # fmt: skip
    return lambda film: abs(film.place(held)[0] - on[0]) < 1e-3 and film.place(slid)[0] > 3


@scene_of(60)
def motor_by_keys():
    """A Motor along a slider whose speed turns round at frame 31."""
    post, box = add("cube", "PASSIVE", at=(0, 3, 1), size=0.2), add("cube", at=(0, 0, 1), size=0.5, body=BOX)
    join("SLIDER", post, box, (0, 0, 1))
    motor = join("MOTOR", post, box, (0, 0, 1), use_motor_lin=True, motor_lin_max_impulse=10)
    keys = (1, 1.5), (30, 1.5), (31, -1.5)
    key_setting(motor.rigid_body_constraint, "motor_lin_target_velocity", *keys)
    return lambda film: film.place(box, 30)[0] < -1.5 and abs(film.place(box)[0]) < 0.3


@scene_of(60)
def flat_world():
    """Boxes and balls that locks keep in the plane of X and Z, as games in two dimensions have them."""
    ground()
    bodies = [add("cube", at=(0.3 * (k % 2), 0, 0.6 + 1.1 * k), size=1, rotation=(0, 0.1 * k, 0)) for k in range(4)]
    bodies += [add("uv_sphere", at=(0.5, 0, 6), radius=0.4, body=BALL)]
    for ob in bodies:
        ob.lock_location[1] = ob.lock_rotation[0] = ob.lock_rotation[2] = True
    return both(above(*bodies), lambda film: all(abs(film.place(ob)[1]) < 1e-6 for ob in bodies))


@scene_of(60)
def upright():
    """A figure whose turns are locked is pushed about and stands."""
    ground()
    figure = add("cylinder", at=(0, 0, 1), radius=0.3, depth=2, body={"friction": 0.3})
    figure.lock_rotation = (True, True, True)
    ball = add("uv_sphere", at=(-3, 0, 1.7), radius=0.3, body=BALL)
    key_places(ball, (1, (-3, 0, 1.7)), (5, (-1.8, 0, 1.7)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (5, True), (6, False))
    return lambda film: film.up(figure) > 0.99999 and film.place(figure)[0] > 0.1


@scene_of(60)
def lies_at_the_first_frame():
    """The cache begins 60 frames before the scene, so that all is at rest where it begins."""
    ground()
    scene = bpy.context.scene
    scene.frame_start, scene.rigidbody_world.point_cache.frame_start = 20, -40
    cubes = [add("cube", at=(0.2 * k, 0, 1 + 1.2 * k), size=1) for k in range(3)]
    return lambda film: all(np.linalg.norm(film.place(ob) - film.place(ob, 20)) < 1e-3 for ob in cubes) and all(
        0.49 < film.place(ob, 20)[2] < 2.6 for ob in cubes)  # fmt: skip


@scene_of(50)
def constraints_as_added():
    """Generic, Generic Spring and Motor with nothing ticked hold nothing."""
    ground()
    cubes = [add("cube", at=(3 * k, 0, 3), size=1) for k in range(3)]
    for k, kind in enumerate(("GENERIC", "GENERIC_SPRING", "MOTOR")):
        post = add("cube", "PASSIVE", at=(3 * k, 2, 3), size=0.2)
        join(kind, post, cubes[k], (3 * k, 1, 3))
    return lambda film: all(abs(film.place(ob)[2] - 0.5) < 1e-3 for ob in cubes)


@scene_of(60)
def hammer():
    """An Active Compound Parent of Suzanne as a Mesh, a rod and a flat label."""
    ground()
    whole = add("cube", at=(0, 0, 3), size=0.2, body={"collision_shape": "COMPOUND"})
    parts = [add("monkey", "PASSIVE", at=(0, 0, 3.6), size=1, body=MESH),
             add("cylinder", "PASSIVE", at=(0, 0, 2.6), radius=0.1, depth=1.2),
             add("plane", "PASSIVE", at=(0, -0.2, 2.6), size=0.5, rotation=(pi / 2, 0, 0), body=MESH)]  # fmt: skip
    for part in parts:
        place = tuple(part.location)
        part.parent, part.location = whole, (place[0], place[1], place[2] - 3)
    return both(above(*parts), lambda film: film.lowest(parts[1]) < 1e-3)
