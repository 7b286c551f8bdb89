"""What glows while nothing runs out of a funnel: the forces that carry, seen through bodies that turn to glass."""

import numpy as np

from ..bakers.presence import times_here
from ..base.curves import ActionWriter
from ..inside import contact_mesh

# Nothing has passed the outlet for so long [s] when the glow begins; it rises and fades in so many seconds.
WAIT, RISE, FADE = 0.5, 0.6, 0.3
# Weight of so many bodies is carried by the widest chain.
WIDEST = 12.0
# Colours of a chain, brighter than light makes them, and of the shine around it, so many times as wide.
GLOW, SHINE, WIDER = (4.0, 2.6, 0.6, 1.0), (4.0, 1.3, 0.2, 0.10), 3.0
# Of a body's colour and cover, what is left in the glow.
SHADE, COVER = 0.8, 0.3


def poured_columns(record):
    """Columns of the moving bodies that nothing holds."""
    held = {end for ends in record.frames.header.get("joint_bodies", ()) for end in ends}
    return np.array([k for k, motion in enumerate(record.motion) if motion == "dynamic" and k not in held])


def passages(record, low):
    """(passed (F,), above (F,)): how many poured bodies are below and above the height `low` [Blender units]."""
    columns = poured_columns(record)
    poured = [record.names[column] for column in columns]
    height = record.frames.positions[:, columns, 2] / record.unit
    here = times_here(poured, record.frames)
    return (here & (height < low)).sum(axis=1), (here & (height >= low)).sum(axis=1)


def glow(record, low):
    """How much the forces glow (F,), 0 to 1: as nothing has passed the height `low` [Blender units] for a while,
    jammed or all through. A frame knows nothing of those after it, so that frames can be drawn as they come."""
    passed, _ = passages(record, low)
    levels, since, step = np.zeros(len(passed)), 0.0, record.time_step * record.steps_per_frame
    for row in range(1, len(passed)):
        waits = passed[row] == passed[row - 1] and passed[row] > 0
        since = since + step if waits else 0.0
        wanted = np.clip((since - WAIT) / RISE, 0.0, 1.0)
        levels[row] = max(wanted, levels[row - 1] - step / FADE)
    return levels


def moments(record, low, poked, inside):
    """[(row, words)] of the frames that tell what happened; poked, inside [s]: when the rod came, when it was first all
    the way in."""
    (passed, above), levels, times = passages(record, low), glow(record, low), record.frames.times
    comes, last = int(np.searchsorted(times, poked)), len(times) - 1
    most = int(above.argmax())
    found = [(int(np.argmax(above > 0.5 * above[most])), "they are poured in"), (most, "the first run out")]
    if comes < last:
        if levels[comes] > 0 and above[comes] > 0:
            found.append((int(levels[: comes + 1].argmax()), f"jammed: {above[comes]} hang on their arch"))
        on = int(np.argmax(passed - passed[comes] >= 0.5 * (passed[-1] - passed[comes])))
        found += [(int(np.searchsorted(times, inside)), "the rod breaks it"), (max(on, comes), "they run on")]
    return [*(one for one in found if one[0] < last), (last, "the end")]


def story(record, low, poked, tray):
    """What happened, in a sentence; poked [s]: when the rod came; tray: half its width [Blender units]."""
    passed, above = passages(record, low)
    times = record.frames.times
    row = int(np.searchsorted(times, poked))
    if row >= len(times):
        return f"{passed[-1]} had passed the outlet when it ended."
    held = times[np.argmax(passed == passed[row])]
    sentence = (f"They jammed {held:.1f} s after the first came, with {passed[row]} through, and hung on their arch "
                f"until the rod poked it at {poked:.1f} s; ")  # fmt: skip
    if poked - held < WAIT or not above[row]:
        sentence = f"They did not jam before the rod came at {poked:.1f} s; "
    place = record.frames.positions[-1, poured_columns(record)] / record.unit
    inside = (np.abs(place[:, :2]) < tray).all(axis=1) & (place[:, 2] < low)
    return sentence + f"{inside.sum()} of {len(inside)} lie in the tray at the end."


def decorate(scene, record, bodies, low):
    """Add the force chains of the frames that glow to a baked scene, and let the `bodies` (objects that are poured)
    turn to glass in them."""
    contact_mesh.clear(scene)
    levels = glow(record, low)
    rows = np.flatnonzero(levels > 0)
    if not len(rows):
        return
    masses = np.array(record.mass)[poured_columns(record)]
    largest = WIDEST * float(np.median(masses)) * float(np.linalg.norm(record.frames.header["gravity"]))
    for color, factor in ((GLOW, 1.0), (SHINE, WIDER)):
        chains = contact_mesh.build_chains(scene, record, largest, rows, factor * levels[rows])
        chains.color = color
    for ob in bodies:
        fade(ob, levels, record.frame_start)


def fade(ob, levels, start):
    """Key an object's colour by levels (F,), from the frame `start` on."""
    glassy = np.array(ob.color) * (SHADE, SHADE, SHADE, COVER)
    values = np.array(ob.color)[:, None] + np.outer(glassy - np.array(ob.color), levels)
    writer = ActionWriter(f"{ob.name} in the glow", start + np.arange(len(levels)))
    writer.write(ob, [("color", channel) for channel in range(4)], values)
