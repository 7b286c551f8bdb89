"""Bodies at rest sleep: they cost no contact search and no rows until something reaches them.

Off by default, because a sleeping body is frozen: what creeps slower than QUIET stops. It is meant for animation.

Bodies that touch one another, directly or through others, fall asleep together, once all of them were slower than
QUIET of what gravity gives in a step for HELD seconds. Asleep they are bodies that do not move. They wake together, and
the step is taken back and done again with them awake, when an impulse from an awake body reaches one of them; and
before the step when a kinematic body that moves is near one of them. Without gravity nothing sleeps.
"""

from dataclasses import replace

import numpy as np

from ..collision.contacts import chosen, empty_contacts, merged
from ..dynamics import kinematic
from ..dynamics.contact_step import contact_step, four_columns, to_rows
from ..dynamics.report_kernels import energies
from ..mechanisms import off
from ..problems.islands import body_islands
from .sleep_kernels import Rest, count_slow, falling_asleep, met_on_paths
from .step_report import NUMBERS, StepReport
from .submodel import frozen

# Speed of a body's surface below which it is quiet, in parts of the velocity that gravity gives in a step: a block
# that slides at 1.001 of its critical slope passes it after two steps.
QUIET = 1e-3
# How long a body has to be quiet [s].
HELD = 0.5
# State.rest of a body: steps it has been quiet; ASLEEP - label of its group, below zero, while it sleeps.
ASLEEP = -1


class Sleep:
    """How the bodies of a run sleep. falling: whether they may fall asleep; else those that begin asleep do so until
    they are woken, and no other."""

    def __init__(self, falling=True):
        self.falling = falling and not off("sleeping")
        self._of = self._frozen = None

    def acts(self, state):
        """Whether a body of a State sleeps, or may fall asleep after a step."""
        return self.falling or bool(len(state.rest) and (state.rest < 0).any())

    def frozen(self, model, asleep):
        """The Model in which the bodies `asleep` (R,) cannot move; one at a time is kept, for groups fall asleep
        seldom."""
        if self._of is None or self._of[0] is not model or not np.array_equal(self._of[1], asleep):
            self._of, self._frozen = (model, asleep), frozen(model, asleep)
        return self._frozen


def with_sleep(step, sleep):
    """The scheme `step` for runs in which bodies sleep by a Sleep: (model, state, settings) -> (state, report,
    impulses)."""

    def advance(model, state, settings):
        if not sleep.acts(state):
            return step(model, state, settings)
        rest = _near_moving(model, state, rest_of(model, state), settings.time_step)
        log = settings.log
        begun = None if log is None else log.mark()
        while True:
            if log is not None:
                log.rewind(begun)
            asleep = rest < 0
            settings.events.bodies("sleeping", model, asleep)
            after, report, rows = _stepped(step, model, state, settings, asleep, sleep)
            woken = _reached(after.contacts, rows, asleep)
            if not np.any(woken):
                break
            rest = wake(rest, woken)
        if np.any(asleep):
            after, report, rows = _with_sleepers(model, state, after, report, rows, asleep)
        after = replace(after, rest=rest)
        return _fallen_asleep(model, after, settings) if sleep.falling else after, report, rows

    return advance


def rest_of(model, state):
    """State.rest, zeros where nobody has slept yet."""
    return state.rest if len(state.rest) else np.zeros(model.body_count, dtype=np.int64)


def resting(model, state, time_step):
    """The Rest of a Model's State, whose joints alone couple bodies yet: contacts are given with it."""
    steps = rest_of(model, state)
    slow = QUIET * (time_step * float(np.linalg.norm(model.gravity)))
    held = np.zeros(model.body_count, dtype=bool)
    held[model.joints.blocks.body] = True
    joined = tuple(np.ascontiguousarray(model.joints.coupled.T, dtype=np.int64))
    driven = np.array(model.kinematic, dtype=np.int64)
    return Rest(steps < 0, np.ascontiguousarray(steps, dtype=np.int64), model.inverse_mass, model.size, driven, held,
                joined, slow,
                max(2, int(np.ceil(HELD / time_step))))  # fmt: skip


def first_rest(bodies, inverse_mass, joints):
    """State.rest of a scene's bodies before its first step: empty where none begins asleep. What joints connect, by
    their pairs of bodies `joints` (J,2), sleeps or wakes as one group."""
    asleep = np.array([body.asleep for body in bodies])
    if not asleep.any():
        return np.zeros(0, dtype=np.int64)
    group = body_islands(inverse_mass, *np.asarray(joints, dtype=np.int64).reshape(-1, 2).T)
    awake = np.isin(group, group[~asleep & (inverse_mass > 0)])
    # Labels of their own: those of groups that fall asleep later lie above.
    return np.where(asleep & ~awake, ASLEEP - len(asleep) - group, 0)


