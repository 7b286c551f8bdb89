"""Small scenes in which each mechanism of a step acts; for their test, and for tools/ablate.py."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from flying_scenes import turning_box
from joint_scenes import hinged_rod
from soft_scenes import FLOOR as SOFT_FLOOR
from soft_scenes import cube as soft_cube
from soft_scenes import scene as soft_scene
from test_links_stay_linked import chain as rings
from test_snapping import row as struck_row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from links.fits import bearing

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Bearing, Body, Joint, Motion, Motor, Scene
from stiction.solver.scenes import build
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.shapes import Box, Mesh, Sphere
from stiction.solver.shapes.generators import chalice

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


def scene(*bodies, restitution=0.0, **more):
    return Scene(bodies, MaterialTable((Material("default", friction=0.4, restitution=restitution),)), **more)


def spinning_on_a_row():
    """A cube and a card that spin and fall on a row of 24 boxes."""
    row = [Body(f"box{i}", Box((0.5, 0.5, 0.5)), position=(0.5 * i, 0.0, 0.25)) for i in range(24)]
    card = Body("card", Box((0.4, 0.6, 0.01)), position=(0.2, 0.1, 0.9), velocity=(0.0, 0.0, -3.0),
                angular_velocity=(60.0, 20.0, 9.0))  # fmt: skip
    cube = Body("cube", Box((0.4, 0.4, 0.4)), position=(6.0, 0.1, 0.85), velocity=(0.0, 0.0, -1.0),
                angular_velocity=(18.0, 54.0, 18.0))  # fmt: skip
    return scene(FLOOR, *row, card, cube)


def shot_at_a_wall():
    """A bat of 60 rad/s shoots a ball within a step to a wall that was not near."""
    bat = Body("bat", Box((1.0, 0.1, 0.1)), mass=100.0, angular_velocity=(0.0, 0.0, 60.0))
    ball = Body("ball", Sphere(0.05), position=(0.45, 0.11, 0.0), mass=0.1)
    wall = Body("wall", Box((1.3, 0.1, 1.3)), position=(0.45, 0.65, 0.0), mass=10.0)
    return scene(bat, ball, wall, restitution=0.8, gravity=(0.0, 0.0, 0.0))


def wedged():
    """Two chalices in flight, the foot of one between the cup and the stem of the other."""
    shape, bodies = Mesh(*chalice(0.5, 12)), []
    for name, place, turn, speed, spin in (
        ("below", (0.3061, 0.3757, 0.143), (-0.4402, 0.6382, 0.2796, 0.5663), (-0.29, 0.16, 0.08), (-1.09, -2.05, 0.0)),
        ("above", (0.29, 0.3009, 0.3731), (-0.3046, 0.8358, 0.2996, -0.3449), (-0.11, -0.52, -1.99),
         (5.41, 1.41, 4.05)),
    ):  # fmt: skip
        orientation = tuple((np.array(turn) / np.linalg.norm(turn)).tolist())
        bodies.append(Body(name, shape, position=place, orientation=orientation, velocity=speed, angular_velocity=spin))
    return Scene(tuple(bodies), MaterialTable((Material("default", 2500.0, 0.75, torsional_friction=0.01),)))


def cradle():
    """Balls of steel 2 mm apart, the first of which comes at 1 m/s."""
    return build("cradle", count=4, gap=0.002)


def falling_stack():
    """Ten cubes in a stack that arrives at 3 m/s."""
    made = build("stack10")
    moving = (replace(body, velocity=(1.0, 0.0, -3.0)) if body.motion == Motion.DYNAMIC else body
              for body in made.bodies)  # fmt: skip
    return replace(made, bodies=tuple(moving))


def screw():
    """A nut on a screw with friction in its thread, driven."""
    nut = Body("nut", Box((0.02, 0.02, 0.02)), mass=10.0)
    bearing, motor = Bearing(0.15, 0.01), Motor(5.0, 2.0)
    return scene(nut, joints=(Joint("thread", "screw", ("world", "nut"), lead=0.005, bearing=bearing, motor=motor),))


def soft_impact():
    """A soft cube that arrives at 5 m/s."""
    return soft_scene(SOFT_FLOOR, replace(soft_cube("cube", 2, position=(0.0, 0.0, 0.12)), velocity=(0.0, 0.0, -5.0)))


def shot_rings():
    """Four rings in rings, and a ball that flies through the middle of them at 15 m/s."""
    hanging, _ = rings(4, 16, 8, 0.0)
    ball = Body("ball", Sphere(0.08), "steel", position=(-0.35, 0.0, -0.312), velocity=(15.0, 0.0, 0.0))
    return replace(hanging, bodies=(*hanging.bodies, ball))


# Scene, options of the run, and what must act in it.
SMALL = {
    "spinning_on_a_row": (spinning_on_a_row, {"time": 0.15},
                          {"halved_turning", "halved_flying"}),
    "shot_at_a_wall": (shot_at_a_wall, {"time": 0.04}, {"bounce_displacement"}),
    "wedged": (wedged, {"time": 0.03, "substeps": 1},
               {"unbounded_response", "newton_turns"}),
    "falling_stack": (falling_stack, {"time": 0.02, "effort": 4000}, {"resumed_effort"}),
    "cradle": (cradle, {"time": 0.02}, {"halved_bounces"}),
    "struck_row": (lambda: struck_row(1.0), {"time": 0.05, "time_step": 0.01}, {"snapped_joints"}),
    "screw": (screw, {"time": 0.03}, {"bearing_friction", "joint_rows_at_end"}),
    "rod": (hinged_rod, {"time": 0.05}, {"joint_closing", "joint_rows_at_end"}),
    "whip": (lambda: chain(6), {"time": 0.6}, {"halved_constraint_work", "halved_tension"}),
    "grip": (lambda: build("grip", factor=1.001, round_pads=False), {"time": 0.02}, {"staggered_start"}),
    "rocking_block": (lambda: build("rocking_block"), {"time": 0.4},
                      {"impact_within_step", "jacobian_rate", "minimum_norm"}),
    "euler_disk": (lambda: build("euler_disk"), {"time": 0.4}, {"passed_contacts"}),
    "shot_rings": (shot_rings, {"time": 0.08}, {"penetration_correction"}),
    "ball_bearing": (lambda: bearing()[0], {"time": 0.3, "time_step": 0.01}, {"halved_overlap"}),
    "dominoes": (lambda: build("dominoes"), {"time": 0.4}, {"late_contacts", "carried_by_place"}),
    "disk": (lambda: build("disk"), {"time": 0.1}, {"inner_ring"}),
    "bouncing_box": (lambda: build("bouncing_box"), {"time": 0.4}, {"bounce_displacement", "quiet_steps"}),
    "turning_box": (turning_box, {"time": 0.12, "time_step": 0.01}, {"bounded_restitution"}),
    "leaning_stack": (lambda: build("leaning_stack", count=20, offset=0.04), {"time": 0.02}, {"rest_patience"}),
    "extremes": (lambda: build("extremes"), {"time": 0.1}, {"mass_ratio_floor"}),
    "sleepers": (lambda: build("stack10"), {"time": 0.6, "sleeping": True}, {"sleeping"}),
    "soft_stack": (lambda: build("soft_stack"), {"time": 0.05}, {"soft_late_contacts"}),
    "soft_impact": (soft_impact, {"time": 0.05}, {"soft_subdivision"}),
}  # fmt: skip
