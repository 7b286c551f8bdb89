"""`stiction bake`: the Bake button without a window."""

import sys
from pathlib import Path

from ..base.progress import Progress
from ..results.verdict import POOR
from .common import DONE, NOT_MET, Refused, bridge

HELP = "what the Bake button does, without a window"


def arguments(command):
    """Fill the parser."""
    command.add_argument("blend", metavar="FILE.blend")
    command.add_argument("--output", default=None, metavar="OUT.blend")
    command.add_argument("--render", default=None, metavar="OUT.mp4")


def run(options):
    """Bake a .blend file: needs bpy."""
    if not Path(options.blend).is_file():
        raise Refused(f"{options.blend}: no such file; give a .blend file")
    headless_bake = bridge(options, "headless_bake")
    word, sentences = headless_bake.bake_file(options.blend, options.output, options.render, Progress())
    for sentence in sentences:
        print(f"stiction: {sentence}", file=sys.stderr)
    return NOT_MET if word == POOR else DONE
