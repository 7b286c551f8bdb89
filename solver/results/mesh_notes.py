"""What is said of the meshes of deformable bodies: how much too stiff they are."""

import numpy as np

from ..base.wording import counted

# Part of the stiffness below which an estimate is not trusted, and not said.
SAID = 0.03
# Part of an error that halving the elements leaves, of those that were measured: .27 to .48, here the middle.
HALVED = 0.38


def mesh_notes(found, speech, least=SAID, most=np.inf):
    """Sentences on {body: {"stiff": stiffness over the true one - 1 or None, "nodes" of an element, "time" [s]: when it
    was deformed most}} where the mesh is off by more than `least`, and no more than `most`: one for all that are so in
    the same way, on the worst of them; speech: see verdict.InSeconds."""
    alike: dict[tuple[int, bool], list[tuple[float, str]]] = {}
    for name, known in found.items():
        if least < abs(known["stiff"] or 0.0) <= most:
            alike.setdefault((known.get("nodes", 4), known["stiff"] > 0.0), []).append((abs(known["stiff"]), name))
    notes = []
    for (nodes, _), entries in alike.items():
        (_, name), *others = sorted(entries, reverse=True)
        where = f"for the loads it has at {speech.place(found[name]['time'])}, where it is deformed most"
        notes.append(f"body {name!r}: {mesh_sentence(found[name]['stiff'], nodes, where, speech.elements)}")
        if others:
            notes[-1] += f"; {counted(len(others), 'other')} alike, by {100 * others[-1][0]:.0f} % or more"
    return notes


def mesh_sentence(stiff, nodes, where, elements):
    """What is said of an error `stiff` of a mesh of elements of 4 or 10 nodes, "" where nothing is; elements: the
    remedy for linear ones."""
    if stiff is None or abs(stiff) <= SAID:
        return ""
    said = f"its mesh is {100 * abs(stiff):.0f} % too {'stiff' if stiff > 0 else 'soft'} {where}"
    if nodes == 4:
        return f"{said}: {elements}"
    return f"{said}: halve the element size, about {100 * HALVED * abs(stiff):.0f} % then"
