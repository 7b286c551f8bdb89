"""What can be drawn over the viewport: of bodies as last checked, and of the baked run. A new one is a line here."""

from collections.abc import Callable
from typing import NamedTuple

from . import bodies, flow, forces, joints


class Overlay(NamedTuple):
    """strokes(view) returns Strokes; from_run: it shows the baked run, else the bodies as last checked."""

    key: str
    label: str
    description: str
    from_run: bool
    strokes: Callable


OVERLAYS = {
    overlay.key: overlay
    for overlay in (
        Overlay(
            "shapes", "Collision Shapes",
            "What collides: edges of the shapes. Switch it on where bodies touch too early or too late",
            False, bodies.shapes,
        ),
        Overlay(
            "centers", "Centers of Mass",
            "Where each body's mass is centred. Switch it on where a body topples the wrong way",
            False, bodies.centers,
        ),
        Overlay(
            "directions", "Friction Directions",
            "Arrow along which Friction counts, where it has a direction. Switch it on to see how brushed surfaces lie",
            False, bodies.directions,
        ),
        Overlay(
            "joints", "Joints",
            "Axes, limits and where they stand; red where one is open. Switch it on to see which way a joint turns",
            False, joints.strokes,
        ),
        Overlay(
            "flow", "Emitters, Sinks, Counters",
            "Where bodies come from, go to and are counted; gates. Switch it off where the boxes hide something",
            False, flow.flow,
        ),
        Overlay(
            "points", "Contact Points",
            "Where bodies touch; red where they overlap. Switch it on where something looks as if it floats or sinks",
            True, forces.points,
        ),
        Overlay(
            "normals", "Normal Forces",
            "Arrows as long as the force across each contact. Switch it on to see what carries the load",
            True, forces.normals,
        ),
        Overlay(
            "friction", "Friction Forces",
            "Arrows as long as the force along each contact. Switch it on to see what is held by friction",
            True, forces.friction,
        ),
        Overlay(
            "chains", "Force Chains",
            "Lines between touching bodies, as wide as the force. Switch it on for piles and hoppers",
            True, forces.chains,
        ),
        Overlay(
            "velocity", "Velocities",
            "Arrows along which centres of mass move. Switch it on to see what is still moving",
            True, forces.velocity,
        ),
        Overlay(
            "sleeping", "At Rest",
            "Bodies that do not move at all. Switch it on to see when a pile has come to rest",
            True, forces.sleeping,
        ),
    )
}  # fmt: skip
