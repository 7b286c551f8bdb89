"""Balls in a hopper behind a gate: does it jam?"""

import math

import bmesh
from mathutils import Vector

from .base import Example, body, box, mesh_of

DIAMETER, COUNT, COLUMNS = 0.2, 40, 6
# In diameters: width of the outlet and of the bin, room between the plates.
OUTLET, WIDTH, SLOT = 3.0, 9.0, 1.05
HALF_ANGLE, THICK, OUTLET_HEIGHT = math.radians(34.0), 0.1, 1.2
BALLS, WALLS = (0.9, 0.45, 0.08, 1.0), (0.25, 0.32, 0.4, 1.0)
GLASS, GROUND = (0.6, 0.75, 0.9, 0.15), (0.5, 0.5, 0.47, 1.0)


def build(scene, outlet=OUTLET):
    """Add two slopes, two sides, two plates, the gate, the balls above it and the ground; outlet in diameters."""
    made = [body(scene, "Ground", box("Ground", (24.0, 24.0, 0.5), GROUND), "PASSIVE", location=(0, 0, -0.25))]
    lip, side, depth = 0.5 * outlet * DIAMETER, 0.5 * WIDTH * DIAMETER, SLOT * DIAMETER
    rise = (side - lip) / math.tan(HALF_ANGLE)
    length, top = math.hypot(side - lip, rise), OUTLET_HEIGHT + rise + 7 * DIAMETER
    slope = box("Slope", (THICK, depth, length), WALLS)
    wall = box("Side", (THICK, depth, top - OUTLET_HEIGHT - rise), WALLS)
    plate = box("Plate", (2 * side, THICK, top - OUTLET_HEIGHT), GLASS)
    for sign in (-1, 1):
        along = Vector((sign * math.sin(HALF_ANGLE), 0.0, math.cos(HALF_ANGLE)))
        outwards = Vector((sign * math.cos(HALF_ANGLE), 0.0, -math.sin(HALF_ANGLE)))
        middle = Vector((sign * lip, 0, OUTLET_HEIGHT)) + 0.5 * length * along + 0.5 * THICK * outwards
        made.append(body(scene, "Slope", slope, "PASSIVE", location=middle))
        made[-1].rotation_euler = (0.0, sign * HALF_ANGLE, 0.0)
        place = (sign * (side + 0.5 * THICK), 0, 0.5 * (top + OUTLET_HEIGHT + rise))
        made.append(body(scene, "Side", wall, "PASSIVE", location=place))
        place = (0, 0.5 * sign * (depth + THICK), 0.5 * (top + OUTLET_HEIGHT))
        made.append(body(scene, "Plate", plate, "PASSIVE", location=place, color=GLASS))
        made[-1].stiction.friction, made[-1].display_type = 0.0, "WIRE"
    gate = box("Gate", (outlet * DIAMETER, depth, 0.5 * THICK), WALLS)
    made.append(body(scene, "Gate", gate, "PASSIVE", location=(0, 0, OUTLET_HEIGHT - 0.25 * THICK)))
    return made + _balls(scene, lip)


def _balls(scene, lip):
    """The balls in rows from the gate up, as many beside each other as there is room for."""
    mesh, balls, z = _ball(), [], OUTLET_HEIGHT + 0.6 * DIAMETER
    while len(balls) < COUNT:
        reach = lip + (z - OUTLET_HEIGHT) * math.tan(HALF_ANGLE) - 0.5 * DIAMETER / math.cos(HALF_ANGLE)
        row = min(COLUMNS, int(2 * reach / (1.1 * DIAMETER)) + 1)
        for k in range(min(row, COUNT - len(balls))):
            place = ((k - 0.5 * (row - 1)) * 1.1 * DIAMETER, 0, z)
            balls.append(body(scene, "Ball", mesh, "ACTIVE", location=place, color=BALLS))
            balls[-1].stiction.shape = "SPHERE"
        z += 1.1 * DIAMETER
    return balls


def _ball():
    mesh = mesh_of("Ball", [], [], BALLS)
    sphere = bmesh.new()
    bmesh.ops.create_uvsphere(sphere, u_segments=32, v_segments=16, radius=0.5 * DIAMETER)
    sphere.to_mesh(mesh)
    sphere.free()
    mesh.shade_smooth()
    return mesh


EXAMPLE = Example("hopper", "Balls in a Hopper", __doc__.rstrip("?").rstrip("."), build)
