"""The snakes of "A Nonsmooth Nonlinear Conjugate Gradient Method ..." (2010), Figure 4 (g) and (i).

Table 1 counts 42 and 30 constraint rows, of which 36 and 30 are independent, for eleven bodies. Six boxes that move and
six hinges of five rows have that: hung from a fixed link 30 rows, all independent; with the last box standing on four
contacts of three rows 42, of which the 36 velocities of six bodies can tell 36. The paper shows neither sizes nor axes;
the axes here are those of a snake, by turns across and upright, without which the arch could move in one plane alone.
"""

from math import atan2, cos, pi, sin

import numpy as np

from ...materials import Material, MaterialTable
from ...scene import Body, Joint, Motion, Scene
from ...shapes import Box
from ..base import SceneEntry, axis_angle, floor, quadruple, triple
from ..checks import stands

FIGURE = "NNCG 2010, Fig. 4"
SIZE = (0.35, 0.3, 0.3)


def _axis(k, turn):
    """Axis of hinge k [world] on a chain whose links are turned about y by `turn` [rad]."""
    return (0.0, 1.0, 0.0) if k % 2 == 0 else triple((sin(turn), 0.0, cos(turn)))


def hung_snake(links=6, gap=0.1):
    """Fig. 4(i): boxes in a row under a fixed link."""
    pitch = SIZE[0] + gap
    turn = quadruple(axis_angle((0, 1, 0), pi / 2))
    bodies = [Body("link", Box(SIZE), motion=Motion.STATIC, position=(0, 0, 0), orientation=turn)]
    joints = []
    for k in range(links):
        bodies.append(Body(f"box{k}", Box(SIZE), position=(0.0, 0.0, -(k + 1) * pitch), orientation=turn))
        axis = (0.0, 1.0, 0.0) if k % 2 == 0 else (1.0, 0.0, 0.0)
        joints.append(Joint(f"h{k}", "hinge", (bodies[-2].name, bodies[-1].name), (0, 0, -(k + 0.5) * pitch), axis))
    return Scene(tuple(bodies), MaterialTable((Material("default", friction=0.6),)), joints=tuple(joints),
                 name="nncg_snake_hung")  # fmt: skip


def arched_snake(links=6, half_span=1.0, rise=1.3, friction=0.8):
    """Fig. 4(g): an arch of boxes from a fixed link on the floor to a last one that stands on it."""
    # Links stand upright at both ends: their middles lie on half an ellipse. On half a circle all upright axes would
    # meet in its middle, and one row say nothing new.
    angles = np.linspace(pi, 0.0, links + 1)
    low = 0.5 * SIZE[0]
    places = [np.array([half_span * cos(a), 0.0, low + rise * sin(a)]) for a in angles]
    turns = [atan2(rise * cos(a), half_span * sin(a)) for a in angles]
    bodies, joints = [floor()], []
    for k, (place, turn) in enumerate(zip(places, turns, strict=True)):
        motion = Motion.STATIC if k == 0 else Motion.DYNAMIC
        name = "link" if k == 0 else f"box{k - 1}"
        bodies.append(Body(name, Box(SIZE), motion=motion, position=triple(place),
                           orientation=quadruple(axis_angle((0, 1, 0), turn))))  # fmt: skip
        if k:
            middle = 0.5 * (places[k - 1] + place)
            turned = 0.5 * (turns[k - 1] + turn)
            joints.append(Joint(f"h{k - 1}", "hinge", (bodies[-2].name, name), triple(middle), _axis(k, turned)))
    return Scene(tuple(bodies), MaterialTable((Material("default", friction=friction),)), joints=tuple(joints),
                 name="nncg_snake_arch")  # fmt: skip


ENTRIES = (
    SceneEntry("nncg_snake_arch", "Arched snake", "boxes and hinges stand as an arch", arched_snake, 4.0, stands(0.5),
               f"{FIGURE}(g): 11 bodies"),
    SceneEntry("nncg_snake_hung", "Hung snake", "boxes and hinges hang from a fixed link", hung_snake, 4.0, stands(0.5),
               f"{FIGURE}(i): 11 bodies"),
)  # fmt: skip
