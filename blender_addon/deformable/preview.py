"""The tetrahedra of a deformable body as a mesh beside it, each shrunk so that its neighbours part."""

import bpy
import numpy as np

from ..base.transforms import matrix_of_quaternion
from ..exporting.current_graph import CurrentGraph
from ..exporting.export import Exporter, unit_length

SUFFIX = " Tetrahedra"
# Of their size.
SHRUNK = 0.85
FACES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])


def write_surface(context, ob, path):
    """Write what is to be filled: the surface of a body, or the tetrahedra that it has, its element size and mesher,
    and what its mesh is judged by. Returns (position (3,),
    rotation (3,3)) of its frame in the world [m]. SceneError where the object cannot be simulated."""
    body, _ = Exporter(context.scene, CurrentGraph(context.scene, context.view_layer)).body(ob)
    given = body.shape.type == "tetrahedra"
    vertices, triangles = (body.shape.vertices, body.shape.tets) if given else body.shape.surface()
    elastic, position = body.elastic, np.array(body.position)
    rotation = matrix_of_quaternion(np.array(body.orientation))
    pins = (np.reshape(elastic.pin_points, (-1, 3)) - position) @ rotation
    gravity = np.array(context.scene.gravity if context.scene.use_gravity else (0.0, 0.0, 0.0)) @ rotation
    np.savez(path, vertices=vertices, triangles=triangles, size=elastic.element_size or 0.0, mesher=elastic.mesher,
             pins=pins, gravity=gravity, poisson=elastic.poisson, element=elastic.element)  # fmt: skip
    return position, rotation


def show(context, ob, path, position, rotation):
    """Show the tetrahedra of a file in the place of those shown before; returns the sentence about them."""
    with np.load(path) as data:
        nodes, tets, says = data["vertices"], data["tets"], str(data["says"])
    hide(ob)
    corners = nodes[tets]
    middles = corners.mean(axis=1, keepdims=True)
    points = (middles + SHRUNK * (corners - middles)).reshape(-1, 3) @ rotation.T + position
    points /= unit_length(context.scene)
    faces = (np.arange(len(tets))[:, None, None] * 4 + FACES).reshape(-1, 3)
    mesh = bpy.data.meshes.new(ob.name + SUFFIX)
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    made = bpy.data.objects.new(ob.name + SUFFIX, mesh)
    # They lie inside the body, which stays as the person has it.
    made.hide_render = made.hide_select = made.show_in_front = True
    made["stiction_tetrahedra_of"] = ob
    context.scene.collection.objects.link(made)
    return says


def shown(ob):
    """The mesh object that shows an object's tetrahedra, None without one."""
    for other in bpy.data.objects:
        if other.get("stiction_tetrahedra_of") == ob:
            return other
    return None


def hide(ob):
    """Take the tetrahedra of an object away; returns whether there were any."""
    found = shown(ob)
    if found is None:
        return False
    mesh = found.data
    bpy.data.objects.remove(found)
    bpy.data.meshes.remove(mesh)
    return True
