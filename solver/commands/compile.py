"""`stiction compile`: all kernels ahead of time."""

import sys

from ..base.progress import Progress
from ..kernels.ways import LIBRARY, described, way
from .common import DONE, NOT_MET, Refused

HELP = "compile all that any scene can need, so that no run waits for it"


def arguments(command):
    """What of it, and whether to link it."""
    command.add_argument("--use", default="all", metavar="NAME", help="only what this needs: demo, or all")
    command.add_argument("--library", nargs="?", const="", metavar="FOLDER",
                         help="link all of it into one library; in FOLDER: to ship it")  # fmt: skip


def run(options):
    """Compile what is not on disk yet, and link it."""
    from .compile_all import USES, compile_all, link_all

    if options.use not in USES:
        raise Refused(f"--use {options.use!r} is not one of {', '.join(USES)}")
    if options.library is not None and options.use != "all":
        raise Refused("a library holds all kernels; leave out --use or --library")
    if way() == LIBRARY and not options.library:
        print(f"kernels come from {described()}")
        return DONE
    failed = compile_all(Progress(), options.use)
    if not failed and options.library is not None:
        failed = link_all(options.library)
    for line in failed:
        print(f"stiction: {line}", file=sys.stderr)
    return NOT_MET if failed else DONE
