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
        Overlay("shapes", "Collision Shapes", "What collides: edges of the shapes", False, bodies.shapes),
        Overlay("centers", "Centers of Mass", "Where each body's mass is centred", False, bodies.centers),
        Overlay(
            "directions", "Friction Directions", "Arrow along which Friction counts, where it has a direction",
            False, bodies.directions,
        ),
        Overlay("joints", "Joints", "Axes, limits and where they stand; red where one is open", False, joints.strokes),
        Overlay(
            "flow", "Emitters, Sinks, Counters", "Where bodies come from, go to and are counted; gates", False,
            flow.flow,
        ),
        Overlay("points", "Contact Points", "Where bodies touch; red where they overlap", True, forces.points),
        Overlay("normals", "Normal Forces", "Arrows as long as the force across each contact", True, forces.normals),
        Overlay("friction", "Friction Forces", "Arrows as long as the force along each contact", True, forces.friction),
        Overlay("chains", "Force Chains", "Lines between touching bodies, as wide as the force", True, forces.chains),
        Overlay("velocity", "Velocities", "Arrows along which centres of mass move", True, forces.velocity),
        Overlay("sleeping", "At Rest", "Bodies that do not move at all", True, forces.sleeping),
    )
}  # fmt: skip
