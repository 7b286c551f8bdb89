"""The frames of a run in work in the viewport, without keyframes: they are looked at as they come, or scrubbed.

Objects are moved while a run is shown and put back when it ends. Their own poses lie in their records meanwhile, with
the file's data, so that undo keeps both together; a file is saved with the own poses.
"""

import time

import bpy
import numpy as np
from mathutils import Quaternion

from ..bakers.base import ObjectFinder
from ..bakers.deformables import deformable_names
from ..bakers.keyframes import Motions, own_transform, parent_matrices
from ..bakers.own_poses import OwnPoses
from ..baking.record import put_back_all, rotation_path, show
from ..base import transforms
from .frames import RunFrames
from .run import source_of
from .soft_live import SoftLive, take_away
from .timeline_band import TimelineBand

# Part of the time that following the newest frame may take.
SHARE = 0.2
# A scene whose frame takes longer to evaluate [s] is not followed: the window would stutter. It can be scrubbed. One
# that takes longer to draw is followed the more seldom: clicks wait while a window draws.
SLOWEST = 0.12


class LiveView:
    """Shows the frames of a run, from its folder."""

    def __init__(self, run):
        self.run = run
        self.frames = self.soft = None
        self._band = TimelineBand()
        self._held = set()
        self._here = self._set = None
        self._next = 0.0
        self._drawn_from = None
        _views.append(self)
        _use_handlers(True)

    def update(self, context):
        """Look for new frames; show the newest where that is wished and the person looks at the end."""
        scene = self.run.scene()
        self._look_at_drawing()
        if scene is None or not self._grown():
            return
        self.soft.grow(scene)
        newest = self.run.reading.frame_start + self.frames.count - 1
        self._band.show(self.run.reading.frame_start, newest, self.run.reading.frame_end, context)
        if self._here is None:
            self._here = scene.frame_current, scene.frame_subframe
            self._set = scene.frame_current
        if self._follows(scene, context) and time.perf_counter() > self._next and newest != scene.frame_current:
            start = time.perf_counter()
            self._set = newest
            scene.frame_set(newest)
            took = time.perf_counter() - start
            self._next = start + took / SHARE if took < SLOWEST else float("inf")
            self._drawn_from = start + took

    def _look_at_drawing(self):
        """Wait longer with the next frame where the windows have just taken long to draw the last one."""
        if self._drawn_from is None:
            return
        now = time.perf_counter()
        took, self._drawn_from = now - self._drawn_from, None
        if took > SLOWEST:
            self._next = max(self._next, now + took / SHARE)

    def _follows(self, scene, context):
        """True if the newest frame is to be shown: the person has not gone to look at another."""
        playing = context.screen is not None and context.screen.is_animation_playing
        looked_at = scene == context.scene and scene.frame_current == self._set
        return scene.stiction.follow and looked_at and not playing

    def _grown(self):
        """True if there is something to show; reads the run's header once it is there."""
        if self.frames is None:
            if not self.run.job.done:
                return False
            self.frames = RunFrames(self.run.folder)
            self._places = _Places(self.run, self.frames)
            self.soft = SoftLive(self.run.folder, self.frames, self._places.source)
        return self.frames.update() > 0

    def pose(self, scene):
        """Put the objects where the run has them at the scene's frame; frames it has not reached show the last."""
        if self.frames is None or self.frames.count == 0:
            return
        row = int(np.clip(scene.frame_current - self.run.reading.frame_start, 0, self.frames.count - 1))
        for name, ob, location, rotation in self._places.at(scene, row):
            if name not in self._held and not show(ob, location, rotation):
                self._held.add(name)

    def show_again(self):
        """After objects were put back: show the run as before."""
        scene = self.run.scene()
        if scene is not None:
            self.pose(scene)
            if self.soft is not None:
                self.soft.show(scene)

    def close(self):
        """End showing; who followed the run looks at the frame from before again."""
        if self not in _views:
            return
        _views.remove(self)
        _use_handlers(bool(_views))
        self._band.close()
        scene = self.run.scene()
        # Also where nothing was shown yet: undo may have brought back what an earlier run showed.
        put_back()
        if self.soft is not None:
            self.soft.close()
        if scene is None:
            return
        followed = self._here is not None and scene.frame_current == self._set
        frame, subframe = self._here if followed else (scene.frame_current, scene.frame_subframe)
        # Evaluated anew in any case: what is animated goes back by that.
        scene.frame_set(frame, subframe=subframe)


