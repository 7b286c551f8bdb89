"""Whether it jams: probability with its interval, map, survival, sensitivity."""

import numpy as np

from ..quality import jams
from ..statistics import clog_risk, survival, threshold, wilson
from ..values import distinct, key_of, point_key, shown, shown_point
from .drawing import COLOURS, axes_of, axis_of, curves, dropped, finished, label, new_axes, saved, with_value


def cells_over(rows, axis):
    """(places (N,), jams (N,), runs (N,)) of rows [(Task, row, detail)] by the value on an Axis."""
    values = distinct(task.values[axis.name] for task, _, _ in rows)
    counts = [jams([row for _, row, _ in with_value(rows, axis.name, value)]) for value in values]
    return axis.places(values), np.array([c[0] for c in counts]), np.array([c[1] for c in counts])


def thresholds(outcome, target=0.5):
    """[(value of the curve, Threshold)] of every curve with runs at two values at least; none where these are not
    numbers."""
    axis, found = axis_of(outcome), []
    for value, rows, _ in curves(outcome) if axis and axis.numeric else []:
        x, k, n = cells_over(rows, axis)
        if len(x) > 1:
            found.append((value, threshold(x, k, n, target)))
    return found


def clog_probability(outcome):
    """Share of runs that jam with Wilson's 95 % bars; over numbers a fitted logistic and D50 with its interval."""
    axis, (over, curve) = axis_of(outcome), axes_of(outcome)
    if axis is None or not axis.values:
        return None
    figure, axes = new_axes()
    groups, texts, runs = curves(outcome), [], set()
    fits = {key_of(value): fit for value, fit in thresholds(outcome)}
    for i, (value, rows, colour) in enumerate(groups):
        x, k, n = cells_over(rows, axis)
        runs |= set(n.tolist())
        words = f"{label(outcome, curve)} {shown(value)}" if curve else "runs"
        fit = fits.get(key_of(value))
        if fit is not None:
            line = np.linspace(x.min(), x.max(), 300)
            axes.plot(line, fit.probability(line), color=colour, lw=1.3)
            words += f": D50 {fit.value:.2f} [{_end(fit.low)}, {_end(fit.high)}]"
            texts.append(words)
        # Side by side, so that bars do not hide one another.
        apart = 0.004 * np.ptp(x) if axis.numeric else min(0.08, 0.6 / len(groups))
        _draw_shares(axes, x + apart * (i - 0.5 * (len(groups) - 1)), k, n, colour, words)
    axis.mark(axes, label(outcome, over))
    axes.set(ylabel="share of runs that jam", ylim=(-0.04, 1.04))
    if curve or texts:
        axes.legend(fontsize=8.5)
    counted = f"{min(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"
    sentence = f"{counted} runs a point; bars are Wilson's 95 % intervals"
    sentence += ", lines a logistic. " + "; ".join(texts) if texts else "."
    return saved(outcome, figure, "clog_probability", "Does it jam?", sentence)


def _draw_shares(axes, x, k, n, colour, words):
    """Points of k of n at x (N,) with Wilson's bars."""
    low, high = np.array([wilson(a, b) for a, b in zip(k, n, strict=True)]).T
    bars = np.clip([k / n - low, high - k / n], 0.0, 1.0)
    axes.errorbar(x, k / n, bars, fmt="o", ms=5, capsize=3, color=colour, label=words)


def _end(value):
    return f"{value:.2f}" if np.isfinite(value) else "unbounded"


