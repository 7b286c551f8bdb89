"""Capstan: a rope of links over a drum holds a load e^(mu pi) times the one at its other end."""

from math import cos, exp, pi, sin, tan

import numpy as np

from ...scene import Body, Joint, Motion, Scene
from ...shapes import Box, Cylinder
from ..base import SceneEntry, axis_angle, one_material, quadruple, triple
from ..checks import stands

DRUM, THICK, WIDE = 0.1, 0.002, 0.02
LOAD = 10.0  # [kg] on the slack side


def capstan(ratio=2.4, friction=0.3, links=12, link_mass=3e-3):
    """Half a turn of `links` flat links of 3 g on a drum of 0.1 m; loads hang straight down at both ends, `ratio` of
    them against each other. Hinges join the links where their undersides meet."""
    step = pi / links
    half = DRUM * tan(step / 2)
    drum = Body("drum", Cylinder(DRUM, 0.1), motion=Motion.STATIC, orientation=quadruple(axis_angle((1, 0, 0), pi / 2)))
    bodies, joints, corners = [drum], [], []
    for k in range(links):
        angle = pi - (k + 0.5) * step
        out = np.array([cos(angle), 0.0, sin(angle)])
        turn = axis_angle((0, 1, 0), pi / 2 - angle)
        bodies.append(Body(f"link {k}", Box((2 * half, WIDE, THICK)), position=triple((DRUM + THICK / 2) * out),
                           orientation=quadruple(turn), mass=link_mass,
                           inertia=(link_mass * DRUM**2 * 1e-2,) * 3))  # fmt: skip
    for k in range(links + 1):
        angle = pi - k * step
        corners.append(DRUM / cos(step / 2) * np.array([cos(angle), 0.0, sin(angle)]))
    for k in range(1, links):
        joints.append(Joint(f"hinge {k}", "hinge", (f"link {k - 1}", f"link {k}"), triple(corners[k]), (0, 1, 0)))
    for name, link, corner, mass in (("slack", "link 0", corners[0], LOAD),
                                     ("taut", f"link {links - 1}", corners[-1], LOAD * ratio)):  # fmt: skip
        bodies.append(Body(name, Box((0.05, 0.05, 0.05)), position=(corner[0], 0.0, -0.3), mass=mass,
                           inertia=(mass * 1e-3,) * 3, collides_with=()))  # fmt: skip
        joints.append(Joint(f"{name} rope", "ball", (link, name), triple(corner)))
    return Scene(tuple(bodies), one_material(friction), joints=tuple(joints), name="capstan",
                 settings={"time_step": 0.002})  # fmt: skip


def limit(friction=0.3):
    """Euler and Eytelwein: the largest ratio of the loads that does not slip."""
    return exp(friction * pi)


ENTRIES = (SceneEntry("capstan", "Capstan", "half a turn of rope holds 2.4 times the load", capstan, 0.1,
                      stands(DRUM)),)  # fmt: skip
