"""Runs a scene in memory with the simulator's own settings and steps, and keeps what the cases measure."""

from dataclasses import dataclass, field

import numpy as np

from ..dynamics import rotation
from ..dynamics.jointed.readings import joint_readings
from ..simulation import compiled, options_for, step_count, step_settings, stepper
from .overlap import deepest_overlap


@dataclass
class Run:
    """What happened; F frames, R bodies. position (F,R,3) of the centres of mass, orientation (F,R,4), twist (F,R,6).

    reports: one StepReport a step; contacts and rows: the last step's contacts and impulses (C,4) n, s, t, tau [N s];
    joints (F,J,10): see joint_readings.
    """

    scene: object
    model: object
    step: float
    times: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    twist: np.ndarray
    reports: list = field(default_factory=list)
    contacts: object = None
    impulses: np.ndarray = None
    joints: np.ndarray = None

    def joint(self, name):
        """Readings (F,10) of the joint called `name`: value, rate, gap, angle, force and torque."""
        return self.joints[:, self.model.joints.names.index(name)]

    def gap(self):
        """Largest gap [m] and misalignment [rad] of any joint in any frame."""
        return float(self.joints[:, :, 2:4].max(initial=0.0))

    def index(self, name):
        """Number of the body called `name`."""
        return self.model.names.index(name)

    @property
    def moving(self):
        """Numbers of the bodies that move freely."""
        return np.flatnonzero(self.model.inverse_mass > 0)

    def displacement(self):
        """Largest distance (F,) [m] of any free body's centre of mass from where it began."""
        moved = self.position[:, self.moving] - self.position[0, self.moving]
        return np.linalg.norm(moved, axis=2).max(axis=1)

    def drift(self, start=1.0):
        """Largest distance [m] any free body's centre of mass is away at the end from where it was at `start` [s]."""
        first = int(np.searchsorted(self.times, start - 1e-9))
        return float(np.linalg.norm(self.position[-1, self.moving] - self.position[first, self.moving], axis=1).max())

    def overlap(self, frame=-1):
        """Deepest overlap [m] in a frame, by overlap.py."""
        shape_position = self.model.shape_position(self.position[frame], self.orientation[frame])
        return deepest_overlap(self.scene, shape_position, self.orientation[frame])[0]

    def turn(self, body, frame=slice(None)):
        """Rotation matrices of one body over the frames, body to world."""
        return rotation.matrix(self.orientation[frame, body])

    def spin_body(self, body):
        """Angular velocity (F,3) of one body in its own frame [rad/s]."""
        return np.einsum("fij,fi->fj", self.turn(body), self.twist[:, body, 3:])

    def angular_momentum(self, body):
        """Angular momentum (F,3) about the body's centre of mass, world [kg m^2/s]."""
        own = self.spin_body(body) @ self.model.inertia[body].T
        return np.einsum("fij,fj->fi", self.turn(body), own)

    def kinetic(self):
        """Kinetic energy (F,) of all free bodies [J]."""
        total = np.zeros(len(self.times))
        for i in self.moving:
            spin = self.spin_body(i)
            total += 0.5 * self.model.mass[i] * np.sum(self.twist[:, i, :3] ** 2, axis=1)
            total += 0.5 * np.einsum("fi,ij,fj->f", spin, self.model.inertia[i], spin)
        return total

    def potential(self):
        """Potential energy (F,) of all free bodies [J]."""
        moving = self.moving
        return -np.einsum("fbi,i,b->f", self.position[:, moving], self.model.gravity, self.model.mass[moving])

    def force(self, a, b):
        """Force (3,) [N] that body a feels from body b in the last step, world frame."""
        i, j = self.index(a), self.index(b)
        total = np.zeros(3)
        for x, y, impulse in zip(self.contacts.body_a, self.contacts.body_b, self.world_impulses(), strict=True):
            if (x, y) == (i, j):
                total -= impulse
            if (x, y) == (j, i):
                total += impulse
        return total / self.step

    def world_impulses(self):
        """Impulses (C,3) [N s] on body b of each of the last step's contacts, world frame."""
        return self.impulses[:, :1] * self.contacts.normal + self.impulses[:, 1:4]

    def unbalanced(self):
        """Largest |sum of contact forces + weight| over the free bodies in the last step, in parts of the weight."""
        total = self.model.mass[:, None] * self.model.gravity * self.step
        impulse = self.world_impulses()
        np.add.at(total, self.contacts.body_a, -impulse)
        np.add.at(total, self.contacts.body_b, impulse)
        moving = self.moving
        weight = self.model.mass[moving] * np.linalg.norm(self.model.gravity) * self.step
        return float((np.linalg.norm(total[moving], axis=1) / weight).max())


