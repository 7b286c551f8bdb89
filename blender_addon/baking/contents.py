"""What stands behind the data that a modifier reads besides objects' poses: trees of nodes, textures, lattices, curves.

Values alone count, not the names of nodes and groups, nor where an editor draws them.
"""

import bpy
import numpy as np

# Nodes whose result depends on the frame by itself.
TIMED_NODES = {"GeometryNodeInputSceneTime", "GeometryNodeSimulationOutput", "GeometryNodeImageTexture"}
# Nodes that only an editor draws.
DRAWN_NODES = {"NodeFrame"}
# What all nodes, sockets and datablocks have, and their editors alone read.
COMMON = {"rna_type", "name"}


def simple_values(group, left_out=(), path="", animated=()):
    """{name: value} of the plain properties of a Blender structure, and of its curves, ramps and lists of items.

    path: of the structure in its datablock, where `animated` are paths that curves set, whose values are left out.
    """
    found = {}
    for entry in group.bl_rna.properties:
        name = entry.identifier
        if name in COMMON or name in left_out or f"{path}{name}" in animated:
            continue
        value = getattr(group, name)
        if entry.type == "COLLECTION":
            # Images and meshes have thousands of elements, none of which a modifier is set by.
            if not isinstance(group, bpy.types.ID):
                found[name] = [simple_values(item) for item in value]
        elif entry.type == "POINTER":
            found[name] = _pointed(value)
        else:
            found[name] = tuple(np.ravel(np.array(value)).tolist()) if getattr(entry, "is_array", False) else value
    return found


def _pointed(value):
    if isinstance(value, bpy.types.CurveMapping):
        return [[(tuple(point.location), point.handle_type) for point in curve.points] for curve in value.curves]
    if isinstance(value, bpy.types.ColorRamp):
        elements = [(element.position, tuple(element.color)) for element in value.elements]
        return value.interpolation, value.color_mode, elements
    return None


def trees_in(tree):
    """A tree of nodes and those of its groups, each once, in a fixed order."""
    found = [tree]
    for one in found:
        for node in one.nodes:
            group = getattr(node, "node_tree", None)
            if group is not None and group not in found:
                found.append(group)
    return found


def is_timed(tree):
    """True if a tree's result depends on the frame by itself."""
    return any(node.bl_idname in TIMED_NODES for one in trees_in(tree) for node in one.nodes)


def tree_targets(tree):
    """Objects and collections that the nodes of a tree name."""
    for one in trees_in(tree):
        for node in one.nodes:
            values = [getattr(socket, "default_value", None) for socket in node.inputs if not socket.is_linked]
            yield from (value for value in values if isinstance(value, (bpy.types.Object, bpy.types.Collection)))


def tree_values(tree, paths_of):
    """What the nodes of a tree and of its groups compute; paths_of(tree): what curves and drivers set of it."""
    trees = trees_in(tree)
    return [_one_tree(one, trees, paths_of(one)) for one in trees]


def _one_tree(tree, trees, animated):
    nodes = [node for node in tree.nodes if node.bl_idname not in DRAWN_NODES]
    number = {node.name: k for k, node in enumerate(nodes)}
    links = sorted(
        (number[link.from_node.name], link.from_socket.identifier, number[link.to_node.name],
         link.to_socket.identifier, link.is_muted)
        for link in tree.links if link.from_node.name in number and link.to_node.name in number
    )  # fmt: skip
    return [_node(node, trees, animated) for node in nodes], links


def _node(node, trees, animated):
    path = f'nodes["{node.name}"].'
    drawn = {entry.identifier for entry in bpy.types.Node.bl_rna.properties} - {"mute"}
    group = getattr(node, "node_tree", None)
    inputs = [
        plain(socket.default_value) for k, socket in enumerate(node.inputs)
        if not socket.is_linked and hasattr(socket, "default_value")
        and f"{path}inputs[{k}].default_value" not in animated
    ]  # fmt: skip
    outputs = [plain(socket.default_value) for k, socket in enumerate(node.outputs)
               if len(node.inputs) == 0 and hasattr(socket, "default_value")
               and f"{path}outputs[{k}].default_value" not in animated]  # fmt: skip
    return (node.bl_idname, simple_values(node, drawn, path, animated), inputs, outputs,
            trees.index(group) if group else None)  # fmt: skip


def plain(value):
    """A value given to nodes; objects and collections count by where they are and what they hold, not by name."""
    if isinstance(value, bpy.types.ID):
        return None
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def data_values(data):
    """What counts of an object's data that is no mesh: points of a lattice, splines of a curve; else nothing."""
    if isinstance(data, bpy.types.Lattice):
        return simple_values(data), [tuple(point.co_deform) for point in data.points]
    if isinstance(data, bpy.types.Curve):
        return simple_values(data), [(simple_values(spline), _points(spline)) for spline in data.splines]
    return None


def _points(spline):
    """Places, handles, radii and tilts of a spline's points."""
    names = ("co", "handle_left", "handle_right")
    return [
        (*(tuple(getattr(point, name, ())) for name in names), point.radius, point.tilt)
        for point in (spline.bezier_points or spline.points)
    ]
