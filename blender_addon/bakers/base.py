"""What a baker is: one way in which the frames of a run become animation. Both of its verbs are generators that yield
often, so that the window lives on meanwhile."""

from collections.abc import Callable
from typing import NamedTuple


class Baker(NamedTuple):
    """bake(scene, export, trajectory, frames (F,), name): generator that keys what this kind stands for and returns
    sentences to show; clear(scene): generator that takes it away again and returns (number of objects, sentences);
    what it yields is (objects done, objects in all), or None."""

    key: str
    bake: Callable
    clear: Callable


class ObjectFinder:
    """Finds the objects of links among those of a scene as it is now: asking Blender for one name looks through all."""

    def __init__(self, objects):
        self._by_name = {ob.name: ob for ob in objects}
        self._by_number = None

    def find(self, link):
        """The object of a link, by its session number, else by name; None if the user removed it."""
        by_name = self._by_name.get(link.name)
        if by_name is not None and by_name.session_uid == link.session_uid:
            return by_name
        if self._by_number is None:
            self._by_number = {ob.session_uid: ob for ob in self._by_name.values()}
        return self._by_number.get(link.session_uid, by_name)

    def pairs(self, links):
        """([(link, object)] of those that are there, sentences on those that are not)."""
        found = [(link, self.find(link)) for link in links]
        missing = [f"object {link.name!r} is gone; its motion was left out" for link, ob in found if ob is None]
        return [pair for pair in found if pair[1] is not None], missing
