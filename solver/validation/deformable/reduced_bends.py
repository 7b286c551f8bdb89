"""Cases of bodies of a few modes that bend far and spin fast: by the law of St. Venant and Kirchhoff, and beside the
whole mesh."""

from dataclasses import replace

import numpy as np

from ...base.late import late
from ...dynamics.elastic.deformable import deformable
from ...dynamics.reduced.basis import FreeBody, shape_vectors
from ...dynamics.reduced.inertia import Inertia
from ...dynamics.reduced.laws import CubicLaw, gram_of
from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Reduction, Scene
from ...scenes.base import one_material
from ...shapes import Tetrahedra
from ..lines import Case, below, close
from .elastic import CHAPTER, stepped
from .momentum import WEIGHTLESS

sparse, linalg = late("scipy.sparse"), late("scipy.sparse.linalg")
# Loads P L^2 / E I, with the way of the tip across and how far it comes back, in parts of the length, by the elastica.
ELASTICA = {1.0: (0.301721, 0.056433), 2.0: (0.493457, 0.160642), 5.0: (0.713792, 0.387628)}
YOUNG, DENSITY = 1e6, 1000.0


def beam(cells, size, poisson, **other):
    """A Deformable of quadratic elements about the origin."""
    return deformable(*box_grid(cells, size), YOUNG, poisson, DENSITY, law="stvk", element="t10", **other)


def in_balance(body, load, soft=0.0, loads=8):
    """Node positions (n,3) of a Deformable in balance with load(x) (n,3) [N], which grows to the whole in so many
    steps; soft [1/s^2]: what a free body's stiffness has of its masses, so that it can be factorised."""
    x = body.rest.copy()
    for part in np.arange(1, loads + 1) / loads:
        change = 1.0
        while change > 1e-9:
            force = body.forces(x, body.blocks, project=False) + part * load(x)
            force[body.pinned] = 0.0
            body.factor.refactor(body.blocks, 1.0, soft * body.mass + 1e-300, body.pinned)
            step = body.factor.solve(force)
            step[body.pinned] = 0.0
            x, change = x + step, np.abs(step).max()
    return x


def reduced(body, modes, derivatives, spin, patches):
    """(U (n,3,r), CubicLaw) of a free body."""
    squares, U = shape_vectors(body, modes, spin, patches, derivatives)
    return U, CubicLaw(gram_of(body, U), len(squares))


def balanced(law, load, loads=8):
    """q (r,) in balance with load(q) (r,), by Newton's method, in so many steps."""
    q = np.zeros(len(law.K))
    for part in np.arange(1, loads + 1) / loads:
        change = 1.0
        while change > 1e-10 * np.abs(q).max():
            step = np.linalg.solve(law.stiffness(q), law.force(q) + part * load(q))
            q, change = q + step, np.abs(step).max()
    return q


def reduced_elastica():
    """A cantilever bent by P L^2 / E I of 1, 2 and 5, as half of a free beam that is held in its middle: its tip, of 2
    modes, the 3 answers to forces on the middle and 9 derivatives, and of the whole mesh."""
    whole = beam((20, 2, 2), (1.0, 0.1, 0.1), 0.0, pinned=lambda x: x[:, 0] < -0.5 + 1e-9)
    free = beam((40, 2, 2), (2.0, 0.1, 0.1), 0.0)
    middle, ends = (np.abs(np.abs(free.rest[:, 0]) - at) < 1e-9 for at in (0.0, 1.0))

    def shared(body, nodes):
        return np.where(nodes, body.mass, 0.0) / body.mass[nodes].sum()

    tip, right = shared(whole, whole.rest[:, 0] > 0.5 - 1e-9), shared(free, free.rest[:, 0] > 1.0 - 1e-9)
    apart = shared(free, ends) - shared(free, middle)
    U, law = reduced(free, 2, 9, False, [np.flatnonzero(middle)])
    lines, EI, up = [], YOUNG * 0.1**4 / 12.0, np.array([0.0, 0.0, 1.0])
    for k, (across, back) in ELASTICA.items():
        load = k * EI * tip[:, None] * up
        way = tip @ (in_balance(whole, lambda x, load=load: load) - whole.rest)
        push = np.einsum("nir,n,i->r", U, 2.0 * k * EI * apart, up)
        u = U @ balanced(law, lambda q, push=push: push)
        name = f"P L^2 / E I = {k:g}, {len(push)} vectors"
        lines += [close(f"{name}: tip across by the elastica", across, apart @ u[:, 2], 0.02, relative=True),
                  close("the same, of the whole mesh", way[2], apart @ u[:, 2], 0.015, relative=True),
                  close("tip back by the elastica", back, -(right @ u[:, 0]), 0.03, relative=True),
                  close("the same, of the whole mesh", -way[0], -(right @ u[:, 0]), 0.015, relative=True)]  # fmt: skip
    return lines


