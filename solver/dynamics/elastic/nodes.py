"""Nodes of deformable bodies: what of them changes in a run, and how the nodes of all bodies stand together."""

from dataclasses import dataclass

import numpy as np

from ..reduced.inertia import crossed
from .element_kernels import rigid_part as fill_rigid_part


@dataclass
class Nodes:
    """Nodes of all deformable bodies of a Model, body by body (N nodes, R bodies).

    position (N,3) [m]; velocity (N,3) [m/s]; before, velocity_before (N,3): those a step earlier; remembers (R,) int:
    into how many parts a whole step was divided that ended there, 0 where these do not count, see schemes/multistep.py;
    held (A,3): impulses of attachments in the last step, world frame [N s]; credit (R,) [J]:
    energy that steps lost, see schemes/midpoint.py.
    """

    position: np.ndarray
    velocity: np.ndarray
    before: np.ndarray
    velocity_before: np.ndarray
    remembers: np.ndarray
    held: np.ndarray
    credit: np.ndarray

    def copy(self):
        """An independent copy."""
        return Nodes(*(column.copy() for column in self._columns))

    @property
    def _columns(self):
        return [getattr(self, name) for name in self.__dataclass_fields__]

    def of(self, nodes, bodies, attachments):
        """Those that are numbered so, with what belongs to their bodies and attachments."""
        numbers = 4 * [nodes] + [bodies, attachments, bodies]
        return Nodes(*(column[which] for column, which in zip(self._columns, numbers, strict=True)))

    def put(self, part, nodes, bodies, attachments):
        """Take over what `of` gave, as it is now."""
        numbers = 4 * [nodes] + [bodies, attachments, bodies]
        for column, which, own in zip(self._columns, numbers, part._columns, strict=True):
            column[which] = own


def first_nodes(deformables, twists, held=0):
    """Nodes at the start; twists (R,6): velocities of the bodies, which their nodes share; held: number of
    attachments."""
    position, velocity = [], []
    for body, twist in zip(deformables, twists, strict=True):
        if body is not None:
            position.append(body.start)
            velocity.append(moved_with(twist, center_of(body, body.start), body.start))
    x, v = np.concatenate(position), np.concatenate(velocity)
    return Nodes(x.copy(), v.copy(), x.copy(), v.copy(), np.zeros(len(deformables), dtype=np.int64),
                 np.zeros((held, 3)), np.zeros(len(deformables)))  # fmt: skip


def center_of(body, x):
    """Centre of mass (3,) of a Deformable with nodes at x (n,3)."""
    return body.mass @ x / body.whole_mass


def rigid_part(body, x, v):
    """Velocity of the centre of mass and angular velocity (6,) of the rigid motion with the same momenta as v (n,3)."""
    return with_looseness(body, x, v)[0]


def with_looseness(body, x, v):
    """(rigid_part, how fast [m/s] nodes of the surface move relative to it at most)."""
    twist = np.empty(6)
    x, v = np.ascontiguousarray(x), np.ascontiguousarray(v)
    return twist, fill_rigid_part(body.mass, x, v, body.surface_nodes, twist)


def moved_with(twist, center, x):
    """Velocities (n,3) of points x (n,3) of a body that moves rigidly."""
    return twist[:3] + crossed(twist[3:], x - center)
