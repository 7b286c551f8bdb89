"""A ball flies into a wall of bricks."""

import bmesh

from .base import Example, body, box, chamfered, mesh_of

ROWS, COLUMNS = 8, 7
BRICK = (0.5, 0.25, 0.25)  # [m]
BALL, SPEED = 0.35, 9.0  # radius [m], speed [m/s]
# Bricks of one fire are of several shades, and their edges are chipped [m]: one sees where each ends. They collide as
# whole boxes.
SHADES, CHIPPED = ((0.55, 0.16, 0.08, 1.0), (0.42, 0.11, 0.06, 1.0), (0.64, 0.24, 0.13, 1.0)), 0.008
STEEL, GROUND = (0.10, 0.22, 0.40, 1.0), (0.50, 0.50, 0.47, 1.0)


def build(scene):
    """Add the wall, the ball and the ground."""
    made = [body(scene, "Ground", box("Ground", (24.0, 24.0, 0.5), GROUND), "PASSIVE", location=(0, 0, -0.25))]
    whole = [chamfered(box("Brick", BRICK, shade), CHIPPED) for shade in SHADES]
    half = [chamfered(box("Half Brick", (BRICK[0] / 2, *BRICK[1:]), shade), CHIPPED) for shade in SHADES]
    left = -COLUMNS * BRICK[0] / 2
    for row in range(ROWS):
        height = (row + 0.5) * BRICK[2]
        if row % 2 == 0:
            made += [_brick(scene, whole, left + (k + 0.5) * BRICK[0], height) for k in range(COLUMNS)]
        else:
            made += [_brick(scene, whole, left + (k + 1) * BRICK[0], height) for k in range(COLUMNS - 1)]
            made += [_brick(scene, half, side * (left + BRICK[0] / 4), height) for side in (-1, 1)]
    ball = body(scene, "Ball", _ball(), "ACTIVE", location=(0.3, -4.0, 1.1))
    ball.stiction.density, ball.stiction.velocity = 7800.0, (0.0, SPEED, 1.5)
    return [*made, ball]


def _brick(scene, meshes, place, height):
    # Neighbours along a row and across a joint differ.
    shade = round(place / BRICK[0] * 2 + 5 * height / BRICK[2]) % len(SHADES)
    ob = body(scene, "Brick", meshes[shade], "ACTIVE", location=(place, 0, height), color=SHADES[shade])
    ob.stiction.shape = "BOX"
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
