"""Bodies and joints that were made of an object, an armature or a rope: marked with its name, and away with it."""

from math import pi

import bpy
import numpy as np


def parts_of(scene, mark, ob):
    """Objects of a scene that were made of an object, by the property `mark` that holds its name."""
    return [part for part in scene.objects if part.get(mark) == ob.name]


def remove_parts(parts):
    """Remove objects and their meshes; returns how many objects."""
    for part in parts:
        mesh = part.data
        bpy.data.objects.remove(part)
        if mesh is not None:
            bpy.data.meshes.remove(mesh)
    return len(parts)


def capsule_mesh(low, high, radius, around, rings):
    """(vertices, edges, faces) of a capsule along Y whose caps are about the places `low` and `high`; around, rings:
    sides, and rings from a pole to where its cap ends."""
    angles = np.concatenate([np.linspace(-pi / 2, 0, rings), np.linspace(0, pi / 2, rings)])
    places = np.concatenate([np.full(rings, low), np.full(rings, max(low, high))])
    turns = np.linspace(0, 2 * pi, around, endpoint=False)
    vertices, faces = [(0.0, float(low - radius), 0.0)], []
    for angle, place in zip(angles[1:-1], places[1:-1], strict=True):
        ring, y = radius * np.cos(angle), place + radius * np.sin(angle)
        vertices += [(float(ring * np.cos(t)), float(y), float(ring * np.sin(t))) for t in turns]
    vertices.append((0.0, float(places[-1] + radius), 0.0))
    last, count = len(vertices) - 1, 2 * rings - 2
    for k in range(around):
        following = (k + 1) % around
        faces.append((0, 1 + k, 1 + following))
        for ring in range(count - 1):
            a, b = 1 + ring * around, 1 + (ring + 1) * around
            faces.append((a + k, b + k, b + following, a + following))
        top = 1 + (count - 1) * around
        faces.append((top + k, last, top + following))
    return vertices, [], faces
