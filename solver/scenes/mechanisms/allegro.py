"""The Allegro hand (Wonik Robotics) with a cube in its finger tips.

Joints, limits, shapes and masses are those of allegro_hand_description in example-robot-data (BSD), which tests compare
them with; moments of inertia are those of the shapes. Its joint friction of 5 to 12 N m, more than the drives need to
hold anything, is left out. Axes: z along the fingers, x out of the palm.
"""

from dataclasses import replace
from math import pi

import numpy as np

from ...meshes.tet_grids import box_grid
from ...robots.robot import Link, Robot, RobotJoint
from ...scene import Body, Elastic
from ...shapes import Box, Part, Sphere, Tetrahedra
from ..base import SceneEntry, axis_angle, one_material, rotation_matrix
from ..checks import stays_held

X, Y, Z = np.eye(3)
TURN = 0.08726646255
TIP, TIP_MASS = 0.012, 0.0168
# Of a link: mass [kg], box, where its centre is, where the next joint is [m].
FINGER = ((0.0119, (0.0196, 0.0275, 0.0164), (0.0, 0.0, 0.0082), (0.0, 0.0, 0.0164)),
          (0.065, (0.0196, 0.0275, 0.054), (0.0, 0.0, 0.027), (0.0, 0.0, 0.054)),
          (0.0355, (0.0196, 0.0275, 0.0384), (0.0, 0.0, 0.0192), (0.0, 0.0, 0.0384)),
          (0.0096, (0.0196, 0.0275, 0.0267), (0.0, 0.0, 0.01335), (0.0, 0.0, 0.0267)))  # fmt: skip
THUMB = ((0.0176, (0.0358, 0.034, 0.0455), (-0.0179, 0.009, 0.0145), (-0.027, 0.005, 0.0399)),
         (0.0119, (0.0196, 0.0275, 0.0177), (0.0, 0.0, 0.00885), (0.0, 0.0, 0.0177)),
         (0.038, (0.0196, 0.0275, 0.0514), (0.0, 0.0, 0.0257), (0.0, 0.0, 0.0514)),
         (0.0388, (0.0196, 0.0275, 0.0423), (0.0, 0.0, 0.02115), (0.0, 0.0, 0.0423)))  # fmt: skip
LIMITS = ((-0.47, 0.47), (-0.196, 1.61), (-0.174, 1.709), (-0.227, 1.618))
THUMB_LIMITS = ((0.263, 1.396), (-0.105, 1.163), (-0.189, 1.644), (-0.162, 1.719))
# Where fingers begin on the palm [m], and how they are spread [rad].
FINGERS = ((0.0435, -0.001542, -TURN), (0.0, 0.0007, 0.0), (-0.0435, -0.001542, TURN))
EFFORT = 15.0
# Of the pose in which the tips are 0.1 mm from a cube of 50 mm: joint angles [rad], the cube's centre [m].
EDGE = 0.05
GRASP = (-0.16517, 0.56794, 0.73709, 0.7081, 0.06731, 0.55308, 0.76805, 0.73423,
         0.29237, 0.63325, 0.64886, 0.72686, 1.17637, 0.72489, 0.74208, 0.89232)  # fmt: skip
CENTER = (0.089, 0.006, 0.023)


def allegro_hand():
    """The right hand as a Robot, its palm the base."""
    palm = [Part(Box((0.0408, 0.113, 0.095)), (-0.0093, 0.0, -0.0475))]
    links = {"palm_link": Link("palm_link", 0.4154, np.array([-0.0093, 0.0, -0.0475]), None, palm)}
    joints = []
    for k, (y, z, roll) in enumerate(FINGERS):
        base = np.array([0.0, y, z]), rotation_matrix(axis_angle(X, roll))
        _digit(links, joints, 4 * k, base, FINGER, (Z, Y, Y, Y), LIMITS)
    turn = rotation_matrix(axis_angle(Z, -pi / 2)) @ rotation_matrix(axis_angle(Y, -pi / 2 - TURN))
    base = np.array([-0.0182, 0.019333, -0.045987]), turn
    _digit(links, joints, 12, base, THUMB, (-X, Z, Y, Y), THUMB_LIMITS)
    return Robot("allegro_hand", links, tuple(joints), "palm_link")


