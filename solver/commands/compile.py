"""`stiction compile`: all kernels ahead of time."""

import sys

from ..base.progress import Progress
from .common import DONE, NOT_MET

HELP = "compile all that any scene can need, so that no run waits for it"


def arguments(_command):
    """Takes none."""


def run(_options):
    """Compile what is not on disk yet."""
    from .compile_all import compile_all

    failed = compile_all(Progress())
    for line in failed:
        print(f"stiction: not compiled: {line}", file=sys.stderr)
    return NOT_MET if failed else DONE
