"""Speed a person feels: CPU a step of scenes, and problems to 1e-8, beside another tree in one run.

    python benchmarks/bench_speed.py [REFERENCE] [--rows stack10,hopper] [--update]

REFERENCE: a folder with another state of this repository (`git worktree add ../before f2f963e`), or one that it can be
imported from as `stiction`, timed row by row right before this one, each in a process of its own on one thread, after
a few steps that compile. A scene is written to a file by this tree, so that both run the same. --update writes
docs/performance.md; run it with nothing else running (about ten minutes). A row that ends not within its limit is a
dash; a tree that was never run compiles for longer than that: run it twice.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scenes import SCENES, build
from stiction.solver.scenes.granular import concave_pile
from stiction.solver.shapes import Box

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "performance.md"
PROBLEMS = HERE / "data" / "contact_problems", ROOT / "tests" / "data" / "contact_problems"
# Longest a row may take in one tree [s].
LONGEST = 120.0
# Seconds that a problem has to reach 1e-8.
SOLVE = 5.0


@dataclass(frozen=True)
class Row:
    """What is run, the figure it is about, its goal, and what it is near to.

    scene() -> Scene, or problem: a file; seconds simulated; figure: key of what speed_row.py prints; factor and unit
    turn it into what the table shows; goal in that unit, None for none.
    """

    key: str
    what: str
    limit: str
    scene: object = None
    problem: str = ""
    seconds: float = 0.0
    figure: str = "ms"
    unit: str = "ms a step"
    factor: float = 1.0
    goal: float | None = None
    options: tuple = ()


def canonical(name):
    """The builder of a canonical scene."""
    return lambda: SCENES[name].build()


def hopper():
    """The slot hopper while it fills: without gates, counters and sinks, which older trees do not know."""
    return replace(build("slot_hopper"), gates=(), counters=(), sinks=())


def block_on_cubes():
    """A block of 10 m on eight cubes of 10 mm: masses 1 : 3e8."""
    ring = [(3.0 * np.cos(a), 3.0 * np.sin(a)) for a in np.arange(8) * 0.25 * np.pi]
    cubes = tuple(
        Body(f"cube{k}", Box((0.01, 0.01, 0.01)), "cube", position=(float(x), float(y), 0.005))
        for k, (x, y) in enumerate(ring)
    )
    block = Body("block", Box((10.0, 10.0, 10.0)), "block", position=(0.0, 0.0, 5.01))
    return Scene((_floor(30.0), *cubes, block), MaterialTable((Material("block", 1000.0, 0.5),
                 Material("cube", 3000.0, 0.5))), name="block_on_cubes")  # fmt: skip


def small_cubes():
    """120 cubes of 1 mm that fall into a tray of 8 mm."""
    d, rng, wall = 0.001, np.random.default_rng(3), []
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = (0.002, 0.012, 0.02) if x else (0.012, 0.002, 0.02)
        wall.append(Body(f"wall{k}", Box(size), "cube", Motion.STATIC, (0.005 * x, 0.005 * y, 0.01)))
    cubes = []
    for k in range(120):
        place = np.array([k % 5 - 2.0, k // 5 % 4 - 1.5, k // 20 + 0.8]) * 1.5 * d + rng.uniform(-0.1, 0.1, 3) * d
        turn = rng.normal(size=4) * 0.1 + [1.0, 0.0, 0.0, 0.0]
        cubes.append(Body(f"cube{k}", Box((d, d, d)), "cube", position=tuple(place.tolist()),
                          orientation=tuple((turn / np.linalg.norm(turn)).tolist())))  # fmt: skip
    return Scene((_floor(0.02), *wall, *cubes), MaterialTable((Material("cube", 1000.0, 0.5),)), name="small_cubes")


def _floor(width):
    return Body("floor", Box((width, width, 0.1 * width)), "cube", Motion.STATIC, (0.0, 0.0, -0.05 * width))


PYTHON = "half in kernels, half in the tuples of arrays they take and Python between them"
SWEEP = "sweeps: 20 to 30 ns a contact, half arithmetic, half memory"
ROWS = (
    Row("stack10", "ten cubes stand, 5 s", PYTHON, canonical("stack10"), seconds=5.0, goal=0.25),
    Row("cardhouse3", "a card house stands, 5 s", PYTHON, canonical("cardhouse3"), seconds=5.0, goal=0.5),
    Row("heavy4096", "masses 1 to 4096, 3 s", "a hundred sweeps and Newton steps", canonical("heavy4096"), seconds=3.0,
        goal=0.5),
    Row("wall85", "a wall of 85 bricks stands, 2 s", PYTHON + "; " + SWEEP, canonical("wall85"), seconds=2.0),
    Row("hopper", "200 spheres fill the slot hopper, 1.5 s at 5 ms and 1e-3 g h", SWEEP, hopper, seconds=1.5, goal=2.5,
        options=(("time_step", 0.005), ("accuracy", 1e-3))),
    Row("block", "10 m block on eight 10 mm cubes, 100 steps", SWEEP, block_on_cubes, seconds=1.0, goal=5.0),
    Row("cubes", "120 cubes of 1 mm poured, 0.25 s", SWEEP, small_cubes, seconds=0.25, goal=10.0),
    Row("funnel", "funnel2000j, first second", SWEEP + "; narrow phase", canonical("funnel2000j"), seconds=1.0,
        figure="cpu", unit="CPU s a simulated second", goal=4.0),
    Row("concave", "500 concave bodies fall into a box, 1 s", "narrow phase of meshes", lambda: concave_pile(500),
        seconds=1.0),
    Row("temple", "prox_temple, 0.2 s", SWEEP, canonical("prox_temple"), seconds=0.2, figure="cpu",
        unit="CPU s a simulated second", factor=5.0, goal=15.0),
    Row("colosseum", "prox_colosseum, first 0.1 s (the goal is of 3 s)", SWEEP, canonical("prox_colosseum"),
        seconds=0.1, figure="cpu", unit="CPU s a simulated second", factor=10.0, goal=5.0),
    Row("jacks", "prox_jacks, first second", "narrow phase of meshes", canonical("prox_jacks"), seconds=1.0,
        figure="overlap", unit="mm of overlap", factor=1e3, goal=1.0),
    Row("glasses", "prox_glasses, first second", "narrow phase of meshes", canonical("prox_glasses"), seconds=1.0,
        figure="overlap", unit="mm of overlap", factor=1e3, goal=1.0),
    Row("chalices", "prox_chalices, first second", "narrow phase of meshes", canonical("prox_chalices"), seconds=1.0,
        figure="overlap", unit="mm of overlap", factor=1e3, goal=1.0),
    *(Row(f"1e-8:{name}", f"problem {name} to 1e-8 m/s, at most {SOLVE:g} s", "Newton steps: dense fronts of the pile",
          problem=name, figure="residual", unit="m/s", goal=1e-8)
      for name in ("spherepile1000_t2.5", "boxpile200_t2.5", "KaplasTower-i1061-4", "stack10_t0.5")),
)  # fmt: skip


def prepared(row, folder):
    """What speed_row.py is asked for."""
    if row.problem:
        (path,) = (folder / f"{row.problem}.npz" for folder in PROBLEMS if (folder / f"{row.problem}.npz").exists())
        return {"problem": str(path), "limit": SOLVE}
    path = Path(folder) / f"{row.key}.json"
    if not path.exists():
        save_scene(path, row.scene())
    return {"scene": str(path), "seconds": row.seconds, "options": dict(row.options)}


def import_path(tree):
    """The folder from which a tree is imported as `stiction`: the same each time, numba's caches go by paths."""
    tree = Path(tree).resolve()
    if (tree / "stiction").exists():
        return tree
    home = Path(tempfile.gettempdir()) / f"stiction-bench-{hashlib.sha256(str(tree).encode()).hexdigest()[:12]}"
    home.mkdir(exist_ok=True)
    if not (home / "stiction").exists():
        (home / "stiction").symlink_to(tree, target_is_directory=True)
    return home


