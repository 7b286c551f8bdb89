"""What the scenes of this folder share: a case, closed tubes with their centre lines, prisms."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from stiction.solver.shapes import Mesh


@dataclass(frozen=True)
class Case:
    """A scene of about 1 m: build() returns (Scene, {body: closed centre line (N,3) [m] in its frame}); time [s];
    sizes [m] it is made at, None for all."""

    key: str
    build: Callable
    time: float = 1.0
    sizes: tuple | None = None


@dataclass
class Built:
    """Bodies of a scene in the making, and the centre lines (N,3) [m] of those that are links."""

    bodies: list = field(default_factory=list)
    lines: dict = field(default_factory=dict)

    def add(self, body, line=None):
        """Add a body, with its centre line if it is a link."""
        self.bodies.append(body)
        if line is not None:
            self.lines[body.name] = line


def tube(line, radius, sides, start=0.0):
    """Closed tube (Mesh) of `sides` corners at `radius` [m] round a closed polygon (N,3) in the xy plane."""
    count = len(line)
    way = np.roll(line, -1, axis=0) - line
    way /= np.linalg.norm(way, axis=1)[:, None]
    bisector = way + np.roll(way, 1, axis=0)
    bisector /= np.linalg.norm(bisector, axis=1)[:, None]
    outward = np.cross(bisector, (0.0, 0.0, 1.0))
    # Mitred: the tube keeps its radius along each side.
    outward /= np.einsum("ij,ij->i", bisector, way)[:, None]
    angle = start + 2 * np.pi * np.arange(sides) / sides
    vertices = line[:, None] + radius * (
        np.cos(angle)[None, :, None] * outward[:, None] + np.sin(angle)[None, :, None] * np.array((0.0, 0.0, 1.0))
    )
    i, j = np.meshgrid(np.arange(count), np.arange(sides), indexing="ij")
    p, q = i * sides + j, (i + 1) % count * sides + j
    s, t = (i + 1) % count * sides + (j + 1) % sides, i * sides + (j + 1) % sides
    triangles = np.concatenate(
        [np.stack((p, q, s), axis=-1).reshape(-1, 3), np.stack((p, s, t), axis=-1).reshape(-1, 3)]
    )
    return Mesh(vertices.reshape(-1, 3), triangles)


def ring_line(radius, count, start=0.5):
    """Regular polygon (count,3) [m] in the xy plane, its first corner `start` of a side's angle off the x axis."""
    angle = 2 * np.pi * (np.arange(count) + start) / count
    return radius * np.column_stack((np.cos(angle), np.sin(angle), 0 * angle))


def oval_line(half_length, half_width, ends=8):
    """Two half circles (N,3) [m] joined by straight sides along x."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, ends + 1)
    right = np.column_stack(
        (half_length - half_width + half_width * np.cos(angle), half_width * np.sin(angle), 0 * angle)
    )
    return np.concatenate([right, -right * (1, 1, 0)])


def snap_line(half_length):
    """Outline (N,3) [m] of a carabiner along x: one end wide, the other narrow."""
    wide, narrow = 0.45 * half_length, 0.3 * half_length
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 7)
    right = np.column_stack((half_length - wide + wide * np.cos(angle), wide * np.sin(angle), 0 * angle))
    left = np.column_stack((narrow - half_length - narrow * np.cos(angle), -narrow * np.sin(angle), 0 * angle))
    return np.concatenate([right, left])


def polygon(radius, count, phase=0.0):
    """Corners (count,2) [m] of a regular polygon whose sides touch a circle of `radius`."""
    angle = phase + 2 * np.pi * np.arange(count) / count
    return radius / np.cos(np.pi / count) * np.column_stack((np.cos(angle), np.sin(angle)))
