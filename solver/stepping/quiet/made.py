"""What quiet steps leave: the State after them, and what each of them reports."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...collision.contacts import merged
from ...dynamics.jointed.readings import joint_readings
from ...dynamics.report_kernels import energies
from ...mechanisms import MECHANISMS, Event
from ..sleeping import sleepers_contacts, still
from ..step_report import NUMBERS, StepReport
from .world import COUNTED

EVENTS = (Event("quiet_steps", 1),)
_NUMBERS = np.array([list(MECHANISMS).index(name) for name in (*COUNTED, "quiet_steps")])
_TIME, _COUNT, _OVERLAP, _POTENTIAL = (
    StepReport._fields.index(name) for name in ("time", "contact_count", "overlap", "potential")
)
_WHOLE, _TRUTHS = (
    [place for place, name in enumerate(NUMBERS) if StepReport.__annotations__[name] is kind] for kind in (int, bool)
)


class Made(NamedTuple):
    """Quiet steps in turn: the State after them, and that after the last frame that ended in them, after `framed`
    steps, None and 0 for none; poses (S,R,13), position, orientation and twist after each; reports (S,F), the numbers
    of its StepReport; joints (S,J,11), see joint_readings, where a frame ends; rows (C,4): impulses of the last;
    counts (S,n): how often COUNTED acted."""

    state: Any
    frame: Any
    framed: int
    poses: np.ndarray
    reports: np.ndarray
    joints: np.ndarray
    rows: np.ndarray
    counts: np.ndarray

    def report(self, k):
        """StepReport of step k."""
        acted = [Event(name, int(count)) for name, count in zip(COUNTED, self.counts[k], strict=True) if count]
        return report_of(self.reports[k].tolist())._replace(events=(*acted, *EVENTS))

    def events(self):
        """(steps (n,), numbers (n,) in MECHANISMS, how often (n,)) of what acted in the steps, in order."""
        every = np.ones((len(self.counts), len(_NUMBERS)))
        every[:, :-1] = self.counts
        steps, columns = np.nonzero(every)
        return steps, _NUMBERS[columns], every[steps, columns]


def report_of(numbers):
    """The StepReport of its numbers, a list (F,) that is changed."""
    for place in _WHOLE:
        numbers[place] = int(numbers[place])
    for place in _TRUTHS:
        numbers[place] = bool(numbers[place])
    return StepReport(*numbers, events=EVENTS)


def times_after(start, time_step, count):
    """Times (S,) [s] at the end of `count` steps from `start` [s] on: where that is one, multiples of a step, which
    have no accumulated round-off."""
    done, steps = round(start / time_step), np.arange(1, count + 1)
    return (done + steps) * time_step if done * time_step == start else start + time_step * steps


def last_frame(count, frames):
    """After how many of `count` steps the last frame ends that ends in them, 0 for none; frames: steps to the end of
    the first frame, and of each."""
    first, each = frames
    return 0 if count < first else first + (count - first) // each * each


def with_sleepers(made, model, state, rest):
    """The Made of steps in which the bodies asleep of a Rest stayed as they are in a State, with their contacts and
    their potential energy."""
    kept, held = sleepers_contacts(model, state, rest.asleep)
    made.reports[:, _COUNT] += kept.count
    made.reports[:, _OVERLAP] = np.maximum(made.reports[:, _OVERLAP], np.max(-kept.gap, initial=0.0))
    for pose, report in zip(made.poses, made.reports, strict=True):
        report[_POTENTIAL] = _potential(model, *np.split(pose, (3, 7), axis=1))
    frame = None if made.frame is None else _joined(made.frame, kept, state.impulses[held])
    after = frame if made.frame is made.state else _joined(made.state, kept, state.impulses[held])
    return made._replace(state=after, frame=frame)


def _joined(state, kept, impulses):
    """The State with contacts `kept` and their impulses (C,5)."""
    contacts, order = merged((state.contacts, kept))
    return replace(state, contacts=contacts, impulses=np.concatenate([state.impulses, impulses])[order])


def _potential(model, position, orientation, twist):
    return energies(model.bodies, *map(np.ascontiguousarray, (position, orientation, twist)))[1]


def all_asleep(model, state, rest, settings, count, frames):
    """The Made of `count` steps in which all bodies sleep."""
    kept, held = sleepers_contacts(model, state, rest.asleep)
    numbers = np.tile(np.array(still(0.0).numbers, dtype=float), (count, 1))
    numbers[:, _COUNT], numbers[:, _OVERLAP] = kept.count, np.max(-kept.gap, initial=0.0)
    numbers[:, _POTENTIAL] = _potential(model, state.position, state.orientation, np.zeros_like(state.twist))
    numbers[:, _TIME] = times_after(state.time, settings.time_step, count)
    twist = np.where(rest.asleep[:, None], 0.0, state.twist)
    after = replace(state, time=float(numbers[-1, _TIME]), twist=twist, contacts=kept, impulses=state.impulses[held])
    pose = np.concatenate([state.position, state.orientation, twist], axis=1)
    joints = joint_readings(after, settings.time_step)
    framed, frame = last_frame(count, frames), None
    if framed > 0:
        frame = after if framed == count else replace(after, time=float(numbers[framed - 1, _TIME]))
    return Made(after, frame, framed, np.tile(pose, (count, 1, 1)), numbers, np.tile(joints, (count, 1, 1)),
                np.zeros((0, 4)), np.zeros((count, len(COUNTED))))  # fmt: skip
