"""ContactProblem: the one thing a method sees.

With velocities u, inverse mass W and constraint rows J, a time step is

    u+ = u_f + W J^T lambda,      v = A lambda + b,      A = J W J^T + C

where u_f is the velocity without impulses, b = J u_f + restitution and gap terms, and C a compliance. Rows
come in blocks (Block); the laws are

    CONTACT     0 <= lambda_n  perp  v_n >= 0,  -v_F in the normal cone of F(lambda_n) at lambda_F
    BILATERAL   v = 0
    LIMIT       0 <= lambda  perp  v >= 0
    DRIVE       -v in the normal cone of [lower, upper] at lambda
    ELEMENT     v = 0, with a dense compliance

Methods carry the velocity change w = W J^T lambda along; that equation holds on entry and on exit of every
kernel.
"""

from dataclasses import field
from enum import IntEnum
from functools import cached_property

import numpy as np

from .base.records import record
from .base.refusal import ProblemError
from .laws.friction_laws import FrictionLaw
from .options import changed
from .problems import problem_kernels as kernels
from .problems.problem_check import check_numbers, check_structure
from .problems.problem_kernels import Arrays, BlockRows


class Block(IntEnum):
    """Kind of a block of rows."""

    CONTACT = 0
    BILATERAL = 1
    LIMIT = 2
    DRIVE = 3
    ELEMENT = 4


