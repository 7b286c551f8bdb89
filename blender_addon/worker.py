"""The worker process: a scene file in, a run folder out, one line a frame on stdout. Blender's Python, never bpy.

Exit code 0: done; 2: refused, the reason in one sentence on stderr; anything else: a crash, its traceback there.
"""

import os
import sys
import threading


def watch_parent():
    """End this process when Blender does: its end of our stdin closes."""
    # The bare file: a buffered one would hold a lock while Python shuts down.
    os.read(0, 1)
    os._exit(3)


def main(scene_path, folder):
    """Simulate a scene file into `folder`; returns the exit code."""
    threading.Thread(target=watch_parent, daemon=True).start()
    from ..solver.methods import UnknownMethod
    from ..solver.options import OptionError
    from ..solver.refusal import SceneError, TrajectoryError
    from ..solver.scene_file import load_scene
    from ..solver.simulation import options_for, simulate

    def progress(done, total, report):
        if done % options.steps_per_frame == 0:
            sys.stdout.write(f"{done} {total} {report.contact_count} {report.overlap:.9g} {report.residual:.9g}\n")
            sys.stdout.flush()

    try:
        scene = load_scene(scene_path)
        options = options_for(scene)
        simulate(scene, options, output=folder, progress=progress)
    except (SceneError, OptionError, UnknownMethod, TrajectoryError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
