"""Generic: each of six motions free or held: x y z along, rx ry rz about the axes of the joint frame.

The frame has its z along `axis` and its x along `axis2`. Two or three free angles are those of turns of the second body
about the axes x, then y, then z of the first: A^T B = Rz Ry Rx. Blender calls that Euler XYZ, and Bullet's generic
constraints hold and limit these angles (with the opposite sign; btGeneric6DofSpring2Constraint.cpp, matrixToEulerXYZ).
"""

from ...base.refusal import SceneError
from .base import ANGLES, POINT, Feature, Held, JointType, Part

LETTERS = ("x", "y", "z", "rx", "ry", "rz")


def held(joint):
    """Rows by the free motions."""
    for name in joint.free:
        if name not in LETTERS:
            raise SceneError(f"joint {joint.name!r}: free has {name!r}; choose of {', '.join(LETTERS)}")
    points = tuple(POINT[i] for i in range(3) if LETTERS[i] not in joint.free)
    free = [i for i in range(3) if LETTERS[3 + i] in joint.free]
    if not free:
        angles, turns = ANGLES, {}
    elif len(free) == 1:
        # About one axis a body may turn as far as it likes: no order of turns, and none of their singular poses.
        i = free[0]
        angles = tuple(Feature(Part.LEAN, (i + k) % 3, i) for k in (1, 2))
        turns = {LETTERS[3 + i]: Feature(Part.ANGLE, i)}
    else:
        angles = tuple(Feature(Part.TURNS, i) for i in range(3) if i not in free)
        turns = {LETTERS[3 + i]: Feature(Part.TURNS, i) for i in free}
    coordinates = {LETTERS[i]: POINT[i] for i in range(3) if LETTERS[i] in joint.free}
    return Held((*points, *angles), coordinates | turns)


GENERIC = JointType(
    "generic", "Generic", "Each of six motions free or held", held, keys=("axis", "axis2", "free"),
    coordinates=LETTERS,
)  # fmt: skip
