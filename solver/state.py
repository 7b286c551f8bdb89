"""State: what changes in a run, small and copyable; a checkpoint is a State."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .collision.contacts import ContactSet, empty_contacts


@dataclass
class State:
    """What changes: time [s]; centres of mass (R,3) [m]; orientations (R,4) w,x,y,z; twist (R,6) = velocity of the
    centre of mass and angular velocity, world [m/s, rad/s]; the last contacts with their impulses for the
    warm start: (C,5) normal, friction vector in the world frame, torsion [N s, N m s]; rest (R,): how long each body
    has been quiet, see sleeping.py; empty where bodies do not sleep; horizon (R,): how far from here contacts were
    searched for along the bodies' present velocities [s]; empty at the start: not at all; since (R,): how long ago the
    contacts were found [s], empty likewise; present (R,2): times [s] at which each body
    enters and leaves the scene, infinite for not yet; empty where all stay, see flow_step.py;
    nodes: Nodes of deformable bodies, None where there are none. The position of such a body is its centre of mass, its
    orientation that of the start. joints: JointState, None
    where there are none."""

    time: float
    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    contacts: ContactSet = field(default_factory=empty_contacts)
    impulses: np.ndarray = field(default_factory=lambda: np.zeros((0, 5)))
    rest: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    horizon: np.ndarray = field(default_factory=lambda: np.zeros(0))
    since: np.ndarray = field(default_factory=lambda: np.zeros(0))
    present: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    nodes: Any = None
    joints: Any = None

    def with_impulses_of(self, factor):
        """The state whose impulses are those of a step `factor` times as long."""
        joints = None if self.joints is None else self.joints.scaled(factor)
        return replace(self, impulses=factor * self.impulses, joints=joints)

    def copy(self):
        """An independent copy."""
        return State(self.time, self.position.copy(), self.orientation.copy(), self.twist.copy(), self.contacts,
                     self.impulses.copy(), self.rest.copy(), self.horizon.copy(), self.since.copy(),
                     self.present.copy(),
                     *(None if part is None else part.copy() for part in (self.nodes, self.joints)))  # fmt: skip
