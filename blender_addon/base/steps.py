"""Work in steps: generators that yield often, so that a window can draw in between, and return the result."""


def exhausted(steps):
    """The return value of a generator, run to its end in one go."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def chunks(items, size):
    """Consecutive parts of a sequence with `size` items, at least one, the last with what is left."""
    size = max(1, size)
    return [items[start : start + size] for start in range(0, len(items), size)]
