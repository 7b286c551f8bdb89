"""The plots of a study, drawn with matplotlib from its Outcome."""

from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")


class Figure(NamedTuple):
    """A drawn plot: its title, one sentence that reads it, and its file in the study's folder."""

    title: str
    sentence: str
    file: str


DRAWERS = ()


def draw_all(outcome):
    """Draw every plot that the study has data for: [Figure, ...]."""
    return [figure for draw in DRAWERS if (figure := draw(outcome)) is not None]
