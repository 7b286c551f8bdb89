"""The report of a study: one self-contained HTML file and the plots beside it as PNGs."""

import base64
import html

from .store import write_whole

REPORT = "report.html"
STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}img{max-width:100%}"
    "table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;border-bottom:1px solid #ddd}"
    ".ok{color:#1a7f37}.bad{color:#b3261e;font-weight:bold}"
)


def write_report(outcome, above=()):
    """Write report.html and its plots into the study's folder and return the path of the HTML file.

    above: parts in HTML that are shown before the plots. Without matplotlib there are no plots, and the report says so.
    """
    figures, missing = _figures(outcome)
    path = outcome.folder / REPORT
    write_whole(path, _page(outcome, figures, missing, above))
    return path


def _figures(outcome):
    """([Figure, ...], a sentence if none could be drawn)."""
    try:
        from .plots import draw_all
    except ImportError:
        return [], "No plots: matplotlib is not installed (pip install matplotlib)."
    return draw_all(outcome), ""


def _page(outcome, figures, missing, above):
    study, quality = outcome.study, outcome.quality
    title = html.escape(study.report.get("title", study.name))
    verdict = f'<p class="{"ok" if quality.passed else "bad"}">{html.escape(quality.sentence)}</p>'
    parts = [
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title><style>{STYLE}</style></head>",
        "<body>",
        verdict, f"<h1>{title}</h1>",
        f"<p>{html.escape(study.description)}</p>" if study.description else "",
        *above,
        f"<p>{len(outcome.rows())} runs, {outcome.failed} without a result. Table: results.csv.</p>",
        f"<p>{html.escape(missing)}</p>" if missing else "",
    ]  # fmt: skip
    for figure in figures:
        data = base64.b64encode((outcome.folder / figure.file).read_bytes()).decode()
        parts.append(f"<h2>{html.escape(figure.title)}</h2><p>{html.escape(figure.sentence)}</p>"
                     f'<img alt="{html.escape(figure.title)}" src="data:image/png;base64,{data}">')  # fmt: skip
    parts.append(_quality_table(quality))
    return "\n".join([*parts, "</body></html>\n"])


def _quality_table(quality):
    rows = "".join(
        f'<tr><td class="{"ok" if check.passed else "bad"}">{"holds" if check.passed else "FAILS"}</td>'
        f"<td>{html.escape(check.name)}</td><td>{html.escape(check.found)}</td><td>{html.escape(check.bound)}</td></tr>"
        for check in quality.checks
    )
    return f"<h2>Quality</h2><table><tr><th></th><th>What</th><th>Found</th><th>Bound</th></tr>{rows}</table>"
