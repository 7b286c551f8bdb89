"""What a case reports: lines of quantity, exact value, measured value, tolerance and verdict; and plots."""

from collections.abc import Callable
from dataclasses import field

from ..base.records import record
from ..scenes.results import Line, below, close, demanded, largest, within, word
from .run import LEDGERS

__all__ = ["Case", "Line", "Outcome", "Plot", "below", "close", "demanded", "largest", "within", "word"]


@record
class Plot:
    """One picture: series of (label, x, y, style); styles and the scale of y are matplotlib's."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple
    y_scale: str = "linear"


@record
class Outcome:
    """All lines and plots of a case."""

    lines: tuple
    plots: tuple = ()


@record
class Case:
    """One validation case: run() -> list of Line, or Outcome. Its docstring holds the formula.

    key names it on the command line, chapter groups it, quick marks those of the default test suite.
    """

    key: str
    chapter: str
    run: Callable
    quick: bool = False
    parameters: dict = field(default_factory=dict)

    def outcome(self):
        """Run the case and return its Outcome, with a line for the energy ledgers of all its runs."""
        LEDGERS.clear()
        result = self.run(**self.parameters)
        outcome = result if isinstance(result, Outcome) else Outcome(tuple(result))
        if not LEDGERS:
            return outcome
        label = f"energy ledger of {len(LEDGERS)} runs: largest unexplained part of a turnover"
        return Outcome((*outcome.lines, below(label, max(LEDGERS), 0.01)), outcome.plots)
