"""What a finished run is worth, in words: how good, why, what to do. The one judge of command line, Python and panel.

No kernels here: the panel reads this file without loading them.
"""

from dataclasses import dataclass

import numpy as np

from ..base.wording import as_length, as_speed, listed
from ..base.work import LEVERAGE
from ..stepping.not_accepted import gain_by_overlap, step_notes
from ..stepping.step_report import LEDGER
from .mesh_notes import mesh_notes
from .squeezed_notes import squeezed_notes

# Overlap, as a part of the smallest body's size, that the user is told about, and that shows in a picture.
SEEN, DEEP = 0.02, 0.1
# Share of the steps that may miss what is acceptable, and of a body's elements that may be crushed, before motion is
# called wrong.
FEW = 0.01
# Energy that comes from nowhere, as a part of what there was: worth a word, and more than any error of a good run.
UNEXPLAINED, ABSURD = 0.02, 0.5
# Residual, as a part of the velocity that gravity gives in a step, that nobody sees.
SLIGHT = 0.1
# Part of that below which it does not matter that a solve was ended by its limit of work.
UNSEEN = 0.01
# How far a body goes in a run, as a part of its size, and a joint [m, rad], that counts as moved.
MOVED = 1e-6

GOOD, FAIR, POOR = "good", "usable", "poor"


class InSeconds:
    """How the command line speaks of a run: places in seconds, remedies as options."""

    def place(self, time):
        """A time [s] of the run in words."""
        return f"{time:.6g} s"

    def finer(self, header):
        """The remedy for steps that were too long."""
        return f"use a time step of {0.5 * header['options']['time_step']:g} s"

    elements = "use accurate elements (t10)"
    apart = "move bodies apart that overlap at the start"
    longer = "give it more time"
    work = "allow more effort"


@dataclass
class Verdict:
    """word: GOOD, FAIR or POOR; reasons: sentences, the worst first, each with reason and remedy."""

    word: str
    reasons: list

    @property
    def sentence(self):
        """The verdict in one sentence."""
        return f"Result is {self.word}" + ("" if self.word == GOOD else f": {self.reasons[0]}")


def judge(frames, speech=None):
    """The Verdict on a run: `frames` is a Trajectory, or all that has its header, steps, times, poses and joints;
    speech: see InSeconds."""
    speech = speech or InSeconds()
    found = _ended(frames, speech)
    if len(frames.steps["time"]):
        judgements = (_restless, _missed, _not_accepted, _sunk, _left_deep, _overlapped, _passed, _unexplained, _thrown,
                      _blocked, _still, _pressed, _too_stiff)  # fmt: skip
        found += [entry for judgement in judgements for entry in judgement(frames, speech)]
    words = {word for word, _ in found}
    word = POOR if POOR in words else FAIR if FAIR in words else GOOD
    return Verdict(word, [reason for _, reason in sorted(found, key=lambda entry: entry[0] != POOR)])


def exactness(frames):
    """How exact contact forces are, without a unit."""
    part = frames.steps["residual"] / np.maximum(acceptable(frames), 1e-300)
    wrong = int((part > 1).sum())
    if wrong:
        return f"inexact in {wrong} of {len(part)} steps"
    return "exact" if part.max() <= UNSEEN else "nearly exact"


def acceptable(frames):
    """Residual (S,) [m/s] below which nobody sees a difference: a tenth of what gravity gives in a step, and a
    hundredth of the bodies' usual speed, or of that which what is stored in them would give, as far as falls, stored
    energy and keys explain that; never below the aim."""
    mass, steps = sum(frames.header["mass"]), frames.steps
    moving = steps["kinetic"] - np.maximum(0.0, _gains(frames) - _of_keys(frames, 1.0))
    energy = np.maximum(moving, 0.0) + steps.get("elastic", 0.0)
    speed = np.sqrt(2 * np.maximum(energy, 0) / mass) if mass > 0 else 0.0
    return np.maximum(_slight(frames.header) + 0.1 * SLIGHT * speed, frames.header.get("tolerance", 0.0))


def _slight(header):
    """Speed [m/s] that nobody sees: a tenth of what gravity gives in a step."""
    return SLIGHT * np.linalg.norm(header["gravity"]) * header["options"]["time_step"]


def _place(frames, row, speech):
    return f"{speech.place(frames.steps['time'][row])} (step {row + 1})"


