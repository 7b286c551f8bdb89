"""Deformable bodies: closed forms of elasticity, benchmarks of finite elements, friction and impact of soft bodies."""

from math import atan, cos, degrees, pi, radians, sin, tan

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

from ...dynamics.elastic.deformable import deformable
from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Scene
from ...scenes import build
from ...scenes.base import floor, one_material
from ...scenes.deformable.basics import soft_cube
from ...shapes import Tetrahedra
from ...simulation import compiled, options_for, step_settings, stepper
from ..lines import Case, below, close, within
from .equilibrium import equilibrium

CHAPTER = "Deformable bodies"


def beam(cells, element, poisson, young=1e8, law="linear"):
    """Deformable of a beam 1 x 0.1 x 0.1 m along x from 0, of so many cells each way."""
    vertices, tets = box_grid(cells, (1.0, 0.1, 0.1), low=(0, 0, 0))
    return deformable(vertices, tets, young, poisson, 1000.0, law=law, element=element)


def _bent(body, force):
    """Equilibrium of a beam along x, held at x = 0, with a force [N] down on its other end."""
    X = body.rest
    fixed, end = np.repeat((X[:, 0] < 1e-9)[:, None], 3, axis=1), X[:, 0] > X[:, 0].max() - 1e-9
    load = np.zeros_like(X)
    load[end, 2] = -force / end.sum()
    return equilibrium(body, X.copy(), fixed, load), end


def stretch_and_shear():
    """Homogeneous states are exact on any mesh: P = mu (s - J/s^2), J = 1 + (1 - 2 nu)(1 - 1/s); P12 = mu gamma."""
    lines = []
    vertices, tets = box_grid((3, 3, 3), (1, 1, 1), low=(0, 0, 0))
    inner = np.all((vertices > 1e-9) & (vertices < 1 - 1e-9), axis=1)
    vertices[inner] += 0.05 * np.random.default_rng(0).standard_normal((inner.sum(), 3))
    for element, young, poisson, stretch in (("t4", 1e5, 0.45, 1.5), ("t10", 1e6, 0.3, 0.8), ("t4", 1e6, 0.3, 2.0)):
        body = deformable(vertices, tets, young, poisson, 1000.0, law="neo_hookean", element=element)
        X = body.rest
        fixed = X < 1e-9
        fixed[:, 0] |= X[:, 0] > 1 - 1e-9
        found = equilibrium(body, X * [stretch, 1, 1], fixed, np.zeros_like(X))
        J, mu = 1 + (1 - 2 * poisson) * (1 - 1 / stretch), young / (2 * (1 + poisson))
        exact = mu * (stretch - J / stretch**2)
        stress = -found.reaction[X[:, 0] < 1e-9, 0].sum()
        lines.append(close(f"{element}, E {young:g}, nu {poisson}, stretch {stretch}: stress [Pa]", exact, stress, 1e-6,
                           relative=True))  # fmt: skip
    for poisson in (0.3, 0.49):
        body = deformable(vertices, tets, 1e6, poisson, 1000.0, law="neo_hookean")
        force = -body.forces(np.ascontiguousarray(body.rest @ np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1.0]]).T))
        top, exact = body.rest[:, 1] > 1 - 1e-9, 0.5 * 1e6 / (2 * (1 + poisson))
        lines.append(close(f"shear 0.5, nu {poisson}: shear stress [Pa]", exact, force[top, 0].sum(), 1e-6,
                           relative=True))  # fmt: skip
    return lines


def cantilever():
    """Tip deflection over Timoshenko's P L^3/(3 E I) + P L/(5/6 G A), small strain: what each element gives of it."""
    lines = []
    for element, cells, poisson, wanted in (
        ("t4", (10, 1, 1), 0.3, 0.354), ("t4", (20, 2, 2), 0.3, 0.672), ("t10", (10, 1, 1), 0.3, 0.977),
        ("t10", (20, 2, 2), 0.3, 0.989), ("t10", (10, 1, 1), 0.49, 1.0255),
    ):  # fmt: skip
        body = beam(cells, element, poisson)
        found, end = _bent(body, 1.0)
        inertia, shear = 0.1**4 / 12, 1e8 / (2 * (1 + poisson))
        exact = 1 / (3 * 1e8 * inertia) + 1 / (5 / 6 * shear * 0.01)
        ratio = -(found.position - body.rest)[end, 2].mean() / exact
        label = f"{element}, {cells[0]}x{cells[1]}x{cells[2]} cells, nu {poisson}: deflection over Timoshenko's"
        lines.append(close(label, wanted, ratio, 0.006))
    return lines


