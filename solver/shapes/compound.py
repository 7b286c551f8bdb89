"""Several shapes joined into one rigid body."""

from typing import Any, ClassVar

import numpy as np

from ..base.records import record
from ..base.refusal import SceneError, vector
from ..meshes.mass_properties import MassProperties
from .checks import unit_quaternion


@record
class Part:
    """One shape in a compound, with its pose in the compound's frame: position [m], orientation w, x, y, z."""

    shape: Any
    position: tuple = (0.0, 0.0, 0.0)
    orientation: tuple = (1.0, 0.0, 0.0, 0.0)

    def rotation(self):
        """Rotation matrix (3,3) from the part's frame to the compound's."""
        w, x, y, z = np.asarray(self.orientation, dtype=float) / np.linalg.norm(self.orientation)
        return np.array(
            [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
            ]
        )


@record
class Compound:
    """The union of `parts`. Where parts overlap, the mass of both counts."""

    parts: tuple[Part, ...]
    type: ClassVar[str] = "compound"

    def check(self, who):
        """Raise SceneError for an empty compound, a compound inside a compound, or a bad part (named by number)."""
        if len(self.parts) == 0:
            raise SceneError(f"{who}: compound has 0 parts; give at least one")
        for number, part in enumerate(self.parts):
            name = f"{who} part {number}"
            if not isinstance(part, Part):
                raise SceneError(f"{name}: is a {type(part).__name__}; give a Part(shape, position)")
            if getattr(part.shape, "type", None) == self.type:
                raise SceneError(f"{name}: shape is a compound; list its parts directly")
            vector(name, "position", part.position, 3, "m")
            unit_quaternion(name, "orientation", part.orientation)
            part.shape.check(name)

    def mass_properties(self):
        """Sum over the parts, exact for each, at density 1."""
        volume, first, moved = 0.0, np.zeros(3), []
        for number, part in enumerate(self.parts):
            try:
                own = part.shape.mass_properties()
            except SceneError as error:
                raise SceneError(f"part {number}: {error}") from None
            turn = part.rotation()
            center = turn @ own.center + np.asarray(part.position, dtype=float)
            moved.append((own.volume, center, turn @ own.inertia @ turn.T))
            volume += own.volume
            first += own.volume * center
        center = first / volume
        inertia = np.zeros((3, 3))
        for part_volume, part_center, part_inertia in moved:
            arm = part_center - center
            inertia += part_inertia + part_volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return MassProperties(volume, center, inertia)

    def surface(self):
        """Surfaces of all parts, one after the other (they may interpenetrate)."""
        vertices, triangles, count = [], [], 0
        for part in self.parts:
            points, faces = part.shape.surface()
            vertices.append(points @ part.rotation().T + np.asarray(part.position, dtype=float))
            triangles.append(faces + count)
            count += len(points)
        return np.concatenate(vertices), np.concatenate(triangles)
