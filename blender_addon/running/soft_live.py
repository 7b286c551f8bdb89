"""Deformable bodies of a run in work in the viewport: their meshes play what has been simulated, by a modifier that
goes when the run ends.

The modifier is Blender's own and comes first, so the person's modifiers are seen on the moving mesh. It plays a file
that grows beside the run's frames; nothing of the mesh itself is touched.
"""

from pathlib import Path

import bpy
import numpy as np

from ...solver.base.refusal import TrajectoryError
from ...solver.runs.node_frames import frames_written, read_constants, read_frames
from ..bakers.base import ObjectFinder
from ..bakers.deformables import MARK as BAKED
from ..bakers.deformables import deformable_names, hung_mesh
from ..bakers.point_cache import append_pc2, play
from ..deformable.posed import place_after
from ..settings.motion import follows

NAME = "Stiction Live"
# Frames put into the files at a time: what has come while nobody looked.
AT_ONCE = 20


class SoftLive:
    """The deformable bodies of a run, whose Export is `source`; `grow` shows what frames there are by now."""

    def __init__(self, folder, frames, source):
        self.folder, self.frames, self.source = Path(folder), frames, source
        self.names = deformable_names(source)
        self.links = [link for link in source.links if link.name in self.names]
        self.count, self._hung = 0, None

    def grow(self, scene):
        """Add the frames that are new to the files, and see to it that the meshes play them."""
        if not self.links or scene is None:
            return
        if self._hung is None:
            self._hang(scene)
        whole = min(self.frames.count, frames_written(self.folder, self.frames.header)) if self._hung else 0
        new = min(whole - self.count, AT_ONCE)
        if new > 0:
            nodes, _ = read_frames(self.folder, self.frames.header, new, self.count)
            rows = range(self.count, self.count + new)
            for name, (span, places) in self._hung.items():
                moved = [places(row, own[span]) for row, own in zip(rows, nodes, strict=True)]
                append_pc2(self._path(name), np.array(moved), self.count)
            self.count += new
        self.show(scene)

    def _hang(self, scene):
        bodies, column = self.source.reading.by_name, self.frames.names
        try:
            constants = read_constants(self.folder)
        except TrajectoryError:
            # Not there yet, or gone: the run itself says so.
            return
        pairs, _ = ObjectFinder(scene.objects).pairs(self.links)
        self._hung = {link.name: hung_mesh(ob, bodies[link.name], self.source, constants, column.index(link.name))
                      for link, ob in pairs}  # fmt: skip

    def _path(self, name):
        return self.folder / f"live_{[link.name for link in self.links].index(name):04d}.pc2"

    def show(self, scene):
        """Give the meshes the modifier, where they lack it and there is something to play."""
        if not self.count:
            return
        pairs, _ = ObjectFinder(scene.objects).pairs([link for link in self.links if link.name in self._hung])
        for link, ob in pairs:
            if ob.modifiers.get(NAME) is None:
                # Behind a bake's own, whose places it takes, if a person has left it there.
                first = place_after(ob) if follows(ob.stiction) else ob.modifiers.find(ob.get(BAKED, "")) + 1
                play(ob, str(self._path(link.name)), self.source.frame_start, NAME)
                ob.modifiers.move(len(ob.modifiers) - 1, first)

    def close(self):
        """Leave no file."""
        for link in self.links:
            self._path(link.name).unlink(missing_ok=True)
        self.count = 0


def take_away():
    """Take the modifiers of a run in work from all objects of the file, which may be in other scenes, too."""
    for ob in bpy.data.objects:
        modifier = ob.modifiers.get(NAME) if ob.type == "MESH" else None
        if modifier is not None and modifier.type == "MESH_CACHE":
            ob.modifiers.remove(modifier)
