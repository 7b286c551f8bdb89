"""What a type of joint is: which motions it holds, and which it leaves free and gives names to.

Elementary functions of the poses of two bodies with joint frames A (on a) and B (on b), columns s, t, z, anchors p_a
and p_b, d = p_b - p_a. Their derivatives by the twists are exact (kernels in ../jointed/function_kernels.py).
"""

from collections.abc import Callable
from dataclasses import field
from enum import IntEnum
from typing import NamedTuple

from ...base.records import record


class Part(IntEnum):
    """Kind of an elementary function, of axes i and j."""

    POINT = 0  # A_i . d [m]
    AXES = 1  # angle [rad] by which A_i and B_j are from square to each other
    ANGLES = 2  # component i of the rotation vector of A^T B [rad], no longer than half a turn
    DISTANCE = 3  # |d| [m]
    ANGLE = 4  # angle of B against A about their common axis i [rad], turns counted
    EULER = 5  # angle i of A^T B = Rx Ry Rz [rad], turns counted
    SWING = 6  # angle between z of A and z of B [rad]
    TWIST = 7  # turn of B about its z after the swing [rad], turns counted
    TURNS = 8  # angle i of A^T B = Rz Ry Rx [rad], turns counted
    LEAN = 9  # angle [rad] by which B_j leans from A_j, as far as that is towards A_i


ANGULAR = frozenset({Part.AXES, Part.ANGLES, Part.ANGLE, Part.EULER, Part.SWING, Part.TWIST, Part.TURNS,
                     Part.LEAN})  # fmt: skip


class Feature(NamedTuple):
    """An elementary function: its Part and its axes."""

    part: Part
    i: int = 0
    j: int = 0

    @property
    def angular(self):
        """Whether it is an angle."""
        return self.part in ANGULAR


POINT = tuple(Feature(Part.POINT, i) for i in range(3))
ACROSS = POINT[:2]
ALIGNED = (Feature(Part.LEAN, 0, 2), Feature(Part.LEAN, 1, 2))
ANGLES = tuple(Feature(Part.ANGLES, i) for i in range(3))
TRAVEL, ANGLE = POINT[2], Feature(Part.ANGLE, 2)


class Combined(NamedTuple):
    """A held row made of coordinates: sum of factor times coordinate = constant, None for what it is at the start.

    terms: (name of a joint or None for this one, name of its coordinate or None for its first, factor).
    """

    terms: tuple
    constant: float | None = None


class Slip(NamedTuple):
    """What slides where the last combined row presses: terms (name of a coordinate, factor) [m], and the normal force
    there, as a part of the row's."""

    terms: tuple
    pressure: float


@record
class Held:
    """What one joint holds and leaves: features held at zero, coordinates by name, combined rows, limits by coordinate
    that the type itself sets, lengths by coordinate held, and what slides in a bearing: by default each coordinate
    under the force across."""

    features: tuple = ()
    coordinates: dict = field(default_factory=dict)
    combined: tuple = ()
    limits: dict = field(default_factory=dict)
    lengths: dict = field(default_factory=dict)
    slip: Slip | None = None


@record
class JointType:
    """An entry of JOINTS. held(joint): the Held of a Joint; keys: fields of Joint it takes besides those of all;
    needs: those of them that must be given; resist: features that friction and springs without a coordinate's name act
    on, None for the first coordinate; bodies: whether it names bodies, else joints; point: where the two anchors must
    coincide."""

    key: str
    label: str
    description: str
    held: Callable
    keys: tuple = ()
    needs: tuple = ()
    resist: tuple | None = None
    bodies: bool = True
    drives: bool = True
    coordinates: tuple = ()
