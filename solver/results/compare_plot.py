"""Plots of a comparison: the convergence plots of the papers. matplotlib is imported only when something is drawn."""

import numpy as np

FLOOR = 1e-16  # below this a merit or residual is rounding, and a logarithm of 0 has no place on the plot


def _figure(columns):
    """A new figure with a row of axes, or None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(5.5 * columns, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plot_one(curves, file):
    """Merit against iterations, and the judge's residual against CPU time, of one problem; False without matplotlib."""
    figure = _figure(2)
    if figure is None:
        return False
    merit, judge = figure.subplots(1, 2)
    for curve in curves:
        if not curve.points:
            continue
        first = next((value for value in curve.merit if np.isfinite(value) and value > 0), 1.0)
        relative = np.maximum(np.array(curve.merit) / first, FLOOR)
        merit.semilogy(range(1, len(relative) + 1), relative, label=curve.method, linewidth=1)
        points = np.array([point for point in curve.points if np.isfinite(point[2])]).reshape(-1, 3)
        points = points[np.argsort(points[:, 1])]
        best = np.minimum.accumulate(points[:, 2]) if len(points) else points[:, 2]
        judge.loglog(1e3 * points[:, 1], np.maximum(best, FLOOR), "o-", label=curve.method, linewidth=1, markersize=3)
    merit.set(xlabel="iteration", ylabel="own merit, relative to the first", title="Each method's own merit")
    judge.set(xlabel="CPU time [ms]", ylabel="residual [m/s]", title="The judge")
    judge.legend(fontsize=7)
    figure.suptitle(curves[0].problem)
    figure.savefig(file, dpi=110, format="png")
    return True


def plot_many(curves, file):
    """Quartiles of the merit over many problems, and the share of them within a residual; False without matplotlib."""
    figure = _figure(3)
    if figure is None:
        return False
    merit, share, ends = figure.subplots(1, 3)
    names = list(dict.fromkeys(curve.method for curve in curves))
    for number, name in enumerate(names):
        own = [curve for curve in curves if curve.method == name and curve.points]
        if not own:
            continue
        low, middle, high = quartiles([curve.merit for curve in own if curve.merit])
        color = f"C{number % 10}"
        merit.semilogy(np.arange(1, len(middle) + 1), middle, label=name, color=color, linewidth=1)
        merit.fill_between(np.arange(1, len(middle) + 1), low, high, color=color, alpha=0.2, linewidth=0)
        reached = np.sort([max(curve.residual, FLOOR) for curve in own])
        part = np.arange(1, len(reached) + 1) / len(reached)
        share.semilogx(reached, part, "o-", color=color, markersize=3, label=name)
        ends.plot(np.sort([curve.growths for curve in own]), np.linspace(0, 1, len(own)), color=color, label=name)
    merit.set(xlabel="iteration", ylabel="own merit", title="Merit: median and quartiles")
    share.set(xlabel="residual at the end [m/s]", ylabel="share of problems", title="The judge")
    ends.set(xlabel="iterations in which the merit grew", ylabel="share of problems", title="Divergence detected")
    merit.legend(fontsize=7)
    figure.savefig(file, dpi=110, format="png")
    return True


def quartiles(merits, length=0):
    """25, 50 and 75 % (3,n) of the merits in each iteration, n at least `length`; a run that has ended keeps its last
    value."""
    length = max([length, *(len(merit) for merit in merits)])
    rows = np.array([[*merit, *[merit[-1]] * (length - len(merit))] for merit in merits]).reshape(-1, max(length, 1))
    return np.maximum(np.percentile(rows, [25, 50, 75], axis=0), FLOOR) if len(rows) else np.zeros((3, 0))
