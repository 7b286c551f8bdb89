"""The quality panel: always drawn."""

import numpy as np

from ..quality import WORDS
from ..statistics import wilson
from ..values import shown
from .drawing import COLOURS, finished, new_axes, saved


def quality_panel(outcome):
    """Residuals, overlaps and energy of all runs against their bounds, and the answer at finer settings."""
    rows, quality = [row for _, row, _ in finished(outcome)], outcome.study.quality
    if not rows:
        return None
    figure, axes = new_axes(11.5, 3.4, 4)
    for at, (key, title, bound) in enumerate((
        ("residual_relative", "largest residual\n[gravity's velocity a step]", quality.residual),
        ("overlap_relative", "largest overlap\n[least diameter]", quality.overlap),
        ("energy_unexplained", "energy unexplained\n[of what was dissipated]", quality.energy),
    )):  # fmt: skip
        _histogram(axes[at], np.array([row[key] for row in rows]), bound)
        axes[at].set_xlabel(title, fontsize=9)
    axes[0].set_ylabel("runs")
    _variants(axes[3], outcome.quality.comparisons)
    steps = sum(row["steps"] for row in rows)
    accepted = 100.0 * sum(row["steps_accepted"] for row in rows) / max(steps, 1)
    sentence = (
        f"{outcome.quality.sentence} {accepted:.2f} % of {steps} steps accepted, dt sqrt(g/d) = "
        f"{rows[0]['time_step_relative']:.3g}, "
        f"{np.mean([row['iterations_mean'] for row in rows]):.0f} iterations a step, "
        f"{np.mean([row['cpu_s'] for row in rows]):.2f} s of CPU a run."
    )
    return saved(outcome, figure, "quality", "Quality", sentence)


def _histogram(axes, values, bound):
    """Values on a logarithmic axis with their bound."""
    finite = np.append(values[np.isfinite(values)], bound)
    low, high = np.log10(np.clip([finite.min(), finite.max()], 1e-18, None))
    axes.hist(np.clip(finite[:-1], 1e-18, None), np.logspace(np.floor(low), np.ceil(high) + 1e-9, 25), color=COLOURS[0])
    axes.axvline(bound, color=COLOURS[1], ls="--", lw=1.2)
    axes.set_xscale("log")


def _variants(axes, comparisons):
    """Share of jams as given and at finer settings, with Wilson's bars."""
    names, at = [], 0
    for variant, found in comparisons.items():
        for point, given, other in found:
            for which, (k, n) in ((" as given", given), (WORDS[variant], other)):
                low, high = wilson(k, n)
                colour = COLOURS[0] if which == " as given" else COLOURS[1]
                axes.errorbar(k / n, at, xerr=[[k / n - low], [high - k / n]], fmt="o", color=colour, capsize=3)
                said = ", ".join(shown(value) for value in point.values())
                names.append(f"{which.strip()}\n{said}" if which == " as given" else which.replace(" the ", "\n"))
                at += 1
    axes.set_yticks(range(at), names, fontsize=7)
    axes.set(xlim=(-0.03, 1.03), ylim=(max(at, 1) - 0.5, -0.5))
    axes.set_xlabel("share of runs that jam", fontsize=9)
    if not at:
        axes.text(0.5, 0.5, "not repeated at finer settings", ha="center", transform=axes.transAxes, fontsize=8)
