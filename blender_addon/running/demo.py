"""The demo scenes, built in Blender, simulated, baked, rendered and plotted: the whole path in one command."""

import json
from pathlib import Path

import bpy
import numpy as np

from ...solver.base.refusal import SceneError
from ..demos import DEMOS
from ..demos.stage import FPS, new_scene
from .loaded_bake import simulate_and_bake

# Moments of the contact sheet, as parts of the film: most happens early.
MOMENTS = (0.0, 0.09, 0.14, 0.2, 0.3, 1.0)


def run(name="funnel", output="out", frames=None, render=True, progress=None):
    """Build the scene `name`, simulate, bake, save, render and plot it into the folder `output`.

    Returns the `simulate --json` summary and the files written. progress(done, total, report) is called during
    the simulation and the rendering; progress.stage(label), where there is one, before each of them.
    """
    if name not in DEMOS:
        raise SceneError(f"no demo {name!r}; choose one of {', '.join(DEMOS)}")
    if frames is not None and frames < 2:
        raise SceneError(f"--frames is {frames}; give at least 2")
    folder = output_folder(output)
    if render:
        from ..base.render import refuse_without_graphics

        refuse_without_graphics()
    stage = getattr(progress, "stage", lambda label: None)
    scene = new_scene(frames or DEMOS[name].FRAMES)
    DEMOS[name].build(scene)
    bodies = sum(ob.stiction.type == "ACTIVE" for ob in scene.objects)
    blend = folder / f"{name}.blend"
    save(blend)
    rate = FPS * scene.stiction.steps_per_frame
    stage(f"simulating {bodies} bodies, {(scene.frame_end - 1) / FPS:g} s at {rate} Hz")
    trajectory, warnings = simulate_and_bake(scene, progress)
    save(blend)
    files = {"blend": blend, "json": folder / f"{name}.json", "plot": folder / f"{name}_plot.png"}
    summary = summarise(trajectory, warnings)
    files["json"].write_text(json.dumps(summary, indent=1))
    plot(trajectory, files["plot"])
    if render:
        files |= {"film": folder / f"{name}.mp4", "frames": folder / f"{name}_frames.png"}
        stage(f"rendering {scene.frame_end} frames")
        render_all(scene, files, progress)
    return {key: value for key, value in summary.items() if key != "bodies"} | {
        "files": {key: str(path) for key, path in files.items()}
    }


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


def render_all(scene, files, progress):
    """Film and six moments."""
    from ..base.render import contact_sheet, render_movie

    last = scene.frame_end - scene.frame_start
    moments = scene.frame_start + np.unique(np.round(np.array(MOMENTS) * last).astype(int))
    render_movie(scene, files["film"], progress)
    contact_sheet(scene, files["frames"], moments.tolist())


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
