"""From an own repository in a real window: a link to the zip is dropped onto Blender, installed and baked with; a newer
version is put there, updated to and baked with.

Run by WALK=tests/gui/drop.py sh tools/test_gui.sh. The repository is a folder with an index.json that Blender makes, on
a local server. Dropped is by what Blender's own drop calls (extensions.package_install with the link).
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import zipfile

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
from driver import PACE, at, baking, check, click, do, override, picture, state, window

FOLDER = pathlib.Path(driver.HERE, "repository")
MANIFEST = "blender_manifest.toml"
# The button Bake below the top of the sidebar [pixels].
BAKE = 50
LONGEST = 240.0
driver.PACKAGE = "bl_ext.own.stiction"
kept = {}


def version_of(text):
    """(line, version) of a manifest."""
    line = next(line for line in text.splitlines() if line.startswith("version = "))
    return line, line.split('"')[1]


def offer(newer=False):
    """Put the zip into the repository, or one whose last number is one higher, and index it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with zipfile.ZipFile(driver.ZIP) as source:
        text = source.read(MANIFEST).decode()
        line, version = version_of(text)
        head, _, last = version.rpartition(".")
        kept["version"] = f"{head}.{int(last) + newer}"
        kept["name"] = f"stiction-{kept['version']}.zip"
        with zipfile.ZipFile(FOLDER / kept["name"], "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for name in source.namelist():
                data = source.read(name)
                if name == MANIFEST:
                    data = text.replace(line, f'version = "{kept["version"]}"').encode()
                target.writestr(name, data)
    command = [bpy.app.binary_path, "--command", "extension", "server-generate", "--repo-dir", str(FOLDER)]
    made = subprocess.run(command, capture_output=True, text=True)
    check((FOLDER / "index.json").exists(), f"Blender has indexed {kept['name']} {made.stderr[-200:]}")


def serve():
    offer()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        kept["port"] = free.getsockname()[1]
    command = [sys.executable, "-m", "http.server", str(kept["port"]), "--bind", "127.0.0.1", "-d", str(FOLDER)]
    kept["server"] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bpy.context.preferences.system.use_online_access = True


def link(name):
    return f"http://127.0.0.1:{kept['port']}/{name}"


def add_repository():
    bpy.ops.preferences.extension_repo_add(name="own", remote_url=link("index.json"), type="REMOTE")
    repo = bpy.context.preferences.extensions.repos[-1]
    check(repo.module == "own", f"the repository is called {repo.module}")
    bpy.ops.extensions.repo_sync_all()


def drop():
    x, y = driver.middle()
    do(f"xdotool mousemove {int(x)} {int(y)}")
    kept["until"] = time.monotonic() + 5.0
    where = urllib.parse.quote(link("index.json"), safe="")
    with override():
        bpy.ops.extensions.package_install("INVOKE_DEFAULT", url=f"{link(kept['name'])}?repository={where}")


def look():
    return time.monotonic() < kept["until"]


def accept():
    picture("dropped")
    do("xdotool key Return")
    kept["until"] = time.monotonic() + LONGEST


def installing():
    return not hasattr(bpy.types.Scene, "stiction") and time.monotonic() < kept["until"]


def version():
    path = pathlib.Path(sys.modules[driver.PACKAGE].__file__).with_name(MANIFEST)
    return version_of(path.read_text(encoding="utf-8"))[1]


def look_at_installed():
    check(hasattr(bpy.types.Scene, "stiction"), "Return installs what was dropped, and switches it on")
    check(version() == kept["version"], f"version {version()}")
    bpy.context.scene.frame_end = 20
    driver.open_sidebar()


def make_active():
    driver.open_tab()
    bpy.data.objects["Cube"].stiction.type = "ACTIVE"
    bpy.ops.ed.undo_push(message="active")


def press():
    region = window()[2]["UI"]
    click(*at(region, 0.25 * region.width, BAKE))
    kept["until"] = time.monotonic() + LONGEST
    state["pressed"] = time.monotonic()


def waiting():
    if not baking() and not keyed() and time.monotonic() - state["pressed"] > 20.0:
        # A busy window has lost the click.
        press()
    return (baking() or not keyed()) and time.monotonic() < kept["until"]


def keyed():
    data = bpy.data.objects["Cube"].animation_data
    return data is not None and data.action is not None


def look_at_baked():
    picture(f"baked_{kept['version']}")
    check(keyed(), f"version {version()} bakes: {bpy.context.scene.stiction.summary}")
    driver.jobs().stop_all()


def update():
    with override():
        bpy.ops.stiction.clear()
    offer(newer=True)
    bpy.ops.extensions.repo_sync_all()
    bpy.ops.extensions.package_upgrade_all()


def look_at_updated():
    check(version() == kept["version"] and hasattr(bpy.types.Scene, "stiction"), f"updated to version {version()}")
    driver.open_tab()


def finish():
    kept["server"].kill()
    driver.finish()


STATIONS = [serve, add_repository, drop, look, accept, installing, look_at_installed, make_active, press, waiting,
            look_at_baked, update, look_at_updated, press, waiting, look_at_baked, finish]  # fmt: skip


driver.begin("drop", STATIONS, pause=PACE, pictures="drop_", give_up=True)
