"""Machines, heaps and things that break, as people show them: cranks, trebuchets, tracks, chains of links, fracture."""

import random
from math import cos, pi, sin

import bmesh
import bpy
import numpy as np
from deforming_bodies import soft_balls
from gallery_base import BALL, BOX, MESH, above, both, scaled, scene_of
from mathutils import Vector
from tutorial import add, ground, join, key_places, key_setting

ROUND = (pi / 2, 0, 0)


def turned_by(post, body, at, speed, impulse, **settings):
    """A hinge about Y and a motor on it."""
    join("HINGE", post, body, at, ROUND, **settings)
    join("MOTOR", post, body, at, (0, 0, pi / 2), use_motor_ang=True, motor_ang_target_velocity=speed,
         motor_ang_max_impulse=impulse)  # fmt: skip


@scene_of(120)
def domino_spiral():
    """Forty dominoes on a spiral, the first one tilted."""
    ground(40)
    dominoes, angle = [], 0.0
    for _ in range(40):
        radius = 2 + 0.12 * angle
        at = radius * cos(angle), radius * sin(angle), 0.5
        dominoes.append(scaled(add("cube", at=at, rotation=(0, 0, angle + pi / 2), size=1, body=BOX), 0.12, 0.5, 1.0))
        angle += 0.45 / radius
    dominoes[0].rotation_euler.rotate_axis("Y", 0.25)
    dominoes[0].location.z += 0.03
    return both(above(*dominoes), lambda film: sum(film.up(ob) < 0.8 for ob in dominoes) > 30)


def cells_of_a_cube(cuts, at):
    """What Cell Fracture leaves of a cube of 2 m: cells by random planes, as Active bodies; the cells are selected."""
    chance, whole = random.Random(3), bmesh.new()
    bmesh.ops.create_cube(whole, size=2)
    cells = [whole]
    for _ in range(cuts):
        normal = Vector([chance.gauss(0, 1) for _ in range(3)]).normalized()
        place = Vector([chance.uniform(-0.4, 0.4) for _ in range(3)])
        parts = []
        for cell in cells:
            for outer in (True, False):
                half = cell.copy()
                bmesh.ops.bisect_plane(half, geom=[*half.verts, *half.edges, *half.faces], plane_co=place,
                                       plane_no=normal, clear_outer=outer, clear_inner=not outer)  # fmt: skip
                bmesh.ops.holes_fill(half, edges=[edge for edge in half.edges if edge.is_boundary], sides=0)
                parts += [half] if len(half.faces) > 3 else []
        cells = parts
    bpy.ops.object.select_all(action="DESELECT")
    for cell in cells:
        bmesh.ops.recalc_face_normals(cell, faces=cell.faces)
        mesh = bpy.data.meshes.new("cell")
        cell.to_mesh(mesh)
        ob = bpy.data.objects.new("cell", mesh)
        ob.location = at
        bpy.context.scene.collection.objects.link(ob)
        ob.select_set(True)
        bpy.context.view_layer.objects.active = ob
    bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY")
    bpy.ops.rigidbody.objects_add(type="ACTIVE")
    return list(bpy.context.selected_objects)


@scene_of(70)
def cell_fracture():
    """Convex cells that begin face to face fall on the ground."""
    ground()
    cells = cells_of_a_cube(4, (0, 0, 3))
    return both(above(*cells), lambda film: max(film.place(ob)[2] for ob in cells) < 3)


@scene_of(60)
def glued_by_connect():
    """Object > Rigid Body > Connect, in a chain by distance; the glue breaks as it strikes the ground."""
    ground()
    cells = cells_of_a_cube(3, (0, 0, 4))
    before = {frozenset((a, b)): (a.location - b.location).length for a in cells for b in cells if a != b}
    bpy.ops.rigidbody.connect(con_type="FIXED", connection_pattern="CHAIN_DISTANCE")
    for ob in bpy.context.scene.objects:
        if ob.rigid_body_constraint:
            ob.rigid_body_constraint.use_breaking, ob.rigid_body_constraint.breaking_threshold = True, 0.5
    apart = lambda film, frame: max(abs(np.linalg.norm(film.place(a, frame) - film.place(b, frame)) - long)  # noqa: E731
                                    for (a, b), long in before.items())  # fmt: skip
    return both(above(*cells), lambda film: apart(film, 15) < 1e-2 < 0.1 < apart(film, 60))


