"""Writes docs/validation.md and its pictures from the results of the cases."""

import inspect
import platform
from datetime import date

import numpy as np

from . import CASES


def number(value):
    """A number in at most seven digits, or the word itself."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        return str(value)
    return f"{value:.7g}"


def format_line(key, line):
    """One line of the terminal: verdict, case, quantity, exact, measured, tolerance."""
    mark = "pass" if line.passed else "FAIL"
    return (
        f"{mark}  {key}: {line.quantity.strip()} | exact {number(line.exact)}"
        f" | measured {number(line.measured)} | {line.tolerance}"
    )


def write_report(results, folder):
    """Write validation.md and images/validation/*.png under `folder`; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "validation.md"
    chapters = list(dict.fromkeys(CASES[result.key].chapter for result in results))
    text = [_head(results)]
    for chapter in chapters:
        text.append(f"\n## {chapter}\n")
        text += [_section(result, folder) for result in results if CASES[result.key].chapter == chapter]
    page.write_text("\n".join(text))
    return page


def _head(results):
    failed = [result for result in results if not result.passed]
    lines = sum(len(result.outcome.lines) for result in results)
    bad = sum(not line.passed for result in results for line in result.outcome.lines)
    text = ["# Validation", ""]
    if failed:
        text.append(f"**{len(failed)} of {len(results)} cases do not hold ({bad} of {lines} comparisons):**")
        text.append("")
        for result in failed:
            wrong = [line.quantity.strip() for line in result.outcome.lines if not line.passed]
            text.append(f"- `{result.key}` ({CASES[result.key].chapter}): {'; '.join(wrong)}")
        text.append("")
    else:
        text += [f"All {len(results)} cases hold ({lines} comparisons).", ""]
    seconds = sum(result.seconds for result in results)
    text += [
        "Made by `make validate`. Every case runs with the default settings and a step of 10 ms unless it says",
        "otherwise. Each 'stands' has its neighbour that must fall. Overlap is measured from the exact shapes by a",
        "tool that shares no code with the collision search. Exact values are closed forms, theorems, or linear",
        f"programmes over the same geometry. CPU time in all {seconds:.0f} s, {date.today()}, {platform.machine()}.",
    ]
    return "\n".join(text)


def _section(result, folder):
    case = CASES[result.key]
    verdict = "holds" if result.passed else "**does not hold**"
    text = [f"### {case.key}: {verdict}", "", inspect.cleandoc(case.run.__doc__ or ""), ""]
    text += ["| quantity | exact | measured | tolerance | |", "|---|---|---|---|---|"]
    for line in result.outcome.lines:
        mark = "ok" if line.passed else "**FAIL**"
        cells = (line.quantity.strip(), number(line.exact), number(line.measured), line.tolerance, mark)
        text.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    text.append("")
    for plot in result.outcome.plots:
        path = _draw(plot, folder / "images" / "validation")
        text += [f"![{plot.title}](images/validation/{path.name})", ""]
    return "\n".join(text)


def _draw(plot, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=100)
    for label, x, y, style in plot.series:
        axes.plot(x, y, style, label=label, markersize=3, linewidth=1.2)
    axes.set(title=plot.title, xlabel=plot.x_label, ylabel=plot.y_label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    path = folder / f"{plot.name}.png"
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)
    return path