def _ended(frames, speech):
    """A run that had to end before its time."""
    fault = frames.header.get("fault")
    if not fault:
        return []
    return [(POOR, f"it ended at {speech.place(frames.times[-1])}: {fault}")]


def _restless(frames, speech):
    """A run until rest that did not come to it."""
    header = frames.header
    if "moving" not in header:
        return []
    who = listed(header["moving"]) or "nothing, but not for half a second"
    return [(POOR, (
        f"it did not come to rest by {speech.place(frames.times[-1])}, still moving: {who}; {speech.longer}"
    ))]  # fmt: skip


def _missed(frames, speech):
    steps, stated = frames.steps, frames.header["options"]["tolerance"]
    over = steps["residual"] > stated
    if not stated or not over.any():
        return []
    worst = int(steps["residual"].argmax())
    return [(POOR, (
        f"{int(over.sum())} of {len(over)} steps missed the tolerance {stated:.1e} m/s, at worst "
        f"{steps['residual'][worst]:.1e} at {_place(frames, worst, speech)}: "
        f"{speech.work}, or {speech.finer(frames.header)}"
    ))]  # fmt: skip


def _not_accepted(frames, speech):
    steps, header, limit = frames.steps, frames.header, acceptable(frames)
    given_up = (steps["converged"] == 0) & (steps["residual"] > UNSEEN * limit)
    bad = given_up | (steps["residual"] > limit)
    if header["options"]["tolerance"] or not bad.any():
        return []
    worst = int(np.where(bad, steps["residual"], -1).argmax())
    share = float(bad.mean())
    held = _held_by(frames, worst)
    return [(POOR if share > FEW else FAIR, (
        f"{'joint' if held else 'contact'} forces of {int(bad.sum())} of {len(bad)} steps are inexact, which changes "
        f"speeds by up to {as_speed(steps['residual'][worst])} at {_place(frames, worst, speech)}"
        f"{_between(frames, worst)}{held and f', held by {held}'}: "
        f"{_keys_to_change(frames, worst)}"
        f"{held and 'free these joints where they contradict others or what is in their way, '}"
        f"{speech.finer(header)}, or {speech.work}"
    ))]  # fmt: skip


def _worst_pair(frames, row):
    """Numbers of the bodies between which a step was worst."""
    ends = (int(frames.steps[end][row]) for end in ("worst_body", "worst_other") if end in frames.steps)
    return [end for end in ends if end >= 0]


def _held_by(frames, row):
    """The names of the joints between the bodies, or the body and the world, of the worst pair of a step."""
    pair = {int(frames.steps[end][row]) for end in ("worst_body", "worst_other") if end in frames.steps}
    joints = zip(frames.header.get("joints", ()), frames.header.get("joint_bodies", ()), strict=False)
    return " and ".join(repr(name) for name, ends in joints if set(ends) == pair != {-1})


def _between(frames, row):
    names = " and ".join(repr(frames.header["names"][end]) for end in _worst_pair(frames, row))
    return f", at {names}" if names else ""


def _keys_to_change(frames, row):
    """The remedy where an Animated body is one of the two: it goes where its keys are, whatever is in the way."""
    keyed = [end for end in _worst_pair(frames, row) if end in _keyed(frames)]
    names = " and ".join(repr(frames.header["names"][end]) for end in keyed)
    return f"change the keys of {names} if they press or pull on what cannot yield, " if names else ""


def _smallest(header):
    """Radius [m] of the smallest body that is not static."""
    sizes = [size for size, motion in zip(header["size"], header["motion"], strict=True) if motion != "static"]
    return min(sizes, default=1.0)


def sight_of(overlap, header):
    """In a word, whether an overlap [m] is seen; header: the run's, with the size of its bodies."""
    if overlap <= SEEN * _smallest(header):
        return "not seen"
    return "deep" if overlap > DEEP * _smallest(header) else "seen"


def _overlapped(frames, speech):
    steps, header = frames.steps, frames.header
    smallest, row = _smallest(header), int(steps["overlap"].argmax())
    overlap = float(steps["overlap"][row])
    if overlap <= SEEN * smallest:
        return []
    return [(POOR if overlap > DEEP * smallest else FAIR, (
        f"bodies overlapped by up to {as_length(overlap)}, {overlap / smallest:.0%} of the smallest one's radius, at "
        f"{_place(frames, row, speech)}: {speech.finer(header)}, or {speech.apart}"
    ))]  # fmt: skip


