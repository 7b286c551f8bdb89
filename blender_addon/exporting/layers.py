"""Collision layers and ignored collections of objects -> those of the solver's bodies."""


def on_layers(switches):
    """Layer numbers, from 1, of the switches that are on."""
    return tuple(number for number, on in enumerate(switches, 1) if on)


def wanted_layers(switches):
    """Layer numbers of the switches that are on; None, every layer, if all are."""
    return None if all(switches) else on_layers(switches)


def ignored_pairs(objects):
    """Names of the pairs of `objects` of which one ignores a collection that holds the other, each pair once."""
    names = {ob.name for ob in objects}
    pairs = set()
    for ob in objects:
        if ob.stiction.ignore is not None:
            others = {other.name for other in ob.stiction.ignore.all_objects} & names - {ob.name}
            pairs |= {tuple(sorted((ob.name, other))) for other in others}
    return tuple(sorted(pairs))