def reduced_spin():
    """A free beam spins about an axis across its middle: how far it is drawn out, and its first frequency of bending
    along the axis, which rises; 4 modes, 10 derivatives and the answers to spinning beside the whole mesh."""
    body = beam((20, 2, 2), (1.0, 0.12, 0.1), 0.3)
    free, n = FreeBody(body), body.node_count
    squares, V = free.ritz(free.modes(4))
    V = V.reshape(n, 3, -1)
    first = int(np.argmax(body.mass @ V[:, 2] ** 2 > 0.9))
    frequency, shape = np.sqrt(squares[first]), V[:, :, first]
    U, law = reduced(body, 4, 10, True, [])
    inertia, r = Inertia(body.mass, free.X, U), U.shape[2]
    ends, flat, lines = np.abs(free.X[:, 0] - 0.5) < 1e-9, np.array([1.0, 1.0, 0.0]), []
    for ratio in (0.25, 0.5, 1.0):
        W = np.array([0.0, 0.0, ratio * frequency])
        x = in_balance(body, lambda x, W=W: W[2] ** 2 * body.mass[:, None] * flat * x, 2.0 * W[2] ** 2)
        q = balanced(law, lambda q, W=W: inertia.centrifugal(q, W, np.zeros(r)))
        drawn = [((x - body.rest)[ends, 0]).mean(), (U[ends, 0] @ q).mean()]
        lines.append(close(f"drawn out at {ratio:g} of the frequency [m]", *drawn, 0.02, "m", relative=True))
        outward = np.stack([inertia.centrifugal(q + e, W, 0 * q) - inertia.centrifugal(q, W, 0 * q) for e in np.eye(r)])
        squares, turn = np.linalg.eigh(law.stiffness(q) - 0.5 * (outward + outward.T))
        share = np.einsum("n,nik,ni->k", body.mass, U @ turn, shape) ** 2
        found = np.sqrt(squares[int(np.argmax(share))]) / frequency
        exact = flapping(body, x, W[2], shape) / frequency
        lines.append(close("frequency of bending along the axis, in parts of that at rest", exact, found, 0.01,
                           relative=True))  # fmt: skip
    return lines


def flapping(body, x, spin, shape):
    """Frequency [1/s] of bending along the axis z of a Deformable that spins at x (n,3), of which `shape` (n,3) is the
    mode at rest: of K - spin^2 M (1, 1, 0). What moves along the axis feels no Coriolis force."""
    body.forces(x, body.blocks, project=False)
    pattern, M = body.symbolic, np.repeat(body.mass, 3)
    rows, columns = (3 * pair[:, None, None] + at for pair, at in (
        (pattern.pair_row, np.arange(3)[:, None]), (pattern.pair_column, np.arange(3))))  # fmt: skip
    blocks = np.where((pattern.pair_row == pattern.pair_column)[:, None, None], 0.5, 1.0) * body.blocks
    places = tuple(np.broadcast_to(at, blocks.shape).ravel() for at in (rows, columns))
    half = sparse.coo_matrix((blocks.ravel(), places))
    K = (half + half.T - sparse.diags(spin**2 * M * np.tile([1.0, 1.0, 0.0], len(x)))).tocsc()
    v = shape.ravel()
    near = float(v @ (K @ v))
    squares, modes = linalg.eigsh(K, 6, sparse.diags(M).tocsc(), sigma=near, v0=v)
    return np.sqrt(squares[np.argmax(np.abs(modes.T @ (M * v)))])


def drawn_out(model, state):
    """The State with its one body in the shape that centrifugal forces hold it in."""
    shape = model.elastic[0].reduced
    motion = shape.motion(state.nodes.position, state.nodes.velocity)
    W, still = np.linalg.solve(shape.inertia.matrix(motion.q)[:3, :3], motion.spin), 0 * motion.q
    q = balanced(shape.law, lambda q: shape.inertia.centrifugal(q, W, still))
    twist = np.concatenate([motion.velocity, W, still])
    motion = motion._replace(q=q)
    nodes = replace(state.nodes, position=shape.places(motion), velocity=shape.velocities(motion, twist))
    return replace(state, nodes=nodes)


def corner_of(cells, size, reduction, step, begun=None):
    """Where a corner of a tumbling beam is after 0.25 s."""
    elastic = Elastic(young=YOUNG, law="stvk", element="t10", reduction=reduction)
    body = Body("beam", Tetrahedra(*box_grid(cells, size)), elastic=elastic, velocity=(1, 0.2, 0),
                angular_velocity=(3, 2, 8))  # fmt: skip
    scene = Scene((body,), one_material(0.5), WEIGHTLESS)
    return stepped(scene, 0.25, step, begun, spectral_radius=1.0)[1][-1].nodes.position[0]


def reduced_flight():
    """Beams of 6 modes and 10 derivatives tumble for 0.25 s: where a corner is, beside the whole mesh, and with steps
    of 10 ms beside such of 1.25 ms, from the shape that their spin draws them to. From rest they would vibrate along
    themselves, as the whole mesh does, in six steps a period."""
    lines, reduction = [], Reduction(6, 10)
    for cells, size in (((10, 2, 2), (1.0, 0.12, 0.1)), ((10, 1, 1), (1.5, 0.2, 0.15))):
        at = [corner_of(cells, size, one, 0.005) for one in (reduction, None)]
        name = f"beam of {size[0]:g} m: its corner"
        lines.append(below(f"{name} beside that of the whole mesh, h = 5 ms [m]", np.linalg.norm(at[0] - at[1]), 1e-3))
        at = [corner_of(cells, size, reduction, step, drawn_out) for step in (0.01, 0.00125)]
        lines.append(below(f"{name}, h = 10 ms [m]", np.linalg.norm(at[0] - at[1]), 1e-3))
    return lines


CASES = (Case("reduced_elastica", CHAPTER, reduced_elastica, False), Case("reduced_spin", CHAPTER, reduced_spin, False),
         Case("reduced_flight", CHAPTER, reduced_flight, False))  # fmt: skip
