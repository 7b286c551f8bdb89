"""What is written beside a release's zips: an index that Blender reads, checksums, notes."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import release  # noqa: E402

ZIPS = (("linux-x64", "-py311", "5.1.0"), ("linux-x64", "-py313", None), ("windows-x64", "-py311", "5.1.0"),
        ("linux-x64", "-any-python", None))  # fmt: skip
SAID = {"pyproject.toml": 'version = "0.3.0"', "blender_manifest.toml": 'version = "0.3.0"',
        "solver/simulation.py": 'VERSION = "0.2.0"', "CHANGELOG.md": "## 0.3.0, not yet released\n"}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Zips of three systems and Pythons that hold a manifest alone, and a wheel."""
    text = (ROOT / "blender_manifest.toml").read_text()
    for system, python, highest in ZIPS:
        lowest = "5.1.0" if python == "-py313" else "4.2.0"
        more = f'platforms = ["{system}"]\n' + (f'blender_version_max = "{highest}"\n' if highest else "")
        made = text.replace('blender_version_min = "4.2.0"', f'blender_version_min = "{lowest}"\n{more}')
        with zipfile.ZipFile(tmp_path / f"stiction-{system}{python}.zip", "w") as file:
            file.writestr("blender_manifest.toml", made)
            file.writestr("__init__.py", "")
    (tmp_path / "stiction-py3-none-any.whl").write_bytes(b"a wheel")
    return tmp_path


def test_index_checksums_and_notes(folder, capsys):
    assert release.main([str(folder)]) == 0
    entries = json.loads((folder / "index.json").read_text())["data"]
    assert {entry["id"] for entry in entries} == {"stiction"}
    assert {entry["archive_url"] for entry in entries} == {
        "./stiction-linux-x64-py311.zip", "./stiction-linux-x64-py313.zip", "./stiction-windows-x64-py311.zip",
    }  # fmt: skip
    for entry in entries:
        data = (folder / entry["archive_url"]).read_bytes()
        assert entry["archive_size"] == len(data)
        assert entry["archive_hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    lines = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(lines) == {path.name for path in folder.iterdir()} - {"SHA256SUMS", "notes.md"}
    assert lines["stiction-py3-none-any.whl"] == hashlib.sha256(b"a wheel").hexdigest()
    notes = (folder / "notes.md").read_text()
    assert "make demo" in notes and "Add Remote Repository" in notes and "## 0.1.0" not in notes


def test_nothing_to_release(tmp_path, capsys):
    assert release.main([str(tmp_path)]) == 1
    assert "holds no zip" in capsys.readouterr().err


def test_a_tag_that_the_sources_contradict(tmp_path):
    for name, text in SAID.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with pytest.raises(release.ReleaseError, match="simulation.py says 0.2.0, but the tag is v0.3.0"):
        release.check_tag("v0.3.0", tmp_path)
    (tmp_path / "solver" / "simulation.py").write_text('VERSION = "0.3.0"')
    with pytest.raises(release.ReleaseError, match="not yet released"):
        release.check_tag("v0.3.0", tmp_path)
    (tmp_path / "CHANGELOG.md").write_text("## 0.3.0, 1 May\n")
    release.check_tag("v0.3.0", tmp_path)
