"""Install a built zip in a Blender (module) of its own and bake ten frames, with compiling forbidden.

    python tools/try_zip.py dist/stiction-0.2.0-linux-x64-py311.zip [--compile]

Says how long the bake took. --compile: allow it, for a zip without kernels for this machine.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SESSION = """
import sys, time
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=True)
scene = bpy.context.scene
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5), scale=(10, 10, 1))
bpy.context.object.stiction.type = "PASSIVE"
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.9), rotation=(0.1, 0.2, 0.1))
cube = bpy.context.object
cube.stiction.type = "ACTIVE"
scene.frame_end, scene.stiction.cache = 10, sys.argv[2]
start = time.perf_counter()
assert bpy.ops.stiction.bake() == {"FINISHED"}
print(f"baked in {time.perf_counter() - start:.1f} s", flush=True)
scene.frame_set(10)
assert cube.matrix_world.translation.z < 0.88, "it did not fall"
"""


def main(arguments):
    """Returns the exit code of the session."""
    path = Path(next(word for word in arguments if not word.startswith("--"))).resolve()
    with tempfile.TemporaryDirectory(prefix="stiction-zip-") as folder:
        environment = dict(os.environ, BLENDER_USER_RESOURCES=folder + "/user")
        environment.pop("STICTION_CACHE_DIR", None)
        if "--compile" not in arguments:
            environment["STICTION_NO_COMPILE"] = "1"
        Path(folder, "user").mkdir()
        command = [sys.executable, "-c", SESSION, str(path), folder + "/cache"]
        return subprocess.run(command, env=environment, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
