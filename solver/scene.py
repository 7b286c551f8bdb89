"""Scene: what the user says, in SI units. Nothing here computes; compile_scene in model.py checks and converts."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .materials import MaterialTable


class Motion(StrEnum):
    """How a body moves: by the laws of motion, not at all, or as its keyed poses say."""

    DYNAMIC = "dynamic"
    STATIC = "static"
    KINEMATIC = "kinematic"


@dataclass(frozen=True)
class KeyedPoses:
    """Poses of a kinematic body's shape frame: times (F,) s, positions (F,3) m, orientations (F,4) w,x,y,z."""

    times: Any
    positions: Any
    orientations: Any


@dataclass(frozen=True)
class Body:
    """One body.

    position [m] and orientation (w,x,y,z) are those of the shape's own frame; velocity [m/s] is that of the
    centre of mass, angular_velocity [rad/s] in the world frame. mass [kg] and inertia (three principal
    moments, or 3x3 about the centre of mass in the body frame) [kg m^2] override the material's density.
    """

    name: str
    shape: Any
    material: str = "default"
    motion: Motion = Motion.DYNAMIC
    position: tuple = (0.0, 0.0, 0.0)
    orientation: tuple = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple = (0.0, 0.0, 0.0)
    angular_velocity: tuple = (0.0, 0.0, 0.0)
    mass: float | None = None
    inertia: Any = None
    keys: KeyedPoses | None = None


@dataclass(frozen=True)
class Scene:
    """Bodies, materials and gravity [m/s^2]; `settings` are the simulation options the scene suggests."""

    bodies: tuple[Body, ...]
    materials: MaterialTable = field(default_factory=MaterialTable)
    gravity: tuple = (0.0, 0.0, -9.81)
    joints: tuple = ()
    settings: dict = field(default_factory=dict)
    name: str = "scene"
    description: str = ""
