"""Constraints of an object that a bake, or a run that is shown, mutes: they say where it begins or is held, no more."""


def acting(ob):
    """Names of the constraints that act on an object without its bake."""
    muted = muted_by_bake(ob)
    return [constraint.name for constraint in ob.constraints if not constraint.mute or constraint.name in muted]


def mute(ob, names):
    """Mute constraints of an object by their names; those muted before act again."""
    record = ob.stiction.record
    for name in muted_by_bake(ob):
        if name in ob.constraints:
            ob.constraints[name].mute = False
    record.muted = "\n".join(names)
    for name in names:
        ob.constraints[name].mute = True


def muted_by_bake(ob):
    """Names of an object's constraints that act without its bake, or without the run that is shown on it."""
    return [name for name in ob.stiction.record.muted.split("\n") if name]