def _stepped(step, model, state, settings, asleep, sleep):
    """One step with the sleeping bodies as bodies that cannot move; nothing at all if nothing moves."""
    if not np.any(asleep):
        return step(model, state, settings)
    if np.all(asleep | (model.inverse_mass == 0)):
        after = kinematic.driven(model, state, settings.time_step)
        position, orientation = state.position.copy(), state.orientation.copy()
        kinematic.keyed_poses(model.paths, state.time + settings.time_step, position, orientation)
        after = replace(after, time=state.time + settings.time_step, position=position, orientation=orientation,
                        contacts=empty_contacts(), impulses=np.zeros((0, 5)))  # fmt: skip
        return after, still(after.time), np.zeros((0, 4))
    return step(sleep.frozen(model, asleep), state, settings)


def still(time):
    """The report of a step in which no body moved; energies are those of the sleepers, added later."""
    return StepReport(
        **{**dict.fromkeys(NUMBERS, 0), "time": time, "kinetic": 0.0, "potential": 0.0, "converged": True}
    )


def _reached(contacts, rows, asleep):
    """Sleeping bodies (R,) bool that an impulse from an awake body reached: rows (C,4), the normal one first."""
    woken = np.zeros(len(asleep), dtype=bool)
    if np.any(asleep):
        pressed = rows[:, 0] > 0
        for body in (contacts.body_a[pressed], contacts.body_b[pressed]):
            woken[body] = True
    return woken & asleep


def wake(rest, woken):
    """Wake every group with a body in `woken`; its bodies must be quiet for the whole time again."""
    return np.where(np.isin(rest, rest[woken]) & (rest < 0), 0, rest)


def _near_moving(model, state, steps, h):
    """Wake the groups that a moving kinematic body touches or may touch in this step; steps: State.rest."""
    if not (model.kinematic and np.any(steps < 0)):
        return steps
    driven = kinematic.driven(model, state, h)
    met = met_on_paths(resting(model, state, h), *map(np.ascontiguousarray, (state.position, driven.twist)), h)
    return wake(steps, met) if met.any() else steps


def _with_sleepers(model, before, after, report, rows, asleep):
    """The step's results with what the sleepers keep: exact poses, contacts and their impulses, potential energy."""
    position, orientation, twist = after.position.copy(), after.orientation.copy(), after.twist.copy()
    position[asleep], orientation[asleep], twist[asleep] = before.position[asleep], before.orientation[asleep], 0.0
    kept, held = sleepers_contacts(model, before, asleep)
    after = replace(after, position=position, orientation=orientation, twist=twist)
    contacts, order = merged((after.contacts, kept))
    there = contact_step(model, position, orientation, twist, twist, kept)
    impulse = to_rows(before.impulses[held], there.frame, there.rows)
    rows = np.concatenate([rows, four_columns(impulse, there.rows)])[order]
    impulses = np.concatenate([after.impulses, before.impulses[held]])[order]
    after = replace(after, contacts=contacts, impulses=impulses)
    _, potential = energies(model.bodies, position, orientation, twist)
    report = report._replace(
        contact_count=report.contact_count + kept.count, potential=potential,
        overlap=max(report.overlap, float(np.max(-kept.gap, initial=0.0))),
    )  # fmt: skip
    return after, report, rows


def sleepers_contacts(model, state, asleep):
    """(ContactSet, (C,) which they are of a State's): contacts between bodies that cannot move or are asleep (R,)."""
    contacts = state.contacts
    held = (asleep | (model.inverse_mass == 0))[np.stack([contacts.body_a, contacts.body_b])].all(axis=0)
    return chosen(contacts, held), held


def _fallen_asleep(model, state, settings):
    """The state with the bodies counted that are quiet, and with groups of them put to sleep."""
    rest = resting(model, state, settings.time_step)
    steps, ready = count_slow(rest, state.twist)
    if not ready:
        return replace(state, rest=steps)
    falls, group = falling_asleep(rest, steps, state.contacts.body_a, state.contacts.body_b, state.twist)
    twist = np.where(falls[:, None], 0.0, state.twist)
    return replace(state, twist=twist, rest=np.where(falls, ASLEEP - group, steps))
