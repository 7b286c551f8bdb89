"""How it flows: discharge over time, rate over the outlet, load on walls."""

import numpy as np

from ..statistics import beverloo
from ..values import distinct, shown
from .drawing import COLOURS, axes_of, axis_of, curves, dropped, finished, label, new_axes, saved, with_value

# Most groups of curves in one plot.
MOST = 6


def discharge_curves(outcome):
    """Grains out over time: every run thin, median and 10 to 90 % band thick, jams marked."""
    over, _ = axes_of(outcome)
    rows = [entry for _, group, _ in curves(outcome) for entry in group if entry[2].get("exits")]
    if not rows:
        return None
    values = distinct(task.values.get(over) for task, _, _ in rows)
    values = values[:: max(1, -(-len(values) // MOST))]
    figure, all_axes = new_axes(3.0 * min(len(values), 3) + 0.8, 2.9 * -(-len(values) // 3), 1)
    figure.clear()
    grid = figure.subplots(-(-len(values) // 3), min(len(values), 3), squeeze=False, sharey=True)
    for axes in grid.flat[len(values) :]:
        axes.remove()
    for value, axes in zip(values, grid.flat, strict=False):
        for curve_value, group, colour in curves(outcome):
            _draw_group(axes, with_value(group, over, value), colour, curve_value)
        axes.set_title(f"{over} {shown(value)}" if over and value is not None else "", fontsize=9.5)
        axes.set(xlabel="time since the gate opened [s]")
    grid[0, 0].set_ylabel("grains discharged")
    if curves(outcome)[0][0] is not None:
        _, curve = axes_of(outcome)
        grid[0, 0].legend(fontsize=8, title=label(outcome, curve))
    sentence = "Thin: every run; thick: median, shaded 10 to 90 %; dots: where a run jammed."
    return saved(outcome, figure, "discharge", "Discharge", sentence)


def _draw_group(axes, group, colour, value):
    """Lines of one group of runs: its exits over time."""
    exits = [np.array(detail["exits"]) for _, _, detail in group if detail.get("exits")]
    if not exits:
        return
    for times, (_, row, _) in zip(exits, [e for e in group if e[2].get("exits")], strict=True):
        axes.step(times, np.arange(1, len(times) + 1), where="post", color=colour, lw=0.4, alpha=0.35)
        if row["jammed"]:
            axes.plot(times[-1], len(times), "o", ms=2.5, color=colour, alpha=0.7)
    end = max(times[-1] for times in exits)
    line = np.linspace(0.0, end, 200)
    counts = np.array([np.searchsorted(times, line, side="right") for times in exits])
    low, median, high = np.percentile(counts, [10, 50, 90], axis=0)
    axes.fill_between(line, low, high, color=colour, alpha=0.15, lw=0)
    axes.plot(line, median, color=colour, lw=1.8, label=None if value is None else shown(value))


def rates_over(rows, over):
    """(values (N,), mean rates (N,) [kg/s], standard errors (N,)) of runs that did not jam, by a numeric parameter."""
    rows = [entry for entry in rows if entry[1]["rate"] != "" and not entry[1]["jammed"]]
    values = distinct(task.values[over] for task, _, _ in rows)
    found = [[row["rate"] for _, row, _ in with_value(rows, over, value)] for value in values]
    errors = [np.std(rates, ddof=1) / np.sqrt(len(rates)) if len(rates) > 1 else np.nan for rates in found]
    return np.array(values, dtype=float), np.array([np.mean(rates) for rates in found]), np.array(errors)


def beverloo_fit(outcome):
    """Flow rate over the outlet with Beverloo's law, and the same as a straight line; none over words."""
    axis, (over, curve) = axis_of(outcome), axes_of(outcome)
    if axis is None or not axis.numeric:
        return None
    figure, axes = new_axes(9.0, 4.0, 2)
    texts = []
    for value, rows, colour in curves(outcome):
        x, rate, error = rates_over(rows, over)
        if len(x) < 3:
            continue
        fit = beverloo(x, rate)
        words = f"{label(outcome, curve)} {shown(value)}" if curve else "runs"
        words += f": C {fit.c:.3g} ± {1.96 * fit.c_error:.2g} kg/s, k {fit.k:.2f} ± {1.96 * fit.k_error:.2f}"
        line = np.linspace(max(fit.k, 0.0), 1.05 * x.max(), 200)
        axes[0].errorbar(x, rate, 1.96 * error, fmt="o", color=colour, capsize=3, label=words)
        axes[0].plot(line, fit.c * (line - fit.k) ** fit.exponent, color=colour, lw=1.2)
        axes[1].plot(x, rate ** (1 / fit.exponent), "o", color=colour)
        axes[1].plot(line, fit.c ** (1 / fit.exponent) * (line - fit.k), color=colour, lw=1.2)
        free = "" if np.isnan(fit.free_exponent) else f", exponent if free {fit.free_exponent:.2f}"
        texts.append(f"{words}, R² {fit.r_squared:.4f}{free}")
    if not texts:
        return dropped(figure)
    axes[0].set(xlabel=label(outcome, over), ylabel="mass rate [kg/s]", ylim=(0, None))
    axes[1].set(xlabel=label(outcome, over), ylabel="rate$^{2/3}$", ylim=(0, None))
    axes[0].legend(fontsize=8)
    return saved(outcome, figure, "beverloo", "Flow rate and Beverloo's law", "; ".join(texts))


def wall_load(outcome):
    """Normal and friction force on the walls by height, over the discharge."""
    rows = [entry for entry in finished(outcome) if entry[2].get("walls")]
    if not rows:
        return None
    figure, axes = new_axes()
    loads = {}
    for _, _, detail in rows:
        for name, profile in detail["walls"].items():
            for low, high, normal, friction in profile:
                sums = loads.setdefault(name, {}).setdefault((low, high), np.zeros(2))
                sums += np.array([normal, friction]) / (high - low) / len(rows)
    names = sorted(loads, key=lambda name: -sum(load[0] for load in loads[name].values()))[:4]
    for name, colour in zip(names, COLOURS, strict=False):
        bins = sorted(loads[name])
        middle = [0.5 * (low + high) for low, high in bins]
        axes.plot([loads[name][key][0] for key in bins], middle, "-o", ms=4, color=colour, label=name)
        axes.plot([loads[name][key][1] for key in bins], middle, "--", color=colour, lw=1)
    axes.set(xlabel="normal force by height [N/m] (dashed: friction)", ylabel="height [m]")
    axes.legend(fontsize=8)
    sentence = f"Mean of {len(rows)} runs over the time since the gate opened."
    return saved(outcome, figure, "walls", "Load on the walls", sentence)
