"""What strangers' files hold besides: soft cards and signs, what is carried, weighed or mirrored on purpose, what keys
and modifiers make of bodies, walls glued on empties, meshes of edges."""

from math import pi

import bpy
import numpy as np
from deforming_bodies import soft
from gallery_base import BALL, BOX, above, scaled, scene_of
from tutorial import add, ground, join, key_places, key_setting

ROUND = (pi / 2, 0, 0)


def collider(size):
    """A plane with Collision, no Rigid Body."""
    bpy.ops.mesh.primitive_plane_add(size=size)
    bpy.context.object.modifiers.new("Collision", "COLLISION")


@scene_of(30)
def soft_card_on_a_ball():
    """A subdivided plane with Soft Body falls on a ball, and hangs down from it."""
    collider(6)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=(0, 0, 1))
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6, size=1.6, location=(0, 0, 1.5))
    card = soft(bpy.context.object, mass=0.05, pull=0.9)
    return lambda film: 0 < film.place_of_surface(card)[2] < 1.3


@scene_of(24)
def soft_ring():
    """A thin torus with Soft Body, into which no usual element fits."""
    collider(6)
    bpy.ops.mesh.primitive_torus_add(location=(0, 0, 0.6), minor_radius=0.08)
    ring = soft(bpy.context.object, mass=0.1, pull=0.9)
    return lambda film: -0.05 < film.place_of_surface(ring)[2] < 0.2


@scene_of(50)
def tumbler():
    """A ball whose origin was put down, which is its centre of mass, stands up."""
    ground()
    ball = add("uv_sphere", radius=0.5, rotation=(0, 1.0, 0))
    for vertex in ball.data.vertices:
        vertex.co.z += 0.3
    bpy.context.view_layer.update()
    ball.location = -0.3 * ball.matrix_world.to_3x3().col[2]
    ball.location.z += 0.5
    return lambda film: max(film.up(ball, k) for k in range(1, 50)) > 0.95


@scene_of(60)
def bumper_of_a_car():
    """A Passive bumper, Animated, child of a thrown car, pushes a crate."""
    ground(60)
    car = scaled(add("cube", at=(0, 0, 0.5), size=1, body=BOX | {"mass": 5.0, "friction": 0.0}), 2, 1, 1)
    key_places(car, (1, (0, 0, 0.5)), (5, (1, 0, 0.5)), interpolation="LINEAR")
    key_setting(car.rigid_body, "kinematic", (1, True), (5, True), (6, False))
    bumper = scaled(add("cube", "PASSIVE", size=1, body=BOX | {"kinematic": True}), 0.05, 1.4, 0.8)
    bumper.parent, bumper.location = car, (0.6, 0, 0)
    crate = add("cube", at=(4, 0, 0.25), size=0.5, body=BOX)
    return lambda film: film.place(car)[0] > 6 and film.place(crate)[0] > film.place(bumper)[0] > 7


@scene_of(40)
def mirrored_hinge():
    """The empty of a hinge with limits was mirrored with its object."""
    post = add("cube", "PASSIVE", at=(0, 0, 3), size=0.2, body=BOX)
    arm = scaled(add("cube", at=(0.6, 0, 3), size=1, body=BOX), 1, 0.1, 0.1)
    limits = {"use_limit_ang_z": True, "limit_ang_z_lower": -0.5, "limit_ang_z_upper": 1.0}
    scaled(join("HINGE", post, arm, (0.1, 0, 3), ROUND, **limits), -1, 2, 0.5)
    return lambda film: abs(film.place(arm)[2] - 3 + 0.5 * np.sin(0.5)) < 1e-3


@scene_of(60)
def pops_up():
    """Balls that keys of their size let appear from nothing."""
    ground()
    balls = [add("uv_sphere", at=(k, 0, 2), radius=0.3, body=BALL) for k in range(3)]
    for ball in balls:
        key_setting(ball, "scale", (1, (0, 0, 0)), (10, (1, 1, 1)))
    return lambda film: all(abs(film.place(ball)[2] - 0.3) < 1e-3 for ball in balls)


@scene_of(50)
def rotor_in_an_uneven_parent():
    """An Animated rotor turns under an empty that was stretched, and strikes a ball."""
    ground()
    bpy.ops.object.empty_add(location=(0, 0, 0.5))
    hub = bpy.context.object
    hub.scale = (2, 1, 1)
    rotor = scaled(add("cube", "PASSIVE", size=1, body=BOX | {"kinematic": True}), 1, 0.2, 0.6)
    rotor.parent, rotor.location = hub, (0, 0, 0)
    key_setting(rotor, "rotation_euler", (1, (0, 0, 0)), (40, (0, 0, 2 * pi)))
    ball = add("uv_sphere", at=(0.6, 0.5, 0.3), radius=0.3, body=BALL)
    return lambda film: np.linalg.norm(film.place(ball)[:2] - (0.6, 0.5)) > 1


@scene_of(40)
def hole_in_a_glued_wall():
    """Bricks glued to those beside them; an Animated ball strikes out those in its way, and no others feel it."""
    ground()
    bricks = [scaled(add("cube", at=(0.6 * k + 0.3 * (row % 2), 0, 0.15 + 0.3 * row), size=1, body=BOX), 0.6, 0.3, 0.3)
              for row in range(5) for k in range(5)]  # fmt: skip
    for i, one in enumerate(bricks):
        for other in bricks[i + 1 :]:
            if (one.location - other.location).length < 0.62:
                join("FIXED", one, other, (one.location + other.location) / 2, use_breaking=True,
                     breaking_threshold=0.3)  # fmt: skip
    ball = add("uv_sphere", "PASSIVE", at=(1.4, -3, 0.8), radius=0.4, body=BALL | {"kinematic": True})
    key_places(ball, (1, (1.4, -3, 0.8)), (25, (1.4, 3, 0.8)), interpolation="LINEAR")
    went = lambda film, brick: np.linalg.norm(film.place(brick) - film.place(brick, 1))  # noqa: E731
    return lambda film: above(*bricks)(film) and sum(went(film, brick) < 0.01 for brick in bricks) >= 8


@scene_of(40)
def ring_of_edges():
    """A circle of the Add menu, without faces, Active."""
    ground()
    ring = add("circle", at=(0, 0, 1), radius=0.5, rotation=(0.4, 0.2, 0))
    return lambda film: abs(film.lowest(ring)) < 0.02 and film.up(ring) > 0.99


@scene_of(50)
def egg_in_a_ball():
    """A stretched ball of the shape Sphere: as wide as its longest side, until one clicks."""
    ground()
    egg = scaled(add("uv_sphere", at=(0, 0, 2), radius=0.5, body=BALL), 1, 0.6, 0.6)
    return lambda film: abs(film.place(egg)[2] - 0.5) < 1e-3


@scene_of(40)
def keyed_array():
    """A fence that a keyed Array makes longer, Active, collides as at the first frame."""
    ground()
    fence = add("cube", at=(0, 0, 1), size=0.5, body={"collision_shape": "MESH", "mesh_source": "FINAL"})
    array = fence.modifiers.new("array", "ARRAY")
    key_setting(array, "count", (1, 1), (30, 4))
    return lambda film: abs(film.place(fence)[2] - 0.25) < 1e-3
