"""The plots of a run without matplotlib: lines in an array of pixels, and the words that belong on them."""

import numpy as np

WIDTH, HEIGHT = 500, 400  # of a panel [pixels]
LEFT, RIGHT, LOW, HIGH = 70, 25, 50, 35  # margins
BLUE, ORANGE, GREEN, RED = (0.12, 0.47, 0.71), (1.0, 0.5, 0.05), (0.17, 0.63, 0.17), (0.84, 0.15, 0.16)
COLORS = (BLUE, ORANGE, GREEN, RED, (0.58, 0.4, 0.74), (0.3, 0.3, 0.3))
BLACK, GREY = (0.0, 0.0, 0.0), (0.2, 0.2, 0.2)
FRAME, GRID = 0.5, 0.88
# Numbers at an axis, at most; width of a letter, and how wide a legend's columns are [pixels].
MOST_TICKS, LETTER, LEGEND = 6, 7, 145


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


def ticks(low, high, log=False):
    """Round numbers (K,) within an axis from low to high; of logarithms (to base 10) where `log`, whole ones if any."""
    span = high - low
    if log and span >= 1.0:
        step = max(1, int(np.ceil(span / MOST_TICKS)))
        return np.arange(np.ceil(low), np.floor(high) + 0.5, step)
    step = 10.0 ** np.floor(np.log10(span / MOST_TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if factor * step * MOST_TICKS >= span)
    return step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 0.5)


def _panel(pixels, panel):
    """Draw one panel into its part of the pixels; returns its words."""
    values = {label: np.log10(np.maximum(v, 1e-300)) if panel.log else v for label, v in panel.series.items()}
    ends = [float(end) for v in values.values() if len(v) for end in (v.min(), v.max())]
    if panel.level:
        ends.append(float(np.log10(panel.level)) if panel.log else panel.level)
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    if len(values) > 1:
        room = 6 + 14 * -(-len(values) // 3)
        high += (high - low) * room / (HEIGHT - LOW - HIGH - room)
    words = [(LEFT, HEIGHT - HIGH + 10, panel.title, BLACK)]
    words += _upward(pixels, low, high, panel.log) + _across(pixels, panel.along)
    _frame(pixels)
    if panel.level:
        at = _height((ends[-1] - low) / (high - low))
        dashed = LEFT + np.flatnonzero(np.arange(WIDTH - LEFT - RIGHT) % 8 < 4)
        pixels[at : at + 2, dashed, :3] = 0.45
    for number, (label, series) in enumerate(values.items()):
        color = COLORS[number % len(COLORS)]
        _line(pixels, (series - low) / (high - low), color)
        if len(values) > 1:
            words.append((LEFT + 8 + LEGEND * (number % 3), HEIGHT - HIGH - 16 - 14 * (number // 3), label, color))
    return words


def _frame(pixels):
    pixels[LOW, LEFT:-RIGHT, :3] = pixels[HEIGHT - HIGH, LEFT:-RIGHT, :3] = FRAME
    pixels[LOW:-HIGH, LEFT, :3] = pixels[LOW:-HIGH, WIDTH - RIGHT, :3] = FRAME


def _height(share):
    """Row of pixels of a share from 0 to 1 of the frame."""
    return LOW + int(round(share * (HEIGHT - LOW - HIGH - 1)))


def _upward(pixels, low, high, log):
    """Draw lines across at the ticks of the upward axis; returns their numbers as words."""
    words = []
    for tick in ticks(low, high, log):
        at = _height((tick - low) / (high - low))
        pixels[at, LEFT:-RIGHT, :3] = GRID
        text = _number(tick, high - low, log)
        words.append((LEFT - 6 - LETTER * len(text), at - 4, text, GREY))
    return words


def _across(pixels, along):
    """Draw lines upward at the ticks of the axis along; returns their numbers and what they are, as words."""
    if along is None:
        return []
    first, last = np.log10((along.first, along.last)) if along.log else (along.first, along.last)
    words = [((LEFT + WIDTH - RIGHT - LETTER * len(along.label)) // 2, 8, along.label, GREY)]
    for tick in ticks(first, last, along.log) if last > first else [first]:
        at = LEFT + int(round((tick - first) / max(last - first, 1e-300) * (WIDTH - LEFT - RIGHT - 1)))
        pixels[LOW:-HIGH, at, :3] = GRID
        text = _number(tick, last - first, along.log)
        words.append((at - LETTER * len(text) // 2, LOW - 18, text, GREY))
    return words


def _number(tick, span, log):
    """A tick as a person reads it."""
    if log:
        return f"{10.0**tick:.3g}" if span < 1.0 else f"1e{tick:.0f}"
    return f"{0.0 if abs(tick) < 1e-9 * span else tick:.4g}"


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
