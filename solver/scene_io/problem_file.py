"""Contact problems on disk: our own .npz, and the block-sparse .npz form of FCLIB and Siconos problems."""

import hashlib
import io
from os import PathLike
from pathlib import Path

import numpy as np

from ..base.files import read_arrays, replace_file
from ..base.late import late
from ..dynamics.contact_rows import contact_rows, rigid_inverse_mass
from ..problem import Block, BlockRows, ContactProblem, InverseMass, ProblemError, assemble, mu_table
from .problem_parts import check_parts

sparse = late("scipy.sparse")

FORMAT = 1
# The arrays of our own files and the type of their numbers.
ROWS = {"indptr": np.int64, "start": np.int64, "size": np.int64, "offset": np.int64, "data": float}
PLAIN = {"kind": np.int64, "row_start": np.int64, "b": float, "law": np.int64, "mu": float, "bounds": float,
         "compliance_offset": np.int64, "compliance": float}  # fmt: skip
MASS = {"start": np.int64, "offset": np.int64, "data": float, "mass": float}


def save_problem(path, problem):
    """Write a ContactProblem to an .npz file, whole or not at all."""
    arrays = {name: getattr(problem, name) for name in PLAIN}
    for label, rows in (("J", problem.J), ("G", problem.G)):
        arrays |= {f"{label}_{field}": getattr(rows, field) for field in ROWS}
    if problem.inverse_mass is not None:
        arrays |= {
            f"mass_{field}": getattr(problem.inverse_mass, field) for field in MASS
        }
    arrays |= {"dof_count": np.int64(problem.dof_count), "sides": np.int64(problem.sides)}
    # In memory first: an archive that cannot be finished complains once more when it is thrown away.
    written = io.BytesIO()
    np.savez_compressed(written, stiction_problem=FORMAT, digest=digest(arrays), **arrays)
    replace_file(path, lambda handle: handle.write(written.getvalue()))


def digest(arrays):
    """Hash (32,) uint8 of {name: array}: a file whose numbers were changed does not pass for a problem."""
    total = hashlib.sha256()
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        total.update(f"{key} {array.dtype.str} {np.shape(arrays[key])}".encode())
        total.update(array.tobytes())
    return np.frombuffer(total.digest(), dtype=np.uint8)


def load_problem(path: str | PathLike) -> ContactProblem:
    """Return the ContactProblem in an .npz file.

    Files: our own (save_problem), or W_data, W_indices, W_indptr (3x3 blocks of the Delassus matrix), q, mu,
    with rows normal, tangent, tangent; where such a file also holds the bodies (inv_mass, inv_inertia, vfree,
    body_a, body_b, pos, com, frame; or M, H and ndof of M u = H r + f), the problem keeps their masses. Raises
    ProblemError for anything else.
    """
    path = Path(path)
    data, name = read_arrays(path, ProblemError, "a contact problem"), path.stem
    if "stiction_problem" in data:
        problem = _from_own(data, name)
    elif {"q", "mu"} <= data.keys() and {"W_data", "W_indices", "W_indptr"} <= data.keys():
        check_parts(data, name)
        try:
            problem = _from_parts(data, name)
        except np.linalg.LinAlgError:
            raise ProblemError(f"problem {name!r}: a mass is singular; correct it or leave the bodies out") from None
    else:
        raise ProblemError(
            f"{path}: holds {sorted(data)}; a contact problem needs W_data, W_indices, W_indptr, q and mu"
        )
    problem.check()
    return problem