def elastica():
    """Large deflection of a beam with a tip load P L^2/(E I) = 1, 2, 5: Euler's elastica; T10, 20x2x2 cells."""
    lines, body = [], beam((20, 2, 2), "t10", 0.0, 1e6, "neo_hookean")
    for load, wanted in ((1, 0.301721), (2, 0.493457), (5, 0.713792)):
        found, end = _bent(body, load * 1e6 * 0.1**4 / 12)
        drop = -(found.position - body.rest)[end, 2].mean()
        lines.append(close(f"P L^2/(E I) = {load}: drop of the tip [m]", wanted, drop, 0.02, relative=True))
    return lines


def cook():
    """Cook's membrane, plane stress, nu 1/3: 23.964 at the middle of the free edge (literature 23.96)."""
    lines = []
    for element, n, low, high in (("t4", 8, 16.0, 16.4), ("t4", 16, 22.2, 22.6), ("t10", 8, 23.4, 24.1),
                                  ("t10", 16, 23.8, 24.1)):  # fmt: skip
        grid, tets = box_grid((n, n, 1), (1, 1, 1), low=(0, 0, 0))
        s, t, z = grid.T
        vertices = np.column_stack([48 * s, 44 * s * (1 - t) + t * (44 + 16 * s), z])
        body = deformable(vertices, tets, 1.0, 1 / 3, 1.0, law="linear", element=element)
        X = body.rest
        end = X[:, 0] > 48 - 1e-9
        load = np.zeros_like(X)
        load[end, 1] = _edge_weights(X[end], element)
        fixed = np.repeat((X[:, 0] < 1e-9)[:, None], 3, axis=1)
        found = equilibrium(body, X.copy(), fixed, load)
        middle = end & (np.abs(X[:, 1] - 52) < 1e-9)
        lines.append(within(f"{element}, {n} cells: deflection", low, high, (found.position - X)[middle, 1].mean()))
    return lines


def _edge_weights(points, element):
    """Shares (n,) of an even shear on the free edge 44 <= y <= 60, 0 <= z <= 1, by what lies nearest to each node."""
    weights = np.ones(len(points))
    for axis in (1, 2):
        ticks = np.unique(points[:, axis].round(9))
        parts = np.gradient(ticks) if len(ticks) > 2 else np.full(len(ticks), 1.0)
        parts[[0, -1]] = 0.5 * (ticks[1] - ticks[0]), 0.5 * (ticks[-1] - ticks[-2])
        weights *= parts[np.searchsorted(ticks, points[:, axis].round(9))]
    return weights / weights.sum()


def frequencies():
    """First frequency of a cantilever 1 x 0.1 x 0.1 m, E 1e6: Euler and Bernoulli's 0.510835 Hz."""
    lines = []
    for element, cells, wanted, tolerance in (("t4", (10, 1, 1), 0.833, 0.01), ("t4", (20, 2, 2), 0.619, 0.01),
                                              ("t10", (10, 1, 1), 0.5108, 0.02)):  # fmt: skip
        body = beam(cells, element, 0.3, 1e6)
        blocks = np.zeros((len(body.symbolic.pair_row), 3, 3))
        body.forces(body.rest, blocks)
        s = body.symbolic
        rows, columns = (3 * pair[:, None, None] for pair in (s.pair_row, s.pair_column))
        rows, columns = np.broadcast_arrays(rows + np.arange(3)[:, None], columns + np.arange(3))
        n = 3 * body.node_count
        lower = sparse.coo_matrix((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n)).tocsc()
        own = sparse.block_diag(list(blocks[s.pair_row == s.pair_column]))
        order = s.pair_row[s.pair_row == s.pair_column]
        place = (3 * np.argsort(order)[:, None] + np.arange(3)).ravel()
        K = lower + lower.T - own.tocsc()[place][:, place]
        free = np.flatnonzero(np.repeat(body.rest[:, 0] > 1e-9, 3))
        M = sparse.diags(np.repeat(body.mass, 3)).tocsc()[free][:, free]
        value = linalg.eigsh(K.tocsc()[free][:, free], 2, M, sigma=0)[0].min()
        lines.append(close(f"{element}, {cells[0]}x{cells[1]}x{cells[2]} cells: first frequency [Hz]", wanted,
                           np.sqrt(value) / (2 * pi), tolerance, relative=True))  # fmt: skip
    return lines


