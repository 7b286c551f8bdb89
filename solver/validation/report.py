"""Writes docs/validation.md and its pictures from the results of the cases."""

import hashlib
import inspect
import json
import platform
import re
from dataclasses import asdict
from datetime import date
from pathlib import Path

import numpy as np

from . import CASES
from .coverage import covered, left_out
from .execute import CaseResult
from .lines import Line, Outcome


def number(value):
    """A number in at most seven digits, or the word itself."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        return str(value)
    return f"{value:.7g}"


def format_line(key, line):
    """One line of the terminal: verdict, case, quantity, exact, measured, tolerance."""
    mark = "pass" if line.passed else "short" if line.demanded else "FAIL"
    return (
        f"{mark}  {key}: {line.quantity.strip()} | exact {number(line.exact)}"
        f" | measured {number(line.measured)} | {line.tolerance}"
    )


def source_digest():
    """Short hash of all sources of the solver: which state of the code a case was measured on."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).resolve().parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def plain(value):
    """A measured value as JSON can hold it."""
    return value.item() if isinstance(value, np.generic) else value


def strangers(folder):
    """Cases that validation.json under `folder` holds and this code does not know: an update would lose them."""
    store = folder / "validation.json"
    return [key for key in json.loads(store.read_text()) if key not in CASES] if store.exists() else []


def write_report(results, folder, update=False):
    """Write validation.md, validation.json and images/validation/*.png under `folder`; returns the page's path.

    update: keep the results of other cases that are in validation.json; the page says if the code has changed since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page, store = folder / "validation.md", folder / "validation.json"
    kept = json.loads(store.read_text()) if update and store.exists() else {}
    for result in results:
        pictures = [[plot.title, _draw(plot, folder / "images" / "validation").name] for plot in result.outcome.plots]
        lines = [{name: plain(value) for name, value in asdict(line).items()} for line in result.outcome.lines]
        kept[result.key] = {"seconds": result.seconds, "code": source_digest(), "lines": lines, "pictures": pictures}
    kept = {key: kept[key] for key in CASES if key in kept}
    store.write_text(json.dumps(kept, indent=1) + "\n")
    text = _page(kept)
    for name, part in parts_of(page.read_text() if page.exists() else "").items():
        text = replace_part(text, name, part)
    page.write_text(text)
    return page


# What other programs write into the page stands between such lines, and stays there.
PART = "<!-- {name} begins -->{text}\n<!-- {name} ends -->\n"
PARTS = re.compile(PART.format(name=r"([\w-]+)", text=r"(.*?)").replace(r"([\w-]+) ends", r"\1 ends"), re.DOTALL)


def parts_of(text):
    """{name: text} of what stands between marks in a page."""
    return dict(PARTS.findall(text))


def replace_part(text, name, part):
    """The page with `part` between the marks of that name, at its end where there are none yet."""
    made = PART.format(name=name, text=part)
    for found in PARTS.finditer(text):
        if found[1] == name:
            return text[: found.start()] + made + text[found.end() :]
    return text.rstrip("\n") + "\n\n" + made


def _page(kept):
    results = [_restored(key, entry) for key, entry in kept.items()]
    text = [_head(results, len({entry["code"] for entry in kept.values()}) > 1)]
    for chapter in dict.fromkeys(CASES[key].chapter for key in kept):
        text.append(f"\n## {chapter}\n")
        text += [_section(r, kept[r.key]["pictures"]) for r in results if CASES[r.key].chapter == chapter]
    return "\n".join(text)


def _restored(key, entry):
    return CaseResult(key, Outcome(tuple(Line(**line) for line in entry["lines"])), entry["seconds"])


def _head(results, mixed):
    failed = [result for result in results if not result.passed]
    lines = sum(len(result.outcome.lines) for result in results)
    bad = sum(not line.passed and not line.demanded for result in results for line in result.outcome.lines)
    text = ["# Validation", "", *_shortfalls(results)]
    if failed:
        text.append(f"**{len(failed)} of {len(results)} cases do not hold ({bad} of {lines} comparisons):**")
        text.append("")
        for result in failed:
            wrong = [line.quantity.strip() for line in result.outcome.lines if not line.passed and not line.demanded]
            text.append(f"- `{result.key}` ({CASES[result.key].chapter}): {'; '.join(wrong)}")
        text.append("")
    else:
        rest = " apart from these" if any(result.shortfalls for result in results) else ""
        text += [f"All {len(results)} cases hold{rest} ({lines} comparisons).", ""]
    if mixed:
        text += ["Not all cases were measured on the same state of the code (`code` in validation.json).", ""]
    seconds = sum(result.seconds for result in results)
    text += [
        "Made by `make validate`. Every case runs with the default settings and a step of 10 ms unless it says",
        "otherwise; the step stands beside every other. Overlap is measured from the exact shapes by a",
        "tool that shares no code with the collision search. Exact values are closed forms, theorems, or linear",
        f"programmes over the same geometry. CPU time in all {seconds:.0f} s, {date.today()}, {platform.machine()}.",
    ]
    text += ["", "## What is compared", "", "| topic | cases |", "|---|---|"]
    text += [f"| {topic} | {', '.join(f'`{key}`' for key in keys)} |" for topic, keys in covered()]
    text += ["", "Not compared here:", ""]
    text += [f"- {topic}: {reason}" for topic, reason in left_out()]
    return "\n".join(text)


def _shortfalls(results):
    """The figures that were asked for and do not hold, each with its cause: the first lines of the page."""
    short = [(result.key, line) for result in results for line in result.shortfalls]
    if not short:
        return []
    text = [f"**{len(short)} figures that were asked for are not reached:**", ""]
    for key, line in short:
        text.append(f"- `{key}`, {line.quantity.strip()}: asked {number(line.exact)} ({line.tolerance}), measured "
                    f"{number(line.measured)}. {line.why}")  # fmt: skip
    return [*text, ""]


def _section(result, pictures):
    case = CASES[result.key]
    verdict = "holds" if result.passed else "**does not hold**"
    text = [f"### {case.key}: {verdict}", "", inspect.cleandoc(case.run.__doc__ or ""), ""]
    text += ["| quantity | exact | measured | tolerance | |", "|---|---|---|---|---|"]
    for line in result.outcome.lines:
        mark = "ok" if line.passed else "short of what was asked" if line.demanded else "**FAIL**"
        cells = (line.quantity.strip(), number(line.exact), number(line.measured), line.tolerance, mark)
        text.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    text.append("")
    for title, name in pictures:
        text += [f"![{title}](images/validation/{name})", ""]
    return "\n".join(text)


def _draw(plot, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=100)
    for label, x, y, style in plot.series:
        axes.plot(x, y, style, label=label, markersize=3, linewidth=1.2)
    axes.set(title=plot.title, xlabel=plot.x_label, ylabel=plot.y_label, yscale=plot.y_scale)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    path = folder / f"{plot.name}.png"
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)
    return path
