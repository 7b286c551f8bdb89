"""Build the Blender extension: dist/stiction-VERSION.zip.

    python tools/build_extension.py              without wheels, for tests: the libraries must be there already
    python tools/build_extension.py --wheels     with the libraries for this machine's platform
    python tools/build_extension.py --wheels --platform windows-x64 --python 3.13
    python tools/build_extension.py --wheels --python any    without scipy, for every Python from 3.11 on
    python tools/build_extension.py --all        every Python on this platform, and the one without wheels
    python tools/build_extension.py --wheels --listing   for extensions.blender.org: wheels untouched, kernels in one

Kernels come as one shared library, which needs neither numba nor a certain Python; it is linked on its own platform.

Blender's own tool (in the bpy module) builds and validates the zip, tags included. numpy is never bundled: Blender has
its own, and a second one would replace it for every extension.
"""

import argparse
import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("__init__.py", "__main__.py", "blender_manifest.toml", "LICENSE")
ROOMS = ("solver", "blender_addon", "operators", "ui")

# pip's platform tags, newest first.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"),
}
# Blender 4.2 to 5.0 is Python 3.11; its 4.2 has numpy 1.24, which scipy 1.16 no longer loads with.
SCIPY = {"3.11": ("scipy==1.15.3",), "3.13": ("scipy>=1.18,<1.19",)}
ALWAYS = ("fastjsonschema==2.22.3",)
# For systems that there is no library of kernels for.
COMPILER = ("numba==0.68.1", "llvmlite==0.50.0")
BLENDER_RANGE = {"3.11": ("4.2.0", "5.1.0"), "3.13": ("5.1.0", None), None: ("4.2.0", None)}


