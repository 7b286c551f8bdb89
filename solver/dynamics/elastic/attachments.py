"""Attachments: nodes of deformable bodies held to rigid bodies or to the surface of other deformable ones."""

from typing import NamedTuple

import numpy as np

from ...base.refusal import SceneError, vector
from ...scene import WORLD
from .. import rotation
from . import search_kernels as kernels


class Attachments(NamedTuple):
    """A held nodes. body (A,2): the deformable body whose node it is and what holds it; node (A,) of
    the first; anchor (A,3): the place in the second, in its frame about the centre of mass, of deformable ones the
    vector from the surface to the node at the start; hold (A,3), weight (A,3): nodes of the second with their weights,
    -1 and 0 for rigid ones."""

    body: np.ndarray
    node: np.ndarray
    anchor: np.ndarray
    hold: np.ndarray
    weight: np.ndarray

    @property
    def count(self):
        """Number of held nodes."""
        return len(self.node)

    def couples(self):
        """Pairs (P,2) of bodies that are attached to each other."""
        return np.unique(self.body, axis=0) if self.count else self.body

    def held_nodes(self, node_start):
        """Which of all nodes (N,) bool are held, or hold others."""
        held = np.zeros(int(node_start[-1]), dtype=bool)
        if not self.count:
            return held
        held[node_start[self.body[:, 0]] + self.node] = True
        soft = self.hold[:, 0] >= 0
        held[node_start[self.body[soft, 1], None] + self.hold[soft]] = True
        return held

    def chosen(self, which):
        """Those that are `which` (A,) bool."""
        return Attachments(*(column[which] for column in self))

    def points(self, position, orientation, x, node_start):
        """(places (A,3) of the nodes, places (A,3) where they are held) for poses (R,3), (R,4) and all nodes x."""
        first = x[node_start[self.body[:, 0]] + self.node]
        other = self.body[:, 1]
        second = np.einsum("aij,aj->ai", rotation.matrix(orientation[other]), self.anchor) + position[other]
        soft = self.hold[:, 0] >= 0
        nodes = x[node_start[self.body[soft, 1], None] + self.hold[soft]]
        second[soft] = np.einsum("aj,ajk->ak", self.weight[soft], nodes) + self.anchor[soft]
        return first, second


def _none():
    integer, real = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3))
    return Attachments(integer, integer[:, 0], real, np.zeros((0, 3), dtype=np.int64), real)


NO_ATTACHMENTS = _none()


def compile_attachments(scene, deformables, position, orientation, size):
    """Attachments of a Scene; position (R,3) of centres of mass, orientation (R,4), size (R,) [m]. Raises
    SceneError."""
    number = {body.name: i for i, body in enumerate(scene.bodies)}
    found = [NO_ATTACHMENTS]
    for i, given in enumerate(scene.attachments):
        who = f"attachment {i} of {' and '.join(map(repr, given.bodies))}"
        a, b, box = _checked(who, given, number, deformables)
        body = deformables[a]
        inside = np.all((body.start >= box[0]) & (body.start <= box[1]), axis=1) & ~body.pinned
        if deformables[b] is not None:
            inside &= np.isin(np.arange(body.node_count), body.surface_nodes)
        nodes = np.flatnonzero(inside)
        if len(nodes) == 0:
            raise SceneError(f"{who}: its box holds no free node of {given.bodies[0]!r}; move or enlarge it")
        found.append(_held(who, a, b, nodes, deformables, position, orientation, size))
    return Attachments(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _checked(who, given, number, deformables):
    if len(given.bodies) != 2 or given.bodies[0] == given.bodies[1]:
        raise SceneError(f"{who}: give two different bodies, the deformable one first")
    for name in given.bodies:
        if name == WORLD:
            raise SceneError(f"{who}: nothing is attached to the world; pin the nodes instead")
        if name not in number:
            raise SceneError(f"{who}: no body {name!r}; correct the name or remove the attachment")
    a, b = (number[name] for name in given.bodies)
    if deformables[a] is None:
        raise SceneError(f"{who}: {given.bodies[0]!r} is rigid; name the deformable body first, or use a joint")
    if len(given.box) != 2:
        raise SceneError(f"{who}: box is {given.box}; give two corners")
    low, high = (vector(who, "corner of the box", corner, 3, "m") for corner in given.box)
    if np.any(low > high):
        raise SceneError(f"{who}: the box has its corners the wrong way round; give the lowest first")
    return a, b, (low, high)


def _held(who, a, b, nodes, deformables, position, orientation, size):
    count, at = len(nodes), deformables[a].start[nodes]
    hold, weight = np.full((count, 3), -1), np.zeros((count, 3))
    anchor = at
    if deformables[b] is None:
        anchor = (at - position[b]) @ rotation.matrix(orientation[b : b + 1])[0]
    else:
        other, points = deformables[b], np.ascontiguousarray(at)
        near, weight = np.empty(count, dtype=np.int64), np.empty((count, 3))
        kernels.nearest_triangle(other.start, other.surface, points, near)
        hold = other.surface[near]
        kernels.triangle_weights(other.start, hold, points, weight)
        anchor = at - np.einsum("aj,ajk->ak", weight, other.start[hold])
        far = np.linalg.norm(anchor, axis=1).max()
        # Parts of the smaller body's reach.
        if far > 0.05 * min(size[a], size[b]):
            raise SceneError(f"{who}: a node is {far * 1e3:.4g} mm from the other surface; move the bodies together, "
                             "or make the box smaller")  # fmt: skip
        free = (hold < 0) | ~other.pinned[hold]
        if not free.any():
            raise SceneError(f"{who}: holds pinned nodes to pinned nodes; remove it")
    return Attachments(np.tile([a, b], (count, 1)), nodes, np.ascontiguousarray(anchor), hold, weight)
