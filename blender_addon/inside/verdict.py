"""What a finished run is worth, in words: how good, why, what to do; kept, and written to a Text block with steps."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.stepping.not_accepted import not_accepted, step_notes
from ...solver.stepping.step_report import LEDGER
from ..base.transforms import matrix_of_quaternion

TEXT = "Stiction Report"
# Overlap, as a part of the smallest body's size, that the user is told about, and that shows in a picture.
SEEN, DEEP = 0.02, 0.1
# Share of the steps that may miss what is acceptable before motion is called wrong.
FEW = 0.01
# Energy that comes from nowhere, as a part of what was exchanged.
UNEXPLAINED = 0.02
WORST = 10
# Misalignment of a joint [rad] that is worth a word.
TURNED = 1e-6
# Residual, as a part of the velocity that gravity gives in a step, that nobody sees.
SLIGHT = 0.1
# Part of that below which it does not matter that a solve was ended by its limit of work.
UNSEEN = 0.01

HEAD = "   step    frame   residual  iterations  overlap mm  contacts  parts  bodies"

GOOD, FAIR, POOR = "good", "usable", "poor"


@dataclass
class Verdict:
    """word: GOOD, FAIR or POOR; line: what was done and how well, for a beginner; notes: sentences, each with reason
    and remedy."""

    word: str
    line: str
    notes: list

    @property
    def sentence(self):
        """The verdict in one sentence, for the panel."""
        if self.word == GOOD:
            return "Result is good" + (f", {_counted(len(self.notes))} to read" if self.notes else "")
        return f"Result is {self.word}: {self.notes[0]}"


def judge(frames, reading):
    """The Verdict on a run: `frames` are its frames and steps loaded, `reading` is what it was made from."""
    steps, header = frames.steps, frames.header
    if len(steps["time"]) == 0:
        return Verdict(GOOD, "no steps", [])
    judgements = (_missed, _not_accepted, _overlapped, _unexplained)
    found = [judgement(steps, header, reading) for judgement in judgements]
    found += [(FAIR, note) for note in step_notes(steps)]
    found = [entry for entry in found if entry is not None]
    words = {word for word, _ in found}
    word = POOR if POOR in words else FAIR if FAIR in words else GOOD
    notes = [note for _, note in sorted(found, key=lambda entry: entry[0] != POOR)] + header.get("notes", [])
    return Verdict(word, _line(steps, header) + _joints(frames), notes)


def _counted(number):
    return f"{number} note" + ("" if number == 1 else "s")


def _line(steps, header):
    count, overlap = (steps[name].max() for name in ("contact_count", "overlap"))
    parts = [f"{len(steps['time'])} steps", f"up to {count:.0f} contacts" if count else "no contacts"]
    parts += [f"forces {_exactness(steps, header)}", f"overlap {1e3 * overlap:.3g} mm"] if count else []
    return ", ".join([*parts, f"{header['wall_s']:.1f} s"])


def _exactness(steps, header):
    """How exact contact forces are, without a unit."""
    part = steps["residual"] / np.maximum(acceptable(steps, header), 1e-300)
    wrong = int((part > 1).sum())
    if wrong:
        return f"inexact in {wrong} of {len(part)} steps"
    return "exact" if part.max() <= UNSEEN else "nearly exact"


def as_speed(value):
    """A velocity [m/s] as text in the unit that reads best."""
    return f"{value:.2g} m/s" if value >= 1 else f"{1e3 * value:.2g} mm/s"


def _joints(frames):
    """The widest joint of the run, to follow the line."""
    if not frames.joint_names:
        return ""
    gap, angle = (frames.joints[:, :, column].max(axis=0) for column in (2, 3))
    widest, worst = int(gap.argmax()), int(angle.argmax())
    said = f", worst joint {1e3 * gap[widest]:.2g} mm: {frames.joint_names[widest]}"
    turned = f", worst angle {np.degrees(angle[worst]):.2g}°: {frames.joint_names[worst]}"
    return said + (turned if angle[worst] > TURNED else "")


def frame_of(time, reading):
    """Blender's frame at a time [s] of the run."""
    return reading.frame_start + time * reading.fps


def _at(steps, row, reading):
    return f"frame {frame_of(steps['time'][row], reading):.1f} (step {row + 1})"


def _missed(steps, header, reading):
    stated = header["options"]["tolerance"]
    over = steps["residual"] > stated
    if not stated or not over.any():
        return None
    worst = int(steps["residual"].argmax())
    return POOR, (
        f"{int(over.sum())} of {len(over)} steps missed the tolerance {stated:.1e} m/s, at worst "
        f"{steps['residual'][worst]:.1e} at {_at(steps, worst, reading)}: "
        "allow more effort, or use more steps per frame"
    )


def _not_accepted(steps, header, reading):
    limit = acceptable(steps, header)
    given_up = (steps["converged"] == 0) & (steps["residual"] > UNSEEN * limit)
    bad = given_up | (steps["residual"] > limit)
    if header["options"]["tolerance"] or not bad.any():
        return None
    worst = int(np.where(bad, steps["residual"], -1).argmax())
    share = float(bad.mean())
    return POOR if share > FEW else FAIR, (
        f"contact forces of {int(bad.sum())} of {len(bad)} steps are inexact, which changes speeds by up to "
        f"{as_speed(steps['residual'][worst])} at {_at(steps, worst, reading)}: "
        f"use {2 * header['options']['steps_per_frame']} steps per frame, or more Effort"
    )


