"""What is said of bodies that move in few vectors of their shape: what these leave out of it."""

import numpy as np

from ..base.wording import as_length

# Turns [rad], strains and spins, in parts of the lowest frequency, beyond which linear modes are wrong by some percent:
# (most, factor to the unit it is told in, text).
BEYOND = {"turned": (np.radians(10.0), np.degrees(1.0), "its parts turn by up to {:.0f} degrees in its own frame"),
          "strained": (0.05, 100.0, "its parts are strained by up to {:.0f} %"),
          "spun": (0.2, 1.0, "it spins at up to {:.2g} times its lowest frequency")}  # fmt: skip


def reduced_line(known):
    """What a run found of a body, in words; known: see runs/soft_watches.py."""
    said = f"patch error {100 * known['patch_error']:.0f} %"
    if known["dent"] > 0.0:
        said += f", a dent of {as_length(known['dent'])} at {known['time']:.6g} s is not shown"
    return said


def reduced_notes(found):
    """Sentences on {body: what a run found of it}, see runs/soft_watches.py."""
    return [
        f"body {name!r} moves in {known['vectors']} shape vectors: {reduced_line(known)}; attachments where it is "
        "struck, an error, or all nodes (Motion: Full) leave out less" for name, known in found.items()
    ] + [
        f"body {name!r}: {text.format(known[key] * factor)}, which linear modes get wrong by some percent; give it "
        "derivatives and the law stvk (Large Bends), or all nodes (Motion: Full)"
        for name, known in found.items() for key, (most, factor, text) in BEYOND.items() if known.get(key, 0.0) > most
    ]  # fmt: skip
