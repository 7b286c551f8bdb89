"""Generic: each of six motions free or held: x y z along, rx ry rz about the axes of the joint frame.

The frame has its z along `axis` and its x along `axis2`. Angles are those of turns about x, then the new y, then the
new z (Euler XYZ) of the second body against the first.
"""

from ...base.refusal import SceneError
from .base import ALIGNED, ANGLE, ANGLES, POINT, Feature, Held, JointType, Part

LETTERS = ("x", "y", "z", "rx", "ry", "rz")
EULER = {name: Feature(Part.EULER, i) for i, name in enumerate(LETTERS[3:])}


def held(joint):
    """Rows by the free motions."""
    for name in joint.free:
        if name not in LETTERS:
            raise SceneError(f"joint {joint.name!r}: free has {name!r}; choose of {', '.join(LETTERS)}")
    points = tuple(POINT[i] for i in range(3) if LETTERS[i] not in joint.free)
    turns = [name for name in LETTERS[3:] if name in joint.free]
    if not turns:
        angles = ANGLES
    elif turns == ["rz"]:
        angles = ALIGNED
    else:
        angles = tuple(EULER[name] for name in LETTERS[3:] if name not in turns)
    coordinates = {LETTERS[i]: POINT[i] for i in range(3) if LETTERS[i] in joint.free}
    coordinates |= {name: ANGLE if turns == ["rz"] else EULER[name] for name in turns}
    return Held((*points, *angles), coordinates)


GENERIC = JointType(
    "generic", "Generic", "Each of six motions free or held", held, keys=("axis", "axis2", "free"),
    coordinates=LETTERS,
)  # fmt: skip
