"""What of the bodies' form says how finely their motion must be subdivided: how far they reach, how thin they are."""

from typing import NamedTuple

import numpy as np

from ..collision.broadphase.geometry import CAPSULE, CYLINDER, MESH


class BodyForm(NamedTuple):
    """reach (R,) [m]: greatest distance of a body's surface from its centre of mass, zero for balls that turn about
    their middle; axis (R,3): direction in the body's frame about which turning moves no surface, zero where there is
    none; thickness (R,) [m] of the thinnest part, infinite for sheets, which have none."""

    reach: np.ndarray
    axis: np.ndarray
    thickness: np.ndarray

    def of(self, bodies):
        """The same for some of the bodies."""
        return BodyForm(*(column[bodies] for column in self))


def body_form(collision):
    """BodyForm of the bodies of a CollisionModel."""
    geometry, count = collision.geometry, len(collision.allowed.movable)
    thickness = 2.0 * geometry.thin
    thickness[geometry.kind == MESH] = _mesh_thickness(collision)
    return BodyForm(
        _per_body(np.maximum, geometry.reach, geometry.body, count, 0.0),
        _axes(geometry, count),
        _per_body(np.minimum, thickness, geometry.body, count, np.inf),
    )


def _per_body(choose, values, body, count, start):
    result = np.full(count, start)
    choose.at(result, body, values)
    return result


def _axes(geometry, count):
    """Axis (R,3) of bodies that are one capsule or cylinder about its own middle."""
    axis = np.zeros((count, 3))
    parts = np.bincount(geometry.body, minlength=count)
    for c in np.flatnonzero((geometry.kind == CAPSULE) | (geometry.kind == CYLINDER)):
        body, direction = geometry.body[c], geometry.turn[c][:, 2]
        aside = geometry.offset[c] - (geometry.offset[c] @ direction) * direction
        if parts[body] == 1 and np.linalg.norm(aside) <= 1e-9 * geometry.extent[c]:
            axis[body] = direction
    return axis


def _mesh_thickness(collision):
    """Thickness [m] of every collider that is a mesh, in their order."""
    geometry = collision.geometry
    numbers = geometry.mesh[geometry.kind == MESH]
    if not len(numbers):
        return np.zeros(0)
    from ..collision.surface.mesh_pool import thicknesses

    return thicknesses(collision.meshes)[numbers]
