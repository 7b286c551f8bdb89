"""What goes beside the zips and wheels of a release: the index of an extension repository, checksums, notes.

    python tools/release.py dist [--tag v0.2.0]

Writes dist/index.json, which Blender takes as a repository of extensions (drag and drop, updates), dist/SHA256SUMS and
dist/notes.md from CHANGELOG.md. With --tag nothing is written where versions disagree, or the section is not released.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import build_extension

ROOT = Path(__file__).resolve().parents[1]
# Zips in the index: the one for every Python would be a second offer to the same Blender.
LISTED = re.compile(r"-py\d+\.zip$")
INDEX, SUMS, NOTES = "index.json", "SHA256SUMS", "notes.md"
# Where each version is said, and how.
PLACES = {
    "pyproject.toml": r'^version = "(.*)"', "blender_manifest.toml": r'^version = "(.*)"',
    "solver/simulation.py": r'^VERSION = "(.*)"', "CHANGELOG.md": r"^## ([\d.]+)",
}  # fmt: skip
INSTALL = """
**Blender 4.2 and later**: *Preferences > Get Extensions > Repositories > Add Remote Repository* with the address of
`index.json` below, then search for Stiction; or drag the zip of your system into the window. `py311` is for Blender 4.2
to 5.0, `py313` for 5.1 and later, `any-python` for the Blender of a Linux distribution.

**Python**: `pip install` the wheel `stiction`, and `stiction_kernels` beside it where there is one for your system:
nothing is compiled then. `SHA256SUMS` has the checksums of all files.
"""


class ReleaseError(Exception):
    """What stands against a release."""


def main(arguments=None):
    """Check, write; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tag", default=None)
    options = parser.parse_args(arguments)
    try:
        if options.tag:
            check_tag(options.tag)
        for path in write_all(options.folder):
            print(path)
    except ReleaseError as error:
        print(f"stiction: {error}", file=sys.stderr)
        return 1
    return 0


def check_tag(tag, root=ROOT):
    """ReleaseError where a version in the sources is not that of the tag, or its changes are not called released."""
    for name, pattern in PLACES.items():
        said = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE).group(1)
        if f"v{said}" != tag:
            raise ReleaseError(f"{name} says {said}, but the tag is {tag}; make them agree")
    heading = re.search(r"^## .*$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE).group(0)
    if "not yet released" in heading:
        raise ReleaseError(f"CHANGELOG.md: {heading!r}; give the date")


def write_all(folder):
    """Write index, notes and checksums into the folder of a release's files; returns their paths."""
    zips = sorted(path for path in folder.glob("*.zip") if LISTED.search(path.name))
    if not zips:
        raise ReleaseError(f"{folder}: holds no zip of the extension for a Python of blender.org; build them first")
    index = write_index(folder, zips)
    notes = folder / NOTES
    notes.write_text(latest_changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) + INSTALL, encoding="utf-8")
    sums = folder / SUMS
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path not in (sums, notes)]
    sums.write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))
    return [index, notes, sums]


def write_index(folder, zips):
    """Let Blender's own tool write the index of some zips; each must be in it. Returns its path."""
    tool, _ = build_extension.blender_tool()
    with tempfile.TemporaryDirectory() as name:
        for path in zips:
            shutil.copy(path, name)
        said = subprocess.run([sys.executable, str(tool), "server-generate", "--repo-dir", name],
                              capture_output=True, text=True)  # fmt: skip
        made, text = Path(name) / INDEX, (said.stdout + said.stderr).strip()
        if said.returncode or not made.is_file():
            raise ReleaseError(f"{folder}: Blender's tool wrote no index: {text}")
        listed = {Path(entry["archive_url"]).name for entry in json.loads(made.read_text())["data"]}
        if missing := sorted({path.name for path in zips} - listed):
            raise ReleaseError(f"{folder / INDEX}: {', '.join(missing)} left out: {text}")
        return Path(shutil.copy(made, folder / INDEX))


def latest_changes(text):
    """The first section of a CHANGELOG, without its heading."""
    return re.split(r"^## .*\n", text, flags=re.MULTILINE)[1].strip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
