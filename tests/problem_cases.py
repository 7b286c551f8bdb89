"""Contact problems for tests: hand-derived cases, problems built backwards from their answer, blocks of all kinds."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from stiction.solver.laws.friction_laws import FrictionLaw
from stiction.solver.problem import Block, from_delassus
from stiction.solver.scene_io.problem_file import load_problem

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "solver_cases.json").read_text(encoding="utf-8"))
COULOMB_CASES = [name for name, case in CASES.items() if "lam" in case and case["nf"] > 0]
PAINLEVE_CASES = [name for name, case in CASES.items() if "solutions" in case]


# The law that stands for Coulomb's in the contracts, and the radius of its unit set: a law that is added from outside
# is held to them all, with coefficients that make its set Coulomb's (tests/contract/test_added_things.py).
COULOMB = FrictionLaw[os.environ.get("CONTRACT_LAW", "ELLIPSOID")]
RADIUS = float(os.environ.get("CONTRACT_RADIUS", "1"))


def coefficients(mu, law):
    """Coefficients of a law whose set with them is that of Coulomb's law with mu, where it stands for that one."""
    return [np.asarray(row, dtype=float) / RADIUS for row in mu] if law == COULOMB else mu


def load(name):
    """A recorded problem; where another law stands for Coulomb's, with that one."""
    problem = load_problem(DATA / "contact_problems" / f"{name}.npz")
    if COULOMB == FrictionLaw.ELLIPSOID:
        return problem
    assert np.all(problem.law == FrictionLaw.ELLIPSOID)
    return replace(problem, law=np.full_like(problem.law, COULOMB), mu=problem.mu / RADIUS)


# What makes the literal methods, whose defaults are their paper's, solve to a tolerance from any start.
OURS = {
    "prox_literal": {"strategy": "scalar", "stopping": "judge", "start": "warm", "roll_back": "not_less"},
    "newton": {"friction_factor": 0.5, "patience": 12, "start": "warm", "least_denominator": 1e-2,
               "linear_solver": "auto"},
}  # fmt: skip
OURS["jacobi"] = OURS["prox_literal"]


def ours(key, **values):
    """Option dataclass of a method in the form that goes for the tolerance, with `values`."""
    from stiction.solver.methods import METHODS

    values = OURS.get(key, {}) | values
    if not values.get("back_tracking", True):
        values.pop("roll_back", None)
    return METHODS[key].options(**values)


def case_problem(name, law=COULOMB, sides=8):
    """Return the ContactProblem of a case in solver_cases.json."""
    case = CASES[name]
    rows = 1 + case.get("nf", 1)
    mu = case["mu"] if isinstance(case["mu"], list) else [[case["mu"]]]
    starts = np.arange(0, len(case["b"]) + 1, rows)
    mu = coefficients(mu, law)
    return from_delassus(case["A"], case["b"], mu, row_start=starts, law=law, name=name, sides=sides)


@dataclass(frozen=True)
class Manufactured:
    """A problem with one answer known; there may be others."""

    problem: object
    impulse: np.ndarray
    velocity: np.ndarray


def compliant_elements(A, rng, starts, kinds):
    """Split A into a rigid part and the compliance of its ELEMENT blocks, which is a third of their diagonal block."""
    rigid, offsets, numbers = A.copy(), np.full(len(kinds), -1), []
    for k in np.flatnonzero(np.asarray(kinds) == Block.ELEMENT):
        rows = slice(starts[k], starts[k + 1])
        m = starts[k + 1] - starts[k]
        C = np.diag(np.diag(A)[rows]) / 3.0
        rigid[rows, rows] -= C
        offsets[k] = sum(map(len, numbers))
        numbers.append(C.ravel())
        assert m * m == len(numbers[-1])
    return rigid, offsets, np.concatenate(numbers) if numbers else np.zeros(0)


def contact_state(rng, law, mu):
    """Impulse and velocity rows of one contact: open, sticking or sliding on the set of `law`."""
    n = np.count_nonzero(mu) if mu[2] == 0 else 3
    state = rng.choice(["open", "stick", "slip"])
    impulse, velocity = np.zeros(1 + n), np.zeros(1 + n)
    if state == "open":
        velocity[0] = rng.uniform(0.1, 2.0)
        velocity[1:] = rng.normal(size=n)
        return impulse, velocity
    impulse[0] = rng.uniform(0.2, 2.0)
    direction = rng.normal(size=n)
    y, normal = boundary_point(rng, law, direction)
    impulse[1:] = mu[:n] * impulse[0] * (y if state == "slip" else 0.6 * y)
    if state == "slip":
        # -D v_F in the normal cone of the unit set at y.
        velocity[1:] = -rng.uniform(0.2, 2.0) * normal / mu[:n]
    return impulse, velocity


