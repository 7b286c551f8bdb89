"""Whether it jams: probability with its interval, map, survival, sensitivity."""

import numpy as np

from ..quality import jams
from ..statistics import clog_risk, survival, threshold, wilson
from .drawing import COLOURS, axes_of, curves, finished, label, new_axes, saved, shown


def cells_over(rows, over):
    """(values (N,), jams (N,), runs (N,)) of rows [(Task, row, detail)] by the value of a parameter."""
    values = sorted({task.values[over] for task, _, _ in rows})
    counts = [jams([row for task, row, _ in rows if task.values[over] == value]) for value in values]
    return np.array(values, dtype=float), np.array([c[0] for c in counts]), np.array([c[1] for c in counts])


def thresholds(outcome, target=0.5):
    """[(value of the curve, Threshold)] of every curve with runs at two values at least."""
    over, _ = axes_of(outcome)
    found = []
    for value, rows, _ in curves(outcome) if over else []:
        x, k, n = cells_over(rows, over)
        if len(x) > 1:
            found.append((value, threshold(x, k, n, target)))
    return found


def clog_probability(outcome):
    """Share of runs that jam with Wilson's 95 % bars, a fitted logistic, and D50 with its interval."""
    over, curve = axes_of(outcome)
    if over is None:
        return None
    figure, axes = new_axes()
    fits, texts = dict(thresholds(outcome)), []
    for value, rows, colour in curves(outcome):
        x, k, n = cells_over(rows, over)
        low, high = np.array([wilson(a, b) for a, b in zip(k, n, strict=True)]).T
        share = k / n
        fit = fits.get(value)
        words = f"{label(outcome, curve)} {shown(value)}" if curve else "runs"
        if fit is not None:
            line = np.linspace(x.min(), x.max(), 300)
            axes.plot(line, fit.probability(line), color=colour, lw=1.3)
            words += f": D50 {fit.value:.2f} [{_end(fit.low)}, {_end(fit.high)}]"
            texts.append(words)
        shift = 0.004 * np.ptp(x) * (COLOURS.index(colour) - 1.5)
        axes.errorbar(x + shift, share, [np.clip(share - low, 0, 1), np.clip(high - share, 0, 1)], fmt="o", ms=5,
                      capsize=3, color=colour, label=words)  # fmt: skip
    per_cell = sorted({int(c) for _, rows, _ in curves(outcome) for c in cells_over(rows, over)[2]})
    runs = f"{per_cell[0]}" if len(per_cell) == 1 else f"{per_cell[0]} to {per_cell[-1]}"
    axes.set(xlabel=label(outcome, over), ylabel="share of runs that jam", ylim=(-0.04, 1.04))
    axes.legend(fontsize=8.5)
    sentence = f"{runs} runs a point; bars are Wilson's 95 % intervals, lines a logistic. " + "; ".join(texts)
    return saved(outcome, figure, "clog_probability", "Does it jam?", sentence)


def _end(value):
    return f"{value:.2f}" if np.isfinite(value) else "unbounded"


def jam_map(outcome):
    """Share of jams over two parameters, with the number of runs in each cell."""
    over, curve = axes_of(outcome)
    rows = finished(outcome)
    if over is None or curve is None:
        return None
    x = sorted({task.values[over] for task, _, _ in rows})
    y = sorted({task.values[curve] for task, _, _ in rows})
    cells = {(a, b): [] for a in x for b in y}
    for task, row, _ in rows:
        cells[task.values[over], task.values[curve]].append(row)
    counts = {key: jams(found) for key, found in cells.items()}
    share = np.array([[counts[a, b][0] / counts[a, b][1] if counts[a, b][1] else np.nan for a in x] for b in y])
    figure, axes = new_axes(1.6 + 0.85 * len(x), 1.4 + 0.6 * len(y))
    picture = axes.imshow(share, origin="lower", cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for j, b in enumerate(y):
        for i, a in enumerate(x):
            found = counts[a, b]
            axes.text(i, j, f"{found[0]}/{found[1]}", ha="center", va="center", fontsize=8,
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
    groups = {}
    for task, row, _ in finished(outcome):
        groups.setdefault(tuple(task.values.get(name) for name in (curve, over) if name), []).append(row)
    for values, rows in sorted(groups.items(), key=str):
        exits, jammed = [row["discharged_count"] for row in rows], [bool(row["jammed"]) for row in rows]
        # All clog at once, or none does: no curve to be seen.
        if not np.mean(jammed) > 0.1 or np.median(exits) < 5 or drawn >= len(COLOURS):
            continue
        counts, probability = survival(exits, jammed)
        risk, low, high = clog_risk(exits, jammed)
        names = [name for name in (curve, over) if name]
        words = ", ".join(f"{name} {shown(value)}" for name, value in zip(names, values, strict=True))
        said = f"{words or 'runs'}: a clog in {1 / risk:.0f} grains [{1 / high:.0f}, {1 / low:.0f}]"
        axes.step([*counts, max(exits)], [*probability, probability[-1]], where="post", color=COLOURS[drawn],
                  label=said)  # fmt: skip
        texts.append(words)
        drawn += 1
    if not drawn:
        figure.clear()
        return None
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
        cells.setdefault(tuple(sorted(task.values.items())), []).append(row)
    around, change = plan["around"], plan["change"]
    base = jams(cells.get(tuple(sorted(around.items())), []))
    bars = []
    for name in plan.get("parameters", around):
        ends = [jams(cells.get(tuple(sorted({**around, name: around[name] * f}.items())), []))
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
