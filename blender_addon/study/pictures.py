"""Pictures of a study: its plot where there is no matplotlib, and a sheet of stills of its runs."""

from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ..inside.pictures import write_picture
from . import share_plot

PLOT, SHEET = "clog_probability.png", "runs.png"
# Stills beside each other, and how wide each is at most [pixels].
COLUMNS, WIDEST = 4, 480
CAPTION = 26


def draw_plot(folder, cells):
    """Draw the share of jams into the study's folder; returns the file."""
    path = Path(folder) / PLOT
    pixels, words = share_plot.draw(cells, "Share of runs that jam, with 95 % intervals")
    write_picture(pixels, words, path)
    return path


@contextmanager
def kept_output(scene):
    """What a render changes of the scene's output is put back."""
    render = scene.render
    kept, frame = (render.filepath, render.image_settings.file_format), scene.frame_current
    media = getattr(render.image_settings, "media_type", None)
    try:
        yield
    finally:
        if media is not None:
            render.image_settings.media_type = media
        render.filepath, render.image_settings.file_format = kept
        scene.frame_set(frame)


def sheet_of(stills, path):
    """Put stills [(file, caption)] side by side into a picture `path`."""
    tiles = [_thumbnail(file) for file, _ in stills]
    height, width = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
    columns = min(COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    pixels = np.ones((rows * (height + CAPTION), columns * width, 4), dtype=np.float32)
    words = []
    for number, (tile, (_, caption)) in enumerate(zip(tiles, stills, strict=True)):
        row, column = divmod(number, columns)
        x, y = column * width, (rows - 1 - row) * (height + CAPTION)
        pixels[y : y + tile.shape[0], x : x + tile.shape[1]] = tile
        words.append((x + 6, y + height + 8, caption, (0, 0, 0)))
    write_picture(pixels, words, path)
    return path


def _thumbnail(file):
    """Pixels (H,W,4) of a picture, thinned to at most WIDEST."""
    image = bpy.data.images.load(str(file))
    width, height = image.size
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    step = -(-width // WIDEST)
    return pixels.reshape(height, width, 4)[::step, ::step]
