"""What a finished run is worth, in words: how good, why, what to do; kept, and written to a Text block with steps."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.base.wording import as_length, counted
from ...solver.results import verdict as results
from ...solver.results.reduced_notes import reduced_line, reduced_notes
from ...solver.results.verdict import FAIR, GOOD, POOR
from ...solver.runs.node_frames import read_constants
from ...solver.stepping.not_accepted import not_accepted
from ..base.transforms import matrix_of_quaternion

__all__ = ["FAIR", "GOOD", "POOR", "TEXT", "Verdict", "frame_of", "judge", "keep", "report"]

TEXT = "Stiction Report"
WORST = 10
# Misalignment of a joint [rad] that is worth a word.
TURNED = 1e-6

ACTED = "                             times   steps      most at frame  body"
HEAD = "   step    frame   residual  iterations  overlap mm  contacts  parts  bodies"


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
            return "Result is good" + (f", {counted(len(self.notes), 'note')} to read" if self.notes else "")
        return f"Result is {self.word}: {self.notes[0]}"


class InFrames:
    """How the panel speaks of a run: places as Blender's frames, remedies as its settings and buttons."""

    def __init__(self, reading):
        self.reading = reading

    def place(self, time):
        """A time [s] of the run in words."""
        return f"frame {frame_of(time, self.reading):.1f}"

    def finer(self, header):
        """The remedy for steps that were too long."""
        return f"use {2 * header['options']['steps_per_frame']} steps per frame"

    elements = "set Elements to Accurate"
    apart = "press Check and Separate what overlaps at the start"
    longer = "give it more time"
    work = "raise Max Work"


def judge(frames, reading, otherwise=()):
    """The Verdict on a run: `frames` are its frames and steps loaded, `reading` is what it was made from; otherwise:
    sentences on bodies that are shown in other shapes than they were simulated in."""
    steps, header = frames.steps, frames.header
    found = results.judge(frames, InFrames(reading))
    sinking = [*otherwise, *_sinking(frames, reading)]
    word = FAIR if sinking and found.word == GOOD else found.word
    fault = header.get("fault")
    notes = found.reasons + sinking + results.slightly_stiff(header, InFrames(reading))
    notes += reduced_notes(header.get("left_out", {}))
    notes += [note for note in header.get("notes", []) if note != fault]
    line = _line(frames) + _joints(frames) + _modes(header) if len(steps["time"]) else "no steps"
    return Verdict(word, line, notes)


def _sinking(frames, reading):
    """A sentence for each deformable body whose mesh is seen to stand out of the faces of its tetrahedra, which are
    what touches, bent ones in parts."""
    soft = [one for one in getattr(reading, "bodies", ()) if one.deformable]
    if not soft or not frames.steps["contact_count"].any():
        return []
    from ..deformable.embedding import standing_out

    constants, said = read_constants(frames.folder), []
    for one in soft:
        number = frames.names.index(one.name)
        first, last = constants["node_start"][number : number + 2]
        faces = constants["triangles"][slice(*constants["triangle_start"][number : number + 2])] - first
        points = (reading.meshes[one.mesh][0] @ one.matrix[:3, :3].T + one.matrix[:3, 3]) * reading.unit
        depth = standing_out(points, constants["rest"][first:last], faces)
        if depth > results.SEEN * frames.header["size"][number]:
            said.append(f"the mesh of {one.name!r} stands up to {1e3 * depth:.2g} mm out of its tetrahedra, and may be "
                        "seen to sink by as much: use a smaller Element Size")  # fmt: skip
    return said


def _line(frames):
    steps, header = frames.steps, frames.header
    count, overlap = (steps[name].max() for name in ("contact_count", "overlap"))
    parts = [f"{len(steps['time'])} steps", f"up to {count:.0f} contacts" if count else "no contacts"]
    depth = f"overlap {as_length(overlap)} ({results.sight_of(overlap, header)})"
    parts += [f"forces {results.exactness(frames)}", depth] if count else []
    return ", ".join([*parts, f"{header['wall_s']:.1f} s"])


def _joints(frames):
    """The widest joint of the run, to follow the line."""
    if not frames.joint_names:
        return ""
    gap, angle = (frames.joints[:, :, column].max(axis=0) for column in (2, 3))
    widest, worst = int(gap.argmax()), int(angle.argmax())
    said = f", worst joint {as_length(gap[widest], 2)}: {frames.joint_names[widest]}"
    turned = f", worst angle {np.degrees(angle[worst]):.2g}°: {frames.joint_names[worst]}"
    return said + (turned if angle[worst] > TURNED else "")


