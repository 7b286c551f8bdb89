"""Whether a study can be trusted: figures of its runs against bounds, and its answer at finer settings."""

from typing import NamedTuple

from .statistics import agree
from .task import EFFORT, HALF_STEP

WORDS = {HALF_STEP: "half the time step", EFFORT: "five times the iterations"}


class Check(NamedTuple):
    """One line of the quality panel: what, the figure found, the bound, and whether it holds."""

    name: str
    found: str
    bound: str
    passed: bool


class QualityReport(NamedTuple):
    """Checks of a study; comparisons: {variant: [(point, (jams, runs) as given, (jams, runs) of the variant)]}."""

    checks: tuple
    comparisons: dict

    @property
    def passed(self):
        """True if every check holds."""
        return all(check.passed for check in self.checks)

    @property
    def sentence(self):
        """One line for the top of a report."""
        failed = [check for check in self.checks if not check.passed]
        if not failed:
            return "Quality: every check holds."
        listed = "; ".join(f"{check.name} {check.found} (bound {check.bound})" for check in failed)
        return f"QUALITY FAILS, do not use these results: {listed}."


def cells_of(rows):
    """{point as a sorted tuple: [row, ...]} of [(Task, row, detail)] with a result."""
    cells = {}
    for task, row, _ in rows:
        if row["jammed"] != "":
            cells.setdefault(tuple(sorted(task.values.items())), []).append(row)
    return cells


def jams(rows):
    """(runs that jammed, runs)."""
    return sum(row["jammed"] for row in rows), len(rows)


def uncertain_cells(outcome, count):
    """The points [{name: value}] whose share of jams is nearest to one half: there settings show most."""
    cells = cells_of(outcome.rows())
    ranked = sorted(cells, key=lambda point: (abs(jams(cells[point])[0] / len(cells[point]) - 0.5), str(point)))
    return [dict(point) for point in ranked[:count]]


def judged(outcome):
    """QualityReport of an Outcome."""
    quality, rows = outcome.study.quality, [row for _, row, _ in outcome.rows() if row["jammed"] != ""]
    checks = []
    if rows:
        steps, accepted = sum(row["steps"] for row in rows), sum(row["steps_accepted"] for row in rows)
        overlap, residual = max(row["overlap_relative"] for row in rows), max(row["residual_relative"] for row in rows)
        energy = max(row["energy_unexplained"] for row in rows)
        typical = sorted(row["residual_relative"] for row in rows)[len(rows) // 2]
        checks = [
            Check("share of steps accepted", f"{accepted / max(steps, 1):.4f}", f">= {quality.accepted:g}",
                  accepted >= quality.accepted * steps),
            Check("largest residual of a run, median (worst), in gravity's velocity a step",
                  f"{typical:.2g} ({residual:.2g})", f"median <= {quality.residual:g}", typical <= quality.residual),
            Check("largest overlap, part of the least diameter", f"{overlap:.2g}", f"<= {quality.overlap:g}",
                  overlap <= quality.overlap),
            Check("energy unexplained, part of what was dissipated", f"{energy:.2g}", f"<= {quality.energy:g}",
                  energy <= quality.energy),
            Check("runs without a result", str(outcome.failed), "0", outcome.failed == 0),
        ]  # fmt: skip
    comparisons = {}
    for variant in (HALF_STEP, EFFORT):
        compared = _compared(outcome, variant)
        comparisons[variant] = compared
        if compared:
            checks.append(_check_of(variant, compared))
    return QualityReport(tuple(checks), comparisons)


def _compared(outcome, variant):
    """[(point, (jams, runs) as given with the same seeds and others, (jams, runs) of the variant)]."""
    given, other = cells_of(outcome.rows()), cells_of(outcome.rows(variant))
    return [(dict(point), jams(given[point]), jams(other[point])) for point in other if point in given]


def _check_of(variant, compared):
    """The line of the panel for a variant: jam probabilities agree within their joint intervals."""
    found = "; ".join(f"{b[0]}/{b[1]} against {a[0]}/{a[1]}" for _, a, b in compared)
    return Check(f"jams with {WORDS[variant]}", found, "within joint 95 % intervals",
                 all(agree(a, b) for _, a, b in compared))  # fmt: skip
