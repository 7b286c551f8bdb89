"""Pack a library of kernels as the wheel stiction-kernels, which `pip install stiction[kernels]` brings.

    python tools/kernels_wheel.py [--output dist]     links the library for this machine's platform first
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import build_extension

PACKAGE = "stiction_kernels"
INIT = '"""Compiled kernels of Stiction; solver/kernels/load.py looks for them here."""\n'
METADATA = """Metadata-Version: 2.1
Name: stiction-kernels
Version: {version}
Summary: Compiled kernels of Stiction: frictional contact simulation without numba
License: GPL-3.0-or-later
Requires-Python: >=3.11
"""
WHEEL = """Wheel-Version: 1.0
Generator: stiction
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""


def build(library, output, system):
    """Write the wheel of the library in a folder; returns its path. system: Blender's name of the platform."""
    version, output = build_extension.version(), Path(output)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stiction-wheel-") as name:
        room, info = Path(name) / PACKAGE, Path(name) / f"{PACKAGE}-{version}.dist-info"
        (room / "library").mkdir(parents=True)
        info.mkdir()
        (room / "__init__.py").write_text(INIT)
        for path in sorted(Path(library).iterdir()):
            (room / "library" / path.name).write_bytes(path.read_bytes())
        (info / "METADATA").write_text(METADATA.format(version=version))
        (info / "WHEEL").write_text(WHEEL.format(tag=tag(system, library)))
        command = [sys.executable, "-m", "wheel", "pack", name, "--dest-dir", str(output)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return max(output.glob(f"{PACKAGE}-{version}-*.whl"), key=lambda path: path.stat().st_mtime)


def tag(system, library):
    """Tag of the platform: on Linux by the youngest glibc of which the code asks for a function."""
    if system != "linux-x64":
        return {"windows-x64": "win_amd64", "macos-arm64": "macosx_11_0_arm64"}[system]
    code = next(path for path in Path(library).iterdir() if path.suffix == ".so").read_bytes()
    youngest = max(tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", code))
    return "manylinux_{}_{}_x86_64".format(*youngest)


def main():
    """Link and pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=build_extension.ROOT / "dist")
    parser.add_argument("--library", metavar="FOLDER")
    options, system = parser.parse_args(), build_extension.this_platform()
    print(build(build_extension.library_for(options, system), options.output, system))


if __name__ == "__main__":
    main()