def stepped(scene, seconds, step=0.01, begun=None, **other):
    """(model, states, reports) of a run in memory, from the State begun(model, state) where that is given; other:
    SimulationOptions."""
    options = options_for(scene, time=seconds, time_step=step, **other)
    model, state = compiled(scene, options)
    state = state if begun is None else begun(model, state)
    settings, advance, states, reports = step_settings(options, model, state), stepper(options), [state], []
    for _ in range(round(seconds / step)):
        state, report, _ = advance(model, state, settings)
        states.append(state)
        reports.append(report)
    return model, states, reports


def soft_slope():
    """A soft cube on a slope slides with g (sin a - mu cos a), and begins to at tan a = mu: as a rigid one."""
    lines = []
    for element, young in (("t4", 1e6), ("t10", 1e6), ("t4", 1e9)):
        for friction in (0.55, 0.575):
            scene = build("soft_incline", friction=friction, young=young, cells=4 if element == "t4" else 2,
                          element=element)  # fmt: skip
            _, states, _ = stepped(scene, 0.6)
            exact = 9.81 * (sin(pi / 6) - friction * cos(pi / 6))
            found = (states[60].twist[1, 0] - states[30].twist[1, 0]) / 0.3
            lines.append(close(f"{element}, E {young:g}, mu {friction}: acceleration [m/s^2]", exact, found,
                               1e-3 * 9.81, "m/s^2"))  # fmt: skip
    critical = atan(0.5)
    moved = []
    for off in (-0.01, 0.01):
        scene = build("soft_incline", angle=degrees(critical) + off, friction=0.5, young=1e8, cells=2)
        _, states, _ = stepped(scene, 1.5)
        moved.append(states[150].twist[1, 0] - states[75].twist[1, 0])
    beyond = 0.75 * 9.81 * (sin(critical + radians(0.01)) - 0.5 * cos(critical + radians(0.01)))
    lines.append(below("0.01 degrees below the critical slope: gain of speed [m/s]", abs(moved[0]), 0.1 * beyond))
    lines.append(close("0.01 degrees above it: gain of speed [m/s]", beyond, moved[1], 0.1, relative=True))
    assert abs(tan(critical) - 0.5) < 1e-12
    return lines


def free_flight():
    """Nothing but inner forces: momentum and angular momentum stay to round-off."""
    body = soft_cube("cube", (0, 0, 0), 3, young=1e5, velocity=(1.0, 2.0, 3.0), angular_velocity=(3.0, 1.0, -2.0))
    lines = []
    for step in (0.01, 0.0025):
        model, states, _ = stepped(Scene((body,), one_material(0.5), (0.0, 0.0, 0.0)), 0.5, step)
        mass = model.elastic[0].mass
        speed = mass @ states[-1].nodes.velocity / mass.sum()
        spin = [_spin(mass, state.nodes) for state in (states[0], states[-1])]
        lines.append(below(f"h = {step * 1e3:g} ms: velocity off by [m/s]", np.abs(speed - [1, 2, 3]).max(), 1e-12))
        lines.append(below(f"h = {step * 1e3:g} ms: angular momentum off by, in parts of it",
                           np.linalg.norm(spin[1] - spin[0]) / np.linalg.norm(spin[0]), 1e-10))  # fmt: skip
    return lines


def _spin(mass, nodes):
    center, speed = mass @ nodes.position / mass.sum(), mass @ nodes.velocity / mass.sum()
    return (mass[:, None] * np.cross(nodes.position - center, nodes.velocity - speed)).sum(axis=0)


