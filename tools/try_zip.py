"""Install a built zip in a Blender of its own and bake ten frames three times, with compiling forbidden.

    python tools/try_zip.py dist/stiction-0.2.0-linux-x64-py311.zip [--compile] [--chroot FOLDER]

Says how long each bake took, the first with the start of the solver's process. --compile: allow it, for a zip without
kernels for this machine. --chroot: with /usr/bin/blender in that folder instead of this Python's module bpy.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SESSION = """
import sys, time
import bpy

path, cache = sys.argv[-2:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=True)
scene = bpy.context.scene
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5), scale=(10, 10, 1))
bpy.context.object.stiction.type = "PASSIVE"
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.9), rotation=(0.1, 0.2, 0.1))
cube = bpy.context.object
cube.stiction.type = "ACTIVE"
# An object that has animation data keeps them from bake to bake: Blender 4.3 took it for unchanged by the second one.
cube.animation_data_create()
bpy.context.preferences.edit.use_global_undo = True
bpy.ops.ed.undo_push(message="begin")
scene.frame_end, scene.stiction.cache = 10, cache
for which in ("first", "second", "third"):
    start = time.perf_counter()
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}: {which} bake of ten frames in "
          f"{time.perf_counter() - start:.2f} s", flush=True)
    bpy.ops.ed.undo_push(message=which)
bpy.ops.ed.undo()
scene = bpy.context.scene
cube = next(ob for ob in scene.objects if ob.stiction.type == "ACTIVE")
action = cube.animation_data.action.as_pointer()
assert action in [one.as_pointer() for one in bpy.data.actions], "after undo it moves by an action that was removed"
scene.frame_set(10)
assert cube.matrix_world.translation.z < 0.88, "it did not fall"
"""


def main(arguments=None):
    """Returns the exit code of the session."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zip", type=Path)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--chroot", type=Path, default=None)
    options = parser.parse_args(arguments)
    place = options.chroot / "tmp" if options.chroot else None
    with tempfile.TemporaryDirectory(prefix="stiction-zip-", dir=place) as folder:
        inside = Path("/tmp", Path(folder).name) if options.chroot else Path(folder)
        environment = dict(os.environ, BLENDER_USER_RESOURCES=str(inside / "user"), HOME=str(inside),
                           STICTION_CACHE_DIR=str(inside / "kernels"))  # fmt: skip
        if not options.compile:
            environment["STICTION_NO_COMPILE"] = "1"
        Path(folder, "user").mkdir()
        Path(folder, "session.py").write_text(SESSION, encoding="utf-8")
        shutil.copy(options.zip, Path(folder, options.zip.name))
        command = ["chroot", options.chroot, "blender", "--background", "--factory-startup", "--python-exit-code", "1",
                   "--python", inside / "session.py", "--"]  # fmt: skip
        if not options.chroot:
            command = [sys.executable, inside / "session.py"]
        given = [inside / options.zip.name, inside / "cache"]
        return subprocess.run([*map(str, command + given)], env=environment, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
