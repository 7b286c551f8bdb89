"""Arches of voussoirs with dry joints: semicircular and catenary."""

from math import pi

import numpy as np

from ..scene import Body, Motion, Scene
from ..shapes import Compound, ConvexHull, Part
from .base import SceneEntry, floor, one_material, preset, triple
from .checks import falls, stands


def prism(name, outline, depth, **more):
    """A body from its outline (4,2) [m] in the xz plane, `depth` [m] along y; the frame is at the corners' mean."""
    outline = np.asarray(outline, dtype=float)
    center = outline.mean(axis=0)
    local = outline - center
    front = np.c_[local[:, 0], np.full(len(local), -depth / 2), local[:, 1]]
    back = front * [1.0, -1.0, 1.0]
    return Body(name, ConvexHull(np.r_[front, back]), position=triple((center[0], 0.0, center[1])), **more)


def arch(count=20, ratio=0.2, friction=0.6, radius=2.0, depth=0.5, density=2000.0, facets=1):
    """A semicircular arch of `count` voussoirs, thickness/mean radius `ratio`, radial joints, feet on the floor.

    facets: into how many straight pieces each face along the arch is divided; many are nearly arcs.
    """
    angles = np.linspace(0.0, pi, count * facets + 1)
    rays = np.c_[np.cos(angles), np.sin(angles)]
    rays[0], rays[-1] = (1.0, 0.0), (-1.0, 0.0)
    thickness = radius * ratio
    inner, outer = (radius - thickness / 2) * rays, (radius + thickness / 2) * rays
    outlines = np.stack([inner[:-1], outer[:-1], outer[1:], inner[1:]], axis=1).reshape(count, facets, 4, 2)
    blocks = tuple(voussoir(f"v{i}", outline, depth) for i, outline in enumerate(outlines))
    return Scene((floor(), *blocks), one_material(friction, density), name=f"arch{count}")


def voussoir(name, outlines, depth):
    """A body of one prism for each of the outlines (F,4,2) [m]."""
    pieces = [prism(name, outline, depth) for outline in outlines]
    if len(pieces) == 1:
        return pieces[0]
    parts = tuple(Part(piece.shape, piece.position) for piece in pieces)
    return Body(name, Compound(parts), position=(0.0, 0.0, 0.0))


def catenary_points(count, half_span, parameter):
    """Points (count+1, 2) at equal arc length on z = rise - a (cosh(x/a) - 1), and the unit tangents there."""
    length = parameter * np.sinh(half_span / parameter)
    arcs = np.linspace(-length, length, count + 1)
    x = parameter * np.arcsinh(arcs / parameter)
    rise = parameter * (np.cosh(half_span / parameter) - 1)
    z = rise - parameter * (np.cosh(x / parameter) - 1)
    slope = -np.sinh(x / parameter)
    tangents = np.c_[np.ones_like(slope), slope] / np.hypot(1.0, slope)[:, None]
    return np.c_[x, z], tangents


def catenary_arch(count=15, thickness=0.05, friction=0.02, half_span=0.5, parameter=0.35, depth=0.2, density=2000.0):
    """An arch in the shape of a hanging chain, joints normal to the curve: it needs almost no friction."""
    points, tangents = catenary_points(count, half_span, parameter)
    normals = np.c_[-tangents[:, 1], tangents[:, 0]]
    lower, upper = points - thickness / 2 * normals, points + thickness / 2 * normals
    blocks = [prism(f"v{i}", [lower[i], lower[i + 1], upper[i + 1], upper[i]], depth) for i in range(count)]
    for name, end, sign in (("left", 0, -1.0), ("right", count, 1.0)):
        # A fixed skewback continues the curve beyond the springing joint, a little wider than the joint.
        wide = [points[end] + s * thickness * normals[end] for s in (-1.0, 1.0)]
        outline = [wide[0], wide[1], wide[1] + sign * 0.1 * tangents[end], wide[0] + sign * 0.1 * tangents[end]]
        blocks.append(prism(name, outline, 2 * depth, motion=Motion.STATIC))
    return Scene(tuple(blocks), one_material(friction, density), name="catenary_arch")


ENTRIES = (
    SceneEntry(
        "arch20",
        "Arch, t/R 0.2",
        "twenty voussoirs of ample thickness stand",
        preset("arch20", arch, count=20, ratio=0.2),
        check=stands(0.4),
    ),
    SceneEntry(
        "arch20thin",
        "Arch, t/R 0.115",
        "7 % above the thinnest arch that stands",
        preset("arch20thin", arch, count=20, ratio=0.115),
        check=stands(0.23),
    ),
    SceneEntry(
        "arch20fail",
        "Arch, t/R 0.09",
        "16 % below: must fall",
        preset("arch20fail", arch, count=20, ratio=0.09),
        check=falls(0.18),
    ),
    SceneEntry("arch", "Semicircular arch", "any count, thickness and friction", arch, check=stands(0.4)),
    SceneEntry("catenary_arch", "Catenary arch", "stands with a friction of 0.02", catenary_arch, check=stands(0.05)),
)