def rod_impact():
    """A rod of nu = 0 hits a wall at 1 m/s: in contact for 2 L/c = 63.2 ms, rebound 1 m/s, stress rho c v."""
    lines = []
    for step, time_off, rebound in ((0.002, 0.003, 0.8), (0.0005, 0.002, 0.93)):
        vertices, tets = box_grid((1, 1, 20), (0.05, 0.05, 1.0))
        rod = Body("rod", Tetrahedra(vertices, tets), position=(0, 0, 0.5 + 1e-6), velocity=(0, 0, -1.0),
                   elastic=Elastic(law="linear", young=1e6, poisson=0.0))  # fmt: skip
        scene = Scene((floor(4.0), rod), one_material(0.0), (0.0, 0.0, 0.0))
        model, states, reports = stepped(scene, 0.12, step)
        touching = [k for k, state in enumerate(states) if state.impulses[:, 0].sum() > 1e-9]
        label = f"h = {step * 1e3:g} ms"
        lasted = (touching[-1] - touching[0] + 1) * step
        lines.append(close(f"{label}: time in contact [s]", 0.063246, lasted, time_off, "s"))
        lines.append(within(f"{label}: rebound [m/s]", rebound, 1.0, states[-1].twist[1, 2]))
        force = max(state.impulses[:, 0].sum() / step for state in states)
        # A front of one element rings: the mean of the contact's time is what the theory says.
        mean = sum(state.impulses[:, 0].sum() for state in states) / lasted / 0.0025
        lines.append(close(f"{label}: mean stress in contact [Pa]", 31623, mean, 0.1, relative=True))
        lines.append(below(f"{label}: largest stress over that", force / 0.0025 / 31623, 2.0))
    return lines


def rigid_limit():
    """A cube of E = 1e9 stands, slides and carries as a rigid one does."""
    _, states, reports = stepped(build("soft_drop", young=1e9, speed=0.0, cells=2, damping=0.0), 1.0)
    rest = np.abs(states[-1].nodes.velocity).max()
    lines = [below("speed of a node at rest [m/s]", rest, 1e-3)]
    lines.append(below("deepest node [m]", -states[-1].nodes.position[:, 2].min(), 1e-6))
    _, states, reports = stepped(build("soft_block", young=1e9, cells=2), 0.5)
    lines.append(below("100:1 block on it: residual [m/s]", max(r.residual for r in reports), 1e-8))
    lines.append(below("the block's way down [m]", 0.3 - states[-1].position[2, 2], 1e-4))
    return lines


def damped_work():
    """A cube drops 3 mm at 1 ms: all that changes the energy has a term. The midpoint scheme takes nothing itself; what
    BDF2 and Euler take of the waves of the impact is booked as the scheme's own loss."""
    lines = []
    for scheme in ("midpoint", "bdf2"):
        _, _, reports = stepped(build("soft_drop", damping=0.02, speed=0.0), 0.3, 0.001, soft_stepper=scheme)
        total = np.array([r.kinetic + r.potential + r.elastic for r in reports])
        work = np.cumsum([r.friction_work + r.impact_loss + r.damping_work for r in reports])
        own = np.cumsum([r.scheme_loss for r in reports])
        turnover = max(r.kinetic for r in reports)
        left = np.abs(total - total[0] - (work - work[0]) - (own - own[0])).max() / turnover
        lines.append(below(f"{scheme}: unexplained, in parts of the largest kinetic energy", left, 1e-6))
        if scheme == "midpoint":
            lines.append(below("midpoint: what the scheme itself takes of it", np.abs(own).max() / turnover, 0.01))
        else:
            # How much the waves of an impact lose is the scheme's choice: known, and not small.
            lines.append(within("bdf2: what the scheme itself takes of it", 0.0, 0.5, -own[-1] / turnover))
    return lines


QUICK = ("stretch_and_shear",)
CASES = tuple(
    Case(key, CHAPTER, function, key in QUICK)
    for key, function in (
        ("stretch_and_shear", stretch_and_shear), ("cantilever", cantilever), ("elastica", elastica), ("cook", cook),
        ("frequencies", frequencies), ("soft_slope", soft_slope), ("free_flight", free_flight),
        ("rod_impact", rod_impact), ("rigid_limit", rigid_limit), ("damped_work", damped_work),
    )
)  # fmt: skip
