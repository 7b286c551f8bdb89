"""Toggle clamp: a load on the knee of two links presses a slide against a stop, the harder the straighter they are."""

from math import cos, radians, sin, tan

import numpy as np

from ...scene import Body, Joint, Motion, Scene
from ...shapes import Box
from ..base import GRAVITY, SceneEntry, one_material
from ..checks import stands

LINK, LOAD, LIGHT = 0.2, 1.0, 1e-5  # [m], [kg]


def toggle(angle=5.0):
    """`angle` [degrees] of the links to the line of their ends; 1 kg hangs at the knee, all else weighs 10 mg."""
    a = radians(angle)
    knee, end = (LINK * cos(a), 0.0, LINK * sin(a)), (2 * LINK * cos(a), 0.0, 0.0)
    small = dict(collides_with=(), mass=LIGHT, inertia=(1e-6,) * 3)
    first = Body("first link", Box((0.02, 0.02, 0.02)), position=knee, mass=LOAD, inertia=(1e-4,) * 3, collides_with=())
    second = Body("second link", Box((0.02, 0.02, 0.02)), position=((knee[0] + end[0]) / 2, 0.0, knee[2] / 2), **small)
    slide = Body("slide", Box((0.04, 0.04, 0.04)), position=end, mass=LIGHT, inertia=(1e-6,) * 3)
    stop = Body("stop", Box((0.04, 0.1, 0.1)), motion=Motion.STATIC, position=(end[0] + 0.04, 0.0, 0.0))
    axis = (0.0, 1.0, 0.0)
    joints = (
        Joint("base", "hinge", ("world", "first link"), (0.0, 0.0, 0.0), axis),
        Joint("knee", "hinge", ("first link", "second link"), knee, axis),
        Joint("wrist", "hinge", ("second link", "slide"), end, axis),
        Joint("guide", "slider", ("world", "slide"), end, (1.0, 0.0, 0.0)),
    )
    return Scene((first, second, slide, stop), one_material(0.3), joints=joints, name="toggle_clamp")


def gain(angle):
    """Force on the stop over that on the knee."""
    return 1 / (2 * tan(radians(angle)))


def clamping_force(contacts, impulses, step):
    """Force [N] on the stop, of the contacts' impulses (C,4) in a step [s]."""
    return float(np.abs(np.sum(impulses[:, :1] * contacts.normal, axis=0)[0])) / step


def weight():
    """Force [N] on the knee."""
    return LOAD * GRAVITY


ENTRIES = (SceneEntry("toggle_clamp", "Toggle clamp", "two links, nearly straight, press 5.7 times their load", toggle,
                      0.5, stands(LINK)),)  # fmt: skip
