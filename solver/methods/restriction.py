"""Some blocks of a problem with the bodies left as they are numbered."""

import numpy as np

from ..options import changed
from ..problem import BlockRows


def restricted(problem, blocks):
    """(ContactProblem of `blocks` (n,) ascending alone, on the same velocity components; their rows (k,))."""
    heights = np.diff(problem.row_start)[blocks]
    place = np.concatenate(([0], np.cumsum(heights))).astype(np.int64)
    rows = np.repeat(problem.row_start[blocks] - place[:-1], heights) + np.arange(place[-1])
    part = changed(
        problem, kind=problem.kind[blocks], row_start=place, J=_picked(problem.J, blocks), G=_picked(problem.G, blocks),
        b=problem.b[rows], law=problem.law[blocks], mu=problem.mu[blocks], bounds=problem.bounds[blocks],
        compliance_offset=problem.compliance_offset[blocks], forms=None,
    )  # fmt: skip
    for name in ("arrays", "contact_count", "diagonal", "_forms_of_copies"):
        part.__dict__.pop(name, None)
    return part, rows


def _picked(rows, blocks):
    """Segments of some blocks; the numbers stay where they are."""
    counts = np.diff(rows.indptr)[blocks]
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    take = np.repeat(rows.indptr[blocks] - indptr[:-1], counts) + np.arange(indptr[-1])
    return BlockRows(indptr, rows.start[take], rows.size[take], rows.offset[take], rows.data)
