"""Screw threads as closed triangle meshes."""

import numpy as np

# Parts of a pitch at which the corners of a sharp profile follow each other: root, crest, crest, root.
CORNERS = (0.0, 0.4, 0.42, 0.82)


class _Thread:
    """The surface in the making: places [m] of its vertices, numbered as they are first asked for, and its faces."""

    def __init__(self, radii, pitch, turns, sides):
        self.radius, self.pitch, self.sides, self.last = radii, pitch, sides, turns * sides
        self.places, self.faces, self._numbers = [], [], {}

    def at(self, key, radius, turn, height):
        """Number of the vertex `key`, which is at this radius [m], `turn` sides round, and height [m]."""
        if key not in self._numbers:
            self._numbers[key] = len(self.places)
            angle = 2 * np.pi * (turn % self.sides) / self.sides
            self.places.append((radius * np.cos(angle), radius * np.sin(angle), height))
        return self._numbers[key]

    def corner(self, j, i):
        """Corner i of the profile, j sides along the thread; 4: the first one of the next turn."""
        j, i = (j + self.sides, 0) if i == 4 else (j, i)
        return self.at((j, i), self.radius[i], j, self.pitch * (j / self.sides + CORNERS[i]))

    def fan(self, *points):
        """Add the triangles of a flat polygon."""
        self.faces.extend((points[0], points[n], points[n + 1]) for n in range(1, len(points) - 1))

    def wind(self):
        """Add the thread and its blunt ends."""
        for j in range(self.last):
            for i in range(4):
                self.fan(self.corner(j, i), self.corner(j + 1, i), self.corner(j + 1, i + 1), self.corner(j, i + 1))
        self.fan(*(self.corner(0, i) for i in range(4)))
        self.fan(*(self.corner(self.last, 3 - i) for i in range(4)))

    def circle(self, radius, height):
        """The vertices of a circle round the axis, the first one twice."""
        return [self.at((radius, height, k % self.sides), radius, k, height) for k in range(self.sides + 1)]

    def level(self, low, high):
        """Add what is between the spirals of the root and the circles `low` and `high`."""
        for k in range(self.sides):
            # Where a spiral begins and ends, the blunt end's corners are on one line.
            ends = [(0, 0), (0, 3), (self.sides, 0)] if k == self.sides - 1 else [(k + 1, 0)]
            self.fan(self.corner(k, 0), low[k], low[k + 1], *(self.corner(*end) for end in ends))
            top = self.last + k
            ends = [(top + self.sides, 0), (top, 3), (top, 0)] if k == 0 else [(top, 0)]
            self.fan(self.corner(top + 1, 0), high[k + 1], high[k], *(self.corner(*end) for end in ends))


def threaded(root, crest, pitch, turns, sides=24, outer=None):
    """Closed surface (vertices (V,3) [m], triangles (T,3)) of a right-handed thread along z, about its middle.

    root, crest: radii [m] of the profile, whose corners are at CORNERS of the pitch [m]; `sides` edges a round.
    A screw; with `outer` [m], the radius of its outside, a nut, whose root is the larger radius: a screw fits whose
    crest and root are less than these, and whose pitch is the same.
    Half a pitch before its ends the thread is blunt.
    """
    made = _Thread((root, crest, crest, root), pitch, turns, sides)
    low, high = -0.5 * pitch, pitch * (turns + 1.5)
    made.wind()
    lower, upper = made.circle(root, low), made.circle(root, high)
    made.level(lower, upper)
    if outer is None:
        below, above = made.at("low", 0.0, 0, low), made.at("high", 0.0, 0, high)
        for k in range(sides):
            made.fan(below, lower[k + 1], lower[k])
            made.fan(above, upper[k], upper[k + 1])
    else:
        floor, top = made.circle(outer, low), made.circle(outer, high)
        for k in range(sides):
            made.fan(lower[k], floor[k], floor[k + 1], lower[k + 1])
            made.fan(upper[k], upper[k + 1], top[k + 1], top[k])
            made.fan(floor[k + 1], floor[k], top[k], top[k + 1])
    vertices, triangles = np.array(made.places), np.array(made.faces)
    vertices[:, 2] -= 0.5 * (low + high)
    return vertices, triangles if outer is None else triangles[:, ::-1]
