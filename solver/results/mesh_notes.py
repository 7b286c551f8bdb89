"""What is said of the meshes of deformable bodies: how much too stiff they are."""

# Part of the stiffness below which an estimate is not trusted, and not said.
SAID = 0.03
# Part of an error that halving the elements leaves, of those that were measured: .27 to .48, here the middle.
HALVED = 0.38


def mesh_notes(found, speech):
    """Sentences on {body: {"stiff": stiffness over the true one - 1 or None, "nodes" of an element, "time" [s]: when it
    was deformed most}} where the mesh is off by more than SAID; speech: see verdict.InSeconds."""
    notes = []
    for name, known in found.items():
        where = f"for the loads it has at {speech.place(known['time'])}, where it is deformed most"
        said = mesh_sentence(known["stiff"], known.get("nodes", 4), where, speech.elements)
        notes += [f"body {name!r}: {said}"] if said else []
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
