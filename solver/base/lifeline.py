"""The tie of a process to the one that started it: orders come through it, and its end is the end of this process.

Only processes that work for another load this. Blender's own process never does: no thread may run in it.
"""

import os
from _thread import start_new_thread

CHUNK = 65536
# Exit code of a process whose starter is gone.
LEFT_ALONE = 3


def listen(take):
    """Call take(line) for every line that comes to this process's standard input, and end this process at once when
    its other end is closed, however that came. It works while compiled code runs, so in a thread of its own."""
    start_new_thread(_listen, (take,))


def end_with_starter():
    """End this process at once when the other end of its standard input is closed, so with whoever started it."""
    listen(lambda line: None)


def _listen(take):
    rest = b""
    # The bare file: a buffered one would hold a lock while Python shuts down.
    while chunk := os.read(0, CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            take(line)
    os._exit(LEFT_ALONE)