def measured(row, tree, folder):
    """What speed_row.py prints in a tree, None with the reason on stderr where it does not."""
    home = import_path(tree)
    environment = dict(os.environ, PYTHONPATH=str(home))
    try:
        done = subprocess.run([sys.executable, str(HERE / "speed_row.py"), json.dumps(prepared(row, folder))],
                              cwd=home, capture_output=True, text=True, check=False, env=environment,
                              timeout=LONGEST)  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{row.key}: more than {LONGEST:g} s in {tree}", file=sys.stderr)
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"{row.key} in {tree}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def verdict(row, now):
    """Whether the goal is met, by how much not."""
    if row.goal is None:
        return "-"
    if now is None:
        return f"**missed**: not within {LONGEST:g} s"
    value = now[row.figure] * row.factor
    return "met" if value <= row.goal else f"**missed**, {value / row.goal:.3g} times it"


def cells(row, before, now):
    """The cells of a row of the table, texts."""

    def figure(found):
        return "-" if found is None else f"{found[row.figure] * row.factor:.3g}"

    more = []
    if now is not None and "ms" in now:
        shown = [("steps not accepted", "refused", "{:d}"), ("deepest overlap", "overlap", "{:.2g} m")]
        more = [
            f"{name} {'-' if before is None else form.format(before[key])} -> {form.format(now[key])}"
            for name, key, form in shown
        ]
        more += [f"{100 * now['solves']:.0f} % in solves"]
        more += [] if row.figure == "ms" else [f"{now['ms']:.3g} ms a step"]
    elif now is not None:
        more = [f"{'-' if before is None else format(before['cpu'], '.3g')} -> {now['cpu']:.3g} CPU s"]
    goal = "-" if row.goal is None else f"{row.goal:g}"
    values = figure(before), figure(now), goal, verdict(row, now)
    return (row.key, row.what, row.unit, *values, "; ".join(more), row.limit)


