"""Glued shards, slings and winches, furniture of one joined mesh, slats on keys: what is built of many parts."""

from math import atan2, pi

import bmesh
import bpy
import numpy as np
from gallery_base import BALL, BOX, above, both, scaled, scene_of
from mathutils import Vector
from tutorial import add, ground, join, key_places, key_setting


def shards_of_a_wall(count):
    """Cells of a wall of 3 by 0.2 by 2 m about random places, as Cell Fracture makes them, as Active bodies."""
    places, shards = np.random.default_rng(3).uniform((-1.5, -0.1, 0), (1.5, 0.1, 2), (count, 3)), []
    for place in places:
        mesh = bmesh.new()
        bmesh.ops.create_cube(mesh, size=1)
        bmesh.ops.scale(mesh, vec=(3, 0.2, 2), verts=mesh.verts)
        bmesh.ops.translate(mesh, vec=(0, 0, 1), verts=mesh.verts)
        for other in places:
            if other is place:
                continue
            bmesh.ops.bisect_plane(mesh, geom=[*mesh.verts, *mesh.edges, *mesh.faces], plane_co=(place + other) / 2,
                                   plane_no=Vector(other - place).normalized(), clear_outer=True)  # fmt: skip
            rim = [edge for edge in mesh.edges if edge.is_boundary]
            if rim:
                bmesh.ops.edgeloop_fill(mesh, edges=rim)
        middle = sum((vertex.co for vertex in mesh.verts), Vector()) / len(mesh.verts)
        bmesh.ops.translate(mesh, vec=-middle, verts=mesh.verts)
        shard = add("cube", at=middle, body={"use_margin": True, "collision_margin": 0.001})
        mesh.to_mesh(shard.data)
        mesh.free()
        shards.append(shard)
    return shards


@scene_of(60, foot="FREE")
@scene_of(60, foot="PASSIVE")
def glued_shards(foot):
    """Shards glued to those near them, of which the lowest may be Passive; an Animated ball goes through."""
    ground(40)
    shards = shards_of_a_wall(20)
    for number, shard in enumerate(shards):
        for other in shards[number + 1 :]:
            if (shard.location - other.location).length < 0.6:
                join("FIXED", shard, other, (shard.location + other.location) / 2, use_breaking=True,
                     breaking_threshold=1.0)  # fmt: skip
    if foot == "PASSIVE":
        for shard in shards:
            shard.rigid_body.type = "PASSIVE" if shard.location.z < 0.4 else "ACTIVE"
    ball = add("uv_sphere", "PASSIVE", radius=0.3, at=(0, -3, 1.2), body={"kinematic": True, **BALL})
    key_places(ball, (1, (0, -3, 1.2)), (20, (0, 3, 1.2)), interpolation="LINEAR")
    free = [shard for shard in shards if shard.rigid_body.type == "ACTIVE"]
    still = lambda film: max(np.linalg.norm(film.place(ob, 7) - film.place(ob, 1)) for ob in free) < 0.01  # noqa: E731
    far = lambda film: [np.linalg.norm(film.place(ob) - film.place(ob, 1)) for ob in free]  # noqa: E731
    return both(above(*free), still, lambda film: max(far(film)) < 30 and sum(way > 0.5 for way in far(film)) >= 3)


@scene_of(80)
def trebuchet():
    """A counterweight on a beam that a Fixed constraint holds until it is keyed off; another lets the ball go."""
    ground(100)
    post = add("cube", "PASSIVE", at=(0.3, 0.5, 2), size=0.2, body=BOX)
    beam = scaled(add("cube", at=(-0.7, 0, 2), size=1, body={"mass": 5, **BOX}), 3.5, 0.1, 0.1)
    join("HINGE", post, beam, (0.3, 0, 2), (pi / 2, 0, 0))
    weight = add("cube", at=(1, 0, 1.5), size=0.7, body={"mass": 100, **BOX})
    join("HINGE", beam, weight, (1, 0, 2), (pi / 2, 0, 0))
    ball = add("uv_sphere", radius=0.15, at=(-2.4, 0, 1.2), body={"mass": 1, **BALL})
    for body, other, at, off in ((beam, ball, (-2.4, 0, 2), 22), (beam, post, (-2.4, 0, 2), 10)):
        held = join("POINT" if other is ball else "FIXED", body, other, at)
        key_setting(held.rigid_body_constraint, "enabled", (1, True), (off, False))
    return lambda film: film.place(ball)[0] > 10 and np.linalg.norm(film.place(beam, 9) - film.place(beam, 1)) < 1e-3


