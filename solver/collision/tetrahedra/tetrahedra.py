"""Tetrahedra behind a surface, for the contact generators that need them."""

from typing import NamedTuple

import numpy as np

from ...base.refusal import SceneError
from ..broadphase.geometry import colliders_of, share_cores, starts
from ..contact_generators import ENVELOPE
from ..surface.mesh_pool import DEGENERATE


def surface_tetrahedra(who, shape):
    """Return corners (T,4,3) [m] of one tetrahedron behind every triangle of the shape's surface.

    The first three corners are the triangle, outward counter-clockwise; the fourth is inside. Behind a convex
    surface it is the middle, so that the tetrahedra fill the solid; behind any other it lies under the middle of
    the triangle, half way to where the solid ends, so that they are a layer under the surface. The generators look at
    tetrahedra with a face on the surface only. Raises SceneError naming `who` for an open mesh.
    """
    vertices, triangles = shape.surface()
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles)
    if shape.type == "mesh" and not shape.prepared.report.closed:
        raise SceneError(f"{who}: an open mesh has no inside for tetrahedra; close it or use the generator 'cones'")
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1)
    extent = np.ptp(vertices, axis=0).max()
    good = area > DEGENERATE * extent**2
    corners, normal = corners[good], normal[good] / area[good, None]
    # A vertex this far above the plane of a face, relative to the extent, makes a solid concave.
    if _is_convex(corners, normal, vertices, 1e-9 * extent):
        inside = np.broadcast_to(vertices.mean(axis=0), (len(corners), 3))
    else:
        inside = corners.mean(axis=1) - 0.5 * _thickness(vertices, triangles[good], normal)[:, None] * normal
    return np.concatenate((corners, inside[:, None]), axis=1)


def _is_convex(corners, normal, vertices, slack):
    """True if no vertex is above the plane of any face; face by face, to leave early and need little memory."""
    return all((vertices @ n).max() <= n @ c + slack for c, n in zip(corners[:, 0], normal, strict=True))


def _thickness(vertices, triangles, normal):
    """Thickness (T,) [m] of the solid under the middle of every triangle."""
    # Compiled; convex shapes do without.
    from ...meshes.bounding_tree import bounding_tree
    from ...meshes.mesh_build_kernels import inward_distance

    corners = vertices[triangles]
    box, child, order, leaf = bounding_tree(corners.min(axis=1), corners.max(axis=1))
    most = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    ordered = np.ascontiguousarray(triangles[order])
    thickness = np.empty(len(order))
    thickness[order] = inward_distance(vertices, ordered, normal[order], box, child, leaf, most)
    return thickness


class TetrahedraPool(NamedTuple):
    """Tetrahedra of all shapes of a scene in their own frames: those of shape s are corner[start[s]:start[s + 1]].

    start (S+1,); corner (.,4,3) [m]; reach [m]: how far apart the generator searches; least (C,) [m]: two contacts of a
    collider whose positions differ by less are one.
    """

    start: np.ndarray
    corner: np.ndarray
    reach: float
    least: np.ndarray


def tetrahedra_pool(geometry, shapes, names, generator):
    """TetrahedraPool of the bodies' shapes for a generator of CONTACT_GENERATORS; SceneError names an open mesh."""
    rows = colliders_of(shapes)
    numbers, distinct = share_cores(rows)
    owner = {}
    for number, (body, _) in zip(numbers, rows, strict=True):
        owner.setdefault(number, f"body {names[body]!r}" if names else f"body {body}")
    parts = [surface_tetrahedra(owner[number], shape) for number, shape in enumerate(distinct)]
    reach = ENVELOPE if generator == "closest_points" else 0.0
    corner = np.ascontiguousarray(np.concatenate([*parts, np.zeros((0, 4, 3))]))
    # Contacts of one pair closer than this part of the body are one: PROX drops those equal in position and normal.
    return TetrahedraPool(starts([len(part) for part in parts]), corner, reach, 1e-7 * geometry.extent)