# What the energy ledgers of the runs of a case left unexplained, see unexplained(); Case.outcome empties and reads it.
LEDGERS = []


def unexplained(result):
    """Part of a run's turnover of energy that friction, impacts and the removal of overlap do not account for.

    The turnover is the range of the energy or the largest kinetic energy, and at least 1e-6 of the weight times the
    size of the bodies: below that a structure stands still and only round-off is left.
    """
    energy = result.kinetic() + result.potential()
    work = sum(r.friction_work + r.impact_loss + r.stabilisation_work + r.joint_work for r in result.reports)
    moving = result.moving
    still = 1e-6 * np.linalg.norm(result.model.gravity) * np.sum((result.model.mass * result.model.size)[moving])
    turnover = max(np.ptp(energy), result.kinetic().max(), still)
    return float(abs(energy[-1] - energy[0] - work) / turnover) if turnover > 0 else 0.0


def _has_ledger(options, model):
    """Whether the ledger has to close: keyed bodies and damping put in and take out energy that it does not count, and
    the semi-implicit scheme is off by its own first-order error."""
    return not model.damping.any() and options.stepper == "moreau" and not model.kinematic


def run(scene, time, step=0.01, stop=None, every=1, **changes):
    """Run a Scene for `time` [s] and return a Run with every `every`-th step.

    stop(model, state) -> True ends the run early. changes: SimulationOptions, where a case must leave the default.
    """
    options = options_for(scene, time=time, time_step=step, **changes)
    model, state = compiled(scene, options)
    settings, advance = step_settings(options, model, state), stepper(options)
    frames, reports = [state], []
    total = step_count(options)
    for done in range(1, total + 1):
        state, report, _ = advance(model, state, settings)
        state.time = done * options.time_step
        reports.append(report)
        if done % every == 0 or done == total:
            frames.append(state)
        if stop is not None and stop(model, state):
            if frames[-1] is not state:
                frames.append(state)
            break
    result = Run(
        scene,
        model,
        options.time_step,
        np.array([f.time for f in frames]),
        np.array([f.position for f in frames]),
        np.array([f.orientation for f in frames]),
        np.array([f.twist for f in frames]),
        reports,
        state.contacts,
        state.impulses,
        np.array([joint_readings(f, options.time_step) for f in frames]),
    )
    if _has_ledger(options, model):
        LEDGERS.append(unexplained(result))
    return result


def beyond(limit):
    """A stop rule: some free body's centre of mass is more than `limit` [m] from where it began."""
    start = []

    def stop(model, state):
        if not start:
            start.append(state.position.copy())
        moving = model.inverse_mass > 0
        moved = np.linalg.norm(state.position[moving] - start[0][moving], axis=1)
        return bool(np.any(~(moved < limit)))

    return stop


def verdict(scene, size, time=4.0, step=0.01, stands=0.01, falls=0.3, **changes):
    """Return ("stands" | "falls" | "sags", Run): stands below `stands` sizes of movement, falls above `falls`."""
    result = run(scene, time, step, stop=beyond(falls * size), **changes)
    largest = float(result.displacement().max())
    if largest < stands * size:
        return "stands", result
    return ("falls" if not largest < falls * size else "sags"), result
