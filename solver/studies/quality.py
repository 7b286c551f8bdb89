"""Whether a study can be trusted: figures of its runs against bounds, and its answer at finer settings."""

from typing import NamedTuple

import numpy as np

from .statistics import agree
from .task import AS_GIVEN, EFFORT, HALF_STEP
from .values import point_key
from .watcher import TIME

# Of each run, what its checks need.
FIGURES = ("steps", "steps_accepted", "overlap_relative", "residual_relative", "energy_unexplained")
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
    """{key of a point: (the point {name: value}, [{"jammed": 0 or 1}, ...])} of (Task, row, detail) with a result."""
    # Not the rows themselves: of many runs they would fill the memory.
    cells, ends = {}, ({"jammed": 0}, {"jammed": 1})
    for task, row, _ in rows:
        if row["jammed"] != "":
            cells.setdefault(point_key(task.values), (task.values, []))[1].append(ends[bool(row["jammed"])])
    return cells


def jams(rows):
    """(runs that jammed, runs)."""
    return sum(row["jammed"] for row in rows), len(rows)


def uncertain_cells(outcome, count):
    """The points [{name: value}] whose share of jams is nearest to one half: there settings show most."""
    ranked = []
    for point, rows in cells_of(outcome.rows()).values():
        k, n = jams(rows)
        ranked.append((abs(k / n - 0.5), str(tuple(sorted(point.items()))), point))
    return [point for _, _, point in sorted(ranked, key=lambda entry: entry[:2])[:count]]


def judged(outcome):
    """QualityReport of an Outcome."""
    figures, ends, failed = [], [], 0
    for variant in (AS_GIVEN, HALF_STEP, EFFORT):
        for task, row, _ in outcome.rows(variant):
            failed += row["jammed"] == ""
            if variant == AS_GIVEN and row["jammed"] != "":
                figures.append([row[key] for key in FIGURES])
                asked = row["status"] != TIME or row["opened"] != 0 or row["discharged_count"] > 0
                ends.append((point_key(task.values), row["status"] != TIME, asked))
    checks = _checks_of_runs(outcome.study.quality, np.array(figures, dtype=float)) if figures else []
    checks = checks or [Check("runs with a result", "0", ">= 1", False)]
    checks += _check_of_ends(ends, outcome.study.quality.decided)
    checks.append(Check("runs without a result", str(failed), "0", failed == 0))
    comparisons = {}
    for variant in (HALF_STEP, EFFORT):
        compared = _compared(outcome, variant)
        comparisons[variant] = compared
        if compared:
            checks.append(_check_of(variant, compared))
    return QualityReport(tuple(checks), comparisons)


def _check_of_ends(ends, least):
    """The check that runs say whether they jam, of (key of the point, decided, whether that is asked) of each; none if
    no run has a gate, or anything that passed or jammed."""
    if not any(asked for *_, asked in ends):
        return []
    points = {}
    for key, decided, _ in ends:
        points.setdefault(key, []).append(decided)
    share = min(sum(decided) / len(decided) for decided in points.values())
    undecided = sum(not decided for _, decided, _ in ends)
    found = f"{share:.2f} ({undecided} of {len(ends)} undecided, which count as not jammed)"
    name = "runs of a point that say whether they jam before settings.time is over, least share"
    return [Check(name, found, f">= {least:g}", share >= least)]


def _checks_of_runs(quality, figures):
    """Checks of the FIGURES (N,5) of runs against the bounds of a Quality."""
    steps, accepted = figures[:, 0].sum(), figures[:, 1].sum()
    # What is no number stays one, and no bound holds for it.
    overlap, residual, energy = figures[:, 2:].max(axis=0)
    typical = float(np.sort(figures[:, 3])[len(figures) // 2])
    return [
        Check("share of steps accepted", f"{accepted / max(steps, 1):.4f}", f">= {quality.accepted:g}",
              bool(accepted >= quality.accepted * steps)),
        Check("largest residual of a run, median (worst), in gravity's velocity a step",
              f"{typical:.2g} ({residual:.2g})", f"median <= {quality.residual:g}", typical <= quality.residual),
        Check("largest overlap, part of the least diameter", f"{overlap:.2g}", f"<= {quality.overlap:g}",
              bool(overlap <= quality.overlap)),
        Check("energy unexplained, part of what was dissipated", f"{energy:.2g}", f"<= {quality.energy:g}",
              bool(energy <= quality.energy)),
    ]  # fmt: skip


def _compared(outcome, variant):
    """[(point, (jams, runs) as given with the same seeds and others, (jams, runs) of the variant)]."""
    other = cells_of(outcome.rows(variant))
    # All rows are read from the disk again, which is worth something to compare alone.
    given = cells_of(outcome.rows()) if other else {}
    return [(point, jams(given[key][1]), jams(rows)) for key, (point, rows) in other.items() if key in given]


def _check_of(variant, compared):
    """The line of the panel for a variant: jam probabilities agree within their joint intervals."""
    found = "; ".join(f"{b[0]}/{b[1]} against {a[0]}/{a[1]}" for _, a, b in compared)
    return Check(f"jams with {WORDS[variant]}", found, "within joint 95 % intervals",
                 all(agree(a, b) for _, a, b in compared))  # fmt: skip
