"""Time schemes of deformable bodies.

All have the form  x+ = X + c h u+,   M (u+ - V) = a h f(Y + e h u+, w u+ + (1 - w) u):

    Euler     X = Y = x, V = u, c = a = e = w = 1
    BDF2      X = Y = (4 x - x-)/3, V = (4 u - u-)/3, c = a = e = 2/3, w = 1
    midpoint  X = x + h u/2, Y = x + h u/4, V = u, c = w = 1/2, a = 1, e = 1/4

With Euler and BDF2 a contact is found at the start of the step and sees the displacement over it, (X - x)/h + c u+; its
impulse acts by a: so gaps close by the scheme's own measure, and the problem stays symmetric. With the midpoint scheme
it is found in the middle of the step and sees u+, as Moreau's has it: waves keep their energy, and what a node loses as
it strikes is the impact's. BDF2 remembers the velocity before an impact and would throw a stiff body back with up to a
third of it: such a step is made again with Euler, and so is the next.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..cholesky import Factor
from .nodes import rigid_part

# A step is made again where the change of velocity differs from that of the last by more than this part of the speed,
# and this many times what gravity gives in a step.
JUMP, FALLS = 0.25, 2.0


class Scheme(NamedTuple):
    """The numbers of a scheme, see above, all in parts of the step; middle: whether contacts are found there; elements:
    whether elements are rows of the problem (literal/) instead of in its masses; stiffened: with geometric stiffness;
    stretches: hyperelastic ones without rows of shears; rounds: most linearisations of a step.
    """

    moves: float
    acts: float
    evaluates: float
    weighs: float
    middle: bool = False
    elements: bool = False
    stiffened: bool = False
    stretches: bool = False
    rounds: int = 12

    @property
    def reach(self):
        """Factor of a body's rows: the root of how a unit of velocity shows and how a unit of impulse acts."""
        return 1.0 if self.middle else sqrt(self.moves * self.acts)


EULER = Scheme(1.0, 1.0, 1.0, 1.0)
BDF2 = Scheme(2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0)
MIDPOINT = Scheme(0.5, 1.0, 0.25, 0.5, True)
ELEMENTS = EULER._replace(elements=True, rounds=20)
# By the name of the option; BDF2 where a body remembers its last step.
SCHEMES = {
    "bdf2": EULER, "euler": EULER, "midpoint": MIDPOINT, "element_rows": ELEMENTS,
    "element_rows_stiffened": ELEMENTS._replace(stiffened=True),
    "element_rows_printed": ELEMENTS._replace(stiffened=True, stretches=True),
}  # fmt: skip


@dataclass
class SoftPart:
    """One deformable body in one step: number in its island, Deformable, its first node among the island's; Scheme;
    nodes x, u (n,3) before the step; X, Y, V: see above, V with the damping of mass, undamped (n,3) without; v (n,3):
    the velocity so far.

    factor, blocks: the body's matrix and stiffness at v; drag (s,3,3): stiffness of its damping; free (n,3): the
    velocity it would end with without impulses; right, push (n,3) [N s]: what the matrix is solved with, without
    impulses and by them; pressure [Pa] of the gas in its cavities.

    elements: its ElementRows where these are rows of the problem; strain_impulse (Q,r) [N s] of them; earlier (n,3):
    the velocity of the iterate before; inverse (n,3) [1/kg] of its masses; drag_force (n,3) [N]: what damping does.
    """

    number: int
    body: object
    first: int
    scheme: Scheme
    x: np.ndarray
    u: np.ndarray
    X: np.ndarray
    Y: np.ndarray
    V: np.ndarray
    undamped: np.ndarray
    v: np.ndarray
    factor: Factor = None
    blocks: np.ndarray = None
    drag: np.ndarray = None
    free: np.ndarray = None
    right: np.ndarray = None
    push: np.ndarray = None
    pressure: float = 0.0
    elements: object = None
    strain_impulse: np.ndarray = None
    earlier: np.ndarray = None
    inverse: np.ndarray = None
    drag_force: np.ndarray = None

    @property
    def span(self):
        """Slice of its nodes among the island's."""
        return slice(self.first, self.first + self.body.node_count)

    def position(self, h, v=None):
        """Node positions (n,3) at the end of a step of h [s] with velocities v."""
        return self.X + self.scheme.moves * h * (self.v if v is None else v)

    def evaluated(self, h, v=None):
        """Node positions (n,3) at which forces are taken."""
        return self.Y + self.scheme.evaluates * h * (self.v if v is None else v)

    def contact_rate(self, h, v):
        """Velocities (n,3) that contacts see, for velocities v (n,3) at the end of the step."""
        return v if self.scheme.middle else (self.X - self.x) / h + self.scheme.moves * v

    def mean_rate(self, h):
        """Displacement (n,3) over the step in parts of its length [m/s]."""
        return (self.X - self.x) / h + self.scheme.moves * self.v

    def drag_velocity(self, v=None):
        """Velocities (n,3) that damping sees."""
        w = self.scheme.weighs
        return w * (self.v if v is None else v) + (1.0 - w) * self.u


def soft_part(number, body, first, nodes, span, scheme, h, prescribed):
    """SoftPart of a body whose nodes are nodes[span]; prescribed (n,3): where pinned nodes are to be at the end of the
    step, None where none is."""
    x, u = nodes.position[span], nodes.velocity[span]
    if scheme.middle and prescribed is not None:
        # Even motion between two poses: else the velocity of pins would swing about its mean.
        u = u.copy()
        u[body.pinned] = ((prescribed - x) / h)[body.pinned]
    X, V = x, u
    if scheme is BDF2:
        X, V = (4.0 * x - nodes.before[span]) / 3.0, (4.0 * u - nodes.velocity_before[span]) / 3.0
    Y = X
    if scheme.middle:
        X, Y = x + 0.5 * h * u, x + 0.25 * h * u
    undamped, damping = V, body.damping[0]
    if damping > 0.0:
        # Of the motion relative to the rigid one alone: mass damping would hold up a falling body.
        center = body.mass @ x / body.mass.sum()
        rigid = rigid_part(body, x, V)
        rigid = rigid[:3] + np.cross(rigid[3:], x - center)
        V = rigid + (V - rigid) / (1.0 + damping * scheme.acts * h)
    v = u.copy()
    if prescribed is not None:
        v[body.pinned] = ((prescribed - X) / (scheme.moves * h))[body.pinned]
    return SoftPart(number, body, first, scheme, x, u, X, Y, V, undamped, v, body.factor, body.blocks)


def jumps(part, nodes, span, h, gravity):
    """Whether the velocity of a body that BDF2 stepped changed otherwise than a step earlier: by an impact."""
    change, earlier = part.v - part.u, part.u - nodes.velocity_before[span]
    limit = JUMP * np.abs(part.u).max() + FALLS * h * np.linalg.norm(gravity)
    return np.abs(change - earlier)[~part.body.pinned].max(initial=0.0) > limit
