"""The demo scenes, built in Blender, simulated, baked, rendered and plotted: the whole path in one command."""

import json
import time
from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError
from ..demos import DEMOS
from ..demos.showing import decorate, moments
from ..demos.stage import FPS, new_scene
from ..film.film import Film
from .demo_progress import Telling
from .demo_report import report_lines
from .loaded_bake import simulate_and_bake
from .places import run_folder
from .registered import ensure_registered

# Height of the film [pixels].
HEIGHT = 360


def run(name="funnel", output="out", frames=None, render=True, progress=None, height=HEIGHT):
    """Build the scene `name`, simulate, bake, save, render and plot it into the folder `output`.

    Returns the `simulate --json` summary, the files written and lines for people. progress: a Progress; height
    [pixels] of the film.
    """
    folder, began = _checked(name, output, frames, render), time.monotonic()
    scene = new_scene(frames or DEMOS[name].FRAMES)
    DEMOS[name].build(scene)
    files = _files(folder, name, render)
    save(files["blend"])
    seconds = (scene.frame_end - scene.frame_start) / FPS
    if progress is not None:
        progress.stage(f"{DEMOS[name].SAYS}: {seconds:g} s at {FPS * scene.stiction.steps_per_frame} steps a second"
                       + (f", {scene.frame_end} pictures" if render else ""))  # fmt: skip
    film = Film(files["blend"], name, scene.frame_end, height, files["picture"]) if render else None
    telling = Telling(name, film, scene, progress)
    try:
        trajectory, warnings = simulate_and_bake(scene, watch=telling)
        decorate(scene, name, run_folder(scene))
        save(files["blend"])
        summary = summarise(trajectory, warnings)
        files["json"].write_text(json.dumps(summary, indent=1))
        plot(trajectory, files["plot"])
        if render:
            _finish_film(film, files, telling, run_folder(scene))
    finally:
        if film is not None:
            film.close()
    shown = {key: str(path) for key, path in files.items()}
    lines = report_lines(name, scene, summary, shown, time.monotonic() - began)
    return {key: value for key, value in summary.items() if key != "bodies"} | {"files": shown, "lines": lines}


def film_again(name="funnel", output="out", progress=None, height=HEIGHT):
    """Render the film of a demo that was simulated into the folder `output` once more; returns its files and lines."""
    folder = _checked(name, output, None, True)
    files = _files(folder, name, True)
    if not files["blend"].is_file():
        raise SceneError(f"{files['blend']}: is not there; run stiction demo {name} first")
    bpy.ops.wm.open_mainfile(filepath=str(files["blend"].resolve()))
    ensure_registered()
    scene = bpy.context.scene
    there = run_folder(scene)
    if there is None:
        raise SceneError(f"{files['blend']}: holds no finished simulation; run stiction demo {name} first")
    film = Film(files["blend"], name, scene.frame_end, height, files["picture"])
    try:
        film.begin(there)
        _finish_film(film, files, Telling(name, film, scene, progress), there)
    finally:
        film.close()
    return {"files": {key: str(files[key]) for key in ("film", "frames", "picture")},
            "lines": [f"film      {files['film']}"]}  # fmt: skip


def _checked(name, output, frames, render):
    """The folder for the output; SceneError for what cannot be."""
    if name not in DEMOS:
        raise SceneError(f"no demo {name!r}; choose one of {', '.join(DEMOS)}")
    if frames is not None and frames < 2:
        raise SceneError(f"--frames is {frames}; give at least 2")
    if render:
        from ..base.render import refuse_without_graphics

        refuse_without_graphics()
    return output_folder(output)


def _files(folder, name, render):
    files = {"blend": folder / f"{name}.blend", "json": folder / f"{name}.json", "plot": folder / f"{name}_plot.png"}
    if render:
        files |= {"film": folder / f"{name}.mp4", "frames": folder / f"{name}_frames.png",
                  "picture": folder / f"{name}.png"}  # fmt: skip
    return files


def _finish_film(film, files, telling, there):
    """Wait for the pictures that are missing, then write the film and the contact sheet of the run in a folder."""
    from ..base.render import sheet

    film.wait(telling.pictures)
    telling.note("writing the film")
    film.write(files["film"], FPS)
    chosen, pictures = moments(film.name, there, film.total), film.pictures()
    titles = [f"{row / FPS:.2f} s" + (f", {words}" if words else "") for row, words in chosen]
    sheet(files["frames"], [pictures[row] for row, _ in chosen], titles)


def save(path):
    """Save the .blend quietly, without a backup beside it."""
    from ..base.render import quiet

    bpy.context.preferences.filepaths.save_version = 0
    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(path).resolve()))


def output_folder(path):
    """The folder, made if it was missing; SceneError if nothing can be written there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SceneError(f"output folder {folder}: {error.strerror}; choose another") from None
    return folder


def summarise(trajectory, warnings):
    """The `simulate --json` keys of the run."""
    from ...solver.results.summary import run_summary

    summary = run_summary(trajectory)
    return summary | {"warnings": warnings + summary["warnings"]}


def plot(trajectory, path):
    """Contacts, residual, overlap and energy of every step."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from ...solver.results.run_plots import PLOTS

    figure, axes = plt.subplots(len(PLOTS), 1, figsize=(8, 9), sharex=True)
    for draw, axis in zip(PLOTS, axes, strict=True):
        draw(trajectory, axis)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(f"{len(trajectory.names)} bodies, method {trajectory.header['method']}")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
