"""What became of some bodies in some time, and putting that together again: in turn, and beside each other."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .submodel import put_together


class Part(NamedTuple):
    """What became of bodies in some time: State, StepReport, and impulses (C,4) of the contacts."""

    state: Any
    report: Any
    rows: np.ndarray


def in_parts(part_of, state, settings, count, following=None, several=None):
    """The Part of a whole step from `count` equal ones, part_of(state, settings).

    Its impulses are those of the last, as if all had been like it. following [s]: length of the step after the last
    part, None for that of a part. Without it bodies would close in one part what they have to close in a longer step,
    which would find them deep in each other. Each is solved as exactly as
    a whole step, whose fall is `count` times theirs. several(state, settings, most) makes as many of them at once as it
    can, and returns the State, their StepReports and the impulses of the last; None where it makes none.
    """
    accuracy = settings.accuracy * count
    each = replace(settings, time_step=settings.time_step / count, next_step=None, accuracy=accuracy)
    state, reports = state.with_impulses_of(1.0 / count), []
    while len(reports) < count:
        # The last one is followed by another step than the others.
        left = count - len(reports) - 1
        made = several(state, each, left) if several is not None and left > 1 else None
        if made is None:
            state, report, rows = part_of(state, each if left else replace(each, next_step=following))
            reports.append(report)
        else:
            state, more, rows = made
            reports += more
    return Part(state.with_impulses_of(count), in_turn(reports), count * rows)


# Fields of a StepReport that add up over parts of a step and over groups of bodies.
WORKS = ("friction_work", "impact_loss", "stabilisation_work", "joint_work", "iterations", "solve_s", "damping_work",
         "scheme_loss")  # fmt: skip


def in_turn(reports):
    """One StepReport of parts that follow each other: works are sums, overlap and residual the largest."""
    worst = max(reports, key=lambda report: report.badness)
    return reports[-1].where(*worst.pair)._replace(
        overlap=max(report.overlap for report in reports), residual=max(report.residual for report in reports),
        converged=all(report.converged for report in reports),
        unsettled=worst.unsettled, unsettled_by=worst.unsettled_by,
        unresolved=max(report.unresolved for report in reports),
        **{name: sum(getattr(report, name) for report in reports) for name in (*WORKS, "substeps")},
    )  # fmt: skip


def side_by_side(first, second):
    """One StepReport of two groups of bodies over the same time."""
    sums = (*WORKS, "contact_count", "kinetic", "potential", "unresolved", "elastic")
    worst = second if second.badness > first.badness else first
    return first.where(*worst.pair)._replace(
        overlap=max(first.overlap, second.overlap), residual=max(first.residual, second.residual),
        converged=first.converged and second.converged, substeps=max(first.substeps, second.substeps),
        rounds=max(first.rounds, second.rounds), unsettled=worst.unsettled, unsettled_by=worst.unsettled_by,
        **{name: getattr(first, name) + getattr(second, name) for name in sums},
    )  # fmt: skip


def together(state, parts, model=None):
    """The Part of all bodies over a step from `state`, from (Part, numbers of its bodies) that move apart; model: see
    put_together."""
    after, rows = put_together(state, parts, model)
    report, *others = (part.report.numbered(bodies) for part, bodies in parts)
    for other in others:
        report = side_by_side(report, other)
    return Part(after, report._replace(time=after.time), rows)


def apart(state, value, moving, run, model=None):
    """The Part of run(value, bodies (B,)) for the moving bodies (R,) of each value (R,) apart, the largest first; what
    does not move is in all of them. A component has one value. model: see put_together."""
    parts = []
    for one in np.unique(value[moving])[::-1]:
        bodies = np.flatnonzero((value == one) | ~moving)
        parts.append((run(one, bodies), bodies))
    return parts[0][0] if len(parts) == 1 else together(state, parts, model)
