"""What a surface encloses even where it is not closed: its generalised winding number (Jacobson et al. 2013).

The winding number is 1 inside a closed surface and 0 outside; holes blur it. Inside is where it exceeds a half.
How much the volume depends on that half says how well the inside is known.
"""

from functools import cached_property

import numpy as np

from .integrals import inertia_from_second_moments
from .mass_properties import MassProperties
from .mesh_prep import corner_boxes

SAMPLES = 65_536  # points in the box: the volume is good to about 0.2 %
# Steps of the additive sequence in three dimensions: powers of the real root of x^4 = x + 1.
STEPS = 1.2207440846057596 ** -np.arange(1.0, 4.0)
QUICK_SAMPLES = 512
# Points tried first, for surfaces that are plainly inside out: in this part of the volume, and this many points.
GLANCES = (64, 512)
PLAINLY, PLAIN_POINTS = 0.05, 4
TOUCH = 1e-6  # of the size: faces that reach through each other by less only touch
MOST_CROSSINGS = 100_000
VAGUE = (0.25, 0.75)  # winding numbers between which it is undecided whether a point is inside


class SolidField:
    """Winding number, distance and self-intersections of a surface: vertices (V,3) [m], triangles (T,3)."""

    def __init__(self, vertices, triangles):
        from .bounding_tree import bounding_tree

        low, high = corner_boxes(vertices, triangles)
        self.low, self.high = low.min(axis=0), high.max(axis=0)
        self.center = 0.5 * (self.low + self.high)
        self.size = float(np.linalg.norm(self.high - self.low))
        self._box, self._child, order, self._leaf = bounding_tree(low - self.center, high - self.center)
        self._corners = vertices[triangles[order]] - self.center
        self._triangles = np.ascontiguousarray(triangles[order], dtype=np.int64)

    @cached_property
    def _dipoles(self):
        # The kernels load numba, which reading a scene must not.
        from .winding_kernels import dipoles

        table = np.empty((len(self._child), 7))
        dipoles(self._corners, self._box, self._child, self._leaf, np.empty(len(table)), table)
        return table

    def middles(self):
        """Corners and middles (P,3) [m] of the triangles."""
        return np.concatenate((self._corners.reshape(-1, 3), self._corners.mean(axis=1))) + self.center

    def _local(self, points):
        return np.ascontiguousarray(np.asarray(points, dtype=float) - self.center)

    def winding(self, points):
        """Winding number (P,) about points (P,3) [m], to about 0.01."""
        from .winding_kernels import winding_numbers

        return winding_numbers(self._local(points), self._corners, self._child, self._leaf, self._dipoles)

    def distance(self, points):
        """Distance (P,) [m] of points (P,3) from the surface."""
        from .winding_kernels import distances

        return distances(self._local(points), self._corners, self._box, self._child, self._leaf)

    @cached_property
    def crossings(self):
        """Number of pairs of triangles that go through each other, at most MOST_CROSSINGS."""
        from .winding_kernels import crossing_faces

        return crossing_faces(
            self._corners, self._triangles, self._box, self._child, self._leaf, TOUCH * self.size, MOST_CROSSINGS
        )

    def _spread(self, count):
        """Points (count,3) spread evenly in the box."""
        share = (0.5 + np.outer(np.arange(1, count + 1), STEPS)) % 1.0
        return self.low + share * (self.high - self.low)

    @cached_property
    def _sampled(self):
        """Points spread evenly in the box (n,3), the volume a point stands for [m^3], winding numbers (n,)."""
        points = self._spread(SAMPLES)
        return points, float(np.prod(self.high - self.low)) / SAMPLES, self.winding(points)

    def winds_wrong(self):
        """True if a few points find a place about which the surface winds the wrong way, or twice."""
        winding = self.winding(self._spread(QUICK_SAMPLES))
        return bool(np.any((winding < -0.5) | (winding > 1.5)))

    @property
    def volume(self):
        """Sampled volume [m^3] of where the winding number, of either sign, exceeds a half."""
        _, each, winding = self._sampled
        return each * int(np.count_nonzero(np.abs(winding) > 0.5))

    @property
    def vagueness(self):
        """Part of the volume of which it is undecided whether it is inside: 0 for a closed surface."""
        _, _, winding = self._sampled
        inside = np.count_nonzero(np.abs(winding) > 0.5)
        vague = np.count_nonzero((np.abs(winding) > VAGUE[0]) & (np.abs(winding) < VAGUE[1]))
        return vague / inside if inside else np.inf

    @cached_property
    def inside_out(self):
        """Part of the volume about which an outward oriented surface winds the wrong way."""
        # A crumpled surface of many triangles takes minutes for all points, and a few tell of it.
        for count in GLANCES:
            winding = self.winding(self._spread(count))
            wrong, inside = np.count_nonzero(winding < -0.5), np.count_nonzero(np.abs(winding) > 0.5)
            if wrong >= PLAIN_POINTS and wrong > PLAINLY * inside:
                return wrong / inside
        _, _, winding = self._sampled
        inside = np.count_nonzero(np.abs(winding) > 0.5)
        return np.count_nonzero(winding < -0.5) / inside if inside else 0.0

    def mass_properties(self):
        """Sampled volume, centre and inertia at density 1 of where the winding number exceeds a half."""
        points, each, winding = self._sampled
        inside = points[np.abs(winding) > 0.5]
        center = inside.mean(axis=0)
        arm = inside - center
        return MassProperties(each * len(inside), center, inertia_from_second_moments(each * arm.T @ arm))