def main(arguments=None):
    """Build, validate, print the path of each zip."""
    options = parse(arguments)
    if options.listing:
        warn_of_placeholders((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    if not options.all:
        python = None if options.python == "any" else options.python
        print(build(options, options.platform if options.wheels else None, python))
        return
    for python in (*SCIPY, None):
        print(build(options, this_platform(), python), flush=True)
    print(build(options, None, None))
    others = ", ".join(system for system in PLATFORMS if system != this_platform())
    said = f"zips for {others} are built there, where their kernels are linked; --platform makes one here that compiles"
    print(f"stiction: {said}", file=sys.stderr)


def warn_of_placeholders(manifest):
    """Say what the manifest's text lacks for a listing: a website, and entries that are still reserved names."""
    entries = tomllib.loads(manifest)
    if "website" not in entries:
        print("blender_manifest.toml: website is left out; put the address of the repository there", file=sys.stderr)
    for key, value in entries.items():
        if isinstance(value, str) and re.search(r"\.example\b", value):
            print(f"blender_manifest.toml: {key} is {value!r}, which leads nowhere; put yours there", file=sys.stderr)


def build(options, system, python):
    """Build and validate one zip; system and python: None for the one without wheels. Returns its path."""
    output = Path(options.output).resolve()
    output.mkdir(parents=True, exist_ok=True)
    # A stage for each build: two may run at once.
    with tempfile.TemporaryDirectory(prefix="stiction-stage-") as folder:
        return build_in(Path(folder), options, system, python, output)


def build_in(stage, options, system, python, output):
    """As `build`, by way of an empty folder `stage`."""
    fill(stage)
    suffix = ""
    if system:
        suffix = f"-{system}" + (f"-py{python.replace('.', '')}" if python else "-any-python")
        library = library_for(options, system)
        names = download(stage, system, python, wanted(python, library))
        if not options.listing:
            names = slim_all(stage, names)
            if library:
                shutil.copytree(library, stage / "solver" / "compiled" / "library")
        elif library:
            names.append(kernels_wheel().build(library, stage / "wheels", system).name)
        add_wheels(stage, names, system, python)
    tool, tags = blender_tool()
    target = output / f"stiction-{version()}{suffix}{'-listing' if system and options.listing else ''}.zip"
    run(tool, "build", "--source-dir", stage, "--output-filepath", target)
    if system and not options.listing:
        slim_wheels().pack_anew(target)
    run(tool, "validate", f"--valid-tags={tags}", target)
    return target


def wanted(python, library):
    """Libraries that a zip bundles: without a library of kernels numba has to compile them."""
    return (*(SCIPY[python] if python else ()), *ALWAYS, *(() if library else COMPILER))


def library_for(options, system):
    """Folder of the library of kernels for a system: the one that was given, or linked here where this is that system;
    else None, which is said."""
    if options.library:
        return Path(options.library)
    if system != this_platform():
        print(f"stiction: no library of kernels for {system}: build the zip there, or give --library what `stiction "
              "compile --library FOLDER` made there; this one brings numba, and compiles", file=sys.stderr)  # fmt: skip
        return None
    folder = ROOT / "build" / "library"
    sys.path.insert(0, str(ROOT / "tests"))
    import conftest  # noqa: F401

    from stiction.solver.base.processes import command_of

    command = command_of("solver.commands.compile_all", "library", folder, name="stiction")
    subprocess.run(command, check=True, env=dict(os.environ, STICTION_KERNELS="store"))
    return folder


def kernels_wheel():
    """The module beside this file."""
    sys.path.insert(0, str(ROOT / "tools"))
    return importlib.import_module("kernels_wheel")


def slim_all(stage, names):
    """Pack the staged wheels anew; what was packed before is kept in build/wheels. Returns their new names."""
    kept = ROOT / "build" / "wheels"
    kept.mkdir(parents=True, exist_ok=True)
    new_names = [slim_wheels().slim_name(name) for name in names]
    for name, new_name in zip(names, new_names, strict=True):
        if not (kept / new_name).is_file():
            slim_wheels().slim(stage / "wheels" / name, kept / new_name)
        (stage / "wheels" / name).unlink()
        shutil.copyfile(kept / new_name, stage / "wheels" / new_name)
    return new_names


def slim_wheels():
    """The module beside this file."""
    sys.path.insert(0, str(ROOT / "tools"))
    return importlib.import_module("slim_wheels")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", action="store_true", help="bundle the library of kernels, scipy and fastjsonschema")
    parser.add_argument("--platform", choices=PLATFORMS, default=this_platform())
    helped = "of the Blender that it is for; any: without scipy, which deformables and convex hulls need"
    parser.add_argument("--python", choices=[*SCIPY, "any"], default="3.11", help=helped)
    parser.add_argument("--all", action="store_true", help="every Python on this platform, and one without wheels")
    parser.add_argument("--listing", action="store_true", help="wheels as the index has them, kernels as a wheel, too")
    parser.add_argument("--library", metavar="FOLDER", help="library of kernels that was linked on that platform")
    parser.add_argument("--output", default=ROOT / "dist")
    return parser.parse_args(arguments)


def this_platform():
    """Blender's name of the platform this runs on."""
    return {"Linux": "linux-x64", "Windows": "windows-x64", "Darwin": "macos-arm64"}[platform.system()]


def version():
    """Version in the manifest."""
    return re.search(r'^version = "(.*)"', (ROOT / "blender_manifest.toml").read_text(), re.MULTILINE).group(1)


def fill(stage):
    """Copy what the extension consists of to an empty folder."""
    for name in FILES:
        shutil.copy(ROOT / name, stage / name)
    for name in ROOMS:
        shutil.copytree(ROOT / name, stage / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))


def download(stage, system, python, libraries):
    """Fetch wheels into the stage; returns their names."""
    wheels = stage / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--no-deps"]
    command += ["--python-version", python or "3.11", "--implementation", "cp", "--dest", str(wheels)]
    for tag in PLATFORMS[system]:
        command += ["--platform", tag]
    subprocess.run([*command, *libraries], check=True)
    names = sorted(path.name for path in wheels.glob("*.whl"))
    if len(names) != len(libraries) or any(name.startswith("numpy-") for name in names):
        sys.exit(f"stiction: found {', '.join(names) or 'no wheels'} for {system}; wanted {', '.join(libraries)}")
    return names


def add_wheels(stage, names, system, python):
    """Name the wheels, the platform and the Blender versions in the staged manifest."""
    path = stage / "blender_manifest.toml"
    lowest, highest = BLENDER_RANGE[python]
    text = path.read_text()
    text = re.sub(r'^blender_version_min = .*$', f'blender_version_min = "{lowest}"', text, flags=re.MULTILINE)
    head, mark, rest = text.partition("[permissions]")
    if highest:
        head += f'blender_version_max = "{highest}"\n'
    head += f'platforms = ["{system}"]\nwheels = [\n' + "".join(f'  "./wheels/{name}",\n' for name in names) + "]\n\n"
    path.write_text(head + mark + rest.replace('  "/wheels/",\n', ""))


def blender_tool():
    """(path of Blender's extension tool, path of its list of tags)."""
    spec = importlib.util.find_spec("bpy")
    if spec is None:
        sys.exit("stiction: Blender's Python module is missing; run: make setup")
    scripts = next(Path(spec.origin).parent.glob("*/scripts"))
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    return scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py", tags


def run(tool, *arguments):
    """Run Blender's extension tool; its output is shown if it fails."""
    result = subprocess.run([sys.executable, tool, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"stiction: {tool.name} {arguments[0]} failed:\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    main()
