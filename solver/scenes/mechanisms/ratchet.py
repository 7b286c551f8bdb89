"""Ratchet: twelve saw teeth and a pawl that falls between them; turns one way, holds its load the other."""

from math import pi

import numpy as np

from ...scene import Motor, Scene
from ...shapes import Compound, Cylinder, Part
from ..base import GRAVITY, SceneEntry, one_material
from ..results import below
from .plane import bearing, compound, polar, prism, turning

TEETH, TIP, ROOT, THICK = 12, 0.05, 0.042, 0.01  # radii and thickness [m]
PIVOT = (0.06, 0.052, 0.0)
# Outline of the pawl where it lies behind a tooth.
PAWL = ((0.0005, 0.0424), (0.0005, 0.049), (0.062, 0.056), (0.062, 0.048))


def ratchet(speed=-5.0, torque=0.5, friction=0.2):
    """Wheel about the origin, driven at `speed` [rad/s] by at most `torque` [N m]: positive turns freely, negative
    loads the pawl. Gravity along -y, axes along z."""
    pitch = 2 * pi / TEETH
    angles = pi / 2 + pitch * np.arange(TEETH + 1)
    corners = [(polar(ROOT, a), polar(TIP, a), polar(ROOT, b)) for a, b in zip(angles[:-1], angles[1:], strict=True)]
    teeth = [prism(three, THICK) for three in corners]
    core = Part(Cylinder(ROOT * np.cos(pitch / 2), THICK))
    wheel = turning("wheel", Compound((core, *(Part(tooth) for tooth in teeth))), 0.2, 3e-4)
    outline = np.array(PAWL) - PIVOT[:2]
    middle = (*outline.mean(axis=0), 0.0)
    pawl = turning("pawl", compound([prism(outline, THICK)]), 0.02, 1e-5, PIVOT, middle)
    joints = (bearing("axle", "wheel", (0.0, 0.0, 0.0), motor=Motor(speed, torque)),
              bearing("pin", "pawl", PIVOT))  # fmt: skip
    return Scene((wheel, pawl), one_material(friction), (0.0, -GRAVITY, 0.0), joints, name="ratchet",
                 settings={"time_step": 0.002})  # fmt: skip


PITCH = 2 * pi / TEETH


def check(trajectory):
    """The load turns the wheel back by less than a tooth."""
    angle = trajectory.joints[:, trajectory.joint_names.index("axle"), 0]
    return [below("turned back [teeth]", abs(angle[-1]) / PITCH, 1.0, "teeth")]


ENTRIES = (SceneEntry("ratchet", "Ratchet", "a pawl holds the load, and clicks over the teeth the other way", ratchet,
                      0.5, check),)  # fmt: skip
