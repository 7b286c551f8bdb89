"""A Scene that a person put together in Python: whether its parts are what they should be, before any is used."""

from ..base.refusal import SceneError
from ..materials import Material, MaterialTable
from ..scene import Body, Joint, Scene

# What a Scene lists: its field, the class of one, how the list is written.
LISTS = (("bodies", Body, "[Body(...), ...]"), ("joints", Joint, "[Joint(...), ...]"))


def check_kinds(scene: object) -> None:
    """Raise SceneError for the first part of a scene that is of another kind than it should be."""
    if not isinstance(scene, Scene):
        raise SceneError(f"what to simulate is {_kind(scene)}; give a Scene, a file, or a name of `stiction scenes`")
    who = f"scene {scene.name!r}"
    for field, kind, written in LISTS:
        _check_list(who, field, getattr(scene, field), kind, written)
    if not isinstance(scene.materials, MaterialTable):
        raise SceneError(f"{who}: materials is {_kind(scene.materials)}; give MaterialTable([Material(...), ...])")
    _check_list(who, "the material table", scene.materials.materials, Material, "MaterialTable([Material(...), ...])")
    for body in scene.bodies:
        if not isinstance(body.material, str):
            name = getattr(body.material, "name", "wood")
            raise SceneError(f"body {body.name!r}: material is {_kind(body.material)}; give the name of one, {name!r}")
        if not hasattr(body.shape, "check") or isinstance(body.shape, type):
            raise SceneError(f"body {body.name!r}: shape is {_kind(body.shape)}; give one as Box((1, 1, 1))")


def _check_list(who: str, field: str, given: object, kind: type, written: str) -> None:
    if not isinstance(given, (tuple, list)):
        raise SceneError(f"{who}: {field} is {_kind(given)}; give {written}")
    for one in given:
        if not isinstance(one, kind):
            raise SceneError(f"{who}: {field} holds {_kind(one)}; give {written}")


def _kind(value: object) -> str:
    """A value in a few words."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return repr(value)
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
