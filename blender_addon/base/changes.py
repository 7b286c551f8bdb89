"""What follows a change of the bodies: settings call `bodies_changed`, and do not know who listens."""

_listeners = []


def listen(listener):
    """Call listener() after every change of what the bodies are."""
    _listeners.append(listener)


def forget(listener):
    """Take it back."""
    _listeners.remove(listener)


def bodies_changed(_self=None, _context=None):
    """A body or joint was made, or made another; as an update function of a property."""
    for listener in _listeners:
        listener()
