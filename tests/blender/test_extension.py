"""The built zip: accepted by Blender's own validator, complete, and it bakes once installed."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Runs in a process of its own, with a private user folder: the installed copy and the checkout cannot share one.
SESSION = """
import importlib, json, os, sys
import bpy
mode, zip_path, cache = sys.argv[1:4]
bpy.ops.wm.read_factory_settings(use_empty=True)
if mode == "installed":
    bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
    package = "bl_ext.user_default.stiction"
else:
    sys.path.insert(0, "tests")
    import conftest
    package = "stiction"
    importlib.import_module(package).register()
scene = bpy.context.scene
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5), scale=(10, 10, 1))
bpy.context.object.stiction.type = "PASSIVE"
bpy.ops.mesh.primitive_cube_add(size=1, location=(0.1, 0.2, 0.7), rotation=(0.3, 0.2, 0.1))
cube = bpy.context.object
cube.stiction.type = "ACTIVE"
scene.frame_end, scene.stiction.cache = 12, cache
assert bpy.ops.stiction.bake() == {"FINISHED"}
poses = []
for frame in range(1, 13):
    scene.frame_set(frame)
    poses.append([list(row) for row in cube.matrix_world])
file = importlib.import_module(package).__file__
used = importlib.import_module(package + ".blender_addon.running.job").worker_environment().get("STICTION_CACHE_DIR")
bpy.ops.stiction.clear()
if mode == "installed":
    bpy.ops.preferences.addon_disable(module=package)
    assert not hasattr(bpy.types.Scene, "stiction")
print("RESULT" + json.dumps([file, poses, used]), flush=True)
# Blender's module of 4.2 crashes while the interpreter shuts down, with and without extensions.
os._exit(0)
"""


@pytest.fixture(scope="module")
def zip_path(tmp_path_factory):
    """The extension built without wheels; building validates it, tags included."""
    output = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "tools/build_extension.py", "--output", str(output)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return Path(result.stdout.strip())


def test_zip_holds_the_package_and_nothing_else(zip_path):
    names = zipfile.ZipFile(zip_path).namelist()
    top = {name.split("/")[0] for name in names}
    assert top == {"__init__.py", "__main__.py", "blender_manifest.toml", "LICENSE", "solver", "blender_addon",
                   "operators", "ui"}  # fmt: skip
    assert not [name for name in names if name.endswith((".pyc", ".whl")) or "__pycache__" in name]
    assert zip_path.stat().st_size < 2e6


def test_validator_refuses_an_unknown_tag(tmp_path):
    """The validation above means something: the same call fails for a manifest Blender would not take."""
    sys.path.insert(0, str(ROOT / "tools"))
    import build_extension

    tool, tags = build_extension.blender_tool()
    (tmp_path / "__init__.py").touch()
    text = (ROOT / "blender_manifest.toml").read_text().replace('"Physics"', '"Frictionism"')
    (tmp_path / "blender_manifest.toml").write_text(text)
    command = [sys.executable, str(tool), "validate", f"--valid-tags={tags}", str(tmp_path)]
    assert subprocess.run(command, capture_output=True).returncode != 0


def bake_in_a_session(mode, zip_path, folder):
    folder.mkdir()
    # Interpreted: compiling a second copy of the solver takes a minute, and a few contacts need no speed.
    environment = dict(os.environ, BLENDER_USER_RESOURCES=str(folder / "user"), NUMBA_DISABLE_JIT="1")
    environment.pop("STICTION_CACHE_DIR", None)
    (folder / "user").mkdir()
    command = [sys.executable, "-c", SESSION, mode, str(zip_path), str(folder / "cache")]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    line = next(line for line in result.stdout.splitlines() if line.startswith("RESULT"))
    return json.loads(line.removeprefix("RESULT"))


@pytest.mark.slow
def test_installed_extension_bakes_the_same(zip_path, tmp_path):
    file, poses, kernels = bake_in_a_session("installed", zip_path, tmp_path / "a")
    _, expected, _ = bake_in_a_session("checkout", zip_path, tmp_path / "b")
    assert str(tmp_path) in file, "the installed copy ran"
    assert str(tmp_path) in kernels, "compiled code goes to the extension's own user folder"
    assert poses == expected
    assert abs(poses[-1][2][3] - poses[0][2][3]) > 0.1, "it fell"
