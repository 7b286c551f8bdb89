"""Drops, dominoes, bowls, piles, cards: what falls comes to lie on what is below it."""

import bmesh
import bpy
import numpy as np
import pytest
from tutorial import Film, add, ground

# As deep as anything may be in the ground [m].
DEEP = 2e-3


def lies_on_ground(film, bodies):
    assert min(film.lowest(ob) for ob in bodies) > -DEEP


@pytest.mark.parametrize("primitive", ["cube", "uv_sphere", "cylinder", "cone", "torus", "ico_sphere"])
def test_a_drop_on_the_default_plane(scene, tmp_path, primitive):
    ground()
    ob = add(primitive, at=(0.3, 0.2, 3), rotation=(0.2, 0.3, 0))
    film = Film(scene, tmp_path, 60)
    assert -DEEP < film.lowest(ob) < 0.02


def test_dominoes(scene, tmp_path):
    """The first one is turned by hand, as in every such film; all the others follow."""
    ground()
    dominoes = [add("cube", at=(0.6 * k, 0, 0.5), size=1) for k in range(8)]
    for ob in dominoes:
        ob.scale = (0.15, 0.5, 1)
        ob.rigid_body.collision_shape = "BOX"
    dominoes[0].rotation_euler.y, dominoes[0].location = 0.35, (-0.02, 0, 0.53)
    film = Film(scene, tmp_path, 80)
    lies_on_ground(film, dominoes)
    assert max(film.up(ob) for ob in dominoes) < 0.8
    assert film.place(dominoes[-1])[0] > 4.2


def test_a_pile_of_cubes(scene, tmp_path):
    ground()
    rng = np.random.default_rng(4)
    places = [(*rng.uniform(-0.8, 0.8, 2), 1 + 1.3 * k) for k in range(12)]
    cubes = [add("cube", at=place, rotation=rng.uniform(0, 3, 3), size=0.7) for place in places]
    film = Film(scene, tmp_path, 110)
    lies_on_ground(film, cubes)
    assert max(film.rests(ob) for ob in cubes) < 0.02


def test_a_wall_of_bricks_stands(scene, tmp_path):
    ground()
    places = [(k + 0.4 * (level % 2), 0, 0.25 + 0.5 * level) for level in range(5) for k in range(4)]
    bricks = [add("cube", at=place, size=1) for place in places]
    for ob in bricks:
        ob.scale, ob.rigid_body.collision_shape = (0.98, 0.4, 0.5), "BOX"
    film = Film(scene, tmp_path, 40)
    assert max(np.abs(film.place(ob) - place).max() for ob, place in zip(bricks, places, strict=True)) < 5e-3


def opened(ob, keep):
    """The object without the faces whose middle is none to keep."""
    mesh = bmesh.new()
    mesh.from_mesh(ob.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if not keep(face.calc_center_median())], context="FACES")
    mesh.to_mesh(ob.data)
    mesh.free()
    return ob


@pytest.mark.parametrize("sunk", [0.0, 0.02])
def test_balls_in_a_bowl(scene, tmp_path, sunk):
    """Half a sphere, Passive, shape Mesh; one ball begins a little in it and is brought out with one click."""
    whole = add("uv_sphere", "PASSIVE", radius=2, at=(0, 0, 2), body={"collision_shape": "MESH"})
    bowl = opened(whole, lambda middle: middle.z < 0)
    balls = [add("uv_sphere", radius=0.3, at=(0.65 * np.cos(k), 0.65 * np.sin(k), 1.9 + 0.5 * k)) for k in range(6)]
    balls.append(add("uv_sphere", radius=0.3, at=(0, 0, 0.31 - sunk)))
    for ball in balls:
        ball.rigid_body.collision_shape = "SPHERE"
    scene.frame_set(1)
    bpy.ops.stiction.import_rigid_body()
    bpy.ops.stiction.check()
    named = [item.name for item in bpy.context.window_manager.stiction_findings.found if item.check == "overlapping"]
    assert named == ([balls[-1].name] if sunk else [])
    if sunk:
        bpy.ops.stiction.repair(check="OVERLAPPING")
    scene.rigidbody_world.enabled = True
    film = Film(scene, tmp_path, 90)
    away = [np.linalg.norm(film.place(ball) - film.place(bowl)) for ball in balls]
    assert max(away) < 1.72
    assert min(film.place(ball)[2] for ball in balls) > 0.29


@pytest.mark.parametrize("shape", ["CONVEX_HULL", "MESH", "BOX"])
def test_cards_fall_and_lie(scene, tmp_path, shape):
    """Planes without thickness, Active: a shape of their own comes with the import."""
    ground()
    cards = [add("plane", at=(0.1 * k, 0, 1 + 0.4 * k), rotation=(0.3, 0.2, k), size=1.2) for k in range(4)]
    for card in cards:
        card.rigid_body.collision_shape = shape
    film = Film(scene, tmp_path, 80)
    lies_on_ground(film, cards)
    assert max(film.lowest(card) for card in cards) < 0.25


def test_letters_fall_over(scene, tmp_path):
    """Text made a mesh, which has doubled vertices along its seams; it begins with its base in the ground."""
    ground()
    bpy.ops.object.text_add(location=(0, 0, -0.02), rotation=(np.pi / 2, 0, 0))
    text = bpy.context.object
    text.data.body, text.data.extrude = "8B", 0.15
    bpy.ops.object.convert(target="MESH")
    bpy.ops.rigidbody.object_add()
    text.rigid_body.collision_shape = "MESH"
    bpy.ops.stiction.import_rigid_body()
    bpy.ops.stiction.repair(check="OVERLAPPING")
    scene.rigidbody_world.enabled = True
    film = Film(scene, tmp_path, 40)
    assert -DEEP < film.lowest(text) < 0.02


def test_marbles_run_through_a_funnel(scene, tmp_path):
    """A cone without ends, Passive, Mesh."""
    funnel = add("cone", "PASSIVE", at=(0, 0, 3), radius1=0.4, radius2=2, depth=2, end_fill_type="NOTHING", vertices=48,
                 body={"collision_shape": "MESH", "friction": 0.0})  # fmt: skip
    places = [(0.5 * np.cos(k), 0.5 * np.sin(k), 4.2 + 0.35 * k) for k in range(8)]
    marbles = [add("ico_sphere", radius=0.15, subdivisions=3, at=place) for place in places]
    for marble in marbles:
        marble.rigid_body.collision_shape, marble.rigid_body.friction = "SPHERE", 0.0
    ground()
    film = Film(scene, tmp_path, 70)
    assert funnel.location.z == 3
    assert max(film.place(marble)[2] for marble in marbles) < 1.9, "all are through"
    lies_on_ground(film, marbles)


def test_a_ball_comes_down_the_stairs(scene, tmp_path):
    steps = [add("cube", "PASSIVE", at=(k, 0, -0.5 * k), size=1, body={"collision_shape": "BOX"}) for k in range(6)]
    for step in steps:
        step.scale.y = 3
    ball = add("uv_sphere", radius=0.3, at=(-0.3, 0, 1.0), body={"collision_shape": "SPHERE"})
    ball.rigid_body.kinematic = True
    ball.keyframe_insert("rigid_body.kinematic", frame=5)
    ball.rigid_body.kinematic = False
    ball.keyframe_insert("rigid_body.kinematic", frame=6)
    ball.keyframe_insert("location", frame=1)
    ball.location.x = 0.1
    ball.keyframe_insert("location", frame=5)
    film = Film(scene, tmp_path, 90)
    assert film.place(ball)[0] > 4
    assert film.place(ball)[2] < -1.0
