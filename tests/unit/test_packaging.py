"""The manifest keeps the rules of extensions.blender.org, and the wheels are packed anew without loss."""

import ast
import base64
import csv
import hashlib
import re
import shutil
import struct
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sources import imports

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
ROOMS = ("solver", "blender_addon", "operators", "ui")
SOURCES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))] + [ROOT / "__init__.py"]


def test_manifest_keeps_the_rules_of_the_listing():
    assert "blender" not in (MANIFEST["id"] + MANIFEST["name"]).lower()
    assert 0 < len(MANIFEST["tagline"]) <= 64 and not MANIFEST["tagline"].endswith(".")
    for reason in MANIFEST["permissions"].values():
        assert 0 < len(reason) <= 64 and not reason.endswith(".")
    assert set(MANIFEST["permissions"]) == {"files"}, "nothing is fetched from the network"
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["version"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["blender_version_min"])
    assert re.fullmatch(r"[^<>]+ <[^<>@\s]+@[^<>@\s]+>", MANIFEST["maintainer"])
    assert "website" not in MANIFEST or ".example" not in MANIFEST["website"], "a real one, or none"


def test_manifest_credits_what_others_have_made():
    """Each entry is a year and a name, as the format asks; what came from others is named where it is used, too."""
    credits = MANIFEST["copyright"]
    assert all(re.match(r"\d{4}(-\d{4})? \S", entry) for entry in credits)
    for name, source in (("DejaVu", "blender_addon/inside/letters.py"), ("Joe", "solver/studies/sampling.py")):
        assert name in (ROOT / source).read_text(encoding="utf-8") and any(name in entry for entry in credits)


def test_a_zip_for_the_listing_says_that_nobody_lives_at_a_reserved_name(capsys):
    import build_extension as built

    built.warn_of_placeholders('website = "https://stiction.example"\n')
    assert "blender_manifest.toml: website" in capsys.readouterr().err
    built.warn_of_placeholders("")
    assert "website is left out" in capsys.readouterr().err
    built.warn_of_placeholders('website = "https://stiction.org"\n')
    assert not capsys.readouterr().err


def with_lines(pattern, paths):
    """Files that hold a pattern."""
    return [str(path.relative_to(ROOT)) for path in paths
            if re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)]  # fmt: skip


def test_code_keeps_the_rules_of_the_listing():
    """No change of sys.path, no pip, no network: what its reviewers look for."""
    assert len(SOURCES) > 700
    assert with_lines(r"sys\.path\.(insert|append|extend)|sys\.path\s*(\+?=)[^=]", SOURCES) == []
    network = r"^\s*(import|from) (pip|requests|urllib\.request|http\.client|socket|ensurepip)\b"
    assert with_lines(network, SOURCES) == []


def test_no_thread_runs_in_blender():
    """Threads beside Blender's own end in crashes, and reviewers refuse them. Of the solver, only what processes of
    their own load may have some; tests/blender/test_no_threads.py holds that Blender loads none of it."""
    ours = [path for path in SOURCES if path.parts[len(ROOT.parts)] != "solver"]
    assert with_lines(r"^\s*(import|from) (threading|_thread|concurrent|multiprocessing)\b", ours) == []


def test_a_slim_wheel_installs_what_a_run_imports_and_nothing_changed(tmp_path):
    from slim_wheels import slim

    names = ["scipy/__init__.py", "scipy/sparse/tests/test_a.py", "scipy/sparse/tests/__init__.py", "scipy/sparse/a.py",
             "scipy/signal/a.py", "scipy/special/_test_internal.so",
             "scipy/linalg/cython_blas.pxd", "scipy/special/cython_special.cpython-311.so", "scipy/tests.py",
             "scipy.libs/a.so",
             "scipy-1.dist-info/RECORD"]  # fmt: skip
    left_out = {"scipy/sparse/tests/test_a.py", "scipy/signal/a.py", "scipy/special/cython_special.cpython-311.so",
                "scipy/special/_test_internal.so", "scipy/linalg/cython_blas.pxd"}  # fmt: skip
    with zipfile.ZipFile(tmp_path / "old.whl", "w", zipfile.ZIP_DEFLATED) as old:
        for name in names[:-1]:
            old.writestr(name, f"# {name}\n" * 100)
        old.writestr(names[-1], "".join(f"{name},sha256=x,1\n" for name in names[:-1]) + f"{names[-1]},,\n")
    slim(tmp_path / "old.whl", tmp_path / "new.whl")
    with zipfile.ZipFile(tmp_path / "new.whl") as new:
        kept = [name for name in names if name not in left_out]
        assert new.namelist() == kept
        assert new.read("scipy/sparse/a.py") == b"# scipy/sparse/a.py\n" * 100
        assert [row[0] for row in csv.reader(new.read(names[-1]).decode().splitlines())] == kept


