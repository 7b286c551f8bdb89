"""Materials drawn out, and gas that drives them: the extension test and the PneuNet gripper of the 2019 paper."""

import numpy as np
from scipy.optimize import brentq

from ...dynamics.elastic.build import build_deformable
from ...dynamics.elastic.deformable import deformable
from ...dynamics.elastic.laws.tensor_kernels import lame
from ...meshes.tet_grids import box_grid, tet_volumes
from ...scenes import build
from ...scenes.deformable import materials, pneumatic
from ..lines import Case, Outcome, Plot, close, within
from .elastic import CHAPTER, stepped
from .equilibrium import equilibrium

STRETCHES = (1.25, 1.5, 2.0, 2.5)


def _volume_ratio(law, poisson, stretch):
    """Volume of a bar drawn to `stretch`, in parts of that at rest, its sides free."""
    if law == "neo_hookean":
        return 1.0 + (1.0 - 2.0 * poisson) * (1.0 - 1.0 / stretch)
    return stretch * (1.0 - poisson * (stretch - 1.0)) ** 2


def material_extension():
    """A bar of E = 1e5, nu = .45, its sides free, drawn to s times its length: stable Neo-Hookean keeps its volume,
    J = 1 + (1 - 2 nu)(1 - 1/s), corotational elasticity loses it, J = s (1 - nu (s - 1))^2. Then the scene of the
    paper, whose ends cannot shrink, at twice its length."""
    lines, series = [], []
    vertices, tets = box_grid((3, 2, 2), (1.0, 0.5, 0.5), low=(0, 0, 0))
    nu, fine = materials.POISSON, np.linspace(1.0, STRETCHES[-1], 61)
    for law in materials.LAWS:
        body, found = deformable(vertices, tets, materials.YOUNG, nu, 1000.0, law=law), []
        X = body.rest
        fixed = X < 1e-9
        fixed[:, 0] |= X[:, 0] > 1 - 1e-9
        for stretch in STRETCHES:
            x = equilibrium(body, X * [stretch, 1.0, 1.0], fixed, np.zeros_like(X)).position
            found.append(tet_volumes(x, tets).sum() / 0.25)
            lines.append(close(f"{law}, stretch {stretch}: volume", _volume_ratio(law, nu, stretch), found[-1], 1e-6,
                               relative=True))  # fmt: skip
        series += [(f"{law}, exact", fine, _volume_ratio(law, nu, fine), "-"), (law, STRETCHES, found, "o")]
    model, states, _ = stepped(build("soft_extension", stretch=2.0), materials.DRAWN)
    ratio = []
    for number in np.flatnonzero(model.soft):
        x, own = states[-1].nodes.position[model.span(number)], model.elastic[number]
        ratio.append(tet_volumes(x, own.elements[:, :4]).sum() / own.volume.sum())
    lines.append(within("scene, stretch 2: volume of the Neo-Hookean bar", 1.0, 1.1, ratio[0]))
    lines.append(within("scene, stretch 2: volume of the corotational bar", 0.55, 0.8, ratio[1]))
    plot = Plot("material_extension", "Volume of a bar drawn out", "stretch", "volume / volume at rest", tuple(series))
    return Outcome(tuple(lines), (plot,))


