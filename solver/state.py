"""State: what changes in a run, small and copyable; a checkpoint is a State."""

from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np

from .base.refusal import NotFinite, Unexplained
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


def naming_faults(step):
    """A function (model, state, ...) -> (State, ...) whose NotFinite says which bodies and joints of the model it is,
    and which raises one where the state that it returns is not finite."""

    @wraps(step)
    def named(model, *given):
        try:
            after = step(model, *given)
            check_finite(model, after[0])
        except NotFinite as fault:
            if not fault.where:
                name_fault(model, fault)
            raise
        return after

    return named


def check_speeds(model, velocity, fastest):
    """Raise Unexplained if a body that moves freely is faster than `fastest` [m/s]; velocity (R,3)."""
    if fastest == np.inf:
        return
    speed = np.where(model.inverse_mass > 0, np.abs(velocity).max(axis=1), 0.0)
    body = int(np.argmax(speed)) if len(speed) else 0
    if len(speed) and speed[body] > fastest:
        raise Unexplained(f"it would come to {speed[body]:.3g} m/s, which no key, no fall and no spring explains",
                          bodies=(body,))  # fmt: skip


def check_finite(model, state):
    """Raise NotFinite if a pose or a velocity of a body, or of a node, is not finite."""
    poses, nodes = (state.position, state.orientation, state.twist), state.nodes
    moving = () if nodes is None else (nodes.position, nodes.velocity)
    # A sum is finite if all of its numbers are.
    if np.isfinite(sum(array.sum() for array in (*poses, *moving))):
        return
    bad = ~np.isfinite(np.concatenate(poses, axis=1)).all(axis=1)
    if nodes is not None:
        lost = np.flatnonzero(~np.isfinite(np.concatenate(moving, axis=1)).all(axis=1))
        bad[np.searchsorted(model.node_start, lost, side="right") - 1] = True
    if bad.any():
        raise NotFinite("its position or velocity after the step is not finite", bodies=np.flatnonzero(bad))


def name_fault(model, fault):
    """Write into a NotFinite the names of its bodies, and these with the joints that hold them in words; nothing where
    nothing is known."""
    bodies = fault.bodies
    if len(fault.components):
        bodies = np.flatnonzero(np.isin(model.bodies.dof_of_body, fault.components))
    if len(bodies) == 0:
        return
    fault.names = tuple(model.names[body] for body in bodies)
    words = " and ".join(repr(name) for name in fault.names)
    held = np.flatnonzero(np.isin(model.joints.per_joint.ends, bodies).any(axis=1))
    joints = ", ".join(repr(model.joints.names[joint]) for joint in held)
    fault.where = ("body " if len(bodies) == 1 else "bodies ") + words + (f" on joint {joints}" if joints else "")
