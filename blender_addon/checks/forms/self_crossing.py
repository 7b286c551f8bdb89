"""Meshes that go through themselves: their mass is that of the union, which may not be what is meant."""

import numpy as np
from mathutils.bvhtree import BVHTree

from ....solver.base.wording import counted
from ..base import WARNING, Check, Finding
from ..scan import MOST_TRIANGLES


def find(scan):
    """Yield a Finding for every Active body whose own triangles collide and cross one another."""
    known = {}
    for subject in scan.accepted():
        if not subject.dynamic or subject.body.shape.type != "mesh" or subject.body.shape.repair is not None:
            continue
        vertices, triangles = subject.surface
        if len(triangles) > MOST_TRIANGLES:
            continue
        key = subject.body.shape.content
        if key not in known:
            known[key] = crossings(vertices, triangles)
        if known[key]:
            pairs = counted(known[key], "pair")
            yield Finding((subject.name,), f"mesh goes through itself: {pairs} of triangles", WARNING)


def crossings(vertices, triangles):
    """Number of pairs of triangles that cross and share no corner; vertices (V,3), triangles (T,3)."""
    tree = BVHTree.FromPolygons(vertices.tolist(), triangles.tolist(), epsilon=0.0)
    pairs = np.array([pair for pair in tree.overlap(tree) if pair[0] < pair[1]], dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return 0
    first, second = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    apart = ~(first[:, :, None] == second[:, None, :]).any(axis=(1, 2))
    return int(np.count_nonzero(apart))


def use_remesh(_scene, objects, _scan):
    """Give the objects the shape Voxel Remesh: one surface around the union."""
    for ob in objects:
        ob.stiction.shape = "VOXEL_REMESH"
    return f"{counted(len(objects), 'object')} now of the shape Voxel Remesh"


CHECK = Check("self_crossing", "Self-intersection", find, "Use Voxel Remesh", use_remesh)
