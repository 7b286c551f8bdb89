"""Making bodies of objects."""

from ..running import kernels_ahead


def is_dynamic(ob):
    """True if the simulation moves the object, from the first frame or from its release on, or all but its pins."""
    settings = ob.stiction
    return settings.type == "ACTIVE" and (not settings.kinematic or settings.release or settings.elastic.use)


def set_type(operator, objects, kind):
    """Give objects the body type `kind`; reports what was done and returns the operator's result."""
    if kind == "NONE":
        chosen = [ob for ob in objects if ob.stiction.type != "NONE"]
    else:
        chosen = [ob for ob in objects if ob.type == "MESH"]
    for ob in chosen:
        ob.stiction.type = kind
    if kind == "ACTIVE" and chosen:
        kernels_ahead.begin()
    verb = {"ACTIVE": "made Active", "PASSIVE": "made Passive", "NONE": "removed"}[kind]
    if not chosen:
        none = "none of the selected objects is a body" if kind == "NONE" else "none of the selected objects is a mesh"
        operator.report({"WARNING"}, none)
        return {"CANCELLED"}
    left = len(objects) - len(chosen)
    tail = f"; {left} left out, not {'bodies' if kind == 'NONE' else 'meshes'}" if left else ""
    operator.report({"INFO"}, f"{len(chosen)} object{'s' if len(chosen) > 1 else ''} {verb}{tail}")
    return {"FINISHED"}