@record
class ContactProblem:
    """Constraint rows of one time step (B blocks, K rows, N velocity components).

    kind (B,) Block; row_start (B+1,) first row of each block; J rows [1, m]; G = (W J^T)^T rows [1/kg, ...];
    b (K,) velocity without impulses [m/s]; law (B,) FrictionLaw; mu (B,3) coefficients along s, t [1] and
    about n [m]; bounds (B,2) impulse limits of DRIVE blocks [N s]; compliance: dense m x m matrix C
    [1/kg] of block k from compliance_offset[k], -1 for none; dof_count N; sides of the polygon law.

    inverse_mass: the diagonal blocks of W where they are known, see InverseMass; None for a problem given by its
    Delassus matrix. symmetric: whether A is; notes: what a reader of the file should know.
    """

    kind: np.ndarray
    row_start: np.ndarray
    J: BlockRows
    G: BlockRows
    b: np.ndarray
    law: np.ndarray
    mu: np.ndarray
    bounds: np.ndarray
    compliance_offset: np.ndarray
    compliance: np.ndarray
    dof_count: int
    sides: int = 8
    inverse_mass: "InverseMass | None" = None
    name: str = ""
    symmetric: bool = True
    notes: tuple = field(default=())

    # What methods made of a problem that may serve others, which differ in b alone or have no friction, by name; None:
    # it is not kept.
    forms = None
    # Whether the friction impulses are given, see `with_friction_given`.
    friction_given = False

    @property
    def block_count(self):
        """Number of blocks B."""
        return len(self.kind)

    @property
    def row_count(self):
        """Number of rows K."""
        return int(self.row_start[-1])

    @cached_property
    def contact_count(self):
        """Number of blocks that are contacts."""
        return int(np.count_nonzero(self.kind == Block.CONTACT))

    @cached_property
    def arrays(self):
        """The problem as a named tuple for kernels."""
        return Arrays(
            self.kind, self.row_start, self.J, self.G, self.b, self.law, self.mu, self.bounds,
            self.compliance_offset, self.compliance, self.sides,
        )  # fmt: skip

    def velocity_change(self, impulse):
        """Return w = W J^T lambda (N,) [m/s, rad/s] for impulses lambda (K,) [N s]."""
        w = np.zeros(self.dof_count)
        kernels.add_velocity_change(self.arrays, np.ascontiguousarray(impulse, dtype=float), w)
        return w

    def velocity(self, impulse, w=None):
        """Return the row velocities v = A lambda + b (K,) [m/s]; w = W J^T lambda is computed when not given."""
        impulse = np.ascontiguousarray(impulse, dtype=float)
        if w is None:
            w = self.velocity_change(impulse)
        v = np.empty(self.row_count)
        kernels.row_velocity(self.arrays, impulse, w, v)
        return v

    @cached_property
    def _forms_of_copies(self):
        return {}

    def derive(self, **values):
        """Return the same problem with other fields; what was made from those is forgotten, forms too."""
        other = changed(self, **values)
        structure = not values.keys() <= {"b", "mu", "bounds", "forms", "friction_given"}
        for name in ("arrays", "diagonal", "contact_count", "_forms_of_copies") if structure else ("arrays",):
            other.__dict__.pop(name, None)
        if structure:
            other.__dict__.pop("forms", None)
        return other

    def restrict(self, blocks):
        """Return (the problem of `blocks` (n,), ascending, on the same velocity components; their rows (k,))."""
        p, rows = kernels.restricted(self.arrays, np.ascontiguousarray(blocks, dtype=np.int64))
        part = self.derive(kind=p.kind, row_start=p.row_start, J=p.J, G=p.G, b=p.b, law=p.law, mu=p.mu, bounds=p.bounds,
                           compliance_offset=p.compliance_offset)  # fmt: skip
        return part, rows

    def with_b(self, b):
        """Return the same problem with another velocity without impulses; all that were made so share their forms."""
        return self.derive(b=np.ascontiguousarray(b, dtype=float), forms=self._forms_of_copies)

    def with_bounds(self, bounds):
        """Return the same problem with other limits (B,2) of its DRIVE blocks; it shares forms like one of `with_b`."""
        return self.derive(bounds=np.ascontiguousarray(bounds, dtype=float), forms=self._forms_of_copies)

    def with_friction_given(self, impulse):
        """Return the problem whose friction impulses are known: no other friction, and b that they have changed.

        impulse (K,) [N s]: the known ones, 0 in the normal rows.
        """
        return self.derive(b=self.velocity(impulse), mu=np.zeros_like(self.mu), friction_given=True)

    @cached_property
    def diagonal(self):
        """Diagonal blocks A_kk: offsets (B+1,) and numbers, m x m a block, row by row [1/kg]."""
        return kernels.diagonal_of(self.arrays)

    def delassus(self):
        """Return A as a dense (K, K) array; for tests and small problems only."""
        A = np.empty((self.row_count, self.row_count))
        zero = self.with_b(np.zeros(self.row_count))
        for j in range(self.row_count):
            unit = np.zeros(self.row_count)
            unit[j] = 1.0
            A[:, j] = zero.velocity(unit)
        return A

    def check(self):
        """Raise ProblemError for anything no method can work with: shapes, ranges, kinds, laws, numbers.

        What kernels index with is checked once for a problem and all that were made from it by `with_b`.
        """
        if "structure_checked" not in self.__dict__:
            check_structure(self)
            self.__dict__["structure_checked"] = True
        check_numbers(self)

    def made_by_kernels(self):
        """This problem of contacts alone, whose whole numbers `check` need not check: its arrays were made for one
        another."""
        self.__dict__["structure_checked"] = True
        self.__dict__["contact_count"] = len(self.kind)
        return self


@record
class InverseMass:
    """Block-diagonal inverse mass W: block i couples components start[i]:start[i+1].

    The size x size numbers of block i lie row by row in data from offset[i]; `mass` holds the inverse
    blocks in the same layout.
    """

    start: np.ndarray
    offset: np.ndarray
    data: np.ndarray
    mass: np.ndarray


def _identity_rows(row_start):
    """J = identity: block k sees its own rows."""
    rows = np.diff(row_start)
    offset = np.concatenate(([0], np.cumsum(rows * rows)))[:-1]
    data = np.concatenate([np.eye(m).ravel() for m in rows]) if len(rows) else np.zeros(0)
    return BlockRows(np.arange(len(rows) + 1), row_start[:-1].copy(), rows.copy(), offset, data)


