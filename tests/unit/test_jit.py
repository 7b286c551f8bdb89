"""The kernel cache gives right results under a second package name and after an edit in another file."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import importlib.util, sys
root, name = sys.argv[1], sys.argv[2]
spec = importlib.util.spec_from_file_location(name, root + "/__init__.py", submodule_search_locations=[root])
module = importlib.util.module_from_spec(spec)
sys.modules[name] = module
spec.loader.exec_module(module)
caller = importlib.import_module(name + ".solver.caller") if hasattr(importlib, "import_module") else None
print(caller.call(2.0))
"""


@pytest.fixture
def package(tmp_path):
    """A package with the project's own jit.py and two kernels in two files."""
    solver = tmp_path / "package" / "solver"
    solver.mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("")
    (solver / "__init__.py").write_text("")
    shutil.copy(ROOT / "solver" / "jit.py", solver / "jit.py")
    (solver / "callee.py").write_text("from .jit import kernel\n\n\n@kernel\ndef scaled(x):\n    return 10.0 * x\n")
    (solver / "caller.py").write_text(
        "from .callee import scaled\nfrom .jit import kernel\n\n\n@kernel\ndef call(x):\n    return scaled(x) + 1.0\n"
    )
    return tmp_path / "package"


def run(package, name, cache):
    import os

    environment = dict(os.environ, STICTION_CACHE_DIR=str(cache))
    done = subprocess.run([sys.executable, "-c", "import importlib\n" + RUN, str(package), name], env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def test_second_package_name(package, tmp_path):
    assert run(package, "stiction", tmp_path / "cache") == 21.0
    assert run(package, "bl_ext_stiction", tmp_path / "cache") == 21.0
    assert run(package, "stiction", tmp_path / "cache") == 21.0


def test_edited_callee(package, tmp_path):
    assert run(package, "stiction", tmp_path / "cache") == 21.0
    callee = package / "solver" / "callee.py"
    callee.write_text(callee.read_text().replace("10.0", "100.0"))
    assert run(package, "stiction", tmp_path / "cache") == 201.0


def test_kernels_are_cached_in_the_given_folder(package, tmp_path):
    run(package, "stiction", tmp_path / "cache")
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert not list(package.rglob("*.nbi"))
