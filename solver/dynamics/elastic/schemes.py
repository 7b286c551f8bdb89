"""Time schemes of deformable bodies.

All have the form  x+ = X + c h u+,   M (u+ - V) = c h f(x+, u+),  with c the part of the step that counts:

    Euler   X = x, V = u, c = 1
    BDF2    X = (4 x - x-)/3, V = (4 u - u-)/3, c = 2/3

A contact sees the displacement over the step, (X - x)/h + c u+, and its impulse acts by the same c: so gaps close by
the scheme's own measure, and the problem stays symmetric. BDF2 remembers the velocity before an impact and would throw
a stiff body back with up to a third of it: such a step is made again with Euler, and so is the next.
"""

from dataclasses import dataclass

import numpy as np

from ..cholesky import Factor
from .nodes import rigid_part

# A step is made again where the change of velocity differs from that of the last by more than this part of the speed,
# and this many times what gravity gives in a step.
JUMP, FALLS = 0.25, 2.0


@dataclass
class SoftPart:
    """One deformable body in one step: number in its island, Deformable, its first node among the island's; nodes x, u
    (n,3) before the step; X, V, scale c: see above; v (n,3): the velocity so far.

    factor, blocks: the body's matrix and stiffness at v; drag (s,3,3): stiffness of its damping; free (n,3): the
    velocity it would end with without impulses; right, push (n,3) [N s]: what the matrix is solved with, without
    impulses and by them.
    """

    number: int
    body: object
    first: int
    x: np.ndarray
    u: np.ndarray
    X: np.ndarray
    V: np.ndarray
    scale: float
    v: np.ndarray
    factor: Factor = None
    blocks: np.ndarray = None
    drag: np.ndarray = None
    free: np.ndarray = None
    right: np.ndarray = None
    push: np.ndarray = None

    def position(self, h, v=None):
        """Node positions (n,3) at the end of a step of h [s] with velocities v."""
        return self.X + self.scale * h * (self.v if v is None else v)

    def displacement_rate(self, h, v):
        """Displacement over the step in parts of its length (n,3) [m/s] for velocities v (n,3) at its end."""
        return (self.X - self.x) / h + self.scale * v


def soft_part(number, body, first, nodes, span, remembers, h, prescribed):
    """SoftPart of a body whose nodes are nodes[span]; remembers: whether BDF2 may look back; prescribed (n,3): where
    pinned nodes are to be at the end of the step, None where none is."""
    x, u = nodes.position[span], nodes.velocity[span]
    if remembers:
        X, V = (4.0 * x - nodes.before[span]) / 3.0, (4.0 * u - nodes.velocity_before[span]) / 3.0
        scale = 2.0 / 3.0
    else:
        X, V, scale = x, u, 1.0
    damping = body.damping[0]
    if damping > 0.0:
        # Of the motion beside the rigid one alone: mass damping would hold up a falling body.
        center = body.mass @ x / body.mass.sum()
        rigid = rigid_part(body, x, V)
        rigid = rigid[:3] + np.cross(rigid[3:], x - center)
        V = rigid + (V - rigid) / (1.0 + damping * scale * h)
    v = u.copy()
    if prescribed is not None:
        v[body.pinned] = ((prescribed - X) / (scale * h))[body.pinned]
    return SoftPart(number, body, first, x, u, X, V, scale, v, body.factor, body.blocks)


def jumps(part, nodes, span, h, gravity):
    """Whether the velocity of a body that BDF2 stepped changed otherwise than a step earlier: by an impact."""
    change, earlier = part.v - part.u, part.u - nodes.velocity_before[span]
    limit = JUMP * np.abs(part.u).max() + FALLS * h * np.linalg.norm(gravity)
    return np.abs(change - earlier)[~part.body.pinned].max(initial=0.0) > limit