def _digit(links, joints, first, base, bones, axes, limits):
    """Add a finger's or the thumb's links and joints, numbered from `first`, and its tip."""
    parent, (place, turn) = "palm_link", base
    for i, ((mass, size, center, ahead), axis, limit) in enumerate(zip(bones, axes, limits, strict=True)):
        name = f"link_{first + i}.0"
        links[name] = Link(name, mass, np.array(center), None, [Part(Box(size), center)])
        joints.append(RobotJoint(f"joint_{first + i}.0", "revolute", parent, name, place, turn, axis, limit, EFFORT))
        parent, place, turn = name, np.array(ahead), np.eye(3)
    tip = f"{parent}_tip"
    links[tip] = Link(tip, TIP_MASS, np.zeros(3), None, [Part(Sphere(TIP))])
    joints.append(RobotJoint(f"joint_{first + 3}.0_tip", "fixed", parent, tip, place, turn))


def allegro(friction=0.8, mass=0.2, push=5.0, stiffness=20.0, damping=0.3, gravity=(0.0, 0.0, -9.81)):
    """The hand, its palm held, with a cube of 50 mm and `mass` [kg] between finger tips and thumb: each finger pushes
    with `push` [N] and the thumb against them; servos of `stiffness` [N m/rad] and `damping` [N m s/rad]."""
    # Here, so that the list of scenes can be read without numba.
    from ...robots.bodies import robot_scene

    hand = allegro_hand()
    grasp = {f"joint_{k}.0": angle for k, angle in enumerate(GRASP)}
    targets = {name: angle + torque / stiffness
               for (name, angle), torque in zip(grasp.items(), torques(hand, grasp, push), strict=True)}  # fmt: skip
    made = robot_scene(hand, True, grasp, targets, stiffness, damping)
    cube = Body("cube", Box((EDGE,) * 3), position=CENTER, mass=mass, inertia=(mass * EDGE**2 / 6,) * 3)
    # Links of neighbouring fingers are drawn with boxes in each other.
    names = [body.name for body in made.bodies]
    pairs = tuple((a, b) for i, a in enumerate(names) for b in names[:i])
    return replace(made, bodies=(*made.bodies, cube), materials=one_material(friction), gravity=gravity,
                   excluded_pairs=pairs, name="allegro", notes=())  # fmt: skip


def allegro_soft(young=2e5, poisson=0.4, cells=5, mass=0.1, **other):
    """The hand with a deformable cube of `young` [Pa] and `poisson`, `cells` elements a side (Macklin et al. 2019,
    Figure 3, has a ball)."""
    hand = allegro(mass=mass, **other)
    elastic = Elastic(young=young, poisson=poisson, damping=(0.0, 1e-3))
    cube = Body("cube", Tetrahedra(*box_grid((cells,) * 3, (EDGE,) * 3)), position=CENTER, mass=mass, elastic=elastic)
    return replace(hand, bodies=(*hand.bodies[:-1], cube), name="allegro_soft")


def torques(hand, grasp, push):
    """Torques (16,) [N m] of the joints with which each finger's tip pushes with `push` [N] on the cube."""
    poses, found = hand.poses(hand.values(grasp)), []
    for k, force in zip(range(0, 16, 4), (-push, -push, -push, 3 * push), strict=True):
        tip = poses[f"link_{k + 3}.0_tip"][0]
        for joint in (one for one in hand.joints if one.name in [f"joint_{k + i}.0" for i in range(4)]):
            place, turn = poses[joint.child]
            found.append(float(np.cross(turn @ joint.axis, tip - place) @ (force * Z)))
    return found


ENTRIES = (
    SceneEntry("allegro", "Allegro hand", "a robot's hand holds a cube in its finger tips", allegro, 2.0,
               stays_held("cube")),
    SceneEntry("allegro_soft", "Allegro hand, soft", "a robot's hand squeezes a soft cube and holds it", allegro_soft,
               1.0, stays_held("cube")),
)
