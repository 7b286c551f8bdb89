"""A process that renders pictures of a demo's run: one order a line on stdin, `first last` (rows of the run's frames);
one answer a line on stdout, the row of a picture that is there."""

import os
import sys
import tempfile
from pathlib import Path

import bpy

from ...solver.base.processes import lower_priority


def main(blend, name, run_folder, pictures, height):
    """Render what is ordered until there are no more orders; returns the exit code."""
    from ..base.render import quiet, render_still, set_height
    from ..demos.showing import show
    from ..running.registered import ensure_registered

    # The simulation goes first: what it makes is what there is to render.
    lower_priority()
    with quiet():
        bpy.ops.wm.open_mainfile(filepath=blend)
    ensure_registered()
    scene, shown = bpy.context.scene, 0
    set_height(scene, int(height))
    with tempfile.TemporaryDirectory() as own:
        for order in sys.stdin:
            first, last = (int(word) for word in order.split())
            if last >= shown:
                look_through(run_folder, own)
                shown = show(scene, name, Path(own))
            for row in range(first, last + 1):
                render_still(scene, Path(pictures) / f"{row:04d}.png", scene.frame_start + row)
                print(row, flush=True)
    return 0


def look_through(run_folder, own):
    """Show a run's files in a folder of this process's own: a bake writes beside what it reads."""
    for path in Path(run_folder).iterdir():
        place = Path(own) / path.name
        if path.is_file() and not place.exists():
            os.symlink(path.resolve(), place)
