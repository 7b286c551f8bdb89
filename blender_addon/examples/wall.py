"""A ball flies into a wall of bricks."""

import bmesh

from .base import Example, body, box, mesh_of

ROWS, COLUMNS = 8, 7
BRICK = (0.5, 0.25, 0.25)  # [m]
BALL, SPEED = 0.35, 9.0  # radius [m], speed [m/s]
BRICKS, STEEL, GROUND = (0.55, 0.16, 0.08, 1.0), (0.10, 0.22, 0.40, 1.0), (0.50, 0.50, 0.47, 1.0)


def build(scene):
    """Add the wall, the ball and the ground."""
    made = [body(scene, "Ground", box("Ground", (24.0, 24.0, 0.5), GROUND), "PASSIVE", location=(0, 0, -0.25))]
    brick = box("Brick", BRICK, BRICKS)
    half = box("Half Brick", (BRICK[0] / 2, BRICK[1], BRICK[2]), BRICKS)
    left = -COLUMNS * BRICK[0] / 2
    for row in range(ROWS):
        height = (row + 0.5) * BRICK[2]
        if row % 2 == 0:
            made += [_brick(scene, brick, left + (k + 0.5) * BRICK[0], height) for k in range(COLUMNS)]
        else:
            made += [_brick(scene, brick, left + (k + 1) * BRICK[0], height) for k in range(COLUMNS - 1)]
            made += [_brick(scene, half, side * (left + BRICK[0] / 4), height) for side in (-1, 1)]
    ball = body(scene, "Ball", _ball(), "ACTIVE", location=(0.3, -4.0, 1.1))
    ball.stiction.density, ball.stiction.velocity = 7800.0, (0.0, SPEED, 1.5)
    return [*made, ball]


def _brick(scene, mesh, place, height):
    ob = body(scene, "Brick", mesh, "ACTIVE", location=(place, 0, height))
    ob.stiction.density, ob.stiction.friction = 1800.0, 0.6
    return ob


def _ball():
    mesh = mesh_of("Ball", [], [], STEEL)
    sphere = bmesh.new()
    bmesh.ops.create_uvsphere(sphere, u_segments=64, v_segments=32, radius=BALL)
    sphere.to_mesh(mesh)
    sphere.free()
    mesh.shade_smooth()
    return mesh


EXAMPLE = Example("wall", "Wall of Bricks", __doc__.rstrip("."), build)