def boundary_point(rng, law, direction):
    """A point of the unit set of `law` and an outward normal there."""
    n = len(direction)
    if law == FrictionLaw.BOX:
        return np.sign(direction), np.sign(direction)
    if law != FrictionLaw.POLYGON or n < 2:
        y = direction / np.linalg.norm(direction)
        return y, y
    angle, half = np.pi / 8 * (2 * rng.integers(8) + 1), np.pi / 8
    normal, along = np.array([np.cos(angle), np.sin(angle)]), rng.uniform(-0.9, 0.9) * np.sin(half)
    y = np.cos(half) * normal + along * np.array([-normal[1], normal[0]])
    torsion = np.sign(direction[2:])
    return np.concatenate([y, torsion]), np.concatenate([normal, torsion])


def other_state(rng, kind, rows):
    """Impulse, velocity and bounds of a joint, element, limit or drive."""
    impulse, velocity, bounds = rng.normal(size=rows), np.zeros(rows), (-np.inf, np.inf)
    if kind == Block.LIMIT:
        closed = rng.random() < 0.5
        impulse[0], velocity[0] = (rng.uniform(0.2, 2.0), 0.0) if closed else (0.0, rng.uniform(0.1, 2.0))
    elif kind == Block.DRIVE:
        where = rng.choice(["inside", "lower", "upper"])
        bounds = (-rng.uniform(0.3, 1.0), rng.uniform(0.3, 1.0))
        impulse[0] = {"inside": 0.5 * sum(bounds), "lower": bounds[0], "upper": bounds[1]}[where]
        velocity[0] = {"inside": 0.0, "lower": 1.0, "upper": -1.0}[where] * rng.uniform(0.1, 2.0)
    return impulse, velocity, bounds


def manufactured(seed, kinds=(Block.CONTACT,) * 2, law=COULOMB, torsion=True, rank_deficient=False):
    """Draw a problem and one exact answer: choose impulses and velocities that obey the laws, then b = v - A lambda."""
    rng = np.random.default_rng(seed)
    impulses, velocities, mus, bounds = [], [], [], []
    for kind in kinds:
        if kind == Block.CONTACT:
            mu = np.array([rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6), rng.uniform(0.02, 0.2) if torsion else 0.0])
            impulse, velocity = contact_state(rng, law, mu)
            bound = (-np.inf, np.inf)
        else:
            mu = np.zeros(3)
            rows = {Block.BILATERAL: 3, Block.ELEMENT: 3}.get(kind, 1)
            impulse, velocity, bound = other_state(rng, kind, rows)
        impulses.append(impulse)
        velocities.append(velocity)
        mus.append(mu)
        bounds.append(bound)
    starts = np.concatenate(([0], np.cumsum([len(x) for x in impulses])))
    size = starts[-1]
    B = rng.normal(size=(size, size - 1 if rank_deficient else 2 * size)) / np.sqrt(2 * size)
    A = B @ B.T
    impulse, velocity = np.concatenate(impulses), np.concatenate(velocities)
    rigid, offsets, numbers = compliant_elements(A, rng, starts, kinds)
    mus = coefficients(mus, law)
    problem = from_delassus(rigid, velocity - A @ impulse, mus, kind=[int(k) for k in kinds], row_start=starts, law=law,
                            bounds=bounds, name=f"manufactured {seed}")  # fmt: skip
    problem = replace(problem, compliance_offset=offsets.astype(np.int64), compliance=numbers)
    return Manufactured(problem, impulse, velocity)


def side_by_side(cases):
    """Return one Manufactured of many that do not touch one another, so that one call solves them all."""
    sizes = [case.problem.row_count for case in cases]
    A = np.zeros((sum(sizes),) * 2)
    starts, first = [0], 0
    offsets, numbers = [], np.zeros(0)
    for case, size in zip(cases, sizes, strict=True):
        p = case.problem
        rigid = replace(p, compliance_offset=np.full(p.block_count, -1)).delassus()
        A[first : first + size, first : first + size] = rigid
        offsets.append(np.where(p.compliance_offset >= 0, p.compliance_offset + len(numbers), -1))
        numbers = np.concatenate([numbers, p.compliance])
        starts.extend(first + p.row_start[1:])
        first += size

    def join(name):
        return np.concatenate([getattr(case.problem, name) for case in cases])

    problem = from_delassus(A, join("b"), join("mu"), kind=join("kind"), row_start=starts, law=join("law"),
                            bounds=join("bounds"), name="side by side")  # fmt: skip
    problem = replace(problem, compliance_offset=np.concatenate(offsets).astype(np.int64), compliance=numbers)
    return Manufactured(
        problem, np.concatenate([c.impulse for c in cases]), np.concatenate([c.velocity for c in cases])
    )


def mixed_problem(seed=0, law=COULOMB):
    """Return a Manufactured with a block of every kind."""
    kinds = (Block.CONTACT, Block.BILATERAL, Block.LIMIT, Block.DRIVE, Block.ELEMENT, Block.CONTACT)
    return manufactured(seed, kinds, law)


def empty_problem():
    """Return a problem without blocks."""
    return from_delassus(np.zeros((0, 0)), np.zeros(0), [], row_start=[0])