def inflated_elements():
    """Gas within the elements themselves, as the 2019 paper drives its fingers: a free cube grows evenly until
    mu s + L s^2 (s^3 - 1 - mu/L) = p s^2, L = lambda + mu; and a strip whose upper half is filled bends, by Maysel's
    theorem exactly by 3 e / (2 H) where small: e = p (1 - 2 nu)/E, H its height."""
    lines = []
    for element, pressure in (("t4", 2e5), ("t10", -1e5)):
        body = deformable(*box_grid((2, 2, 2), (1.0, 1.0, 1.0)), 1e6, 0.3, 1000.0, law="neo_hookean", element=element,
                          inflated=np.ones(40, dtype=bool))  # fmt: skip
        mu, lam = (float(one) for one in lame(1e6, 0.3))
        L = lam + mu
        exact = brentq(lambda s, L=L, mu=mu, p=pressure: mu * s + L * s**2 * (s**3 - 1 - mu / L) - p * s**2, 0.7, 1.4)
        fixed = np.abs(body.rest) < 1e-9
        found = equilibrium(body, body.rest.copy(), fixed, np.zeros_like(body.rest), pressure=pressure).position
        lines.append(close(f"{element}, {pressure:g} Pa in a free cube: stretch", exact,
                           np.ptp(found, axis=0).max(), 1e-6))  # fmt: skip
    height, strain = 0.1, 1e-4
    vertices, tets = box_grid((20, 2, 2), (1.0, height, height), low=(0.0, -0.5 * height, -0.5 * height))
    body = deformable(vertices, tets, 1e6, 0.3, 1000.0, element="t10",
                      inflated=vertices[tets].mean(axis=1)[:, 2] > 0.0)  # fmt: skip
    X = body.rest
    fixed = np.repeat((X[:, 0] < 1e-9)[:, None], 3, axis=1)
    x = equilibrium(body, X.copy(), fixed, np.zeros_like(X), pressure=strain * 1e6 / 0.4).position
    middle = [(np.abs(X - [at, 0.0, 0.0]).max(axis=1) < 1e-9).nonzero()[0][0] for at in (0.3, 0.5, 0.7)]
    bent = -(x[middle, 2] * [1.0, -2.0, 1.0]).sum() / 0.2**2
    lines.append(close("strip filled above its middle: curvature [1/m]", 1.5 * strain / height, bent, 0.01, "1/m",
                       relative=True))  # fmt: skip
    return lines


def pneunet():
    """A finger of the gripper, quadratic elements: by Betti's theorem a pascal in its chambers moves the tip by as much
    as a newton on the tip widens the chambers (small loads). Then the gripper of 2019, table 2: 2241 tetrahedra there,
    a ball of 0.32 kg, mu = 0.7; the fingers hold the ball and lift it by 0.1 m."""
    scene = build("soft_pneunet")
    body = build_deformable(scene.bodies[2], pneumatic.DENSITY, np.zeros(3), np.eye(3))
    X = body.rest
    fixed = np.repeat(body.pinned[:, None], 3, axis=1)
    tip, none = X[:, 2] < X[:, 2].min() + 1e-9, np.zeros_like(X)
    force, pressure = none.copy(), 1.0
    force[tip, 0] = 1e-6 / tip.sum()
    moved = (equilibrium(body, X.copy(), fixed, none, 1e-12, pressure=pressure).position - X)[tip, 0].mean()
    pushed = equilibrium(body, X.copy(), fixed, force, 1e-12).position
    widened = (body.cavity_volume(pushed) - body.cavity_volume(X)) / 1e-6
    lines = [close("way of the tip [m/Pa] over the chambers' growth [m^3/N]", 1.0, moved / pressure / widened, 1e-3)]
    pressures, way, x = np.linspace(0.0, 1e6, 11), [], X.copy()
    for p in pressures:
        x = equilibrium(body, x, fixed, none, 1e-6, pressure=p).position
        way.append(-(x - X)[tip, 0].mean())
    model, states, _ = stepped(scene, 1.2, 1.0 / 120.0)
    mass = sum(own.mass.sum() for own in model.elastic if own is not None)
    count = sum(len(own.elements) for own in model.elastic if own is not None)
    volume = 3 * tet_volumes(scene.bodies[2].shape.vertices, scene.bodies[2].shape.tets).sum()
    rise = np.array([state.position[1, 2] - states[0].position[1, 2] for state in states])
    lines += [
        close("tetrahedra", 2241, count, 0.02, relative=True),
        close("mass of the fingers [kg]", pneumatic.DENSITY * volume, mass, 1e-9, "kg"),
        close("the ball is lifted by [m]", 0.1, rise[-1], 1e-3, "m"),
        close("and hangs: speed at the end [m/s]", 0.0, np.linalg.norm(states[-1].twist[1, :3]), 1e-3, "m/s"),
    ]
    plots = (
        Plot("pneunet", "Tip of a PneuNet finger", "pressure [kPa]", "way of the tip inwards [mm]",
             (("quadratic elements", pressures / 1e3, 1e3 * np.array(way), "o-"),)),
        Plot("pneunet_lift", "PneuNet gripper", "time [s]", "height of the ball [mm]",
             (("ball", [state.time for state in states], 1e3 * rise, "-"),)),
    )  # fmt: skip
    return Outcome(tuple(lines), plots)


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (material_extension, inflated_elements, pneunet))
