"""How much too stiff a body's mesh is under given loads: an estimate at small strain, from static solves.

On a mesh that is too stiff loads do less work than they should. For linear elements the answer of quadratic ones on
the same tetrahedra stands for the truth; for quadratic ones it is theirs with what cubic functions would add, see
cubic_gain.py.
"""

import numpy as np

from ..deformable import deformable
from ..elements import EDGES
from .cubic_gain import cubic_gain
from .tet_points import density_of, spread


def mesh_error(body, force):
    """How much too stiff a Deformable is under forces (n,3) [N] on its nodes at rest: stiffness over the true one - 1,
    negative where it is too soft; None where the forces deform nothing, or the body can turn about what holds it.

    Forces are spread over the elements around each corner, as no single point bears them in a finer mesh.
    """
    if _turns(body):
        return None
    density = density_of(body, force)
    load, u = rest_answer(body, density)
    work = float((load * u).sum())
    if not work > 0.0:
        return None
    if body.elements.shape[1] == 10:
        return cubic_gain(body, density, u) / work
    finer = quadratic_of(body)
    more = np.zeros((finer.node_count, 3))
    more[: body.node_count] = density
    load, u = rest_answer(finer, more)
    return float((load * u).sum()) / work - 1.0


def _turns(body):
    """Whether a component is held by goals, or by pinned nodes that lie in a line: its own stiffness bears no load."""
    for one in np.unique(body.component[body.driven]):
        at = body.rest[body.pinned & (body.component == one)]
        if len(at) < 3 or np.linalg.svd(at - at.mean(axis=0), compute_uv=False)[1] < 1e-6 * body.size:
            return True
    return False


def quadratic_of(body):
    """The Deformable of quadratic elements on the tetrahedra of one of linear ones: edges between pinned nodes are
    pinned."""
    mu, lam = body.mu, body.lam
    finer = deformable(body.rest, body.elements, mu * (3.0 * lam + 2.0 * mu) / (lam + mu), 0.5 * lam / (lam + mu), 1.0,
                       element="t10")  # fmt: skip
    finer.pinned[: body.node_count] = body.pinned
    for k, ends in enumerate(EDGES):
        finer.pinned[finer.elements[:, 4 + k]] = body.pinned[finer.elements[:, ends]].all(axis=1)
    return finer


def rest_answer(body, density):
    """(loads (n,3) [N], displacements (n,3) [m]) of a Deformable at rest under forces a volume (n,3) [N/m^3] at the
    corners of its elements, at small strain."""
    blocks, s = body.blocks, body.symbolic
    load = spread(body.elements, body.volume.sum(axis=1), density)
    load[body.pinned] = 0.0
    for piece in range(int(body.piece.max(initial=-1)) + 1):
        _balance(body.rest, load, np.unique(body.elements[body.piece[body.elements[:, 0]] == piece]))
    body.forces(body.rest, blocks)
    largest = np.abs(blocks[s.pair_row == s.pair_column]).max()
    # Where nothing holds a piece its matrix is singular: a few digits above round-off make it one that is not.
    weight = np.full(body.node_count, 1e-9 * largest if np.any(body.piece >= 0) else 0.0)
    weight[body.pinned] = largest
    body.factor.refactor(blocks, 1.0, weight, body.pinned)
    u = body.factor.solve(load)
    u[body.pinned] = 0.0
    return load, u


def _balance(rest, load, nodes):
    """Take from load (n,3) what moves `nodes` (k,) as one: middle nodes of bent edges are not where density_of, which
    balances the forces a volume, has them, and nothing else holds these."""
    x = rest[nodes] - rest[nodes].mean(axis=0)
    turns = [np.cross(axis, x) for axis in np.eye(3)]
    R = np.concatenate([np.tile(np.eye(3), (len(nodes), 1)), np.stack(turns, axis=2).reshape(-1, 3)], axis=1)
    load[nodes] -= (R @ np.linalg.lstsq(R, load[nodes].ravel(), rcond=None)[0]).reshape(-1, 3)


def own_load(body, gravity):
    """Forces (n,3) [N] that a Deformable may be judged by before a run: its weight where it is pinned and gravity (3,)
    [m/s^2] is not 0, else what bends it across its longest side, towards its shortest."""
    if body.pinned.any() and np.any(gravity):
        return body.mass[:, None] * np.asarray(gravity, dtype=float)
    arm = body.rest - body.mass @ body.rest / body.mass.sum()
    axes = np.linalg.svd(np.sqrt(body.mass)[:, None] * arm, full_matrices=False)[2]
    return (body.mass * (arm @ axes[0]) ** 2)[:, None] * axes[2]


def turned_back(body, x):
    """Loads (n,3) [N] that hold a Deformable with nodes at x (n,3), turned to where it rests."""
    mass = body.mass[:, None]
    arm, rest = (y - (mass * y).sum(axis=0) / mass.sum() for y in (x, body.rest))
    U, _, V = np.linalg.svd((mass * arm).T @ rest)
    sign = np.diag([1.0, 1.0, np.linalg.det(U @ V)])
    return -body.forces(np.ascontiguousarray(x)) @ (U @ sign @ V)
