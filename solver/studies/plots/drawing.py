"""What the plots share: colours, names of axes, saving."""

from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.text import Text

from ..values import distinct, is_number, key_of, shown

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
    try:
        figure.savefig(outcome.folder / file, dpi=130)
    except ValueError:
        # A label with dollar signs that is no formula: drawn as it stands.
        for text in figure.findobj(Text):
            text.set_parse_math(False)
        figure.savefig(outcome.folder / file, dpi=130)
    plt.close(figure)
    return Figure(title, sentence, file)


def dropped(figure):
    """Close a figure that nothing was drawn into; None, as of a plot that there is no data for."""
    plt.close(figure)


class Axis(NamedTuple):
    """The parameter on the axis of a plot: its name and the values it has, numbers or categories."""

    name: str
    values: list

    @property
    def numeric(self):
        """True if a value is a place by itself; words, flags, lists and mixtures stand side by side."""
        return all(is_number(value) for value in self.values)

    def places(self, values):
        """Where on the axis (N,) values are: numbers at themselves, others at 0, 1, ... in the order of the study."""
        if self.numeric:
            return np.array(values, dtype=float)
        order = {key_of(value): i for i, value in enumerate(self.values)}
        return np.array([order[key_of(value)] for value in values], dtype=float)

    def mark(self, axes, said):
        """Write what the horizontal axis is, and its categories."""
        axes.set_xlabel(said)
        if self.numeric:
            return
        words = [shown(value) for value in self.values]
        turned = {"rotation": 25, "ha": "right"} if sum(map(len, words)) > 60 else {}
        axes.set_xticks(range(len(words)), words, **turned)
        axes.set_xlim(-0.5, len(words) - 0.5)


def axis_of(outcome):
    """The Axis of a study's plots, None where it varies nothing."""
    over, _ = axes_of(outcome)
    if over is None:
        return None
    return Axis(over, distinct(task.values[over] for task, _, _ in finished(outcome, over)))


def axes_of(outcome):
    """(over, curve): names of the parameters on the axis and of the curves, None where the study has none: what the
    study's report says, else the parameters with the most values, numeric ones first."""
    study = outcome.study
    over, curve = study.report.get("over"), study.report.get("curve")
    values = {}
    for task, _, _ in outcome.rows():
        for name, value in task.values.items():
            values.setdefault(name, []).append(value)
    values = {name: distinct(found) for name, found in values.items()}
    names = [name for name in values if len(values[name]) > 1]
    names.sort(key=lambda name: (not all(map(is_number, values[name])), -len(values[name]), name))
    over = over or next((name for name in names if name != curve), None)
    curve = curve or next((name for name in names if name != over), None)
    # Curves of one parameter and nothing to draw them over: it is the axis.
    return (curve, None) if over is None else (over, curve)


def label(outcome, name):
    """What an axis of a parameter is called."""
    return next((parameter.label for parameter in outcome.study.parameters if parameter.name == name), name)


def finished(outcome, *names):
    """[(Task, row, detail)] of the study's own points that have a result, and a value of each parameter in `names`."""
    return [entry for entry in outcome.rows()
            if entry[1]["jammed"] != "" and all(name in entry[0].values for name in names)]  # fmt: skip


def with_value(rows, name, value):
    """The rows [(Task, row, detail)] in which a parameter has that value."""
    return [entry for entry in rows if key_of(entry[0].values.get(name)) == key_of(value)]


def curves(outcome):
    """[(value of the curve parameter or None, its rows [(Task, row, detail)], colour)]: those on the axis."""
    names = [name for name in axes_of(outcome) if name]
    _, curve = axes_of(outcome)
    rows = finished(outcome, *names)
    if curve is None:
        return [(None, rows, COLOURS[0])]
    values = distinct(task.values[curve] for task, _, _ in rows)
    return [(value, with_value(rows, curve, value), COLOURS[i % len(COLOURS)]) for i, value in enumerate(values)]
