"""`stiction compile`: all kernels ahead of time."""

import sys

from ..base.progress import Progress
from ..kernels.ways import LIBRARY, described, way
from .common import DONE, NOT_MET, Refused

HELP = "compile all that any scene can need, so that no run waits for it"


def arguments(command):
    """What of it."""
    command.add_argument("--library", action="store_true", help="link all of it into one library, which starts faster")
    command.add_argument("--use", default="all", metavar="NAME", help="only what this needs: demo, or all")


def run(options):
    """Compile what is not on disk yet."""
    from .compile_all import USES, compile_all

    if options.use not in USES:
        raise Refused(f"--use {options.use!r} is not one of {', '.join(USES)}")
    if way() == LIBRARY:
        print(f"kernels come from {described()}")
        return DONE
    failed = compile_all(Progress(), options.use)
    for line in failed:
        print(f"stiction: not compiled: {line}", file=sys.stderr)
    if failed or not options.library:
        return NOT_MET if failed else DONE
    return _link()


def _link():
    from ..jit import KEEPER
    from ..kernels.compiling import processor
    from ..kernels.library.link import LinkError, NoCompilerError, link
    from ..kernels.load import place_of_own

    if KEEPER is None:
        raise Refused("a library is made of kernels that are compiled once each, with a version of numba that is known")
    try:
        link(KEEPER, place_of_own(), processor())
    except NoCompilerError as error:
        print(f"stiction: {error}; kernels come from the store, which takes longer to start")
    except LinkError as error:
        print(f"stiction: no library was made: {error}", file=sys.stderr)
        return NOT_MET
    return DONE
