"""What is said of bodies that move in few vectors of their shape: what these leave out of it."""

from ..base.wording import as_length


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
    ]  # fmt: skip
