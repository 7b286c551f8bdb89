"""Work in slices between which the window lives on: how long each of them is."""

import time

# Seconds of a slice at least, and at most: a click or Esc waits for the end of one.
LEAST, MOST = 0.03, 0.5


class Slices:
    """The slices of one work. A slice is as long as the window took since the last one, to draw: half of the time goes
    to the work however slowly that is, where slices of one length would leave it a fiftieth."""

    def __init__(self):
        self._left = None

    def until(self, first=None):
        """Time [s, of time.perf_counter] at which the slice that begins now ends; first: seconds of the first one."""
        now = time.perf_counter()
        if first is not None or self._left is None:
            return now + (LEAST if first is None else first)
        return now + min(max(LEAST, now - self._left), MOST)

    def leave(self):
        """The slice has ended: the window has its turn."""
        self._left = time.perf_counter()