@scene_of(60)
def chain_of_real_links():
    """Torus in torus, Mesh, no constraint."""
    links = [add("torus", "ACTIVE" if k else "PASSIVE", at=(0.55 * k, 0, 4), rotation=(pi / 2 * (k % 2), 0, 0),
                 major_radius=0.35, minor_radius=0.07, major_segments=24, minor_segments=8, body=MESH)
             for k in range(6)]  # fmt: skip

    def widest(film):
        places = np.array([film.place(link) for link in links])
        return np.linalg.norm(np.diff(places, axis=0), axis=1).max()

    return lambda film: film.place(links[-1])[2] < 2.6 and widest(film) < 0.65


@scene_of(70)
def car_on_springs():
    """Hubs on generic springs with limits, wheels on hinges, a motor on each."""
    ground(60)
    body, wheels = scaled(add("cube", at=(0, 0, 1.2), size=1, body={"mass": 20, **BOX}), 3, 1.4, 0.4), []
    held = {f"use_limit_{way}_{axis}": True for way in ("lin", "ang") for axis in "xyz"}
    held |= {f"limit_{way}_{axis}_{end}": 0.0 for way in ("lin", "ang") for axis in "xyz" for end in ("lower", "upper")}
    held |= {"limit_lin_z_lower": -0.2, "limit_lin_z_upper": 0.2, "use_spring_z": True, "spring_stiffness_z": 800,
             "spring_damping_z": 20}  # fmt: skip
    for x, y in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        hub = add("cube", at=(x, 0.9 * y, 0.7), size=0.2, body=BOX)
        wheel = add("cylinder", at=(x, 1.15 * y, 0.5), rotation=ROUND, radius=0.5, depth=0.25,
                    body={"mass": 2, "friction": 1.0, "collision_shape": "CYLINDER"})  # fmt: skip
        join("GENERIC_SPRING", body, hub, (x, 0.9 * y, 0.9), **held)
        turned_by(hub, wheel, (x, 1.15 * y, 0.5), 5.0, 5)
        wheels.append(wheel)
    driven = lambda film: abs(film.place(body)[0]) > 2 and 0.8 < film.place(body)[2] < 1.4  # noqa: E731
    return both(above(*wheels), driven)


@scene_of(80)
def crank_and_piston():
    """A motor turns a crank; a rod drives what slides."""
    post, rail = (add("cube", "PASSIVE", at=at, size=0.2, body=BOX) for at in ((0, 0, 3), (6, 0.4, 3)))
    crank = scaled(add("cube", at=(0.5, 0, 3), size=1, body=BOX), 1, 0.1, 0.1)
    rod = scaled(add("cube", at=(2, 0.2, 3), size=1, body=BOX), 2, 0.1, 0.1)
    piston = add("cube", at=(3, 0.4, 3), size=0.3, body=BOX)
    turned_by(post, crank, (0, 0, 3), 4.0, 20)
    join("HINGE", crank, rod, (1, 0.1, 3), ROUND)
    join("HINGE", rod, piston, (3, 0.3, 3), ROUND)
    join("PISTON", rail, piston, (3, 0.4, 3))

    def stroke(film):
        ways = [film.place(piston, frame)[0] for frame in range(1, 81, 2)]
        return max(ways) - min(ways)

    return lambda film: 1.9 < stroke(film) < 2.01


