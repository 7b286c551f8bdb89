"""`stiction demo`: the main job on real input."""

import json

from ..base.progress import Progress
from .common import DONE, bridge

HELP = "build a scene in Blender, simulate, bake, render"


def arguments(command):
    """Fill the parser."""
    command.add_argument("name", nargs="?", default="funnel", metavar="NAME")
    command.add_argument("--output", default="out", metavar="DIR")
    command.add_argument("--frames", type=int, default=None, metavar="N")
    command.add_argument("--no-render", action="store_true")


def run(options):
    """The main job on real input: needs bpy."""
    demo = bridge(options, "demo")
    summary = demo.run(options.name, output=options.output, frames=options.frames, render=not options.no_render,
                       progress=Progress())  # fmt: skip
    print(json.dumps(summary, indent=1) if summary else "")
    return DONE
