"""The plots of a run without matplotlib: lines in an array of pixels, with Blender's own letters where it can."""

import numpy as np

WIDTH, HEIGHT = 500, 400  # of a panel [pixels]
LEFT, RIGHT, LOW, HIGH = 60, 15, 35, 35  # margins
BLUE, ORANGE, GREEN, RED = (0.12, 0.47, 0.71), (1.0, 0.5, 0.05), (0.17, 0.63, 0.17), (0.84, 0.15, 0.16)
COLORS = (BLUE, ORANGE, GREEN, RED, (0.58, 0.4, 0.74), (0.3, 0.3, 0.3))


def draw(panels, columns=3):
    """Pixels (H,W,4), lowest row first, of panels side by side; and [(x, y, text, colour)] that belongs on them."""
    rows = -(-len(panels) // columns)
    pixels = np.ones((rows * HEIGHT, columns * WIDTH, 4), dtype=np.float32)
    words = []
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        x, y = column * WIDTH, (rows - 1 - row) * HEIGHT
        own = _panel(pixels[y : y + HEIGHT, x : x + WIDTH], panel)
        words += [(x + dx, y + dy, text, color) for dx, dy, text, color in own]
    return pixels, words


def _panel(pixels, panel):
    """Draw one panel into its part of the pixels; returns its words."""
    values = {label: np.log10(np.maximum(v, 1e-300)) if panel.log else v for label, v in panel.series.items()}
    low = min((float(v.min()) for v in values.values() if len(v)), default=0.0)
    high = max((float(v.max()) for v in values.values() if len(v)), default=1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    pixels[LOW, LEFT:-RIGHT, :3] = pixels[HEIGHT - HIGH, LEFT:-RIGHT, :3] = 0.6
    pixels[LOW:-HIGH, LEFT, :3] = pixels[LOW:-HIGH, WIDTH - RIGHT, :3] = 0.6
    words = [(LEFT, HEIGHT - HIGH + 10, panel.title, (0, 0, 0))]
    for place, value in ((LOW - 4, low), (HEIGHT - HIGH - 8, high)):
        words.append((4, place, f"{10**value if panel.log else value:.2g}", (0.2, 0.2, 0.2)))
    for number, (label, series) in enumerate(values.items()):
        color = COLORS[number % len(COLORS)]
        _line(pixels, (series - low) / (high - low), color)
        if len(values) > 1:
            words.append((LEFT + 8 + 145 * (number % 3), HEIGHT - HIGH - 16 - 14 * (number // 3), label, color))
    return words


def _line(pixels, heights, color):
    """Draw a series of heights (S,) in [0, 1], column by column, from its smallest to its largest value there."""
    inside_x, inside_y = WIDTH - LEFT - RIGHT, HEIGHT - LOW - HIGH
    if not len(heights):
        return
    at = np.interp(np.linspace(0, len(heights) - 1, inside_x + 1), np.arange(len(heights)), heights)
    column = np.minimum((np.arange(len(heights)) * inside_x / max(len(heights) - 1, 1)).astype(int), inside_x - 1)
    bottom, top = np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])
    np.minimum.at(bottom, column, heights)
    np.maximum.at(top, column, heights)
    for x in range(inside_x):
        first, last = (int(np.clip(value, 0, 1) * (inside_y - 1)) for value in (bottom[x], top[x]))
        # Thick: an editor that is smaller than the picture leaves pixels out.
        pixels[LOW + first - 1 : LOW + last + 3, LEFT + x - 1 : LEFT + x + 2, :3] = color
