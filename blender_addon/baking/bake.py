"""Trajectory -> animation, and back: Clear restores what the bake replaced."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from ...solver.base.refusal import SceneError
from ..bakers import BAKERS, deformables, instances
from ..bakers.base import ObjectFinder
from ..bakers.keyframes import Motion
from ..bakers.keyframes import baked_objects as keyed_objects
from ..base.steps import exhausted
from .record import Worn, restore, settle

__all__ = [
    "Lift", "Motion", "bake", "bake_steps", "baked_objects", "clear", "clear_steps", "lifted", "settle_all",
    "settle_steps",
]  # fmt: skip


def bake(scene, export, trajectory, name="Stiction Bake"):
    """Bake a trajectory in one go; as `bake_steps`."""
    return exhausted(bake_steps(scene, export, trajectory, name))


def bake_steps(scene, export, trajectory, name="Stiction Bake"):
    """Generator that bakes a trajectory, yielding often. An earlier bake is cleared first.

    Returns sentences to show: objects that are gone, motion that their parents' scale cannot express.
    """
    _, notes = yield from clear_steps(scene)
    frames = export.frame_start + trajectory.times * export.fps
    # Times are sums of steps: what is a whole frame up to rounding shall be one.
    frames = np.where(np.abs(frames - np.round(frames)) < 1e-6, np.round(frames), frames)
    if scene.stiction.bake_selected:
        export = _selected(scene, export)
    for baker in BAKERS:
        notes += yield from baker.bake(scene, export, trajectory, frames, name)
    return notes


def _selected(scene, export):
    """The export with links of selected bodies alone; SceneError if there is none."""
    pairs, _ = ObjectFinder(scene.objects).pairs(export.links)
    links = tuple(link for link, ob in pairs if link.active and ob.select_get())
    if not links:
        raise SceneError("no Active body is selected; select bodies, or switch Selected Only off and bake again")
    return replace(export, links=links)


def clear(scene):
    """Remove the bake in one go; as `clear_steps`."""
    return exhausted(clear_steps(scene))


def clear_steps(scene):
    """Generator that removes the bake from all objects of a scene, yielding often: their own actions and poses come
    back, and what a person has set since stays. Yields (objects done, objects in all) or None; returns (number of
    objects, sentences to show).

    Closed before the keyframes are off, the bake is as it was; closed later, all of it is removed at once.
    """
    try:
        return (yield from _clear_all(scene))
    except GeneratorExit:
        if not keyed_objects(scene):
            exhausted(_clear_all(scene))
        raise


def _clear_all(scene):
    total, sentences = 0, []
    for baker in BAKERS:
        count, notes = yield from baker.clear(scene)
        total, sentences = total + count, sentences + notes
    for name in ("signature", "summary", "run", "verdict", "verified"):
        setattr(scene.stiction, name, "")
    return total, sentences


def baked_objects(scene):
    """Objects of the scene that carry a bake of any kind."""
    return keyed_objects(scene) + instances.carried_objects(scene) + deformables.baked_objects(scene)


def settle_all(scene):
    """Take over what a person has set on baked objects, before anything else moves them. Returns sentences."""
    return exhausted(settle_steps(scene))


def settle_steps(scene):
    """As `settle_all`, a generator that yields often."""
    frame, notes = scene.frame_current_final, []
    for ob in keyed_objects(scene):
        note = settle(ob, frame)
        notes += [note] if note else []
        yield ob.name
    return notes


class Lift:
    """The scene as it is without its bake, from the end of `up` to the end of `down`; both are generators. `restore`
    brings the bake back at once, from wherever they are."""

    def __init__(self, scene):
        self.scene, self._lifted, self._others = scene, [], ExitStack()

    def up(self):
        """Take the bake off."""
        frame = self.scene.frame_current_final
        for ob in keyed_objects(self.scene):
            self._lifted.append(Worn(ob))
            restore(ob, frame)
            yield ob.name
        self._others.enter_context(instances.shown(self.scene))
        self._others.enter_context(deformables.at_rest(self.scene))

    def down(self):
        """Put the bake back."""
        self._others.close()
        while self._lifted:
            self._lifted.pop().put_on()
            yield len(self._lifted)

    def restore(self):
        """Put back at once what is not back yet."""
        exhausted(self.down())


@contextmanager
def lifted(scene):
    """The scene as it is without its bake; the bake is back afterwards."""
    lift = Lift(scene)
    try:
        exhausted(lift.up())
        yield
    finally:
        lift.restore()
