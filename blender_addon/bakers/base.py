"""What a baker is: one way in which the frames of a run become animation."""

from collections.abc import Callable
from typing import NamedTuple


class Baker(NamedTuple):
    """bake(scene, export, trajectory, frames (F,), name) keys what this kind stands for and returns sentences to show;
    clear(scene) takes it away again and returns (number of objects, sentences)."""

    key: str
    bake: Callable
    clear: Callable


def find_object(link, scene):
    """The object of a link, by its session number, else by name; None if the user removed it."""
    by_name = scene.objects.get(link.name)
    if by_name is not None and by_name.session_uid == link.session_uid:
        return by_name
    by_number = (ob for ob in scene.objects if ob.session_uid == link.session_uid)
    return next(by_number, by_name)
