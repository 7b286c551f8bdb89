"""Watcher: measures a run after each step, counts what passes the counter, and says when the run is over."""

import numpy as np

from ..base.refusal import StudyError
from ..dynamics.flow import poured
from ..scene import Motion
from ..stepping.flow_step import is_present

JAMMED, EMPTIED, COUNTED, OPENED, TIME = "jammed", "emptied", "counted", "opened", "time"
# Steps between two measurements of what changes slowly: speeds, walls.
EVERY = 10


class Watcher:
    """Callable for simulate(watch=...).

    exits: [(time [s] since the gate opened, number of the body)] in order; opened: time [s] of the opening, 0 without
    a gate; ledger of energy, largest overlap and residual, steps and accepted steps of the whole run.
    """

    def __init__(self, scene, options, stop, keep):
        self.stop, self.keep, self.time_step = stop, keep, options.time_step
        bodies = poured(scene).bodies
        self.names = [body.name for body in bodies]
        self.moving = np.array([body.motion == Motion.DYNAMIC for body in bodies])
        self.gates = [self.names.index(gate.body) for gate in scene.gates]
        self.counter = _counter(scene, stop.get("counter", ""))
        self.opened = None if self.gates else 0.0
        self.passed = np.zeros(len(bodies), dtype=bool)
        self.exits, self.walls = [], []
        self.steps = self.accepted = self.iterations = self.contacts = 0
        self.overlap = self.residual = 0.0
        self.energy = EnergyLedger()
        self.state = self.rows = None

    def __call__(self, done, state, report, rows):
        """Measure a step; why the run is over, or None."""
        self.state, self.rows = state, rows
        self._book(state, report)
        if self.opened is None:
            self.opened = self._opening(state)
            if self.opened is not None and self.stop.get("until") == OPENED:
                return OPENED
        if self.counter is not None:
            self._count(state)
        if "walls" in self.keep and done % EVERY == 0 and self.opened is not None:
            self.walls.append(_on_walls(state, rows, self.moving, self.time_step))
        if self.opened is None or self.counter is None:
            return None
        return self._over(done, state)

    def _book(self, state, report):
        self.steps += 1
        self.accepted += bool(report.converged)
        self.iterations += report.iterations
        self.contacts = max(self.contacts, report.contact_count)
        # Unlike max, it keeps what is no number.
        self.overlap = float(np.maximum(self.overlap, report.overlap))
        self.residual = float(np.maximum(self.residual, report.residual))
        here = is_present(state)
        self.energy.add(report, int(np.count_nonzero(here)))

    def _opening(self, state):
        """When the last gate opened, None while one is shut."""
        times = state.present[self.gates, 1]
        return float(times.max()) if np.all(np.isfinite(times)) else None

    def _count(self, state):
        """Note the bodies that have passed the counter; those that enter beyond it do not count."""
        point, normal = self.counter
        beyond = (state.position - point) @ normal > 0
        fresh = beyond & self.moving & ~self.passed
        if np.any(fresh):
            self.passed |= fresh
            since = state.time - (self.opened or 0.0)
            self.exits += [(since, int(body)) for body in np.flatnonzero(fresh)]

    def _over(self, done, state):
        """Why the run is over, or None."""
        left = self.moving & ~self.passed & (state.present[:, 1] == np.inf if len(state.present) else True)
        if self.stop.get("emptied", True) and not np.any(left):
            return EMPTIED
        if self.stop.get("count") and len(self.exits) >= self.stop["count"]:
            return COUNTED
        last = self.exits[-1][0] if self.exits else 0.0
        since = state.time - self.opened
        if done % EVERY == 0 and since - last >= self.stop.get("quiet", 1.5):
            here = left & is_present(state)
            slow = np.sum(state.twist[here, :3] ** 2, axis=1) < self.stop.get("speed", 0.05) ** 2
            # Bodies that still wait to be poured may wake what rests.
            if np.all(slow) and np.array_equal(here, left):
                return JAMMED
        return None


class EnergyLedger:
    """Energy of a run that no impulse explains: change of kinetic and potential energy less the works of friction and
    impacts, over steps with the same bodies. What removing overlap gives is not explained either."""

    def __init__(self):
        self.unexplained = self.pushed = self.lost = 0.0
        self._last, self._count = None, -1

    def add(self, report, count):
        """Book a StepReport of `count` bodies."""
        total = report.kinetic + report.potential
        if self._last is not None and count == self._count:
            works = report.friction_work + report.impact_loss + report.stabilisation_work
            self.unexplained += total - self._last - works
            self.pushed += max(report.stabilisation_work, 0.0)
            self.lost += abs(report.friction_work) + abs(report.impact_loss)
        self._last, self._count = total, count

    @property
    def share(self):
        """Unexplained energy as part of what friction and impacts took."""
        return (abs(self.unexplained) + self.pushed) / self.lost if self.lost > 0 else 0.0


def _counter(scene, name):
    """(point, unit normal) of the named counter, of the only one where no name is given; None if there is none."""
    known = {counter.name: counter for counter in scene.counters}
    if name and name not in known:
        there = ", ".join(known) or "none: the scene has none"
        raise StudyError(f"study.stop.counter: is {name!r}; choose one of {there}")
    if not known:
        return None
    counter = known[name or next(iter(known))]
    normal = np.asarray(counter.normal, dtype=float)
    return np.asarray(counter.point, dtype=float), normal / np.linalg.norm(normal)


def _on_walls(state, rows, moving, h):
    """Rows (N,4) of the contacts with fixed bodies: number of the fixed body, height [m], normal and friction force
    [N]."""
    c = state.contacts
    fixed_a, fixed_b = ~moving[c.body_a], ~moving[c.body_b]
    use = np.flatnonzero(fixed_a ^ fixed_b)
    body = np.where(fixed_a[use], c.body_a[use], c.body_b[use])
    force = rows[use] / h
    return np.stack([body, c.position[use, 2], force[:, 0], np.hypot(force[:, 1], force[:, 2])], axis=1)
