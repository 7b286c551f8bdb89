"""Chains and beams of many links."""

from math import cos, pi, sin

import numpy as np

from ...scene import Joint, Spring
from ..base import SceneEntry, triple
from .parts import hinge, mechanism, rod


def hanging_chain(links=20, length=1.0, span=0.6, mass=1.0):
    """A chain between two hinges at one height, in a shape in which it cannot stay: all bends are equal."""
    step = length / links
    # Angles from a to -a, evenly: a by bisection, so that the ends are `span` apart.
    low, high = 0.0, pi
    shape = np.linspace(1.0, -1.0, links)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if step * np.cos(middle * shape).sum() > span else (low, middle)
    angles = low * shape
    ends = np.zeros((links + 1, 3))
    ends[1:, 0], ends[1:, 2] = np.cumsum(step * np.cos(angles)), -np.cumsum(step * np.sin(angles))
    bodies = [rod(f"l{i}", ends[i], ends[i + 1], mass / links, 0.2 * step) for i in range(links)]
    names = ["world", *(body.name for body in bodies), "world"]
    joints = [hinge(f"h{i}", names[i], names[i + 1], ends[i]) for i in range(links + 1)]
    return mechanism("hanging_links", bodies, joints)


def chain(links=20, heavy=1.0, kind="ball", link=0.1, angle=90.0, mass=0.1):
    """A chain of `links` let go `angle` degrees from hanging; its last link weighs `heavy` times as much."""
    a = np.radians(angle)
    direction = np.array([sin(a), 0.0, -cos(a)])
    ends = [i * link * direction for i in range(links + 1)]
    bodies = []
    for i in range(links):
        # The heavy link is as large as its mass says: a rod that thin and that heavy would have no inertia about x.
        own = {} if i < links - 1 or heavy == 1.0 else {"inertia": (1e-4 * heavy,) * 3}
        bodies.append(rod(f"l{i}", ends[i], ends[i + 1], mass * (heavy if i == links - 1 else 1.0), 0.1 * link, **own))
    names = ["world", *(body.name for body in bodies)]
    joints = [Joint(f"j{i}", kind, (names[i], names[i + 1]), triple(ends[i]), (0.0, 1.0, 0.0)) for i in range(links)]
    return mechanism("chain", bodies, joints)


def folded_chain(links=40, length=1.0, mass=1.0):
    """A chain whose one half hangs beside the other, from a hinge at the origin; its tip, two links from there, is
    free to fall."""
    step, half = length / links, (links - 2) // 2
    down, across, up = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    way = np.array([down] * half + [across] * 2 + [up] * half)
    ends = np.vstack([np.zeros(3), step * np.cumsum(way, axis=0)])
    bodies = [rod(f"l{i}", ends[i], ends[i + 1], mass / links, 0.1 * step) for i in range(links)]
    names = ["world", *(body.name for body in bodies)]
    joints = [hinge(f"h{i}", names[i], names[i + 1], ends[i]) for i in range(links)]
    return mechanism("folded_chain", bodies, joints)


def flexible_beam(links=16, mass=0.003, stiffness=250.0, length=0.02, clamp=1.0):
    """Macklin et al. 2019, 10.1.2: a beam of `links` of 3 g, clamped at one end, joined by ball joints with a bending
    stiffness of 250 N m; the paper does not say how long a link is. clamp: how many times as stiff the first joint is;
    2 where it stands for half a link, which is all that bends there."""
    ends = [(i * length, 0.0, 0.0) for i in range(links + 1)]
    bodies = [rod(f"l{i}", ends[i], ends[i + 1], mass, 0.3 * length) for i in range(links)]
    names = ["world", *(body.name for body in bodies)]
    joints = [Joint(f"j{i}", "ball", (names[i], names[i + 1]), triple(ends[i]),
                    spring=Spring(stiffness if i else clamp * stiffness)) for i in range(links)]  # fmt: skip
    return mechanism("flexible_beam", bodies, joints)


ENTRIES = (
    SceneEntry("hanging_links", "Hanging chain", "twenty links swing about their catenary", hanging_chain, 4.0),
    SceneEntry("chain", "Whip", "twenty links let go from horizontal", chain, 2.0),
    SceneEntry("flexible_beam", "Flexible beam", "sixteen links of 3 g with a bending stiffness of 250 N m, clamped",
               flexible_beam, 1.0, source="Macklin et al. 2019, section 10.1.2"),
)  # fmt: skip
