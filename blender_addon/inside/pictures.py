"""Pictures made of a run, as image blocks and PNG files."""

import json
from pathlib import Path

import bpy
import numpy as np

from . import letters, plain_plot
from .plot_data import Along, comparison_panels, joint_panels, panels

PLOTS, COMPARISON = "Stiction Plots", "Stiction Comparison"
PLOT_FILE = "plots.png"


def show_file(name, path):
    """The image block `name`, showing the picture in `path`; a block of that name shows the new picture."""
    image = bpy.data.images.get(name)
    if image is None or image.source != "FILE":
        if image is not None:
            bpy.data.images.remove(image)
        image = bpy.data.images.load(str(path))
        image.name = name
    image.filepath = str(path)
    image.reload()
    return image


def draw_plain(frames, path, frame_start, fps):
    """Draw the plots of loaded frames without matplotlib into `path` (.png), and show them."""
    drawn = []
    for times, found in ((frames.steps["time"], panels(frames.steps, frames.header)),
                         (frames.times, joint_panels(frames))):  # fmt: skip
        ends = [frame_start + fps * float(times[k]) for k in (0, -1)]
        drawn += [panel._replace(along=Along(*ends, "frame")) for panel in found]
    # Two beside each other fill an editor as large as a 3D view at full size: smaller letters cannot be read.
    pixels, words = plain_plot.draw(drawn, columns=2)
    write_picture(pixels, words, path)
    return show_file(PLOTS, path)


def draw_comparison(folder):
    """Draw the comparison of methods in a folder without matplotlib, beside its table, and show it."""
    curves = json.loads((folder / "compare.json").read_text(encoding="utf-8"))
    pixels, words = plain_plot.draw(comparison_panels(curves), columns=2)
    write_picture(pixels, words, folder / "compare.png")
    return show_file(COMPARISON, folder / "compare.png")


def write_picture(pixels, words, path):
    """Write pixels (H,W,4), lowest row first, and words [(x, y, text, colour)] on them into `path` (.png)."""
    import blf

    if not hasattr(blf, "bind_imbuf"):
        letters.write(pixels, words)
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(PLOTS, width, height)
    image.pixels.foreach_set(np.ascontiguousarray(pixels, dtype=np.float32).ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)
    if hasattr(blf, "bind_imbuf"):
        _write_words(path, words)


def _write_words(path, words):
    """Write words into a picture, in Blender's own font."""
    import blf
    import imbuf

    picture = imbuf.load(str(path))
    blf.size(0, 12)
    with blf.bind_imbuf(0, picture):
        for x, y, text, color in words:
            blf.color(0, *color, 1.0)
            blf.position(0, x, y, 0)
            blf.draw_buffer(0, text)
    imbuf.write(picture, filepath=str(path))


def table_of(frames):
    """Lines with the smallest, middle and largest value of every series."""
    lines = [f"{'':44} {'smallest':>12} {'middle':>12} {'largest':>12}"]
    for panel in panels(frames.steps, frames.header) + joint_panels(frames):
        for label, values in panel.series.items():
            name = panel.title if len(panel.series) == 1 else f"{label}, {panel.title}"
            low, middle, high = (float(f(values)) for f in (np.min, np.median, np.max))
            lines.append(f"{name[:44]:44} {low:12.4g} {middle:12.4g} {high:12.4g}")
    return lines


def picture_path(folder, name=PLOT_FILE):
    """Where a picture of a run is kept: in the run's folder."""
    return Path(folder) / name
