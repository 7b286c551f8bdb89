"""Progress where Python is looked at: a terminal, a notebook; nothing in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..base.progress import Progress
from ..options import OptionError


class NotebookProgress:
    """One line of a notebook that is written anew."""

    def __init__(self, display: Callable) -> None:
        self._handle = display("", display_id=True)

    def write(self, text: str) -> None:
        """Show the last line of what Progress says."""
        line = text.strip()
        if line:
            self._handle.update(line)

    def flush(self) -> None:
        """Nothing is kept back."""


def progress_for(wanted: bool | Callable | None) -> Callable | None:
    """The function to call after each step: `wanted` itself, or what suits this place; None for silence.

    wanted: None for what suits the place, False for silence, or a function (steps done, steps in all, report).
    """
    if wanted is False:
        return None
    if callable(wanted):
        return wanted
    if wanted is not None and wanted is not True:
        raise OptionError(f"progress is {wanted!r:.60}; give True, False, None, or a function of three")
    display = _notebook()
    if display is not None:
        return Progress(NotebookProgress(display))
    return Progress() if wanted or sys.stderr.isatty() else None


def _notebook() -> Any:
    """IPython's `display` in a notebook, None anywhere else."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display
