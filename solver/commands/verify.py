"""`stiction verify`: an independent check of a recorded run."""

import json

from .common import DONE, NOT_MET, Refused

HELP = "check a run recorded with --contacts, step by step, without the solver"


def arguments(command):
    """Fill the parser."""
    command.add_argument("run_folder", metavar="RUN")
    command.add_argument("--json", action="store_true")


def run(options):
    """Check the run and say what was found."""
    from ..verify import NotVerifiable, verify

    try:
        found = verify(options.run_folder)
    except NotVerifiable as error:
        raise Refused(str(error)) from None
    if options.json:
        print(json.dumps(found))
    else:
        _print(found)
    return DONE if found["passed"] else NOT_MET


def _print(found):
    print(f"{found['scene']}: {found['steps']} steps, {found['substeps']} substeps, {found['contacts']} contacts")
    for check in found["checks"]:
        mark = "ok  " if check["passed"] else "FAIL"
        place = f"  step {check['step']}, {check['where']}" if check["where"] else f"  step {check['step']}"
        print(f"{mark} {check['name']}: {check['found']:.3g} {check['unit']}, allowed {check['allowed']:.3g}{place}")
    print("passed" if found["passed"] else "NOT passed")
