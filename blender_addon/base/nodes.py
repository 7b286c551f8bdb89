"""Building blocks of geometry node groups."""

import bpy


def new_group(name):
    """(group, its input node, its output node) with one geometry in and one out."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    return group, group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")


def enabled(sockets, name):
    """The socket of that name that is in use: nodes keep one for each type of data."""
    return next(socket for socket in sockets if socket.name == name and socket.enabled)


def link_math(group, operation, source, other):
    """Output of a Math node of an output socket and another or a number."""
    node = group.nodes.new("ShaderNodeMath")
    node.operation = operation
    group.links.new(source, node.inputs[0])
    if isinstance(other, float):
        node.inputs[1].default_value = other
    else:
        group.links.new(other, node.inputs[1])
    return node.outputs[0]


def named_attribute(group, name):
    """Output of a node that reads a named number."""
    node = group.nodes.new("GeometryNodeInputNamedAttribute")
    node.data_type, node.inputs["Name"].default_value = "FLOAT", name
    return next(out for out in node.outputs if out.enabled)
