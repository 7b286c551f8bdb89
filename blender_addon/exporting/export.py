"""Blender scene -> solver scene in one call: reading it, and assembling what was read."""

from ..base.clock import frames_per_second
from .assembly import Export, Link, Maker, assemble
from .reader import ObjectReader, bodies_of, frame_range, read_scene, unit_length

__all__ = [
    "Export", "Exporter", "Link", "bodies_of", "export_scene", "frame_range", "unit_length",
]  # fmt: skip


def export_scene(scene, view_layer=None):
    """Return the Export of a Blender scene at its first frame.

    The frame is set to read the animation and put back. Raises SceneError for what cannot be simulated.
    """
    return assemble(read_scene(scene, view_layer))


class Exporter:
    """Exports objects one by one, as they are at the current frame."""

    def __init__(self, scene, graph):
        self.fps = frames_per_second(scene)
        self._reader = ObjectReader(scene, graph)
        self._maker = Maker(self._reader.unit, self._reader.meshes, self.fps)

    def geometry(self, evaluated, who):
        """Geometry of an evaluated object, which is read once; SceneError naming `who` where there is none."""
        return self._reader.geometry(evaluated, who)[0]

    @property
    def materials(self):
        """The Materials of the bodies so far."""
        return tuple(self._maker.materials.values())

    def body(self, ob):
        """(Body, Link) of an object; an Animated one without its keyed poses. SceneError if it cannot be simulated."""
        return self._maker.body(self._reader.body(ob))
