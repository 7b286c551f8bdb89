"""What the scripts that draw pictures for the docs share."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from stiction.solver.results.compare_plot import quartiles

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"


def band(axis, merits, iterations, color, label):
    """Median and quartiles of merits against iterations."""
    low, middle, high = quartiles(merits, iterations)
    axis.semilogy(middle, color=color, label=label, linewidth=1)
    axis.fill_between(np.arange(len(middle)), low, high, color=color, alpha=0.2, linewidth=0)
    axis.set_xlabel("iteration")


def draw(figures, prefix):
    """Write those of `figures`, functions by name, that the command line names, else all, to docs/images."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or figures:
        figure = figures[name]()
        figure.savefig(IMAGES / f"{prefix}-{name}.png", dpi=80)
        plt.close(figure)
