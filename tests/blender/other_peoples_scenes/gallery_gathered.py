"""What modifiers, copies, parents and other scenes make of objects; runs, boards, nets and crashes built of many."""

from math import cos, pi, sin

import bmesh
import bpy
import numpy as np
from gallery_base import BALL, BOX, MESH, above, both, scaled, scene_of
from tutorial import add, ground, join, key_places, key_setting


@scene_of(60)
def array_and_mirror():
    """Three cubes and their mirror images are one Mesh."""
    ground()
    body = add("cube", at=(0, 0, 2), size=0.5, body=MESH)
    array = body.modifiers.new("array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (2, 0, 0)
    for vertex in body.data.vertices:
        vertex.co.y += 1
    body.modifiers.new("mirror", "MIRROR").use_axis = (False, True, False)
    return lambda film: abs(film.place_of_surface(body)[2]) < 1e-3


@scene_of(60)
def copies_of_one_mesh():
    """Eight objects share Suzanne, each of its own size, half of them mirrored, one with a modifier."""
    ground()
    first = add("monkey", at=(0, 0, 1.5), size=1)
    bodies, world = [first], bpy.context.scene.rigidbody_world.collection
    for k in range(1, 8):
        copy = first.copy()
        copy.location, copy.scale = (2.5 * (k % 4), 2.5 * (k // 4), 1.5), (1 if k % 2 else -1, 0.5 + 0.1 * k, 1)
        bpy.context.scene.collection.objects.link(copy)
        if copy.name not in world.objects:
            world.objects.link(copy)
        bodies.append(copy)
    bodies[3].modifiers.new("smooth", "SUBSURF").levels = 1
    return lambda film: max(abs(film.place_of_surface(body)[2]) for body in bodies) < 5e-3


@scene_of(60)
def stretched_and_mirrored():
    """A hull of negative and uneven scale."""
    ground()
    body = scaled(add("monkey", at=(0, 0, 2), size=1), -1, 0.5, 2)
    return lambda film: abs(film.lowest(body)) < 1e-3


@scene_of(40)
def in_two_scenes():
    """An object that another scene shows as well."""
    ground()
    cube = add("cube", at=(0, 0, 3), size=1, body=BOX)
    bpy.data.scenes.new("other").collection.objects.link(cube)
    return lambda film: abs(film.place(cube)[2] - 0.5) < 1e-3


@scene_of(60)
def card_with_thickness():
    """A plane with Solidify, Active."""
    ground()
    card = add("plane", at=(0, 0, 2), size=2, rotation=(0.2, 0.1, 0))
    card.modifiers.new("solid", "SOLIDIFY").thickness = 0.1
    return lambda film: film.place_of_surface(card)[2] > -2e-3 and film.up(card) > 0.99


@scene_of(60)
def pushed_by_a_strip():
    """The keys of a pusher are a strip of the NLA, not its action."""
    ground()
    block, pusher = add("cube", at=(0, 0, 0.5), size=1, body=BOX), add("cube", "PASSIVE", at=(0, 0, 0.5), size=1,
                                                                      body=BOX | {"kinematic": True})  # fmt: skip
    key_places(pusher, (1, (-3, 0, 0.5)), (40, (3, 0, 0.5)))
    data = pusher.animation_data
    data.nla_tracks.new().strips.new("push", 5, data.action)
    data.action = None
    return both(above(block), lambda film: film.place(block)[0] > 4 and abs(film.place(pusher)[0] - 3) < 1e-3)


@scene_of(60)
def heavy_on_light():
    """1000 kg stand on 10 g."""
    ground()
    light, heavy = (add("cube", at=(0, 0, z), size=size, body=BOX | {"mass": mass})
                    for z, size, mass in ((0.25, 0.5, 0.01), (1.0, 1.0, 1000.0)))  # fmt: skip
    return lambda film: np.allclose((film.place(light)[2], film.place(heavy)[2]), (0.25, 1.0), atol=1e-4)


@scene_of(60)
def rings_on_a_peg():
    """Tori, Mesh, fall over a pole."""
    ground()
    add("cylinder", "PASSIVE", at=(0, 0, 0.5), radius=0.1, depth=1, body={"collision_shape": "CYLINDER"})
    rings = [add("torus", at=(0.1, 0, 1.6), major_radius=0.5, minor_radius=0.08, body=MESH),
             add("torus", at=(0, 0.1, 2.1), major_radius=0.4, minor_radius=0.08, rotation=(0.2, 0, 0), body=MESH)]
    return lambda film: all(film.place(ring)[2] < 0.5 and np.hypot(*film.place(ring)[:2]) < 0.4 for ring in rings)


@scene_of(80)
def galton_board():
    """Balls fall through pegs between two walls."""
    ground()
    for y in (-0.16, 0.16):
        scaled(add("cube", "PASSIVE", at=(0, y, 3), size=1, body=BOX | {"friction": 0.0}), 6, 0.1, 6)
    for row in range(6):
        for k in range(row + 1):
            add("cylinder", "PASSIVE", at=(0.6 * (k - row / 2), 0, 4.6 - 0.5 * row), radius=0.08, depth=0.22,
                rotation=(pi / 2, 0, 0), body={"collision_shape": "CYLINDER"})  # fmt: skip
    rng = np.random.default_rng(1)
    balls = [add("uv_sphere", at=(0.02 * rng.normal(), 0, 5 + 0.3 * k), radius=0.1, body=BALL | {"restitution": 0.3})
             for k in range(8)]  # fmt: skip
    return both(above(*balls), lambda film: max(abs(film.place(ball)[1]) for ball in balls) < 0.02
                and np.ptp([film.place(ball)[0] for ball in balls]) > 1)  # fmt: skip


def swept(points, outline, name):
    """A Passive Mesh that takes an outline [(aside, up)] along points (N,3), and is open on both ends."""
    points = np.array(points, dtype=float)
    ahead = np.gradient(points, axis=0)
    mesh, rows = bmesh.new(), []
    for point, way in zip(points, ahead / np.linalg.norm(ahead, axis=1)[:, None], strict=True):
        side = np.array((0, 1, 0)) - way[1] * way
        side /= np.linalg.norm(side)
        rows.append([mesh.verts.new(point + a * side + u * np.cross(way, side)) for a, u in outline])
    for one, other in zip(rows[:-1], rows[1:], strict=True):
        for k in range(len(outline) - 1):
            mesh.faces.new((one[k], one[k + 1], other[k + 1], other[k]))
    data = bpy.data.meshes.new(name)
    mesh.to_mesh(data)
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    ob.rigid_body.collision_shape = "MESH"
    return ob


@scene_of(100)
def loop_the_loop():
    """A marble that begins at 3.8 goes through a loop of 2 in a gutter."""
    points = [(x, 0, 4.6 * (x / 5) ** 2) for x in np.linspace(-5, 0, 40)]
    points += [(sin(a), 0.9 * a / (2 * pi), 1 - cos(a)) for a in np.linspace(0, 2 * pi, 80)[1:]]
    points += [(x, 0.9, 0) for x in np.linspace(0, 4, 10)[1:]]
    swept(points, ((0.22, 0.2), (0.2, 0), (-0.2, 0), (-0.22, 0.2)), "gutter")
    up = np.array((1.6744, 0, 1)) / np.hypot(1.6744, 1)
    ball = add("uv_sphere", at=(-4.55, 0, 4.6 * 0.91**2) + 0.2 * up, radius=0.15, body=BALL)
    highest = lambda film: max(film.place(ball, k)[2] for k in range(30, 80))  # noqa: E731
    return lambda film: highest(film) > 1.6 and film.place(ball)[0] > 2


@scene_of(90)
def marble_in_a_tube():
    """Down a bent pipe of a curve with a bevel, made a mesh."""
    curve = bpy.data.curves.new("tube", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.25, 4
    way = [(4 * sin(4 * t), 6 * t - 3, 3.2 - 3 * t) for t in np.linspace(0, 1, 591)]
    points = way[::10]
    line = curve.splines.new("POLY")
    line.points.add(len(points) - 1)
    for point, place in zip(line.points, points, strict=True):
        point.co = (*place, 1)
    ob = bpy.data.objects.new("tube", curve)
    bpy.context.scene.collection.objects.link(ob)
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.convert(target="MESH")
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.context.object.rigid_body.collision_shape = "MESH"
    ball = add("uv_sphere", at=points[2], radius=0.18, body=BALL)

    def inside(film):
        places = np.array([film.place(ball, k) for k in range(1, 91)])
        near = np.linalg.norm(places[:, None] - way, axis=2).min(axis=1)
        return near.max() < 0.08 and places[-1, 2] < 1.6

    return inside


@scene_of(90)
def chain_reaction():
    """Dominoes push a ball, which falls on a seesaw, which throws a cube."""
    ground()
    dominoes = [scaled(add("cube", at=(-4 + 0.35 * k, 0, 0.4), size=1, body=BOX), 0.1, 0.5, 0.8) for k in range(8)]
    dominoes[0].rotation_euler.y, dominoes[0].location.x = 0.25, -3.98
    board = scaled(add("cube", at=(0, 0, 0.6), size=1, body=BOX | {"mass": 0.5}), 2.2, 0.4, 0.06)
    foot = scaled(add("cube", "PASSIVE", at=(0, 0, 0.25), size=1, body=BOX), 0.2, 0.4, 0.5)
    join("HINGE", foot, board, (0, 0, 0.6), (pi / 2, 0, 0))
    add("uv_sphere", at=(-0.95, 0, 1.9), radius=0.2, body=BALL | {"mass": 3.0})
    light = add("cube", at=(0.95, 0, 0.75), size=0.2, body=BOX | {"mass": 0.1})
    return lambda film: film.up(dominoes[-2]) < 0.6 and max(film.place(light, k)[2] for k in range(1, 60)) > 1.5


@scene_of(80)
def cars_crash():
    """Two cars, each of five bodies that are thrown together, meet at 16 units a second."""
    ground(60)

    def car(x, speed):
        body = scaled(add("cube", at=(x, 0, 0.7), size=1, body=BOX | {"mass": 20.0}), 2, 1, 0.5)
        parts = [body]
        for aside in (-0.7, 0.7):
            for across in (-0.65, 0.65):
                at = (x + aside, across, 0.35)
                parts.append(add("cylinder", at=at, radius=0.35, depth=0.2, rotation=(pi / 2, 0, 0),
                                 body={"collision_shape": "CYLINDER", "friction": 1.0}))  # fmt: skip
                join("HINGE", body, parts[-1], at, (pi / 2, 0, 0))
        for part in parts:
            begin = np.array(part.location)
            key_places(part, (1, begin), (5, begin + (speed * 4 / 24, 0, 0)), interpolation="LINEAR")
            key_setting(part.rigid_body, "kinematic", (1, True), (5, True), (6, False))
        return body

    left, right = car(-5, 8.0), car(5, -8.0)
    return lambda film: 1.9 < film.place(right)[0] - film.place(left)[0] < 4 and abs(film.place(left)[1]) < 0.5


@scene_of(60)
def trampoline_of_springs():
    """Balls in a square frame, each on generic springs to its neighbours, catch a ball."""
    balls = {}
    for i in range(5):
        for j in range(5):
            rim = i in (0, 4) or j in (0, 4)
            balls[i, j] = add("uv_sphere", "PASSIVE" if rim else "ACTIVE", at=(0.5 * i, 0.5 * j, 3), radius=0.1,
                              body=BALL | {"mass": 0.1})  # fmt: skip
    springs = {f"{name}_{axis}": value for axis in "xyz"
               for name, value in (("use_spring", True), ("spring_stiffness", 200.0), ("spring_damping", 2.0))}
    for (i, j), ball in balls.items():
        for other in (balls.get((i + 1, j)), balls.get((i, j + 1))):
            if other is not None and "ACTIVE" in (ball.rigid_body.type, other.rigid_body.type):
                join("GENERIC_SPRING", ball, other, 0.5 * (ball.location + other.location), **springs)
    caught = add("uv_sphere", at=(1, 1, 4.5), radius=0.45, body=BALL)
    lowest = lambda film: min(film.place(caught, k)[2] for k in range(1, 60))  # noqa: E731
    return lambda film: 2 < lowest(film) < 3.4 and film.place(caught)[2] > 2.5
