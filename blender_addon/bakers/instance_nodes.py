"""The geometry nodes that put an instance on every body of a carrier mesh."""

from ..base.nodes import enabled, new_group


def carrier_group(name, count, shapes):
    """Node group: of each three vertices (place, ends of x and y) one instance out of the collection `shapes`, by the
    attributes body_shape and body_scale, times the length of the axis x: 1, or 0 for a body that is not there."""
    build = _Builder(*new_group(name))
    place, x, y = (build.sampled("FLOAT_VECTOR", build.node("GeometryNodeInputPosition"), k) for k in range(3))
    points = build.node("GeometryNodePoints")
    points.inputs["Count"].default_value = count
    build.link(place, points.inputs["Position"])
    axes = build.node("FunctionNodeAxesToRotation")
    axes.primary_axis, axes.secondary_axis = "X", "Y"
    build.link(build.difference(x, place), axes.inputs[0])
    build.link(build.difference(y, place), axes.inputs[1])
    source = build.node("GeometryNodeCollectionInfo")
    source.name = "Shapes"
    source.inputs["Collection"].default_value = shapes
    source.inputs["Separate Children"].default_value = source.inputs["Reset Children"].default_value = True
    instances = build.node("GeometryNodeInstanceOnPoints")
    instances.inputs["Pick Instance"].default_value = True
    build.link(points.outputs[0], instances.inputs["Points"])
    build.link(source.outputs[0], instances.inputs["Instance"])
    build.link(build.sampled("INT", build.attribute("body_shape", "INT"), 0), instances.inputs["Instance Index"])
    build.link(axes.outputs[0], instances.inputs["Rotation"])
    scale = build.sampled("FLOAT_VECTOR", build.attribute("body_scale", "FLOAT_VECTOR"), 0)
    build.link(build.scaled(scale, build.length(build.difference(x, place))), instances.inputs["Scale"])
    build.link(instances.outputs[0], build.output.inputs[0])
    return build.group


class _Builder:
    """Adds nodes from left to right, between the input and the output of a group."""

    def __init__(self, group, given, output):
        self.group, self.input, self.output = group, given, output
        self.index = self.node("GeometryNodeInputIndex")

    def node(self, kind):
        """A new node."""
        node = self.group.nodes.new(kind)
        node.location = (180 * (len(self.group.nodes) % 8), -220 * (len(self.group.nodes) // 8))
        return node

    def link(self, source, target):
        """Connect two sockets."""
        self.group.links.new(source, target)

    def attribute(self, name, kind):
        """A node that reads a named attribute."""
        node = self.node("GeometryNodeInputNamedAttribute")
        node.data_type, node.inputs["Name"].default_value = kind, name
        return node

    def sampled(self, kind, field, offset):
        """The value of a field at vertex 3 i + offset of the carrier, for body i."""
        sample = self.node("GeometryNodeSampleIndex")
        sample.data_type, sample.domain = kind, "POINT"
        self.link(self.input.outputs[0], sample.inputs["Geometry"])
        self.link(next(socket for socket in field.outputs if socket.enabled), enabled(sample.inputs, "Value"))
        self.link(self._math("ADD", self._math("MULTIPLY", self.index.outputs[0], 3.0), offset), sample.inputs["Index"])
        return next(socket for socket in sample.outputs if socket.enabled)

    def _math(self, operation, source, number):
        node = self.node("ShaderNodeMath")
        node.operation, node.inputs[1].default_value = operation, float(number)
        self.link(source, node.inputs[0])
        return node.outputs[0]

    def length(self, vector):
        """Length of a vector."""
        node = self.node("ShaderNodeVectorMath")
        node.operation = "LENGTH"
        self.link(vector, node.inputs[0])
        return node.outputs["Value"]

    def scaled(self, vector, factor):
        """A vector times a number."""
        node = self.node("ShaderNodeVectorMath")
        node.operation = "SCALE"
        self.link(vector, node.inputs[0])
        self.link(factor, node.inputs["Scale"])
        return node.outputs[0]

    def difference(self, a, b):
        """a - b of two vectors."""
        node = self.node("ShaderNodeVectorMath")
        node.operation = "SUBTRACT"
        self.link(a, node.inputs[0])
        self.link(b, node.inputs[1])
        return node.outputs[0]
