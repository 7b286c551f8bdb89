"""`stiction demo`: the main job on real input."""

from ..base.progress import Progress
from ..kernels.ways import take_library_for
from .common import DONE, Refused, bridge

HELP = "build a scene in Blender, simulate, bake, render"
LOWEST, HIGHEST = 90, 2160
# The one whose kernels `stiction compile --use demo` makes ready.
FIRST = "funnel"


def arguments(command):
    """Fill the parser."""
    command.add_argument("name", nargs="?", default=FIRST, metavar="NAME")
    command.add_argument("--output", default="out", metavar="DIR")
    command.add_argument("--frames", type=int, default=None, metavar="N")
    command.add_argument("--height", type=int, default=None, metavar="LINES", help="of the film, 360 if left out")
    command.add_argument("--no-render", action="store_true")
    command.add_argument("--film-only", action="store_true", help="render what was simulated into DIR before")


def run(options):
    """The main job on real input: needs bpy."""
    if options.name == FIRST:
        take_library_for("demo")
    demo = bridge(options, "demo")
    height = demo.HEIGHT if options.height is None else options.height
    if not LOWEST <= height <= HIGHEST:
        raise Refused(f"--height is {height}; give {LOWEST} to {HIGHEST}")
    if options.film_only:
        if options.no_render or options.frames is not None:
            raise Refused("--film-only renders a film that was simulated before; leave out --no-render and --frames")
        result = demo.film_again(options.name, options.output, Progress(), height)
    else:
        result = demo.run(options.name, options.output, options.frames, not options.no_render, Progress(), height)
    print("\n".join(result["lines"]))
    return DONE