def _from_own(data, name):
    def scalar(key):
        if data[key].shape != () or data[key].dtype.kind not in "iu":
            raise ProblemError(f"problem {name!r}: {key} is no whole number; write the problem anew")
        return int(data[key])

    try:
        if scalar("stiction_problem") != FORMAT:
            raise ProblemError(
                f"problem {name!r}: format {scalar('stiction_problem')}; this version reads format {FORMAT}"
            )
        if "digest" in data:
            stored = {key: value for key, value in data.items() if key not in ("digest", "stiction_problem")}
            if not np.array_equal(data["digest"], digest(stored)):
                raise ProblemError(f"problem {name!r}: its numbers are not those that were written; write it anew")
        plain = {key: _typed(data[key], key, kind, name) for key, kind in PLAIN.items()}
        J, G = (
            BlockRows(*(_typed(data[f"{label}_{key}"], f"{label}_{key}", kind, name) for key, kind in ROWS.items()))
            for label in "JG"
        )
        mass = None
        if "mass_start" in data:
            mass = InverseMass(*(_typed(data[f"mass_{key}"], f"mass_{key}", kind, name) for key, kind in MASS.items()))
        dof_count, sides = scalar("dof_count"), scalar("sides")
    except KeyError as error:
        raise ProblemError(f"problem {name!r}: {error} is missing; write the problem anew") from None
    return ContactProblem(J=J, G=G, dof_count=dof_count, sides=sides, inverse_mass=mass, name=name, **plain)


def _typed(array, label, kind, name):
    """The array in the type kernels take; a text or fractions where whole numbers belong are refused."""
    if array.dtype.kind not in ("iu" if kind is np.int64 else "fiu"):
        raise ProblemError(f"problem {name!r}: {label} holds {array.dtype} numbers; write the problem anew")
    return np.ascontiguousarray(array, dtype=kind) if array.ndim else array


def _asymmetry(matrix):
    """Largest |A - A^T| over largest |A|."""
    scale = abs(matrix).max()
    return float(abs(matrix - matrix.T).max() / scale) if scale > 0 else 0.0


def _delassus(data):
    """The Delassus matrix of the file as scipy BSR."""
    q, blocks = data["q"], data["W_data"]
    return sparse.bsr_matrix((blocks, data["W_indices"], data["W_indptr"]), shape=(len(q), len(q)))


def _notes(matrix):
    asymmetry = _asymmetry(matrix.tocsr())
    if asymmetry > 1e-12:
        return False, (f"W is not symmetric: largest |W - W^T| is {asymmetry:.2g} of the largest entry; used as it is",)
    return True, ()


def _from_parts(data, name):
    """The problem with its bodies where the file holds them, else with the Delassus matrix alone."""
    if "inv_mass" in data:
        return _from_bodies(data, name)
    if {"M_i", "M_j", "M_x", "H_i", "H_j", "H_x", "ndof"} <= data.keys():
        return _from_generalised(data, name) or _from_blocks(data, name)
    return _from_blocks(data, name)


def _reproduces(problem, data):
    """True if the problem's own rows give the stored Delassus matrix."""
    trial = np.random.default_rng(0).standard_normal(problem.row_count)
    expected = _delassus(data) @ trial
    given = problem.with_b(np.zeros(problem.row_count)).velocity(trial)
    return bool(np.abs(given - expected).max() <= 1e-8 * np.abs(expected).max())


