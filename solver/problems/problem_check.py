"""What every contact problem is checked for before kernels see it: shapes, order, ranges, kinds and laws of its arrays.

Kernels index without bounds checks, so one wrong number here would read or write foreign memory there.
"""

import numpy as np

from ..base.refusal import NotFinite, ProblemError
from ..laws.friction_laws import FRICTION_LAWS
from . import check_kernels as kernels

# Largest number of rows of a block, by its kind: contact, bilateral, limit, drive, element.
MOST_ROWS = np.array([4, 6, 1, 1, 6])
FEWEST_SIDES, MOST_SIDES = 4, 1 << 20
MOST_COMPONENTS = 10**8

_ROW_FAULTS = {
    kernels.ORDER: "indptr[{at}] is {value}; it must start at 0, never fall, and end at the number of segments",
    kernels.START: "start[{at}] is {value}; a segment must lie within the velocity components 0 to {last}",
    kernels.SIZE: "size[{at}] is {value}; a segment covers at least one velocity component",
    kernels.OFFSET: "offset[{at}] is {value}; the numbers of a segment must lie within data, which has {length}",
}


def check_structure(problem):
    """Raise ProblemError for the first array whose shape, type or whole numbers do not fit the others."""
    who = f"problem {problem.name!r}"
    blocks = _length(who, "kind", problem.kind, np.int64)
    _shape(who, "row_start", problem.row_start, (blocks + 1,), np.int64)
    _check_kinds(who, problem, blocks)
    rows = int(problem.row_start[-1])
    for label, shape, dtype in (
        ("b", (rows,), float), ("law", (blocks,), np.int64), ("mu", (blocks, 3), float), ("bounds", (blocks, 2), float),
        ("compliance_offset", (blocks,), np.int64),
    ):  # fmt: skip
        _shape(who, label, getattr(problem, label), shape, dtype)
    _length(who, "compliance", problem.compliance, float)
    _check_laws(who, problem)
    _check_compliance(who, problem)
    if not isinstance(problem.dof_count, int) or not 0 <= problem.dof_count <= MOST_COMPONENTS:
        raise ProblemError(
            f"{who}: dof_count is {problem.dof_count!r}; give a whole number from 0 to {MOST_COMPONENTS}"
        )
    for label, segments in (("J", problem.J), ("G", problem.G)):
        _check_rows(who, label, segments, problem, blocks)
    if problem.inverse_mass is not None:
        _check_mass(who, problem.inverse_mass, problem.dof_count)


def check_numbers(problem):
    """Raise NotFinite for a number that is not, ProblemError for friction below zero, or bounds out of order."""
    b = problem.b
    fits = isinstance(b, np.ndarray) and b.dtype == float and b.shape == (problem.row_count,) and b.flags.c_contiguous
    if fits and kernels.sound(problem.arrays):
        return
    who = f"problem {problem.name!r}"
    _shape(who, "b", b, (problem.row_count,), float)
    for label, array in (("b", problem.b), ("mu", problem.mu), ("J", problem.J.data), ("W J^T", problem.G.data),
                         ("compliance", problem.compliance)):  # fmt: skip
        if not np.all(np.isfinite(array)):
            index = int(np.flatnonzero(~np.isfinite(np.ravel(array)))[0])
            raise NotFinite(
                f"{who}: {label} holds {np.ravel(array)[index]} at entry {index}",
                "every number must be finite, remove or repair that row",
                _components(problem, label, index),
            )
    if np.any(problem.mu < 0):
        block = int(np.flatnonzero(np.any(problem.mu < 0, axis=1))[0])
        raise ProblemError(f"{who}: contact {block} has friction {problem.mu[block].tolist()}; give values >= 0")
    block = int(np.flatnonzero(~(problem.bounds[:, 0] <= problem.bounds[:, 1]))[0])
    lower, upper = problem.bounds[block]
    raise ProblemError(
        f"{who}: drive {block} has lower bound {lower} above its upper bound {upper}; exchange them"
        if lower > upper else f"{who}: block {block} has bounds {lower} and {upper}; give two numbers"
    )  # fmt: skip


def _components(problem, label, index):
    """Velocity components (S,) at which the segments of the block begin that an entry of an array belongs to."""
    if label in ("J", "W J^T"):
        rows = problem.J if label == "J" else problem.G
        segment = np.flatnonzero((rows.offset <= index) & (rows.size > 0))
        segment = segment[np.argmax(rows.offset[segment])]
        block = np.searchsorted(rows.indptr, segment, side="right") - 1
    elif label == "compliance":
        begun = np.where(problem.compliance_offset <= index, problem.compliance_offset, -1)
        block = int(np.argmax(begun))
    else:
        block = np.searchsorted(problem.row_start, index, side="right") - 1 if label == "b" else index // 3
    return problem.J.start[problem.J.indptr[block] : problem.J.indptr[block + 1]]


