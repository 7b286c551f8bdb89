"""A run shown in a demo's scene, whole or as far as it has come: baked, and decorated as the demo wishes."""

import numpy as np

from ..baking import bake as baking
from ..exporting import reading as readings
from ..inside.contacts import Record
from ..running.frames import RunFrames
from ..running.run import source_of
from . import DEMOS

# Moments of a contact sheet, as parts of the film, where a demo chooses none by what happened.
MOMENTS = (0.08, 0.18, 0.42, 0.52, 0.7, 1.0)


def show(scene, name, folder):
    """Bake the frames that there are by now of the run in a folder; returns their number."""
    reading, frames = readings.load(folder), RunFrames(folder).load()
    baking.bake(scene, source_of(reading, frames), frames)
    decorate(scene, name, folder)
    return frames.count


def decorate(scene, name, folder):
    """Add to a baked scene what the demo shows of its run."""
    if hasattr(DEMOS[name], "decorate"):
        DEMOS[name].decorate(scene, record_of_run(folder))


def moments(name, folder, total):
    """[(row, words)] of the frames out of `total` that tell what happened in the finished run in a folder."""
    if hasattr(DEMOS[name], "moments"):
        return DEMOS[name].moments(record_of_run(folder))
    return [(int(row), "") for row in np.unique(np.round(np.array(MOMENTS) * (total - 1)))]


def record_of_run(folder):
    """The Record of the run in a folder, as far as it has come."""
    reading = readings.load(folder)
    return Record(folder, reading.unit, reading.frame_start)