HEAD = ("row", "what", "unit", "before", "now", "goal", "verdict", "besides", "near to")


def page(table, reference, mean_load):
    """The text of docs/performance.md."""
    lines = [
        "# Performance", "",
        "Written by `make bench-speed REFERENCE=folder` in one run, each row in a process of its own, one thread, CPU",
        f"time; before: {reference}. Mean load of the machine meanwhile: {mean_load:.1f}. What is missed says by how",
        "much.",
        "", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD),
        *("| " + " | ".join(row) + " |" for row in table), "",
    ]  # fmt: skip
    return "\n".join(lines)


def main():
    """Print a row a line; write the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", nargs="?", default="")
    parser.add_argument("--rows", default="", help="keys of rows, with commas between; all by default")
    parser.add_argument("--update", action="store_true", help="write docs/performance.md")
    given = parser.parse_args()
    wanted = given.rows.split(",") if given.rows else [row.key for row in ROWS]
    unknown = set(wanted) - {row.key for row in ROWS}
    if unknown:
        parser.error(f"no row {sorted(unknown)[0]!r}; known are {', '.join(row.key for row in ROWS)}")
    table, loads = [], []
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if row.key in wanted:
                before = measured(row, given.reference, folder) if given.reference else None
                now = measured(row, ROOT, folder)
                loads.append(os.getloadavg()[0])
                table.append(cells(row, before, now))
                print(" | ".join(table[-1]), flush=True)
    if given.update:
        # What other programs have written below stays.
        _, title, others = PAGE.read_text(encoding="utf-8").partition("\n## ")
        text = page(table, _name_of(given.reference), float(np.mean(loads)))
        PAGE.write_text(text + title + others, encoding="utf-8")


def _name_of(tree):
    """The commit of a tree, or that there is none."""
    if not tree:
        return "nothing (no reference was given)"
    tree = Path(tree, "stiction") if Path(tree, "stiction").exists() else Path(tree)
    command = ["git", "-C", str(tree.resolve()), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "a tree without a commit"


if __name__ == "__main__":
    main()
