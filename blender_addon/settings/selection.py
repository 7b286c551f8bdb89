"""Making bodies of objects."""

from ..running import kernels_ahead


def set_type(operator, objects, kind):
    """Give objects the body type `kind`; reports what was done and returns the operator's result."""
    linked = sum(ob.library is not None for ob in objects)
    objects = [ob for ob in objects if ob.library is None]
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
        none = f"none of the selected objects is a {'body' if kind == 'NONE' else 'mesh'}"
        none += " of this file: make them local" if linked else ""
        operator.report({"WARNING"}, none)
        return {"CANCELLED"}
    left = len(objects) - len(chosen)
    tail = f"; {left} left out, not {'bodies' if kind == 'NONE' else 'meshes'}" if left else ""
    tail += f"; {linked} left out, linked from other files: make them local" if linked else ""
    operator.report({"INFO"}, f"{len(chosen)} object{'s' if len(chosen) > 1 else ''} {verb}{tail}")
    return {"FINISHED"}
