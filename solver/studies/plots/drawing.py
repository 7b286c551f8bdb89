"""What the plots share: colours, names of axes, saving."""

from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito's colours, told apart with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})


class Figure(NamedTuple):
    """A drawn plot: its title, one sentence that reads it, and its file in the study's folder."""

    title: str
    sentence: str
    file: str


def new_axes(width=7.0, height=4.2, columns=1):
    """(figure, axes) of matplotlib."""
    return plt.subplots(1, columns, figsize=(width, height), layout="constrained")


def saved(outcome, figure, name, title, sentence):
    """Write a matplotlib figure to the study's folder as name.png and return its Figure."""
    file = f"{name}.png"
    figure.savefig(outcome.folder / file, dpi=130)
    plt.close(figure)
    return Figure(title, sentence, file)


def axes_of(outcome):
    """(over, curve): names of the parameters on the axis and of the curves, None where the study has none: what the
    study's report says, else the numeric parameters with the most values."""
    study = outcome.study
    over, curve = study.report.get("over"), study.report.get("curve")
    values = {}
    for task, _, _ in outcome.rows():
        for name, value in task.values.items():
            if isinstance(value, (int, float)):
                values.setdefault(name, set()).add(value)
    names = sorted((name for name in values if len(values[name]) > 1), key=lambda name: (-len(values[name]), name))
    over = over or next((name for name in names if name != curve), None)
    curve = curve or next((name for name in names if name != over), None)
    return over, curve


def label(outcome, name):
    """What an axis of a parameter is called."""
    return next((parameter.label for parameter in outcome.study.parameters if parameter.name == name), name)


def shown(value):
    """A parameter's value in words: a number, or what it is called."""
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def finished(outcome):
    """[(Task, row, detail)] of the study's own points that have a result."""
    return [entry for entry in outcome.rows() if entry[1]["jammed"] != ""]


def curves(outcome):
    """[(value of the curve parameter or None, its rows [(Task, row, detail)], colour)]."""
    _, curve = axes_of(outcome)
    rows = finished(outcome)
    values = sorted({task.values.get(curve) for task, _, _ in rows}, key=str) if curve else [None]
    found = []
    for i, value in enumerate(values):
        chosen = [entry for entry in rows if curve is None or entry[0].values.get(curve) == value]
        found.append((value, chosen, COLOURS[i % len(COLOURS)]))
    return found