@scene_of(60)
def drawbridge():
    """A winch on keys pulls a bridge up by a chain of capsules."""
    wall = scaled(add("cube", "PASSIVE", at=(-0.5, 0, 1), size=1, body=BOX), 1, 3, 2)
    deck = scaled(add("cube", at=(1.6, 0, 0.1), size=1, body={"mass": 10, **BOX}), 3, 2, 0.2)
    join("HINGE", wall, deck, (0.05, 0, 0.1), (pi / 2, 0, 0))
    winch = before = add("cube", "PASSIVE", at=(0.2, 0, 4), size=0.2, body={"kinematic": True, **BOX})
    key_places(winch, (1, (0.2, 0, 4)), (60, (0.2, 0, 5.5)))
    start, end, count = np.array((0.2, 0, 4.0)), np.array((3.0, 0, 0.2)), 8
    step = (end - start) / count
    for k in range(count):
        link = add("cylinder", at=start + (k + 0.5) * step, radius=0.04, depth=0.9 * np.linalg.norm(step),
                   rotation=(0, atan2(step[0], step[2]), 0),
                   body={"mass": 0.2, "collision_shape": "CAPSULE"})  # fmt: skip
        join("POINT", before, link, start + k * step)
        before = link
    join("POINT", before, deck, end)
    return lambda film: film.place(deck)[2] > 0.5 and abs(film.place(deck)[1]) < 0.01


@scene_of(90)
def books_on_a_shelf_that_tips():
    """Books with gaps of 5 mm in a shelf of joined cubes, Mesh, that is turned by keys until they slide out."""
    parts = []
    for at, scale in (((0, 0, 2), (2, 0.5, 0.05)), ((-1, 0, 2.5), (0.05, 0.5, 1)), ((1, 0, 2.5), (0.05, 0.5, 1)),
                      ((0, 0.25, 2.5), (2, 0.03, 1))):  # fmt: skip
        bpy.ops.mesh.primitive_cube_add(size=1, location=at)
        parts.append(scaled(bpy.context.object, *scale))
    with bpy.context.temp_override(active_object=parts[0], selected_editable_objects=parts):
        bpy.ops.object.join()
    shelf = bpy.context.view_layer.objects.active = parts[0]
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    shelf.rigid_body.collision_shape, shelf.rigid_body.kinematic = "MESH", True
    key_setting(shelf, "rotation_euler", (1, (0, 0, 0)), (30, (0, 0, 0)), (50, (0.9, 0, 0)))
    books, x, random = [], -0.93, np.random.default_rng(2)
    for _ in range(8):
        wide, high = random.uniform(0.1, 0.18), random.uniform(0.5, 0.8)
        books.append(scaled(add("cube", at=(x + wide / 2, 0, 2.026 + high / 2), size=1, body=BOX), wide, 0.4, high))
        x += wide + 0.005
    ground()
    stand = lambda film: all(film.up(book, 29) > 0.99 for book in books)  # noqa: E731
    return both(above(*books), stand, lambda film: all(film.place(book)[2] < 1 for book in books))


@scene_of(60)
def conveyor_of_slats():
    """Slats on keys, side by side, carry crates along."""
    for k in range(8):
        slat = scaled(add("cube", "PASSIVE", size=1, body={"kinematic": True, "friction": 1.0, **BOX}), 0.48, 1, 0.1)
        key_places(slat, (1, (0.5 * k - 2, 0, 0)), (60, (0.5 * k, 0, 0)), interpolation="LINEAR")
    crates = [add("cube", at=(0.7 * k - 1.5, 0, 0.26), size=0.4, body={"friction": 1.0, **BOX}) for k in range(3)]
    return lambda film: all(np.allclose(film.place(crate), (0.7 * k + 0.5, 0, 0.25), atol=0.1)
                            for k, crate in enumerate(crates))  # fmt: skip


@scene_of(100)
def pick_and_place():
    """A gripper takes one block after the other by keys of Animated, carries it, and lets it go on a table."""
    ground()
    table = scaled(add("cube", "PASSIVE", at=(4, 0, 0.5), size=1, body=BOX), 2, 2, 1)
    blocks = []
    for k in range(2):
        first, block = 5 + 40 * k, add("cube", at=(0, 1.5 * k, 0.25), size=0.5, body=BOX)
        at = np.array((0, 1.5 * k, 0.25)), np.array((4, 0, 1.28 + 0.55 * k))
        key_places(block, (first, at[0]), (first + 8, at[0] + (0, 0, 2.5)), (first + 22, at[1] + (0, 0, 1)),
                   (first + 30, at[1]), interpolation="LINEAR")  # fmt: skip
        key_setting(block.rigid_body, "kinematic", (1, False), (first, True), (first + 31, False))
        blocks.append(block)
    return lambda film: (
        np.allclose(film.place(blocks[0]), (4, 0, 1.25), atol=0.02) and film.up(table) == 1
        and np.allclose(film.place(blocks[1]), (4, 0, 1.75), atol=0.03) and film.place(blocks[1], 40)[2] < 0.26
    )  # fmt: skip