@pytest.mark.skipif(shutil.which("strip") is None or sys.platform != "linux", reason="no strip, or no ELF")
def test_symbols_go_only_where_libraries_are_as_they_were_linked(tmp_path):
    """`strip` makes what auditwheel has rewritten unloadable: a wheel with a .libs folder keeps its libraries."""
    from slim_wheels import slim

    library = Path(np.linalg._umath_linalg.__file__).read_bytes()
    for folder, stripped in (("a", True), ("a.libs", False)):
        with zipfile.ZipFile(tmp_path / "old.whl", "w") as old:
            old.writestr(f"{folder}/x.so", library)
            old.writestr("a-1.dist-info/RECORD", f"{folder}/x.so,sha256=x,1\na-1.dist-info/RECORD,,\n")
        slim(tmp_path / "old.whl", tmp_path / "new.whl")
        with zipfile.ZipFile(tmp_path / "new.whl") as new:
            packed = new.read(f"{folder}/x.so")
            assert packed == library or stripped
            if packed != library:
                digest = base64.urlsafe_b64encode(hashlib.sha256(packed).digest()).rstrip(b"=").decode()
                row = next(csv.reader(new.read("a-1.dist-info/RECORD").decode().splitlines()))
                assert row[1:] == [f"sha256={digest}", str(len(packed))]


@pytest.mark.slow
def test_every_import_of_scipy_is_in_the_wheel():
    """The truth cases, which no verb and no panel runs, may have more."""
    from slim_wheels import SCIPY_KEPT

    found = {}
    for path in SOURCES:
        if "validation" in path.parts:
            continue
        for node in imports(path):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            names = [f"{names[0]}.{alias.name}" for alias in node.names] if names == ["scipy"] else names
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found |= {name.split(".")[1]: path for name in names if name.startswith("scipy.")}
    assert found, "the solver needs scipy"
    assert set(found) <= SCIPY_KEPT, found


def test_scipy_without_the_rest_imports_what_is_needed():
    """What is left stands alone: an import of what was left out fails."""
    code = (
        "import sys; sys.path.insert(0, 'tools'); from slim_wheels import SCIPY_KEPT\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        parts = name.split('.')\n"
        "        if parts[0] == 'scipy' and len(parts) > 1 and path is not None and parts[1] not in SCIPY_KEPT | TOP:\n"
        "            raise ModuleNotFoundError(name)\n"
        "import importlib.util, pathlib\n"
        "root = pathlib.Path(importlib.util.find_spec('scipy').origin).parent\n"
        "TOP = {path.name.split('.')[0] for path in root.iterdir() if path.is_file()}\n"
        "sys.meta_path.insert(0, Gone())\n"
        "import scipy.sparse.linalg, scipy.sparse.csgraph, scipy.spatial, scipy.special, scipy.optimize, scipy.linalg\n"
        "try: import scipy.stats\n"
        "except ModuleNotFoundError: print('gone')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "gone", done.stderr


def test_a_scipy_in_parts_never_replaces_a_whole_one():
    """Blender compares the first three numbers of the version in the wheel's name, as here."""
    from slim_wheels import slim_name

    slimmed = slim_name("scipy-1.15.3-cp311-cp311-win_amd64.whl")
    numbers = tuple(map(int, slimmed.split("-")[1].split(".")[:3]))
    assert slimmed.endswith("-cp311-cp311-win_amd64.whl") and numbers < (0, 5, 0) and slim_name(slimmed) == slimmed
    assert slim_name("numba-0.68.1-cp311-cp311-win_amd64.whl") == "numba-0.68.1-cp311-cp311-win_amd64.whl"


def test_a_zip_for_another_platform_says_that_it_compiles(tmp_path, monkeypatch, capsys):
    """It is built, for people to compile on their own machine; nobody takes it for one with kernels."""
    import build_extension as built

    monkeypatch.setattr(built, "this_platform", lambda: "linux-x64")
    nothing, given = SimpleNamespace(library=None), SimpleNamespace(library=str(tmp_path))
    assert built.library_for(nothing, "windows-x64") is None
    assert "no library of kernels for windows-x64" in capsys.readouterr().err
    assert built.library_for(given, "windows-x64") == tmp_path
    assert set(built.COMPILER) <= set(built.wanted("3.13", None)) and not set(built.COMPILER) & set(
        built.wanted("3.13", tmp_path)
    )
    assert built.wanted(None, tmp_path) == built.ALWAYS


def test_the_wheel_of_kernels_says_which_systems_load_it(tmp_path):
    import kernels_wheel

    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "kernels.abi3.so").write_bytes(b"..GLIBC_2.2.5..GLIBC_2.35..GLIBC_2.29..")
    (tmp_path / "library" / "kernels.json").write_text("{}")
    wheel = kernels_wheel.build(tmp_path / "library", tmp_path / "dist", "linux-x64")
    assert re.fullmatch(r"stiction_kernels-[\d.]+-py3-none-manylinux_2_35_x86_64\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    assert {"stiction_kernels/__init__.py", "stiction_kernels/library/kernels.json"} < set(names)


def test_the_listing_names_pictures_that_are_there_and_an_icon_of_the_right_size():
    page = (ROOT / "docs" / "listing.md").read_text(encoding="utf-8")
    pictures = [ROOT / "docs" / name for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)]
    sizes = [struct.unpack(">II", picture.read_bytes()[16:24]) for picture in pictures]
    assert sizes[0] == (256, 256) and len(pictures) >= 4
    assert all(min(size) >= 480 for size in sizes[1:])
    description = [line for line in page.splitlines() if line.startswith(">")]
    assert 400 < len("\n".join(description)) < 3000
