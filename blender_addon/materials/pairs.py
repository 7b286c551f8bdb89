"""The table of pairs of materials as the solver gets it: names that bodies have -> materials of the solver. No bpy."""

from ...solver.base.refusal import SceneError
from ...solver.materials import MaterialPair


def solver_pairs(lines, names_of_label):
    """MaterialPairs of lines (first, second, friction, restitution or None); names_of_label: name of a material of
    bodies -> names of the solver's materials.

    A line whose materials no body has does nothing yet. SceneError for one without a name, or given twice.
    """
    pairs, seen = [], set()
    for number, (first, second, friction, restitution) in enumerate(lines, 1):
        if not first or not second:
            raise SceneError(f"material pair {number}: lacks a name; choose both materials or remove the line")
        key = frozenset((first, second))
        if key in seen:
            raise SceneError(f"material pair {first!r} and {second!r}: is given twice; remove one of the lines")
        seen.add(key)
        for names in _combinations(names_of_label.get(first, ()), names_of_label.get(second, ())):
            pairs.append(MaterialPair(names, friction=friction, restitution=restitution))
    return tuple(pairs)


def _combinations(first, second):
    """Every pair of a name of each side, once."""
    return sorted({tuple(sorted((a, b))) for a in first for b in second})
