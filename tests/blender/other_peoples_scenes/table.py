"""Bakes the scenes of the gallery beside Blender's own Bullet, prints a table and writes it into docs/performance.md:
`make other-people`. Names of scenes, if any are given, bake those alone and write nothing."""

import os
import sys
import tempfile
import time
from pathlib import Path
from traceback import format_exception_only

import bpy

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "performance.md"
START, END = "<!-- other people's scenes: begin -->", "<!-- other people's scenes: end -->"
# Times each is done, of which the least counts: what else a machine does makes a time longer, never shorter.
REPEATS = 2
HEAD = "| scene | frames | verdict | as it should be | worst overlap mm | CPU s | Bullet's CPU s | ratio |"


def cpu_of(pid):
    """CPU time [s] of a process, by the clock that Linux has of it: what /proc says is rounded to hundredths."""
    return time.clock_gettime(~pid << 3 | 2)


def empty_scene():
    """A new file with one empty scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


def bullet_cpu(build, frames):
    """CPU time [s] of Blender's own simulation of the rigid bodies of a scene; None where it has none."""
    scene = empty_scene()
    build()
    scene.frame_end = frames
    if scene.rigidbody_world is None:
        return None
    scene.rigidbody_world.point_cache.frame_end = frames
    scene.frame_set(1)
    start = time.process_time()
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    return time.process_time() - start


def spent_on(frames, build, folder):
    """(Film of a scene, what must hold of it, CPU time [s])."""
    from tutorial import Film

    from stiction.blender_addon.running import job

    scene = empty_scene()
    holds = build()
    job.warm_up()
    worker = job._worker.process.pid
    start = time.process_time() + cpu_of(worker)
    film = Film(scene, folder, frames)
    return film, holds, time.process_time() + cpu_of(worker) - start


def row_of(name, frames, build, folder):
    """(line of the table, ratio or None) of a scene."""
    beside = [bullet_cpu(build, frames) for _ in range(REPEATS)]
    beside = None if beside[0] is None else min(beside)
    runs = [Path(folder) / str(number) for number in range(REPEATS)]
    for run in runs:
        run.mkdir()
    *others, (film, holds, spent) = (spent_on(frames, build, run) for run in runs)
    spent = min(spent, *(one[2] for one in others))
    scene, overlap = film.scene, 1e3 * film.overlap
    right = "yes" if holds(film) else "**no**"
    ratio = None if beside is None else spent / max(beside, 1e-3)
    cells = (name, frames, scene.stiction.worth.lower(), right, f"{overlap:.3g}", f"{spent:.2f}",
             *(("-", "-") if ratio is None else (f"{beside:.3f}", f"{ratio:.1f}")))  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |", ratio


def main():
    """Bake all, or the named ones."""
    import stiction

    stiction.register()
    # Where the tests beside keep what they share.
    sys.path.append(str(ROOT / "tests" / "blender"))
    from gallery import SCENES

    names, lines, ratios = sys.argv[1:] or list(SCENES), [], []
    # The first bake of a Blender loads the solver, which is told apart from what a scene takes.
    with tempfile.TemporaryDirectory() as folder:
        first = spent_on(*SCENES["drop_cube"], folder)[2]
    for name in names:
        frames, build = SCENES[name]
        with tempfile.TemporaryDirectory() as folder:
            try:
                line, ratio = row_of(name, frames, build, folder)
                ratios += [] if ratio is None else [ratio]
            except Exception as error:  # A scene that fails is a row of the table.
                said = " ".join("".join(format_exception_only(error)).split()).replace("|", "/")
                line = f"| {name} | {frames} | refused: {said[:150]} | **no** | - | - | - | - |"
        lines.append(line)
        print(line, flush=True)
    middle = sorted(ratios)[len(ratios) // 2] if ratios else float("nan")
    load = os.getloadavg()[0]
    said = (f"{len(names)} scenes, as tutorials write them, by `make other-people`; CPU time of reading, simulating "
            "and baking beside that of Blender's own Bullet for the same frames in the same process, of each the "
            f"least of {REPEATS}; load of the machine at the end {load:.1f}. Before them one bake that loads the "
            f"solver: {first:.1f} s. Ratio: median {middle:.1f}, largest {max(ratios, default=0):.0f}.")
    print(said)
    if not sys.argv[1:]:
        write("\n".join([START, "", said, "", HEAD, "|" + "---|" * 8, *lines, "", END]))


def write(section):
    """Put the section into the page, between its markers."""
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2] if rest else "\n"
    title = "" if rest else "\n## Other people's scenes\n\n"
    PAGE.write_text(before + title + section + after)


if __name__ == "__main__":
    main()
