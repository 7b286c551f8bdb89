"""`stiction compile`: all kernels ahead of time."""

import os
import sys

from ..base.progress import Progress
from ..kernels.load import ALL
from ..kernels.ways import LIBRARY, STORE, VARIABLE, described_library, take_library_for, way
from .common import DONE, NOT_MET, Refused

# What can be compiled alone: what `make demo` reaches.
USES = (ALL, "demo")
HELP = "compile all that any scene can need, so that no run waits for it"


def arguments(command):
    """What of it, and whether to link it."""
    command.add_argument("--use", default="all", metavar="NAME", help="only what this needs: demo, or all")
    command.add_argument("--library", nargs="?", const="", metavar="FOLDER",
                         help="link all of it into one library; in FOLDER: to ship it")  # fmt: skip


def run(options):
    """Compile what is not on disk yet, and link it."""
    if options.use not in USES:
        raise Refused(f"--use {options.use!r} is not one of {', '.join(USES)}")
    if options.library and options.use != ALL:
        raise Refused("a library to ship holds all kernels; leave out --use or the folder")
    if options.library is not None:
        take_library_for(options.use)
    if way() == LIBRARY and not options.library:
        print(f"kernels come from {described_library()}")
        return DONE
    if way() == LIBRARY:
        # It is not to be used, but to be made anew in another folder.
        os.environ[VARIABLE] = STORE
        way.cache_clear()
    from .compile_all import compile_all, compile_library

    if options.library is None:
        failed = compile_all(Progress(), options.use)
    else:
        failed = compile_library(Progress(), options.use, options.library)
    for line in failed:
        print(f"stiction: {line}", file=sys.stderr)
    return NOT_MET if failed else DONE