class _Places:
    """Where the objects of a run stand, frame by frame."""

    def __init__(self, run, frames):
        self.frames, self.unit = frames, run.reading.unit
        self.source = source_of(run.reading, frames)
        soft = deformable_names(self.source)
        self.links = [link for link in self.source.links if link.active and link.name not in soft]
        pairs, _ = ObjectFinder(run.scene().objects).pairs(self.links)
        self.alone = [link for link, _ in pairs if link.name not in self.source.samples.parent]
        self.parented = [link for link, _ in pairs if link.name in self.source.samples.parent]
        column = {name: i for i, name in enumerate(frames.names)}
        self.columns = [column[link.name] for link in self.alone]
        self.own = OwnPoses([pair for pair in pairs if pair[0].name not in self.source.samples.parent], self.unit)

    def at(self, scene, row):
        """Yield (name, object, location, rotation in its mode) of every Active body at frame number `row`."""
        times, positions, orientations = self.frames.poses(row, row + 1)
        finder = ObjectFinder(scene.objects)
        places, turns = self.own.at(positions[:, self.columns], orientations[:, self.columns])
        for link, place, turn in zip(self.alone, places[0].tolist(), turns[0].tolist(), strict=True):
            ob = finder.find(link)
            if ob is not None:
                yield link.name, ob, place, _in_mode(ob, turn)
        one = _OneFrame(self.frames.names, positions, orientations)
        pairs, _ = finder.pairs(self.links if self.parented else [])
        motions, frame = Motions(pairs, one, self.unit), self.source.frame_start + times * self.source.fps
        for link in self.parented:
            ob = finder.find(link)
            if ob is not None:
                before = parent_matrices(ob, self.source, motions, frame)
                location, quaternion, _ = own_transform(ob, motions[ob], before)
                yield link.name, ob, location[0], _in_mode(ob, quaternion[0])


class _OneFrame:
    """A trajectory of one frame."""

    def __init__(self, names, positions, orientations):
        self.names, self.positions, self.orientations = names, positions, orientations


def _in_mode(ob, quaternion):
    """A quaternion as values of the object's rotation mode, close to those it has."""
    path, _ = rotation_path(ob.rotation_mode)
    if path == "rotation_quaternion":
        return quaternion
    if path == "rotation_axis_angle":
        return transforms.axis_angle(np.asarray(quaternion)[None])[0]
    return Quaternion(quaternion).to_euler(ob.rotation_mode, ob.rotation_euler)


_views: list = []


def put_back():
    """Give all objects of the file their own poses and shapes."""
    put_back_all()
    take_away()


def _on_frame(scene, depsgraph=None):
    if bpy.app.is_job_running("RENDER"):
        # Objects must not move while they are rendered.
        return
    for view in _views:
        if view.run.scene_uid == scene.session_uid:
            view.pose(scene)


@bpy.app.handlers.persistent
def _before_saving(*_):
    put_back()


def _after_saving(*_):
    for view in _views:
        view.show_again()


@bpy.app.handlers.persistent
def _after_going_back(*_):
    """A step of undo was made, or a file autosaved, while a run was shown that is over now: its poses go, too."""
    if not _views:
        put_back()


def start():
    """Listen to undo: there may be steps from before the extension was switched off, made while a run was shown. And to
    saving, as modes swing without a run."""
    for listeners, function in _always():
        _listen(listeners, function, True)


def _always():
    handlers = bpy.app.handlers
    going_back = handlers.undo_post, handlers.redo_post, handlers.load_post
    return (*((listeners, _after_going_back) for listeners in going_back), (handlers.save_pre, _before_saving))


def _use_handlers(on):
    """Listen to frames, and to what was saved, only while a run is shown."""
    handlers = bpy.app.handlers
    for listeners, function in ((handlers.frame_change_post, _on_frame), (handlers.save_post, _after_saving)):
        _listen(listeners, function, on)


def _listen(listeners, function, on):
    if on and function not in listeners:
        listeners.append(function)
    elif not on and function in listeners:
        listeners.remove(function)


def stop():
    """Show nothing any more."""
    for view in list(_views):
        view.close()
    for listeners, function in _always():
        _listen(listeners, function, False)