def _modes(header):
    """What shape vectors leave out, of the body of which most is missing, to follow the line."""
    found = header.get("left_out", {})
    if not found:
        return ""
    name = max(found, key=lambda name: (found[name]["dent"], found[name]["patch_error"]))
    return f", modes of {name}: {reduced_line(found[name])}"


def frame_of(time, reading):
    """Blender's frame at a time [s] of the run."""
    return reading.frame_start + time * reading.fps


def keep(scene, verdict, warnings, frames, reading):
    """Write the verdict into the scene, and all sentences with the worst steps into the Text block."""
    scene.stiction.summary, scene.stiction.verdict, scene.stiction.worth = verdict.line, verdict.sentence, verdict.word
    text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
    text.clear()
    text.write("\n".join(report(scene.name, verdict, warnings, frames, reading)) + "\n")


def report(name, verdict, warnings, frames, reading):
    """Lines of the report: verdict, every sentence; the worst steps and those not accepted, with bodies; what acted."""
    lines = [f"Stiction: {name}", "", verdict.sentence.partition(":")[0] + ".", verdict.line, ""]
    sentences = [*verdict.notes, *warnings]
    lines += [f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)] or ["No warnings."]
    steps = frames.steps
    if len(steps["time"]) == 0:
        return lines
    worst = np.argsort(-steps["residual"], kind="stable")[:WORST]
    deepest = np.argsort(-steps["overlap"], kind="stable")[:WORST]
    worst, deepest = worst[steps["residual"][worst] > 0], deepest[steps["overlap"][deepest] > 0]
    names = iter(_bodies_at(frames, np.concatenate([worst, deepest])))
    for title, rows in (("Largest residual", worst), ("Deepest overlap", deepest)):
        lines += ["", f"{title} of all steps", HEAD]
        lines += [_row(int(row), frames, reading, next(names)) for row in rows] or ["   none"]
    lines += ["", "Mechanisms that acted", ACTED, *(_acted(frames, reading) or ["   none"])]
    lines += ["", "Steps not accepted"]
    rows = not_accepted(steps, frames.header["tolerance"], frames.names)
    lines += [f"   frame {frame_of(row.time, reading):.2f}, {row.sentence}" for row in rows] or ["   none"]
    return lines


def _acted(frames, reading):
    """A line for each mechanism that acted in a run, with the step in which it did most and a body there."""
    lines, names = [], frames.header.get("events", ())
    for number in np.unique(frames.event_records[:, 1]).astype(int) if names else ():
        name, rows = names[number], frames.event_records[frames.event_records[:, 1] == number]
        step, _, most, body = rows[int(rows[:, 2].argmax())]
        where = f"  {frames.names[int(body)]}" if body >= 0 else ""
        time = frames.steps["time"][int(step) - 1]
        lines.append(f"{name.replace('_', ' '):>26} {rows[:, 2].sum():9.0f} {len(rows):7d} {most:9.0f} "
                     f"{frame_of(time, reading):8.2f}{where}")  # fmt: skip
    return lines


def _row(row, frames, reading, names):
    steps = frames.steps
    return (
        f"{row + 1:7d} {frame_of(steps['time'][row], reading):8.2f} {steps['residual'][row]:10.2e} "
        f"{steps['iterations'][row]:11.0f} {1e3 * steps['overlap'][row]:11.4g} {steps['contact_count'][row]:9.0f} "
        f"{steps['substeps'][row]:6.0f}  {names}"
    )


def _bodies_at(frames, rows):
    """The two bodies that overlap deepest in each of the steps `rows` (n,), where the run kept its contacts; else the
    fastest."""
    from .contacts import contacts_of_step

    names = _fastest(frames, rows)
    for number, row in enumerate(rows if frames.header["options"]["store_contacts"] else ()):
        contacts = contacts_of_step(frames.folder, int(row) + 1)
        if contacts is not None and len(contacts):
            deepest = contacts[contacts[:, 9].argmin()]
            names[number] = ", ".join(frames.names[int(body)] for body in deepest[1:3])
    return names


def _fastest(frames, rows):
    """The body that turned or moved most between the frames around each of the steps `rows` (n,), "" for none."""
    last = len(frames.times) - 2
    if last < 0 or len(rows) == 0:
        return [""] * len(rows)
    frame = np.clip(rows // frames.header["options"]["steps_per_frame"], 0, last)
    moved = np.linalg.norm(frames.positions[frame + 1] - frames.positions[frame], axis=2)
    turned = matrix_of_quaternion(frames.orientations[frame + 1]) - matrix_of_quaternion(frames.orientations[frame])
    far = moved + np.array(frames.header["size"]) * np.abs(turned).max(axis=(2, 3))
    return [f"{frames.names[int(one.argmax())]} (fastest)" if one.max() > 0 else "" for one in far]