def jam_map(outcome):
    """Share of jams over two parameters, with the number of runs in each cell."""
    over, curve = axes_of(outcome)
    if over is None or curve is None:
        return None
    rows = finished(outcome, over, curve)
    x, y = (distinct(task.values[name] for task, _, _ in rows) for name in (over, curve))
    if not rows:
        return None
    counts = [[jams([row for _, row, _ in with_value(with_value(rows, over, a), curve, b)]) for a in x] for b in y]
    share = np.array([[k / n if n else np.nan for k, n in line] for line in counts])
    figure, axes = new_axes(1.6 + 0.85 * len(x), 1.4 + 0.6 * len(y))
    picture = axes.imshow(share, origin="lower", cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for j, line in enumerate(counts):
        for i, (k, n) in enumerate(line):
            axes.text(i, j, f"{k}/{n}", ha="center", va="center", fontsize=8,
                      color="black" if np.nan_to_num(share[j, i]) > 0.55 else "white")  # fmt: skip
    axes.set_xticks(range(len(x)), [shown(value) for value in x])
    axes.set_yticks(range(len(y)), [shown(value) for value in y])
    axes.set(xlabel=label(outcome, over), ylabel=label(outcome, curve))
    figure.colorbar(picture, label="share of runs that jam")
    return saved(outcome, figure, "jam_map", "Where it jams", "Jams of runs in each cell.")


def survival_curves(outcome):
    """P(no clog before N grains): a straight line in the logarithm is a constant risk a grain."""
    over, curve = axes_of(outcome)
    figure, axes = new_axes()
    drawn, texts = 0, []
    names = [name for name in (curve, over) if name]
    groups = {}
    for task, row, _ in finished(outcome, *names):
        point = {name: task.values[name] for name in names}
        groups.setdefault(point_key(point), (point, []))[1].append(row)
    for point, rows in groups.values():
        exits, jammed = [row["discharged_count"] for row in rows], [bool(row["jammed"]) for row in rows]
        # All clog at once, or none does: no curve to be seen.
        if not np.mean(jammed) > 0.1 or np.median(exits) < 5 or drawn >= len(COLOURS):
            continue
        counts, probability = survival(exits, jammed)
        risk, low, high = clog_risk(exits, jammed)
        words = shown_point(point)
        said = f"{words or 'runs'}: a clog in {1 / risk:.0f} grains [{1 / high:.0f}, {1 / low:.0f}]"
        axes.step([*counts, max(exits)], [*probability, probability[-1]], where="post", color=COLOURS[drawn],
                  label=said)  # fmt: skip
        texts.append(words)
        drawn += 1
    if not drawn:
        return dropped(figure)
    axes.set(xlabel="grains discharged", ylabel="P(no clog so far)", yscale="log", ylim=(0.02, 1.1))
    axes.legend(fontsize=8)
    sentence = "Kaplan-Meier; runs that emptied are censored. A straight line is a constant risk for each grain."
    return saved(outcome, figure, "survival", "How long until it clogs?", sentence)


def tornado(outcome):
    """Change of the share of jams for a little less and a little more of each parameter."""
    plan = outcome.study.sensitivity
    if not plan:
        return None
    cells = {}
    for task, row, _ in finished(outcome):
        cells.setdefault(point_key(task.values), []).append(row)
    around, change = plan["around"], plan["change"]
    base = jams(cells.get(point_key(around), []))
    bars = []
    for name in plan.get("parameters", around):
        ends = [jams(cells.get(point_key({**around, name: around[name] * f}), []))
                for f in (1 - change, 1 + change)]  # fmt: skip
        if all(count for _, count in (base, *ends)):
            bars.append((name, [(k / n, wilson(k, n)) for k, n in ends]))
    if not bars:
        return None
    bars.sort(key=lambda bar: abs(bar[1][1][0] - bar[1][0][0]))
    figure, axes = new_axes(7.0, 1.4 + 0.55 * len(bars))
    middle = base[0] / base[1]
    for i, (_, ends) in enumerate(bars):
        for (share, (low, high)), colour, side in zip(ends, COLOURS, (-0.18, 0.18), strict=False):
            axes.barh(i + side, share - middle, 0.34, left=middle, color=colour)
            axes.plot([low, high], [i + side] * 2, color="0.25", lw=1)
    axes.axvline(middle, color="0.3", lw=0.8)
    axes.set_yticks(range(len(bars)), [f"{label(outcome, name)} {shown(around[name])}" for name, _ in bars])
    axes.set(xlabel="share of runs that jam", xlim=(-0.02, 1.02))
    handles = [axes.barh(0, 0, color=colour, label=f"{sign}{100 * change:g} %")
               for colour, sign in zip(COLOURS, "-+", strict=False)]  # fmt: skip
    axes.legend(handles=handles, fontsize=8.5)
    sentence = f"Around {base[0]}/{base[1]} jams; each parameter {100 * change:g} % less and more, thin lines 95 %."
    return saved(outcome, figure, "sensitivity", "What matters?", sentence)
