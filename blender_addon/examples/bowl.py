"""Monkeys fall into a bowl."""

import math

import bmesh
import numpy as np

from .base import Example, body, box, mesh_of

COUNT, COLUMNS = 24, 2
SIZE, SPACING = 0.3, 0.95  # half width of a monkey, distance of two at the start [m]
RADIUS, DEPTH, WALL = 1.6, 0.9, 0.08  # of the bowl [m]
MONKEY, CLAY, GROUND = (0.75, 0.35, 0.06, 1.0), (0.12, 0.30, 0.34, 1.0), (0.50, 0.50, 0.47, 1.0)
SEED = 3


def build(scene):
    """Add the ground, the bowl and the monkeys above it, each with the hull of its mesh as shape."""
    ground = body(scene, "Ground", box("Ground", (24.0, 24.0, 0.5), GROUND), "PASSIVE", location=(0, 0, -0.25))
    bowl = body(scene, "Bowl", _bowl(), "PASSIVE")
    mesh, rng = _monkey(), np.random.default_rng(SEED)
    monkeys = []
    for k in range(COUNT):
        layer, cell = divmod(k, COLUMNS * COLUMNS)
        row, column = divmod(cell, COLUMNS)
        place = SPACING * (np.array([column, row, layer]) - [(COLUMNS - 1) / 2, (COLUMNS - 1) / 2, 0])
        ob = body(scene, "Suzanne", mesh, "ACTIVE", location=place + [0, 0, DEPTH + 0.8])
        ob.rotation_euler = rng.uniform(-math.pi, math.pi, 3)
        # Suzanne is open at the eyes: what encloses nothing has no mass of its own.
        ob.stiction.shape = "CONVEX_HULL"
        monkeys.append(ob)
    return [ground, bowl, *monkeys]


def _monkey():
    mesh = mesh_of("Suzanne", [], [], MONKEY)
    monkey = bmesh.new()
    bmesh.ops.create_monkey(monkey)
    bmesh.ops.scale(monkey, vec=(SIZE,) * 3, verts=monkey.verts)
    monkey.to_mesh(mesh)
    monkey.free()
    mesh.shade_smooth()
    return mesh


def _bowl(segments=48, rings=10):
    """A closed spherical shell, open at the top."""
    curve = RADIUS * RADIUS / (2 * DEPTH) + DEPTH / 2  # radius of the sphere
    angle = math.asin(RADIUS / curve)
    profile = [(curve * math.sin(a), curve - curve * math.cos(a)) for a in np.linspace(0, angle, rings)]
    inner = [(r, z + WALL) for r, z in profile]
    outline = [*profile, *reversed(inner)]
    vertices, faces, rows = [], [], []
    for r, z in outline:
        if r < 1e-9:
            rows.append([len(vertices)] * segments)
            vertices.append((0.0, 0.0, z))
            continue
        rows.append(list(range(len(vertices), len(vertices) + segments)))
        turns = np.linspace(0, 2 * math.pi, segments, endpoint=False)
        vertices += [(r * math.cos(t), r * math.sin(t), z) for t in turns]
    for low, high in zip(rows, rows[1:], strict=False):
        for k in range(segments):
            around = (low[k], low[(k + 1) % segments], high[(k + 1) % segments], high[k])
            faces.append(tuple(dict.fromkeys(around)))
    return mesh_of("Bowl", vertices, [face for face in faces if len(face) > 2], CLAY)


EXAMPLE = Example("bowl", "Monkeys in a Bowl", __doc__.rstrip("."), build)
