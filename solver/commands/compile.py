"""`stiction compile`: all kernels ahead of time."""

import sys

from ..base.progress import Progress
from .common import DONE, NOT_MET, Refused

HELP = "compile all that any scene can need, so that no run waits for it"


def arguments(command):
    """What of it."""
    command.add_argument("--use", default="all", metavar="NAME", help="only what this needs: demo, or all")


def run(options):
    """Compile what is not on disk yet."""
    from .compile_all import USES, compile_all

    if options.use not in USES:
        raise Refused(f"--use {options.use!r} is not one of {', '.join(USES)}")
    failed = compile_all(Progress(), options.use)
    for line in failed:
        print(f"stiction: not compiled: {line}", file=sys.stderr)
    return NOT_MET if failed else DONE
