"""The arrays of an FCLIB or Siconos problem, checked before anything is made of them."""

import numpy as np

from ..base.refusal import ProblemError

GENERALISED = ("M_i", "M_j", "M_x", "H_i", "H_j", "H_x", "ndof")


def check_parts(data, name):
    """Raise ProblemError for the first array of {name: array} that does not fit, and bring all to their types."""
    check = _Checker(data, name)
    count = check.count("mu")
    if count == 0:
        raise ProblemError(f"problem {name!r}: holds no contact; give a problem with at least one")
    check.array("mu", float, (count,))
    if np.any(data["mu"] < 0):
        i = int(np.flatnonzero(data["mu"] < 0)[0])
        raise ProblemError(f"problem {name!r}: contact {i} has friction [{data['mu'][i]}]; give values >= 0")
    check.array("q", float, (3 * count,))
    blocks = check.count("W_indices")
    check.array("W_data", float, (blocks, 3, 3))
    check.whole("W_indices", (blocks,), 0, count - 1)
    check.whole("W_indptr", (count + 1,), 0, blocks)
    indptr = data["W_indptr"]
    if indptr[0] != 0 or indptr[-1] != blocks or np.any(np.diff(indptr) < 0):
        raise ProblemError(f"problem {name!r}: W_indptr must start at 0, never fall, and end at {blocks}")
    if "inv_mass" in data:
        _check_bodies(check, count)
    if data.keys() >= set(GENERALISED):
        _check_generalised(check, data, count)


def _check_bodies(check, count):
    bodies = check.count("inv_mass")
    for label, shape in (("inv_mass", (bodies,)), ("inv_inertia", (bodies, 3, 3)), ("com", (bodies, 3)),
                         ("pos", (count, 3)), ("frame", (count, 3, 3))):  # fmt: skip
        check.array(label, float, shape)
    if np.any(check.data["inv_mass"] < 0):
        i = int(np.flatnonzero(check.data["inv_mass"] < 0)[0])
        raise ProblemError(f"{check.who}: body {i} has inverse mass {check.data['inv_mass'][i]}; give values >= 0")
    for label in ("body_a", "body_b"):
        # -1 stands for the fixed world.
        check.whole(label, (count,), -1, bodies - 1)


def _check_generalised(check, data, count):
    # Every component has a mass, so that M has at least as many numbers.
    check.whole("ndof", (), 1, check.count("M_x"))
    size = int(data["ndof"])
    for matrix, rows, columns in (("M", size, size), ("H", size, 3 * count)):
        numbers = check.count(f"{matrix}_x")
        check.array(f"{matrix}_x", float, (numbers,))
        check.whole(f"{matrix}_i", (numbers,), 0, rows - 1)
        check.whole(f"{matrix}_j", (numbers,), 0, columns - 1)


class _Checker:
    def __init__(self, data, name):
        self.data, self.who = data, f"problem {name!r}"

    def _get(self, label):
        if label not in self.data:
            raise ProblemError(f"{self.who}: {label} is missing; write the problem anew")
        return self.data[label]

    def count(self, label):
        """Length of an array's first axis."""
        array = self._get(label)
        if array.ndim == 0:
            raise ProblemError(f"{self.who}: {label} is one value; give a list")
        return len(array)

    def array(self, label, kind, shape):
        """An array of finite numbers of that shape."""
        array = self._get(label)
        if array.shape != shape:
            raise ProblemError(f"{self.who}: {label} has shape {array.shape}; the other arrays ask for {shape}")
        if array.dtype.kind not in ("iu" if kind is int else "fiu"):
            raise ProblemError(f"{self.who}: {label} holds {array.dtype} values; give numbers")
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise ProblemError(f"{self.who}: {label} holds {np.ravel(array)[bad[0]]} at entry {bad[0]}; every number "
                               "must be finite, remove or repair that row")  # fmt: skip
        self.data[label] = np.ascontiguousarray(array, dtype=np.int64 if kind is int else float).reshape(shape)

    def whole(self, label, shape, low, high):
        """Whole numbers of that shape from `low` to `high`."""
        self.array(label, int, shape)
        array = np.ravel(self.data[label])
        bad = np.flatnonzero((array < low) | (array > high))
        if len(bad):
            raise ProblemError(f"{self.who}: {label} holds {array[bad[0]]} at entry {bad[0]}; give whole numbers from "
                               f"{low} to {high}")  # fmt: skip