def from_delassus(A, b, mu, kind=None, row_start=None, law=FrictionLaw.ELLIPSOID, bounds=None, name="", sides=8):
    """Return a problem given by a dense Delassus matrix A (K, K) and b (K,).

    mu: one row a contact, of 0 to 3 coefficients (scalar: isotropic); without `row_start` every block is a
    contact with three rows (four where mu has three coefficients).
    """
    A, b = np.asarray(A, dtype=float), np.ascontiguousarray(b, dtype=float)
    if A.shape != (len(b), len(b)):
        raise ProblemError(f"problem {name!r}: A has shape {A.shape} but b has {len(b)} rows; they must agree")
    mu = mu_table(mu)
    if row_start is None:
        rows = 4 if np.any(mu[:, 2] > 0) else 3
        row_start = np.arange(0, len(b) + 1, rows)
    row_start = np.asarray(row_start, dtype=np.int64)
    count = len(row_start) - 1
    kind = np.full(count, int(Block.CONTACT)) if kind is None else np.asarray(kind)
    starts = row_start
    segments = [(k, j) for k in range(count) for j in range(count)]
    block_data = [A[starts[j] : starts[j + 1], starts[k] : starts[k + 1]].T for k, j in segments]
    keep = [i for i, d in enumerate(block_data) if np.any(d != 0)]
    G = BlockRows(
        np.searchsorted([segments[i][0] for i in keep], np.arange(count + 1)).astype(np.int64),
        np.array([starts[segments[i][1]] for i in keep], dtype=np.int64),
        np.array([block_data[i].shape[1] for i in keep], dtype=np.int64),
        np.concatenate(([0], np.cumsum([block_data[i].size for i in keep])))[:-1].astype(np.int64),
        np.concatenate([block_data[i].ravel() for i in keep]) if keep else np.zeros(0),
    )
    symmetric = bool(np.allclose(A, A.T, rtol=1e-12, atol=1e-14 * np.abs(A).max(initial=0)))
    return assemble(kind, row_start, _identity_rows(row_start), G, b, mu, len(b), law=law, bounds=bounds, name=name,
                    sides=sides, symmetric=symmetric)  # fmt: skip


def mu_table(mu):
    """Return friction coefficients as (B, 3): s, t [1] and torsion [m]."""
    rows = [np.atleast_1d(np.asarray(row, dtype=float)) for row in mu]
    table = np.zeros((len(rows), 3))
    for k, row in enumerate(rows):
        if len(row) == 1:
            table[k, :2] = row[0]
        else:
            table[k, : len(row)] = row
    return table


def _contiguous(rows):
    integers = (np.ascontiguousarray(array, dtype=np.int64) for array in rows[:4])
    return BlockRows(*integers, np.ascontiguousarray(rows.data, dtype=float))


def assemble(kind, row_start, J, G, b, mu, dof_count, law=FrictionLaw.ELLIPSOID, bounds=None,
             compliance_offset=None, compliance=None, **other):  # fmt: skip
    """Return a ContactProblem with every array in the type kernels expect."""
    count = len(kind)
    integer = np.int64
    if bounds is None:
        bounds = np.tile([-np.inf, np.inf], (count, 1))
    return ContactProblem(
        kind=np.ascontiguousarray(kind, dtype=integer),
        row_start=np.ascontiguousarray(row_start, dtype=integer),
        J=_contiguous(J),
        G=_contiguous(G),
        b=np.ascontiguousarray(b, dtype=float),
        law=np.broadcast_to(np.asarray(law, dtype=integer), (count,)).copy(),
        mu=np.ascontiguousarray(mu, dtype=float).reshape(count, 3),
        bounds=np.ascontiguousarray(bounds, dtype=float).reshape(count, 2),
        compliance_offset=np.full(count, -1, dtype=integer) if compliance_offset is None
        else np.ascontiguousarray(compliance_offset, dtype=integer),
        compliance=np.zeros(0) if compliance is None else np.ascontiguousarray(compliance, dtype=float),
        dof_count=int(dof_count),
        **other,
    )  # fmt: skip