def _node_rows(matrix, node_count):
    """BlockRows of a sparse (3C, 6n) matrix, one segment a contact and node."""
    blocks = sparse.coo_matrix(matrix)
    blocks.eliminate_zeros()
    key = (blocks.row // 3) * node_count + blocks.col // 6
    segments, index = np.unique(key, return_inverse=True)
    numbers = np.zeros((len(segments), 3, 6))
    numbers[index, blocks.row % 3, blocks.col % 6] = blocks.data
    contact, node = np.divmod(segments, node_count)
    return BlockRows(np.searchsorted(contact, np.arange(matrix.shape[0] // 3 + 1)), 6 * node, np.full(len(node), 6),
                     18 * np.arange(len(node)), numbers.ravel())  # fmt: skip


def _from_generalised(data, name):
    """M u = H r + f with six components a body; None where M does not fall into bodies or W is not H^T M^-1 H."""
    size, count = int(data["ndof"]), len(data["mu"])
    M = sparse.coo_matrix((data["M_x"], (data["M_i"], data["M_j"])), (size, size))
    if size % 6 or np.any(M.row // 6 != M.col // 6):
        return None
    mass = np.zeros((size // 6, 6, 6))
    np.add.at(mass, (M.row // 6, M.row % 6, M.col % 6), M.data)
    if np.any(np.linalg.cond(mass) > 1e12) or np.any(mass != mass.transpose(0, 2, 1)):
        return None
    inverse = np.linalg.inv(mass)
    inverse = 0.5 * (inverse + inverse.transpose(0, 2, 1))
    H = sparse.csr_matrix((data["H_x"], (data["H_i"], data["H_j"])), (size, 3 * count))
    W = sparse.bsr_matrix((inverse, np.arange(size // 6), np.arange(size // 6 + 1)), (size, size))
    layout = 6 * np.arange(size // 6 + 1), 36 * np.arange(size // 6)
    problem = assemble(np.full(count, int(Block.CONTACT)), 3 * np.arange(count + 1), _node_rows(H.T, size // 6),
                       _node_rows(sparse.csr_matrix(H.T @ W), size // 6), data["q"], mu_table(data["mu"]), size,
                       inverse_mass=InverseMass(*layout, inverse.ravel(), mass.ravel()), name=name)  # fmt: skip
    return problem if _reproduces(problem, data) else None


def _from_blocks(data, name):
    """J = identity, G = rows of W^T: one kernel serves a problem without bodies."""
    matrix = _delassus(data)
    symmetric, notes = _notes(matrix)
    count = len(data["mu"])
    columns = matrix.T.tobsr((3, 3))
    columns.sort_indices()
    row_start = 3 * np.arange(count + 1)
    segments = len(columns.indices)
    G = BlockRows(columns.indptr, 3 * columns.indices.astype(np.int64), np.full(segments, 3), 9 * np.arange(segments),
                  columns.data.ravel())  # fmt: skip
    J = BlockRows(
        np.arange(count + 1), row_start[:-1], np.full(count, 3), 9 * np.arange(count), np.tile(np.eye(3).ravel(), count)
    )
    return assemble(np.full(count, int(Block.CONTACT)), row_start, J, G, data["q"], mu_table(data["mu"]), 3 * count,
                    name=name, symmetric=symmetric, notes=notes)  # fmt: skip


def _from_bodies(data, name):
    """Rows of rigid bodies; the Delassus matrix where they do not reproduce it."""
    count, bodies = len(data["mu"]), len(data["inv_mass"])
    body_a, body_b = data["body_a"].astype(np.int64), data["body_b"].astype(np.int64)
    # Index -1 stands for the fixed world: one more body without inverse mass.
    body_a, body_b = np.where(body_a < 0, bodies, body_a), np.where(body_b < 0, bodies, body_b)
    center = np.vstack([data["com"], np.zeros(3)])
    inverse_mass = np.append(data["inv_mass"], 0.0)
    inverse_inertia = np.concatenate([data["inv_inertia"], np.zeros((1, 3, 3))])
    J, G, _ = contact_rows(body_a, body_b, data["pos"], np.ascontiguousarray(data["frame"]), np.full(count, 3), center,
                           inverse_mass, inverse_inertia)  # fmt: skip
    moving = data["inv_mass"] > 0
    mass = np.append(np.divide(1.0, data["inv_mass"], out=np.zeros(bodies), where=moving), 0.0)
    inertia = np.zeros_like(inverse_inertia)
    inertia[:-1][moving] = np.linalg.inv(data["inv_inertia"][moving])
    W = rigid_inverse_mass(inverse_mass, inverse_inertia, mass, inertia)
    problem = assemble(np.full(count, int(Block.CONTACT)), 3 * np.arange(count + 1), J, G, data["q"],
                       mu_table(data["mu"]), 6 * int(moving.sum()), inverse_mass=W, name=name)  # fmt: skip
    if not _reproduces(problem, data):
        return _from_blocks(data, name)
    return problem