@scene_of(70)
def trebuchet():
    """A counterweight on an arm throws what lies on its end."""
    ground(60)
    frame = add("cube", "PASSIVE", at=(0, 0, 2), size=0.3, body=BOX)
    arm = scaled(add("cube", at=(-0.7, 0.4, 2), size=1, body={"mass": 2, **BOX}), 3.4, 0.2, 0.2)
    weight = add("cube", at=(0.8, 0.4, 1.4), size=0.6, body={"mass": 60, **BOX})
    join("HINGE", frame, arm, (0, 0.2, 2), ROUND)
    join("HINGE", arm, weight, (0.9, 0.4, 1.9), ROUND)
    ball = add("uv_sphere", at=(-2.2, 0.4, 2.26), radius=0.15, body=BALL)
    return both(above(ball), lambda film: max(film.place(ball, k)[2] for k in range(1, 70, 2)) > 3)


@scene_of(80)
def spinning_top():
    """A cone on its tip, turned by keys and let go: it does not fall."""
    ground()
    top = add("cone", at=(0, 0, 0.52), rotation=(pi, 0, 0), radius1=0.5, radius2=0, depth=1, vertices=48,
              body={"angular_damping": 0.0})  # fmt: skip
    for frame, angle in ((1, 0.0), (6, 8 * pi)):
        top.rotation_euler.z = angle
        top.keyframe_insert("rotation_euler", frame=frame)
    key_setting(top.rigid_body, "kinematic", (1, True), (4, True), (5, False))
    return both(above(top), lambda film: film.up(top, 60) < -0.9)


@scene_of(60)
def conveyor_of_rollers():
    """Animated cylinders that turn carry a crate."""
    for k in range(8):
        roller = add("cylinder", "PASSIVE", at=(0.45 * k, 0, 1), rotation=ROUND, radius=0.2, depth=2,
                     body={"kinematic": True, "friction": 1.0, "collision_shape": "CYLINDER"})  # fmt: skip
        for frame, angle in ((1, 0.0), (80, 16.0)):
            roller.rotation_euler = pi / 2, angle, 0
            roller.keyframe_insert("rotation_euler", frame=frame)
    crate = scaled(add("cube", at=(0.6, 0, 1.45), size=1, body={"friction": 1.0, **BOX}), 1.2, 0.8, 0.5)
    return lambda film: film.place(crate)[0] > 1.6 and film.place(crate)[2] > 1.4


@scene_of(60)
def books_lean():
    """Six books that lean on each other and on a wall."""
    ground()
    scaled(add("cube", "PASSIVE", at=(-0.1, 0, 1), size=1, body=BOX), 0.2, 2, 2)
    books = [scaled(add("cube", at=(0.32 + 0.26 * k, 0, 0.74), rotation=(0, -0.25, 0), size=1, body=BOX), 0.2, 1, 1.4)
             for k in range(6)]  # fmt: skip
    return above(*books)


@scene_of(80)
def bounces_for_ever():
    """Bounciness 1 and 1: it comes back to where it fell from."""
    ground().rigid_body.restitution = 1.0
    ball = add("uv_sphere", at=(0, 0, 3), radius=0.5, body={"restitution": 1.0, "linear_damping": 0.0, **BALL})
    return lambda film: 2.9 < max(film.place(ball, frame)[2] for frame in range(25, 60)) < 3.01


@scene_of(60)
def struck_while_deactivated():
    """A tower that Start Deactivated keeps, struck by a throw."""
    ground(60)
    tower = [add("cube", at=(0, 0, 0.5 + k), size=1,
                 body={"use_deactivation": True, "use_start_deactivated": True, **BOX}) for k in range(6)]  # fmt: skip
    ball = add("uv_sphere", at=(-6, 0, 3), radius=0.5, body={"mass": 5, **BALL})
    key_places(ball, (1, (-6, 0, 3)), (8, (-3, 0, 3)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    return both(above(*tower, ball), lambda film: film.place(tower[2])[0] > 5 and film.place(tower[5])[2] < 2)


@scene_of(60)
def two_soft_balls():
    """Soft Body as it is added, Goal off, one ball on the other."""
    balls = soft_balls()
    return lambda film: min(film.place_of_surface(ball)[2] for ball in balls) > -0.05
