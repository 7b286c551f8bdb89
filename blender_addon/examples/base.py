"""What an example is, and what all of them are made with."""

from collections.abc import Callable
from typing import NamedTuple

import bmesh
import bpy


class Example(NamedTuple):
    """build(scene) adds the bodies to a scene and returns the objects it has made; beside: names of those that a camera
    need not see whole."""

    key: str
    label: str
    description: str
    build: Callable
    beside: tuple = ("Ground",)


def body(scene, name, mesh, kind, location=(0, 0, 0), scale=(1, 1, 1), color=(0.8, 0.8, 0.8, 1.0)):
    """A new object of the scene that is a body."""
    ob = bpy.data.objects.new(name, mesh)
    ob.location, ob.scale, ob.color = location, scale, color
    scene.collection.objects.link(ob)
    ob.stiction.type = kind
    return ob


def mesh_of(name, vertices, faces, color=None):
    """A mesh with a material of a colour."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    if color is not None:
        material = bpy.data.materials.new(name)
        material.diffuse_color = color
        if bpy.app.version < (5, 0, 0):
            # From 5.0 on every material has nodes.
            material.use_nodes = True
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = color
        mesh.materials.append(material)
    return mesh


def chamfered(mesh, width):
    """A mesh with its edges cut off by a width [m], so that one tells neighbours apart; returns it."""
    cut = bmesh.new()
    cut.from_mesh(mesh)
    bmesh.ops.bevel(cut, geom=cut.edges[:], offset=width, segments=1, affect="EDGES")
    cut.to_mesh(mesh)
    cut.free()
    return mesh


def box(name, size, color=None):
    """Mesh of a box about its centre."""
    corners = [(x * size[0] / 2, y * size[1] / 2, z * size[2] / 2) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh_of(name, corners, faces, color)
