"""Bodies of other files: linked ones, which no bake can move, and library overrides, of which Blender forgets that."""

from ...solver.base.wording import counted
from .base import REFUSED, WARNING, Check, Finding

FORGOTTEN = (
    "is a library override: Blender saves its keys, and neither its settings nor what Clear needs; make it local"
)


def find(scan):
    """Yield a Finding for every Active body whose bake Blender could not keep."""
    for ob, subject in scan.objects():
        if subject.dynamic and ob.library is not None:
            yield Finding((ob.name,), f"is linked from {ob.library.filepath}", REFUSED)
        elif subject.dynamic and ob.override_library is not None:
            yield Finding((ob.name,), FORGOTTEN, WARNING)
    yield None


def make_local(_scene, objects, _scan):
    """Make objects of this file of them."""
    for ob in objects:
        for collection in ob.users_collection:
            if collection.library is not None:
                collection.make_local()
        ob.make_local(clear_liboverride=True)
    return f"{counted(len(objects), 'object')} made local"


CHECK = Check("linked", "Linked", find, "Make Local", make_local)
