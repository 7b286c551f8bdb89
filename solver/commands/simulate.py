"""`stiction simulate`: a scene to a run."""

import json
import sys

from ..base.progress import Progress
from ..results.summary import print_summary, run_summary
from ..results.verdict import POOR
from .common import DONE, NOT_MET, Refused, add_method, add_overwrite, add_run_options, run_settings

HELP = "simulate a canonical scene or a scene file"


def arguments(command):
    """Fill the parser."""
    command.add_argument("scene", metavar="SCENE", help="a name from `stiction scenes`, or a scene file (.json)")
    add_method(command)
    add_run_options(command)
    command.add_argument("--full", action="store_true", help="as many bodies as in the scene's paper")
    command.add_argument("--output", default=None, metavar="DIR", help="keep the run in this folder")
    command.add_argument("--resume", action="store_true",
                         help="go on with the interrupted run in --output, or begin if there is none")  # fmt: skip
    add_overwrite(command)
    command.add_argument("--contacts", action="store_true", help="keep every contact with its impulse")
    command.add_argument("--estimate", action="store_true",
                         help="run again at half the step and tolerance, and say how much each number changes")
    command.add_argument("--json", action="store_true")


def run(options):
    """Simulate and print a summary."""
    from ..scenes.lookup import find_scene
    from ..simulation import simulate

    if options.resume and options.output is None:
        raise Refused("--resume needs --output, the folder of the interrupted run")
    if options.resume and options.overwrite:
        raise Refused("--resume goes on with a run and --overwrite replaces it; give one of them")
    if options.overwrite and options.output is None:
        raise Refused("--overwrite replaces a run's folder; give --output, or leave it out")
    if options.contacts and options.output is None:
        raise Refused("--contacts keeps contacts in the run's folder; give --output, or leave it out")
    scene = find_scene(options.scene, options.full)
    settings = run_settings(options, scene, store_contacts=options.contacts or None)
    trajectory = simulate(
        scene, settings, options.output, Progress(), resume=options.resume, overwrite=options.overwrite
    )
    summary = run_summary(trajectory)
    if options.estimate and not trajectory.fault:
        from ..results.estimate import estimate

        summary["estimate"] = estimate(scene, settings, trajectory, Progress())
    said = [] if summary["fault"] else summary["reasons"]
    for note in [*(f"result {summary['verdict']}: {reason}" for reason in said), *summary["notes"]]:
        print(f"stiction: {note}", file=sys.stderr)
    if options.json:
        print(json.dumps(summary))
    else:
        print_summary(summary)
    if summary["verdict"] == POOR:
        return NOT_MET
    return NOT_MET if settings.tolerance and summary["residual_max"] > settings.tolerance else DONE