def _left_deep(frames, _speech):
    """What no motion takes apart, where it is seen."""
    steps = frames.steps
    seen = np.where(steps["overlap"] > SEEN * _smallest(frames.header), steps["unresolved"], 0)
    return [(FAIR, note) for note in step_notes({**steps, "unresolved": seen}, frames.header["names"])]


def _sunk(frames, speech):
    """Bodies that begin deeper in each other than contacts reach."""
    found = frames.header.get("sunk", [])
    if not found:
        return []
    a, b = found[0]
    more = f", and {len(found) - 1} more pairs" if len(found) > 1 else ""
    return [(POOR, f"{a!r} and {b!r} begin too deep in each other to push apart{more}: {speech.apart}")]


def _passed(frames, speech):
    """Bodies that went through open surfaces."""
    found = frames.header.get("passed", [])
    if not found:
        return []
    body, sheet, time = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return [(POOR, (
        f"{body!r} went through {sheet!r} by {speech.place(time)}{more}: {speech.apart}, "
        f"{speech.finer(frames.header)}, or give {sheet!r} a thickness"
    ))]  # fmt: skip


def _unexplained(frames, speech):
    """Energy gained beyond the ledger, and beyond what a lever gives of the speed of keys."""
    steps, header = frames.steps, frames.header
    if len(steps["time"]) < 2:
        return []
    gains = _gains(frames)
    # What nobody sees of all bodies is nothing to speak of.
    least = 0.5 * sum(header["mass"]) * (_slight(header) + header["tolerance"]) ** 2 + _of_keys(frames, LEVERAGE)
    there = _there(steps, gains)
    if not _keyed(frames):
        # What was lost before excuses nothing: no step gives it back.
        gains = gains - np.minimum.accumulate(np.minimum(gains, 0.0))
    gain = float(gains.max()) - least
    if gain <= UNEXPLAINED * there:
        return []
    share = f", {gain / there:.1%} of what there was" if there > 0 else ""
    return [(POOR if gain > ABSURD * there else FAIR, (
        f"{gain:.3g} J appeared from nowhere by {_place(frames, int(gains.argmax()), speech)}{share}: "
        f"{speech.finer(header)}"
    ))]  # fmt: skip


def _there(steps, gains):
    """Energy [J] that there was: the most at a time, without what came from nowhere, and all works. What swings to and
    fro is there once, however often it does."""
    stored = steps["potential"] + steps.get("elastic", 0.0)
    held = steps["kinetic"] + stored - stored.min() - np.maximum(0.0, gains)
    works = sum(np.abs(steps[name]) for name in LEDGER if name in steps)
    return max(0.0, float(held.max())) + float(works.sum())


def _thrown(frames, speech):
    """Energy that a step gained by taking bodies apart or onto their joints: beyond what lifts all by their own size
    and what is there without it, nothing of it is motion that anything gave."""
    steps, header = frames.steps, frames.header
    gain = gain_by_overlap(steps["stabilisation_work"], (steps["friction_work"], steps["impact_loss"]))
    mass, size = np.array(header["mass"]), np.array(header["size"])
    most = np.linalg.norm(header["gravity"]) * (mass * size)[mass > 0].sum() + _of_keys(frames, 1.0)
    most += 0.5 * mass.sum() * (_slight(header) + header["tolerance"]) ** 2
    beyond = gain - np.maximum(0.0, steps["kinetic"] - gain) - most
    row = int(beyond.argmax())
    if beyond[row] <= 0.0:
        return []
    return [(POOR, (
        f"bodies were thrown by {gain[row]:.3g} J that taking them apart, or onto their joints, gave at "
        f"{_place(frames, row, speech)}: {speech.finer(header)}, or {speech.apart}"
    ))]  # fmt: skip


def _gains(frames):
    """Energy (S,) [J] after each step that nothing in the run explains but keys, which lift bodies as high as they
    will: where there are any, motion alone counts, beyond what the highest fall so far and all sources can give. Joints
    that only hold give none, nor do impacts and schemes of deformable bodies in all: what they gave is the error of
    steps, of the first as of all others. Impacts may give what the scheme took."""
    steps, give = frames.steps, frames.header.get("joints_give", True) or _keyed(frames)
    works = [steps[name] for name in LEDGER if name in steps and (give or name != "joint_work")]
    stored = steps["potential"] + steps.get("elastic", 0.0)
    if _keyed(frames):
        fallen = np.maximum.accumulate(stored) - stored
        return steps["kinetic"] - steps["kinetic"][0] - fallen - np.cumsum(sum(np.maximum(0.0, work) for work in works))
    total, spent = steps["kinetic"] + stored, np.cumsum(sum(works))
    begun = total[0] - spent[0]
    if np.any(steps.get("elastic", 0.0)):
        impacts, scheme = np.cumsum(steps["impact_loss"]), np.cumsum(steps["scheme_loss"])
        # What filters take of bodies that press on each other these give back as they close again.
        spent = spent - np.maximum(0.0, scheme) - np.maximum(0.0, impacts + np.minimum(0.0, scheme))
    return total - begun - spent


