"""Rendering without a window: films, stills and contact sheets with Workbench."""

import contextlib
import ctypes
import os
import sys
import tempfile
from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError

SIZE = (640, 360)


def refuse_without_graphics():
    """SceneError naming the missing system library, if this machine cannot draw."""
    if not sys.platform.startswith("linux") or not bpy.app.background:
        # A Blender with a window draws already.
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        raise SceneError(
            "rendering needs the system library libEGL.so.1; run: apt-get install libegl1 libgl1-mesa-dri"
        ) from None
    drivers = [*Path("/usr/lib").glob("*/dri/*_dri.so"), *Path("/usr/lib").glob("*/libgallium*.so")]
    drivers += [*Path("/usr/lib64").glob("dri/*_dri.so"), *Path("/usr/lib").glob("dri/*_dri.so")]
    if not drivers and not Path("/dev/nvidia0").exists():
        raise SceneError("rendering needs an OpenGL driver; run: apt-get install libgl1-mesa-dri")


def refuse_to_render(scene):
    """SceneError for what would stop a render: better before the simulation than after it."""
    refuse_without_graphics()
    if scene.camera is None and not strips_of(scene):
        raise SceneError(f"scene {scene.name!r}: has no camera to render with; add one and make it the active camera")


def strips_of(scene):
    """Strips of a scene's sequencer; an empty list where there is none."""
    editor = scene.sequence_editor
    # Blender 5 calls strips what were sequences.
    return [] if editor is None else editor.strips if hasattr(editor, "strips") else editor.sequences


@contextlib.contextmanager
def quiet():
    """Keep Blender's own chatter off stdout and stderr; what it said is shown if the block fails."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        try:
            yield
        except RuntimeError as error:
            said.seek(0)
            lines = said.read().decode(errors="replace").splitlines()[-5:]
            raise RuntimeError("\n".join([str(error), *lines])) from error
        finally:
            for number, copy in enumerate(saved, start=1):
                os.dup2(copy, number)
                os.close(copy)


def use_workbench(scene, size=SIZE):
    """Set the scene up for Workbench: object colours, shadows, outlines."""
    render = scene.render
    render.engine = "BLENDER_WORKBENCH"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "OBJECT"
    shading.show_shadows, shading.show_cavity, shading.show_object_outline = True, True, False
    shading.cavity_type = "BOTH"
    scene.display.shadow_shift = 0.1
    scene.display.render_aa = "8"


def set_height(scene, height):
    """Render pictures of this height [pixels], 16 to 9, their width a whole even number as films need it."""
    scene.render.resolution_x, scene.render.resolution_y = 2 * round(height * 8 / 9), height


def image_size(path):
    """Width and height [pixels] of an image file."""
    image = bpy.data.images.load(str(path))
    try:
        return tuple(image.size)
    finally:
        bpy.data.images.remove(image)


def _as_movie(scene):
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    ffmpeg = scene.render.ffmpeg
    ffmpeg.format, ffmpeg.codec, ffmpeg.constant_rate_factor = "MPEG4", "H264", "HIGH"


def _as_still(scene):
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"


def render_movie(scene, path, progress=None):
    """Render the frame range to an .mp4 at exactly `path`; progress(frames done, frames in all).

    A film is whole or not there: one that is stopped in the middle leaves `path` as it was.
    """
    refuse_to_render(scene)
    path = Path(path).resolve().with_suffix(".mp4")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.stem}.partial.mp4")
    _as_movie(scene)
    scene.render.filepath = str(partial)
    done, total = 0, scene.frame_end - scene.frame_start + 1
    stream = os.fdopen(os.dup(2), "w")

    def count(*_ignored):
        nonlocal done
        done += 1
        if progress is not None:
            with contextlib.redirect_stderr(stream):
                progress(done, total)

    bpy.app.handlers.render_write.append(count)
    try:
        with quiet():
            bpy.ops.render.render(animation=True, scene=scene.name)
    finally:
        bpy.app.handlers.render_write.remove(count)
        stream.close()
    if done < total or not partial.is_file():
        partial.unlink(missing_ok=True)
        raise RuntimeError(f"{path}: Blender wrote {done} of {total} frames of the film; look for its message above")
    os.replace(partial, path)


def render_still(scene, path, frame):
    """Render one frame to a .png at exactly `path`."""
    refuse_to_render(scene)
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    _as_still(scene)
    scene.render.filepath = str(path)
    scene.frame_set(frame)
    with quiet():
        bpy.ops.render.render(write_still=True, scene=scene.name)


def contact_sheet(scene, path, frames, columns=3):
    """Render `frames` and put them side by side in one .png, each with its time."""
    seconds = [(frame - scene.frame_start) / scene.render.fps * scene.render.fps_base for frame in frames]
    with tempfile.TemporaryDirectory() as folder:
        pictures = [Path(folder) / f"{frame}.png" for frame in frames]
        for picture, frame in zip(pictures, frames, strict=True):
            render_still(scene, picture, frame)
        sheet(path, pictures, [f"{time:.2f} s" for time in seconds], columns)


def sheet(path, pictures, titles, columns=3):
    """Put pictures (.png) side by side in one, each with its title."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = -(-len(pictures) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.8 * columns, 2.95 * rows), squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for axis, picture, title in zip(axes.flat, pictures, titles, strict=False):
        axis.imshow(plt.imread(picture))
        axis.set_title(title, fontsize=11)
    figure.subplots_adjust(left=0.005, right=0.995, bottom=0.005, top=0.95, wspace=0.02, hspace=0.1)
    figure.savefig(path, dpi=130)
    plt.close(figure)
