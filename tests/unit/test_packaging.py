"""The manifest keeps the rules of extensions.blender.org, and the wheels are packed anew without loss."""

import csv
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

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
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["blender_version_min"]) and MANIFEST["copyright"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_keeps_the_rules_of_the_listing(path):
    """No change of sys.path, no pip, no network: what its reviewers look for."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"sys\.path\.(insert|append|extend)|sys\.path\s*(\+?=)[^=]", text)
    network = r"^\s*(import|from) (pip|requests|urllib\.request|http\.client|socket|ensurepip)\b"
    assert not re.search(network, text, re.MULTILINE)


def test_a_slim_wheel_installs_the_same_files_but_tests(tmp_path):
    from slim_wheels import slim

    names = ["scipy/__init__.py", "scipy/stats/tests/test_a.py", "scipy/stats/tests/__init__.py", "scipy/stats/a.py",
             "scipy/tests.py", "scipy-1.dist-info/RECORD"]  # fmt: skip
    with zipfile.ZipFile(tmp_path / "old.whl", "w", zipfile.ZIP_DEFLATED) as old:
        for name in names[:-1]:
            old.writestr(name, f"# {name}\n" * 100)
        old.writestr(names[-1], "".join(f"{name},sha256=x,1\n" for name in names[:-1]) + f"{names[-1]},,\n")
    slim(tmp_path / "old.whl", tmp_path / "new.whl")
    with zipfile.ZipFile(tmp_path / "new.whl") as new:
        kept = [name for name in names if name != "scipy/stats/tests/test_a.py"]
        assert new.namelist() == kept
        assert new.read("scipy/stats/a.py") == b"# scipy/stats/a.py\n" * 100
        assert [row[0] for row in csv.reader(new.read(names[-1]).decode().splitlines())] == kept


def test_a_zip_for_another_platform_says_that_it_brings_no_kernels(tmp_path):
    """It is built, for people to compile on their own machine; nobody takes it for one with kernels."""
    code = ("import sys; sys.path.insert(0, 'tools'); import build_extension as b, types; "
            "b.this_platform = lambda: 'linux-x64'; "
            "b.add_kernels(types.SimpleNamespace(interpreter=None), 'windows-x64', '3.11')")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "no compiled kernels for windows-x64, Python 3.11" in done.stderr