def _keyed(frames):
    """Numbers of the Animated bodies, and of those that are at times."""
    header, switched = frames.header, frames.header.get("switches", {})
    return [i for i, motion in enumerate(header["motion"]) if motion == "kinematic" or header["names"][i] in switched]


def _of_keys(frames, leverage):
    """Energy [J] of all bodies at so many times the largest speed of an Animated one between two frames."""
    header, spans, keyed = frames.header, np.diff(frames.times), _keyed(frames)
    if not keyed or len(spans) == 0:
        return 0.0
    way = np.linalg.norm(np.diff(frames.positions[:, keyed], axis=0), axis=2)
    turn = np.array(header["size"])[keyed] * _turns(frames.orientations[:, keyed])
    speed = float(((way + turn) / np.maximum(spans, 1e-300)[:, None]).max())
    return 0.5 * sum(header["mass"]) * (leverage * speed) ** 2


def _turns(orientations):
    """Angles (F-1,R) [rad] between quaternions (F,R,4) of one frame and the next."""
    cosine = np.abs((orientations[1:] * orientations[:-1]).sum(axis=2))
    return 2.0 * np.arccos(np.minimum(cosine, 1.0))


def _blocked(frames, _speech):
    """Motors that did not move their joints."""
    names = set(frames.header.get("motors", ()))
    if len(frames.times) < 2:
        return []
    blocked = [
        name for j, name in enumerate(frames.joint_names) if name in names and np.ptp(frames.joints[:, j, 0]) <= MOVED
    ]
    if not blocked:
        return []
    return [(FAIR, (
        f"the motor of joint {listed(blocked)} moved nothing: look for limits of the joint that leave it no way, for "
        "what else holds its bodies, or give the motor more force"
    ))]  # fmt: skip


def _still(frames, _speech):
    """A run in which nothing moves, and nothing touches that could be why."""
    header = frames.header
    free = [i for i, motion in enumerate(header["motion"]) if motion == "dynamic"]
    if not free or len(frames.times) < 2 or frames.steps["contact_count"].any():
        return []
    way = np.linalg.norm(frames.positions[:, free] - frames.positions[:1, free], axis=2).max(axis=0)
    turn = np.abs(frames.orientations[:, free] - frames.orientations[:1, free]).max(axis=(0, 2))
    if (way > MOVED * np.array(header["size"])[free]).any() or (turn > MOVED).any() or _deformed(frames):
        return []
    why = "joints hold all of them" if np.any(header["gravity"]) else "there is no gravity"
    return [(FAIR, (
        f"nothing moved, although nothing touches {listed([header['names'][i] for i in free])}: {why}; check gravity, "
        "joints and velocities at the start"
    ))]  # fmt: skip


def _pressed(frames, _speech):
    """Deformable bodies that are pressed too far; inside out or without volume, no law and no mesh is right."""
    found = frames.header.get("squeezed", {})
    crushed = [sum(known["counts"][:2]) > FEW * known["elements"] for known in found.values()]
    return [(POOR if wrong else FAIR, note) for wrong, note in zip(crushed, squeezed_notes(found), strict=True)]


def _too_stiff(frames, speech):
    """Deformable bodies whose meshes bend as another material would."""
    return [(FAIR, note) for note in mesh_notes(frames.header.get("mesh_error", {}), speech, ABSURD)]


def slightly_stiff(header, speech):
    """Sentences on meshes that are not right, and no reason to doubt the run; header: the run's; speech: see
    InSeconds."""
    return mesh_notes(header.get("mesh_error", {}), speech, most=ABSURD)


def _deformed(frames):
    """Whether a deformable body has energy at any time."""
    return bool(np.any(frames.steps.get("elastic", 0.0)) or frames.steps["kinetic"].any())
