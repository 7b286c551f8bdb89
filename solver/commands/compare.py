"""`stiction compare`: methods side by side."""

import sys

from ..base.progress import Progress
from .common import DONE, Refused, add_overwrite

HELP = "convergence plots and a table of several methods"


def arguments(command):
    """Fill the parser."""
    command.add_argument("problem", metavar="SCENE|PROBLEM")
    command.add_argument("--methods", required=True, metavar="A,B,C")
    command.add_argument("--output", default="out", metavar="DIR")
    command.add_argument("--every", type=int, default=0, metavar="N",
                         help="of a scene: every Nth step; default: the one with the most contacts")  # fmt: skip
    command.add_argument("--time", type=float, default=None, help="of a scene: simulated time [s]")
    command.add_argument("--max-iterations", type=int, default=None)
    command.add_argument("--tolerance", type=float, default=None)
    add_overwrite(command)


def run(options):
    """Compare methods on one problem, a folder of them, or the steps of a scene."""
    from ..results import compare

    names = [name for name in options.methods.split(",") if name]
    if not names:
        raise Refused(f"--methods is {options.methods!r}; give names of methods, separated by commas")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(f"--methods names {twice} twice; name each method once")
    for text in names:
        compare.method_and_options(text)
    compare.check_target(options.output, options.overwrite)
    common = {"tolerance": options.tolerance, "max_iterations": options.max_iterations}
    progress = Progress()
    problems = compare.load_problems(options.problem, options.every, options.time, progress)
    progress.stage(f"{len(names)} methods on {len(problems)} problems")
    curves = compare.compare(problems, names, progress, **common)
    paths = compare.write(curves, options.output)
    compare.print_table(curves)
    for path in paths:
        print(f"stiction: wrote {path}", file=sys.stderr)
    if len(paths) < len(compare.FILES):
        print("stiction: no plot, matplotlib is not installed (pip install matplotlib)", file=sys.stderr)
    return DONE
