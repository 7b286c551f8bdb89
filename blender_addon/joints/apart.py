"""Pairs of bodies that a joint keeps from touching each other."""

from .constraints import between
from .own_reading import joint_objects

# Whom most bodies never touch.
NOBODY = frozenset()


def joined_apart(scene, objects):
    """Names of the pairs of the bodies `objects` that do not collide by what joins them, whether it holds or not."""
    constraints = [ob.rigid_body_constraint for ob in between(scene, objects)]
    found = [(own.object1, own.object2) for own in constraints if own.disable_collisions]
    joints = [ob.stiction_joint for ob in joint_objects(scene)]
    found += [(own.object1, own.object2) for own in joints if not own.collide]
    return {tuple(sorted((a.name, b.name))) for a, b in found if a is not None and b is not None}


def read_apart(joints):
    """The same of joints as they were read, plain dicts."""
    found = set()
    for one in joints:
        settings = one["settings"]
        apart = not settings["collide"] if one.get("own") else settings["disable_collisions"]
        if apart and one["object1"] and one["object2"]:
            found.add(tuple(sorted((one["object1"], one["object2"]))))
    return found


def beside(pairs):
    """{name: names of those it is in a pair with}, from pairs of names."""
    found = {}
    for a, b in pairs:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {name: frozenset(others) for name, others in found.items()}
