"""A nut on a bolt's thread, by contact: it runs down under its load or holds itself, as the friction says."""

from math import pi

import numpy as np

from ...scene import Body, Joint, Motion, Scene
from ...shapes import Compound, ConvexHull, Part, Sphere
from ..base import GRAVITY, SceneEntry, one_material, triple
from ..checks import stands
from .plane import compound

LEAD, RADIUS, LOAD = 0.005, 0.01, 100.0  # [m a turn], [m], [N]
FACETS, INNER, OUTER, THICK, FOLLOWER = 48, 0.008, 0.012, 0.001, 0.0015
FEET = 3


def bolt(friction=0.15, turns=1.6, below=0.3):
    """A square thread of 5 mm lead on 20 mm, of flat facets, and a nut that stands on it with three round feet; `turns`
    of thread, of which `below` is under the lowest foot. The nut's bearing lets it turn and slide."""
    slope = LEAD / (2 * pi)
    count = round(FACETS * turns)
    angles = (np.arange(count) - below * FACETS) * 2 * pi / FACETS
    thread = compound([_facet(angle, slope) for angle in angles])
    tilt = np.arctan(slope / RADIUS)
    # A foot touches its facet at RADIUS, a little downhill of its centre.
    feet = []
    for k in range(FEET):
        angle = 2 * pi * k / FEET + 1e-3
        point = np.array([RADIUS * np.cos(angle), RADIUS * np.sin(angle), _height(angle, slope)])
        along = np.array([-np.sin(angle), np.cos(angle), 0.0])
        feet.append(point + FOLLOWER * (np.cos(tilt) * np.array([0, 0, 1.0]) - np.sin(tilt) * along))
    shape = Compound(tuple(Part(Sphere(FOLLOWER), triple(foot)) for foot in feet))
    mass = LOAD / GRAVITY
    nut = Body("nut", shape, mass=mass, inertia=(mass * RADIUS**2,) * 3, center_of_mass=(0.0, 0.0, 0.0))
    screw = Body("bolt", thread, motion=Motion.STATIC)
    joint = Joint("bore", "cylindrical", ("world", "nut"), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    return Scene((screw, nut), one_material(friction), joints=(joint,), name="bolt", settings={"time_step": 0.002})


def _middle(angle):
    """Angle in the middle of the facet an angle is on."""
    return np.round(angle * FACETS / (2 * pi)) * 2 * pi / FACETS


def _height(angle, slope):
    """Height of the thread at RADIUS."""
    middle = _middle(angle)
    return slope * (middle + np.sin(angle - middle))


def _facet(angle, slope):
    """A wedge of thread whose flat upper side climbs along its middle's tangent as steeply as the helix at RADIUS."""
    half = pi / FACETS
    radial, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    corners = []
    for turn in (-half, half):
        for radius in (INNER, OUTER):
            spot = radius * (np.cos(turn) * radial + np.sin(turn) * along)
            top = slope * angle + slope / RADIUS * radius * np.sin(turn)
            corners += [[*spot, top], [*spot, slope * angle - THICK]]
    return ConvexHull(np.array(corners))


def self_locking():
    """Least friction that holds the nut: the tangent of the lead angle."""
    return LEAD / (2 * pi * RADIUS)


ENTRIES = (SceneEntry("bolt", "Bolt and nut", "a thread that holds itself, by contact alone", bolt, 0.5, stands(LEAD)),)
