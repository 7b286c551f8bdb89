"""Scene files that are sent to workers which do not share a disk with the coordinator."""

import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ...scene_io.scene_file import load_scene, save_scene

NAME = "scene.json"


def files_of(spec):
    """{name: bytes} of a `scene` table with a file: the scene and its meshes, which stand alone."""
    scene = load_scene(Path(spec.get("folder", ".")) / spec["file"])
    with tempfile.TemporaryDirectory(prefix="stiction-") as folder:
        save_scene(Path(folder) / NAME, scene)
        paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def unpacked(tasks, files):
    """The tasks with the scene of `files` in place of a path of another machine; as they are without files."""
    if not files:
        return tasks
    folder = _folder(tuple(sorted(files.items())))
    return [replace(task, scene={**task.scene, "folder": folder.name, "file": NAME}) for task in tasks]


@lru_cache(maxsize=4)
def _folder(files):
    """A folder with the files, as long as this process lives or they are in use."""
    folder = tempfile.TemporaryDirectory(prefix="stiction-scene-")
    for name, data in files:
        path = Path(folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
