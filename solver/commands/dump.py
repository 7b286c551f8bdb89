"""`stiction dump`: the contact problems of a scene."""

import sys

from ..base.progress import Progress
from .common import DONE, add_method, add_overwrite, add_run_options, run_settings

HELP = "write the contact problems that the steps of a scene solve"


def arguments(command):
    """Fill the parser."""
    command.add_argument("scene", metavar="SCENE", help="a name from `stiction scenes`, or a scene file (.json)")
    command.add_argument("folder", metavar="DIR")
    command.add_argument("--every", type=int, default=1, metavar="N", help="every Nth step")
    command.add_argument("--full", action="store_true", help="as many bodies as in the scene's paper")
    add_method(command)
    add_run_options(command)
    add_overwrite(command)


def run(options):
    """Write the problems of a scene."""
    from ..results.dump import dump
    from ..scenes.lookup import find_scene

    scene = find_scene(options.scene, options.full)
    settings = run_settings(options, scene)
    paths = dump(scene, options.folder, settings, options.every, Progress(), options.overwrite)
    print(f"stiction: wrote {len(paths)} problems to {options.folder}", file=sys.stderr)
    return DONE
