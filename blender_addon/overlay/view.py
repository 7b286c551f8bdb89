"""What an overlay may look at when it is drawn."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..inside.contacts import record_of


@dataclass
class View:
    """A scene at a frame; length: factor on arrows; only_selected: nothing of other bodies is drawn."""

    scene: object
    frame: float
    length: float = 1.0
    only_selected: bool = False

    @cached_property
    def record(self):
        """The baked run; None without one."""
        return record_of(self.scene)

    @cached_property
    def row(self):
        """Row of the frame in the run."""
        return self.record.row(self.frame)

    @cached_property
    def chosen(self):
        """Bodies of the run (R,) that are to be drawn."""
        if not self.only_selected:
            return np.ones(len(self.record.names), dtype=bool)
        names = {ob.name for ob in self.scene.objects if ob.select_get()}
        return np.array([name in names for name in self.record.names])

    @cached_property
    def contacts(self):
        """FrameContacts of the frame that touch a chosen body."""
        found = self.record.contacts(self.row)
        keep = self.chosen[found.body].any(axis=1) if len(found) else np.zeros(0, dtype=bool)
        return type(found)(*(value[keep] for value in vars(found).values()))

    @cached_property
    def size(self):
        """A usual size of a body that moves [Blender units]."""
        moving = np.array([motion != "static" for motion in self.record.motion])
        return float(np.median(self.record.size[moving])) if moving.any() else 1.0

    @cached_property
    def force_length(self):
        """Blender units for each newton: a large force of the run is twice a body's size long."""
        largest = self.record.largest_force
        return 2.0 * self.size * self.length / largest if largest else 0.0
