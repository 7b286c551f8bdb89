"""Lists in panels: a collection and the number of the line that is chosen."""


def remove_line(owner, lines, active):
    """Remove the chosen line; the one that takes its place is chosen, at the end the last one. lines, active: names of
    the owner's collection and number."""
    collection, number = getattr(owner, lines), getattr(owner, active)
    collection.remove(number)
    setattr(owner, active, max(0, min(number, len(collection) - 1)))