def _length(who, label, array, dtype):
    """Length of a list of numbers of that type."""
    _typed(who, label, array, dtype)
    if array.ndim != 1:
        raise ProblemError(f"{who}: {label} has shape {array.shape}; give one list of numbers")
    return len(array)


def _typed(who, label, array, dtype):
    if not isinstance(array, np.ndarray) or array.dtype != dtype or not array.flags.c_contiguous:
        kind = f"{array.dtype} numbers" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
        raise ProblemError(f"{who}: {label} holds {kind}; give an array of {np.dtype(dtype)} in row order")


def _shape(who, label, array, shape, dtype):
    _typed(who, label, array, dtype)
    if array.shape != shape:
        raise ProblemError(f"{who}: {label} has shape {array.shape}; the other arrays ask for {shape}")


def _check_kinds(who, problem, blocks):
    bad = np.flatnonzero((problem.kind < 0) | (problem.kind >= len(MOST_ROWS)))
    if len(bad):
        raise ProblemError(f"{who}: block {bad[0]} is of kind {problem.kind[bad[0]]}; known are 0 to "
                           f"{len(MOST_ROWS) - 1}")  # fmt: skip
    if problem.row_start[0] != 0:
        raise ProblemError(f"{who}: row_start begins at {problem.row_start[0]}; it must begin at 0")
    rows = np.diff(problem.row_start)
    bad = np.flatnonzero((rows < 1) | (rows > MOST_ROWS[problem.kind]))
    if len(bad):
        block = int(bad[0])
        raise ProblemError(f"{who}: block {block} of kind {problem.kind[block]} has {rows[block]} rows; give 1 to "
                           f"{MOST_ROWS[problem.kind[block]]}")  # fmt: skip


def _check_laws(who, problem):
    bad = np.flatnonzero((problem.law < 0) | (problem.law >= len(FRICTION_LAWS)))
    if len(bad):
        known = ", ".join(f"{int(law)} ({info.key})" for law, info in FRICTION_LAWS.items())
        raise ProblemError(f"{who}: block {bad[0]} has friction law {problem.law[bad[0]]}; known are {known}")
    if not isinstance(problem.sides, int) or not FEWEST_SIDES <= problem.sides <= MOST_SIDES:
        raise ProblemError(f"{who}: sides is {problem.sides!r}; give a whole number from {FEWEST_SIDES}")


def _check_compliance(who, problem):
    rows, offset, length = np.diff(problem.row_start), problem.compliance_offset, len(problem.compliance)
    bad = np.flatnonzero((offset != -1) & ((offset < 0) | (offset > length - rows * rows)))
    if len(bad):
        m = rows[bad[0]]
        raise ProblemError(f"{who}: compliance_offset[{bad[0]}] is {offset[bad[0]]}; give -1, or where a block of "
                           f"{m} x {m} numbers begins in compliance, which has {length}")  # fmt: skip


def _check_rows(who, label, segments, problem, blocks):
    count = _length(who, f"{label}.start", segments.start, np.int64)
    _shape(who, f"{label}.indptr", segments.indptr, (blocks + 1,), np.int64)
    for field in ("size", "offset"):
        _shape(who, f"{label}.{field}", getattr(segments, field), (count,), np.int64)
    length = _length(who, f"{label}.data", segments.data, float)
    fault, at, value = kernels.row_fault(segments, problem.row_start, problem.dof_count)
    if fault:
        words = _ROW_FAULTS[fault].format(at=at, value=value, last=problem.dof_count - 1, length=length)
        raise ProblemError(f"{who}: {label}.{words}")


def _check_mass(who, mass, dof_count):
    blocks = _length(who, "inverse_mass.offset", mass.offset, np.int64)
    _shape(who, "inverse_mass.start", mass.start, (blocks + 1,), np.int64)
    length = _length(who, "inverse_mass.data", mass.data, float)
    _shape(who, "inverse_mass.mass", mass.mass, (length,), float)
    size = np.diff(mass.start)
    if mass.start[0] != 0 or np.any(size < 1) or mass.start[-1] != dof_count:
        raise ProblemError(f"{who}: inverse_mass.start must rise from 0 to dof_count, {dof_count}")
    bad = np.flatnonzero((mass.offset < 0) | (mass.offset > length - size * size))
    if len(bad):
        raise ProblemError(f"{who}: inverse_mass.offset[{bad[0]}] is {mass.offset[bad[0]]}; the numbers of a block "
                           f"must lie within data, which has {length}")  # fmt: skip
    for label, array in (("data", mass.data), ("mass", mass.mass)):
        if not np.all(np.isfinite(array)):
            index = int(np.flatnonzero(~np.isfinite(array))[0])
            raise ProblemError(f"{who}: inverse_mass.{label} holds {array[index]} at entry {index}; "
                               "every number must be finite")  # fmt: skip
