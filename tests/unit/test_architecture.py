"""The direction of imports, enforced: solver <- blender_addon <- {operators, ui}; only the bridge knows Blender."""

import ast
import re
from pathlib import Path

from sources import imports, tree

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    "solver": set(),
    "blender_addon": {"solver"},
    "operators": {"solver", "blender_addon"},
    "ui": {"solver", "blender_addon"},
}
FILES = [path for room in ALLOWED for path in sorted((ROOT / room).rglob("*.py"))]


def imported(path):
    """Yield (top-level name, line): external modules, or rooms of this package reached by relative import."""
    parts = path.relative_to(ROOT).parts
    for node in imports(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[0], node.lineno
        elif node.level == 0:
            yield node.module.split(".")[0], node.lineno
        else:
            base = parts[: len(parts) - node.level]
            target = [*base, *(node.module.split(".") if node.module else [])]
            for name in [target[0]] if target else [alias.name for alias in node.names]:
                yield name, node.lineno


def objections(path):
    """What is wrong with the imports of a file, a sentence each."""
    room = path.relative_to(ROOT).parts[0]
    for name, line in imported(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if name in ALLOWED and name != room and name not in ALLOWED[room]:
            yield f"{where}: {room} imports {name}"
        if name in ("bpy", "mathutils", "bpy_extras", "gpu") and room == "solver":
            yield f"{where}: the solver imports {name}"
        if name == "stiction":
            yield f"{where}: imports its own package by name; inside Blender it has another"


def test_imports_point_the_right_way():
    assert [sentence for path in FILES for sentence in objections(path)] == []


def test_root_package_imports_nothing_at_module_level():
    assert not [node for node in tree(ROOT / "__init__.py").body if isinstance(node, (ast.Import, ast.ImportFrom))]


# Files that use what numba has an interface for: types, and functions that write LLVM themselves.
PUBLIC = {("numba.core", "types"), ("numba.extending", "intrinsic"), ("numba.core.typing.typeof", "typeof_impl"),
          ("numba.core.registry", "cpu_target")}  # fmt: skip


def test_only_the_room_of_kernels_imports_numba():
    for path in (ROOT / "solver").rglob("*.py"):
        place = path.relative_to(ROOT / "solver").as_posix()
        names = {alias.name for node in imports(path) if isinstance(node, ast.Import) for alias in node.names}
        assert "numba" not in names or place.startswith("kernels/"), place


def test_private_parts_of_numba_are_in_one_room():
    """Its types and its interface for intrinsics aside: another version of numba has others."""
    for path in (ROOT / "solver").rglob("*.py"):
        place = path.relative_to(ROOT / "solver").as_posix()
        if place.startswith("kernels/compiler/"):
            continue
        found = [(node.module, alias.name) for node in imports(path)
                 if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("numba", "llvmlite"))
                 for alias in node.names]  # fmt: skip
        assert set(found) <= PUBLIC, f"{place} imports {found}"


def test_tables_of_methods_and_scenes_do_not_load_numba():
    """register() reads METHODS and the options: Blender must not wait for numba there, nor a list of scenes."""
    import subprocess
    import sys

    code = (
        "import sys; sys.path.insert(0, 'tests'); import conftest; import stiction.solver.methods; "
        "import stiction.solver.runs.simulation_options; import stiction.solver.scenes; "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_run_of_rigid_bodies_loads_nothing_of_deformable_ones():
    """What a start loads is what its user waits for."""
    import subprocess
    import sys

    code = (
        "import sys; sys.path.insert(0, 'tests'); import conftest; import stiction as st; "
        "st.simulate(st.Scene((st.Body('cube', st.Box((1.0, 1.0, 1.0))),)), time=0.01, progress=False); "
        "loaded = [name.partition('.dynamics.')[2] for name in sys.modules]; "
        "sys.exit(', '.join(name for name in loaded if name.startswith(('elastic.b', 'elastic.i', 'reduced'))) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_test_files_have_names_of_their_own():
    """Pytest cannot hold two of one name, wherever they lie."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names)), sorted(name for name in set(names) if names.count(name) > 1)


def test_functions_named_for_the_sections_of_the_theory_are_where_the_page_says():
    page = (ROOT / "ARCHITECTURE.md").read_text()
    table = page[page.index("## From the page to the code") : page.index("## Where something is wrong")]
    rows = [line.split("|")[2:4] for line in table.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) > 20
    for files, functions in rows:
        sources = "".join((ROOT / name).read_text() for name in re.findall(r"`([\w/]+\.py)`", files))
        names = re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", functions))
        assert names, files
        for name in names:
            assert re.search(rf"^\s*def {name}\(", sources, re.M), f"{name} is not in {files}"