def acceptable(steps, header):
    """Residual (S,) [m/s] below which nobody sees a difference: a tenth of what gravity gives in a step, and a
    hundredth of the bodies' usual speed."""
    mass = sum(header["mass"])
    speed = np.sqrt(2 * np.maximum(steps["kinetic"], 0) / mass) if mass > 0 else 0.0
    return SLIGHT * np.linalg.norm(header["gravity"]) * header["options"]["time_step"] + 0.1 * SLIGHT * speed


def _overlapped(steps, header, reading):
    sizes = [size for size, motion in zip(header["size"], header["motion"], strict=True) if motion != "static"]
    smallest, row = min(sizes, default=1.0), int(steps["overlap"].argmax())
    overlap = float(steps["overlap"][row])
    if overlap <= SEEN * smallest:
        return None
    return POOR if overlap > DEEP * smallest else FAIR, (
        f"bodies overlapped by up to {1e3 * overlap:.3g} mm, {overlap / smallest:.0%} of the smallest one's radius, at "
        f"{_at(steps, row, reading)}: use more steps per frame, or press Check and Separate what overlaps at the start"
    )


def _unexplained(steps, header, _reading):
    """Energy gained beyond the ledger; not told where Animated bodies do work that no term counts."""
    if any(motion == "kinematic" for motion in header["motion"]) or len(steps["time"]) < 2:
        return None
    total = steps["kinetic"] + steps["potential"] + steps.get("elastic", 0.0)
    works = sum(steps[name] for name in LEDGER if name in steps)
    gain = float((total - total[0] - (np.cumsum(works) - works[0])).max())
    exchanged = float(np.abs(np.diff(steps["potential"])).sum() + np.abs(works).sum())
    if exchanged <= 0 or gain <= UNEXPLAINED * exchanged:
        return None
    return FAIR, (
        f"{gain:.3g} J appeared from nowhere, {gain / exchanged:.1%} of what was exchanged: use more steps per frame"
    )


def keep(scene, verdict, warnings, frames, reading):
    """Write the verdict into the scene, and all sentences with the worst steps into the Text block."""
    scene.stiction.summary, scene.stiction.verdict, scene.stiction.worth = verdict.line, verdict.sentence, verdict.word
    text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
    text.clear()
    text.write("\n".join(report(scene.name, verdict, warnings, frames, reading)) + "\n")


def report(name, verdict, warnings, frames, reading):
    """Lines of the report: verdict, every sentence; the worst steps and those not accepted, with bodies."""
    lines = [f"Stiction: {name}", "", verdict.sentence.partition(":")[0] + ".", verdict.line, ""]
    sentences = [*verdict.notes, *warnings]
    lines += [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)] or ["No warnings."]
    steps = frames.steps
    if len(steps["time"]) == 0:
        return lines
    worst = np.argsort(-steps["residual"], kind="stable")[:WORST]
    deepest = np.argsort(-steps["overlap"], kind="stable")[:WORST]
    for title, rows in (("Largest residual", worst), ("Deepest overlap", deepest)):
        lines += ["", f"{title} of all steps", HEAD]
        rows = [row for row in rows if steps["residual" if title[0] == "L" else "overlap"][row] > 0]
        lines += [_row(int(row), frames, reading) for row in rows] or ["   none"]
    lines += ["", "Steps not accepted"]
    rows = not_accepted(steps, frames.header["tolerance"], frames.names)
    lines += [f"   frame {frame_of(row.time, reading):.2f}, {row.sentence}" for row in rows] or ["   none"]
    return lines


def _row(row, frames, reading):
    steps = frames.steps
    names = ", ".join(_bodies_at(frames, row, reading))
    return (
        f"{row + 1:7d} {frame_of(steps['time'][row], reading):8.2f} {steps['residual'][row]:10.2e} "
        f"{steps['iterations'][row]:11.0f} {1e3 * steps['overlap'][row]:11.4g} {steps['contact_count'][row]:9.0f} "
        f"{steps['substeps'][row]:6.0f}  {names}"
    )


def _bodies_at(frames, row, reading):
    """Names of the two bodies that overlap deepest in a step, where the run kept its contacts; else of the fastest."""
    from .contacts import contacts_of_step

    contacts = contacts_of_step(frames.folder, row + 1) if frames.header["options"]["store_contacts"] else None
    if contacts is not None and len(contacts):
        deepest = contacts[contacts[:, 9].argmin()]
        return [frames.names[int(body)] for body in deepest[1:3]]
    return _fastest(frames, row)


def _fastest(frames, row):
    """The body that turned or moved most between the frames around a step."""
    per_frame = frames.header["options"]["steps_per_frame"]
    frame = min(max(row // per_frame, 0), len(frames.times) - 2)
    if frame < 0:
        return []
    moved = np.linalg.norm(frames.positions[frame + 1] - frames.positions[frame], axis=1)
    turned = matrix_of_quaternion(frames.orientations[frame + 1]) - matrix_of_quaternion(frames.orientations[frame])
    size = np.array(frames.header["size"])
    far = moved + size * np.abs(turned).max(axis=(1, 2))
    return [f"{frames.names[int(far.argmax())]} (fastest)"] if far.max() > 0 else []
