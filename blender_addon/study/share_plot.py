"""The share of runs that jam with its 95 % interval, drawn without matplotlib."""

import numpy as np

from ..inside.plain_plot import COLORS

WIDTH, HEIGHT = 900, 520
LEFT, RIGHT, LOW, HIGH = 70, 30, 70, 50  # margins [pixels]


def draw(cells, title):
    """Pixels (H,W,4), lowest row first, of points {values, jams, runs, low, high}; and [(x, y, text, colour)]."""
    pixels = np.ones((HEIGHT, WIDTH, 4), dtype=np.float32)
    words = [(LEFT, HEIGHT - HIGH + 18, title, (0, 0, 0))]
    pixels[LOW, LEFT:-RIGHT, :3] = pixels[LOW : HEIGHT - HIGH, LEFT, :3] = 0.3
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _height(share)
        pixels[y, LEFT:-RIGHT, :3] = np.minimum(pixels[y, LEFT:-RIGHT, :3], 0.85)
        words.append((24, y - 5, f"{share:g}", (0.2, 0.2, 0.2)))
    pixels[LOW, LEFT:-RIGHT, :3] = 0.3
    inside = WIDTH - LEFT - RIGHT
    for number, cell in enumerate(cells):
        x = LEFT + int(inside * (number + 0.5) / len(cells))
        color = COLORS[number % len(COLORS)]
        low, high = _height(cell["low"]), _height(cell["high"])
        pixels[low : high + 1, x - 1 : x + 2, :3] = color
        for end in (low, high):
            pixels[end - 1 : end + 1, x - 8 : x + 9, :3] = color
        y = _height(cell["jams"] / cell["runs"])
        pixels[y - 5 : y + 6, x - 5 : x + 6, :3] = color
        said = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in cell["values"].values())
        words.append((x - 4 * len(said), LOW - 22, said, color))
        words.append((x - 18, LOW - 40, f"{cell['jams']} of {cell['runs']}", (0.2, 0.2, 0.2)))
    names = ", ".join(name.rpartition(".")[2] for name in (cells[0]["values"] if cells else {}))
    words.append((WIDTH // 2 - 4 * len(names), 8, names, (0, 0, 0)))
    return pixels, words


def _height(share):
    """Row of pixels of a share from 0 to 1."""
    return LOW + int(share * (HEIGHT - LOW - HIGH - 1))
