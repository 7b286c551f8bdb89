"""The rooms of the solver: their order, no circles between them, none too full; imports inside functions count."""

import subprocess
import sys
from pathlib import Path

import pytest
from sources import imports

ROOT = Path(__file__).resolve().parents[2]
SOLVER = ROOT / "solver"
MOST_FILES = 20
# Lines of a file that are too many.
LONGEST = 400


def module_name(path):
    """("collision", "mesh") of solver/collision/mesh/__init__.py, ("problem",) of solver/problem.py."""
    parts = path.relative_to(SOLVER).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {module_name(path): path for path in sorted(SOLVER.rglob("*.py"))}
# Rooms that hold other rooms: their own modules stand one by one in the order.
HALLS = {name[:-1] for name, path in MODULES.items() if path.name == "__init__.py" and name}


def room(name):
    """The room of a module; a module that stands in a hall is a room of its own, and so is a package's table."""
    if MODULES[name].name == "__init__.py" or name[:-1] in HALLS:
        return name
    return name[:-1]


def imported(name):
    """Modules of the solver that the module `name` imports, anywhere in it."""
    path = MODULES[name]
    package = name if path.name == "__init__.py" else name[:-1]
    for node in imports(path):
        if not hasattr(node, "level") or not 0 < node.level <= len(package) + 1:
            continue
        base = package[: len(package) + 1 - node.level] + tuple((node.module or "").split(".") if node.module else ())
        for alias in node.names:
            yield (*base, alias.name) if (*base, alias.name) in MODULES else base


def arrows():
    """{(room, room it imports): (module, module it imports)}, without those between a package and its own table."""
    found = {}
    for name in MODULES:
        for target in imported(name):
            a, b = room(name), room(target)
            if a != b and a[: len(b)] != b and b[: len(a)] != a:
                found[a, b] = name, target
    return found


def circles(edges):
    """Arrows of circles and between circles: those into rooms with no arrow out, or out of rooms with none in, go."""
    left = set(edges)
    while True:
        sources, ends = {a for a, _ in left}, {b for _, b in left}
        kept = {(a, b) for a, b in left if b in sources and a in ends}
        if kept == left:
            return left
        left = kept


def test_no_circle_between_rooms():
    found = arrows()
    left = circles(found)
    assert not left, "\n".join(f"{'.'.join(found[e][0])} imports {'.'.join(found[e][1])}" for e in sorted(left))


def test_a_circle_is_found():
    edges = {("a", "b"): 0, ("b", "c"): 0, ("c", "a"): 0, ("c", "d"): 0, ("e", "a"): 0}
    assert circles(edges) == {("a", "b"), ("b", "c"), ("c", "a")}


def file_arrows():
    """{(file, file it imports)} of everything that is shipped, imports inside functions too."""
    files = {path.relative_to(ROOT).with_suffix("").parts: path for top in TOPS for path in (ROOT / top).rglob("*.py")}
    files = {name[:-1] if name[-1] == "__init__" else name: path for name, path in files.items()}
    found = set()
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name[:-1]
        for node in imports(path):
            if hasattr(node, "level") and 0 < node.level <= len(package) + 1:
                base = package[: len(package) + 1 - node.level] + tuple(node.module.split(".") if node.module else ())
                targets = ((*base, alias.name) if (*base, alias.name) in files else base for alias in node.names)
                found |= {(name, target) for target in targets if target in files and target != name}
    return found


def test_no_circle_between_files():
    left = circles(dict.fromkeys(file_arrows()))
    assert not left, "\n".join(f"{'.'.join(a)} imports {'.'.join(b)}" for a, b in sorted(left))


TOPS = ("solver", "blender_addon", "operators", "ui")
FOLDERS = sorted({path.parent for top in TOPS for path in (ROOT / top).rglob("*.py")})


def test_no_room_is_too_full():
    held = {str(folder.relative_to(ROOT)): len({*folder.glob("*.py")} - {folder / "__init__.py"}) for folder in FOLDERS}
    assert {name: count for name, count in held.items() if count > MOST_FILES} == {}


def test_files_are_short():
    paths = {path for top in (*TOPS, "tests", "tools", "benchmarks") for path in (ROOT / top).rglob("*.py")}
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {name: length for name, length in lengths.items() if length >= LONGEST} == {}


def test_every_package_is_installed():
    """Every source that is shipped lies in a package that the wheel takes: a folder without __init__.py is none."""
    found = subprocess.run([sys.executable, "setup.py", "--packages"], cwd=ROOT, capture_output=True, text=True)
    there = {".".join(("stiction", *path.parent.relative_to(ROOT).parts))
             for name in TOPS for path in (ROOT / name).rglob("*.py")}  # fmt: skip
    assert set(found.stdout.split()) == there | {"stiction"}, found.stderr


# From the bottom to the top: a room imports only from those before it.
ORDER = (
    "mechanisms", "kernels", "jit", "options", "base", "laws", "friction", "problems", "problem", "residuals", "meshes",
    "shapes", "materials", "scene", "collision", "state", "methods", "dynamics", "model", "robots", "stepping",
    "steppers", "runs", "scene_io", "scenes", "recording", "trajectory", "simulation", "results", "studies",
    "validation", "verify", "api", "commands", "cli",
)  # fmt: skip


def test_rooms_stand_in_their_order():
    for (a, b), (module, target) in arrows().items():
        if a[0] != b[0] and a != ("__main__",):
            assert ORDER.index(b[0]) < ORDER.index(a[0]), f"{'.'.join(module)} imports {'.'.join(target)}"


def test_nothing_that_a_run_wrote_lies_among_the_sources():
    tracked = subprocess.run(["git", "ls-files", "*/frames.bin", "*.blend1", "*/header.json"], cwd=ROOT,
                             capture_output=True, text=True)  # fmt: skip
    if tracked.returncode != 0:
        pytest.skip("not a checkout of git")
    assert [line for line in tracked.stdout.splitlines() if not line.startswith("tests/data/")] == []
