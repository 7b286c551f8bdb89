"""`stiction verify`: an independent check of a recorded run."""

import json

from .common import DONE, NOT_MET, Refused

HELP = "check a run recorded with --contacts, step by step, without the solver"


def arguments(command):
    """Fill the parser."""
    command.add_argument("run_folder", metavar="RUN", help="a run's folder, or a trajectory of any program (.npz)")
    command.add_argument("--json", action="store_true")


def run(options):
    """Check the run and say what was found."""
    from ..verify import NotVerifiable, table, verify

    try:
        found = verify(options.run_folder)
    except NotVerifiable as error:
        raise Refused(str(error)) from None
    if options.json:
        print(json.dumps(found))
    else:
        print("\n".join(table(found)))
    return DONE if found["passed"] else NOT_MET
