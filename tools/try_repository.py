"""Install a built zip from an own repository, update it from there to a newer version, and bake with each.

    python tools/try_repository.py build/stiction-0.2.0-linux-x64-any-python.zip --chroot FOLDER

The repository is a folder with an index.json that Blender makes itself, on a local server; all is done by
`blender --command extension`, as a person without a window would: validate, repo-add, install, update. --chroot: with
/usr/bin/blender in that folder.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

MANIFEST = "blender_manifest.toml"
# The name of the repository in Blender's preferences.
NAME = "own"
SESSION = """
import sys
import bpy

version, cache = sys.argv[-2:]
bpy.ops.wm.read_homefile(use_empty=True)
import bl_ext.own.stiction as extension
import tomllib, pathlib

manifest = pathlib.Path(extension.__file__).with_name("blender_manifest.toml")
found = tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]
assert found == version, f"version {found} is installed, not {version}"
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 5))
cube = bpy.context.object
cube.stiction.type = "ACTIVE"
bpy.context.scene.frame_end, bpy.context.scene.stiction.cache = 10, cache
assert bpy.ops.stiction.bake() == {"FINISHED"}
bpy.context.scene.frame_set(10)
assert cube.matrix_world.translation.z < 4.5, "it did not fall"
print(f"Blender {bpy.app.version_string}: version {version} baked", flush=True)
"""


class Quiet(SimpleHTTPRequestHandler):
    """A server that notes what is asked of it in `asked`, and prints nothing."""

    asked = []

    def log_message(self, _format, *arguments):
        """Note a request."""
        self.asked.append(arguments[0])


def newer(archive, folder):
    """A copy of a zip in `folder` with the last number of its version one higher; returns (path, version)."""
    with zipfile.ZipFile(archive) as source:
        text = source.read(MANIFEST).decode()
        line = next(line for line in text.splitlines() if line.startswith("version = "))
        head, _, last = line.split('"')[1].rpartition(".")
        version = f"{head}.{int(last) + 1}"
        path = folder / f"stiction-{version}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for name in source.namelist():
                data = source.read(name)
                if name == MANIFEST:
                    data = text.replace(line, f'version = "{version}"').encode()
                target.writestr(name, data)
    return path, version


def version_of(archive):
    """Version of a zip's manifest."""
    with zipfile.ZipFile(archive) as source:
        text = source.read(MANIFEST).decode()
    return next(line for line in text.splitlines() if line.startswith("version = ")).split('"')[1]


class Trial:
    """A Blender in a chroot with preferences of its own in `place`, which Blender sees as `inside`."""

    def __init__(self, chroot, place, inside):
        self.chroot, self.place, self.inside = chroot, place, inside
        for name in ("user", "repository"):
            (place / name).mkdir()
        (place / "session.py").write_text(SESSION, encoding="utf-8")

    def blender(self, *arguments):
        """Run Blender; SystemExit with what it said where it fails."""
        environment = dict(os.environ, BLENDER_USER_RESOURCES=str(self.inside / "user"), HOME=str(self.inside),
                           STICTION_CACHE_DIR=str(self.inside / "kernels"), STICTION_NO_COMPILE="1")  # fmt: skip
        command = ["chroot", self.chroot, "blender", "--background", "--online-mode", "--python-exit-code", "1"]
        done = subprocess.run([*map(str, (*command, *arguments))], env=environment, capture_output=True, text=True)
        if done.returncode or "Traceback" in done.stderr:
            raise SystemExit(f"{' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def extension(self, *arguments):
        """Blender's command for extensions."""
        return self.blender("--command", "extension", *arguments)

    def offer(self, archive):
        """Put a zip into the repository, alone, and index it."""
        folder = self.place / "repository"
        for old in folder.glob("*.zip"):
            old.unlink()
        shutil.copy(archive, folder)
        self.extension("validate", self.inside / "repository" / archive.name)
        self.extension("server-generate", "--repo-dir", self.inside / "repository")

    def bakes(self, version):
        """Bake with what is installed, which shall be of a version."""
        said = self.blender("--python", self.inside / "session.py", "--", version, self.inside / "cache")
        print(next(line for line in said.splitlines() if line.endswith("baked")), flush=True)


def play(trial, archive, port):
    """Install, bake, update, bake."""
    trial.offer(archive)
    trial.extension("repo-add", "--name", "Own", "--url", f"http://127.0.0.1:{port}/index.json", NAME)
    trial.extension("install", "--sync", "--enable", f"{NAME}.stiction")
    trial.bakes(version_of(archive))
    with tempfile.TemporaryDirectory() as folder:
        path, version = newer(archive, Path(folder))
        trial.offer(path)
    trial.extension("update", "--sync")
    trial.bakes(version)


def main(arguments=None):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zip", type=Path)
    parser.add_argument("--chroot", type=Path, required=True)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="stiction-repository-", dir=options.chroot / "tmp") as folder:
        trial = Trial(options.chroot, Path(folder), Path("/tmp", Path(folder).name))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=trial.place / "repository"))
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            play(trial, options.zip, server.server_address[1])
        finally:
            server.shutdown()
        got = [line for line in Quiet.asked if ".zip" in line]
        assert len(got) == 2, f"both versions come from the server: {got}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
