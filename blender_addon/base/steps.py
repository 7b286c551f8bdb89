"""Work in steps: generators that yield often, so that a window can draw in between, and return the result."""


class Ahead(str):
    """Words on a step that holds the window up: it draws before that, so that they are read."""


def exhausted(steps):
    """The return value of a generator, run to its end in one go."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def named(words, steps):
    """The generator `steps` with words about it: yields them, and what it is at where it yields a text. Returns what it
    returns."""
    try:
        while True:
            try:
                at = next(steps)
            except StopIteration as end:
                return end.value
            yield type(at)(f"{words} {at}") if isinstance(at, str) else words
    finally:
        steps.close()


def chunks(items, size):
    """Consecutive parts of a sequence with `size` items, at least one, the last with what is left."""
    size = max(1, size)
    return [items[start : start + size] for start in range(0, len(items), size)]
