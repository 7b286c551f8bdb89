"""Time schemes of deformable bodies that take forces at the end of a step.

They have the form  x+ = X + c h u+,   M (u+ - V) = a h f(x+, u+):

    Euler     X = x, V = u, c = a = 1
    BDF2      X = (4 x - x-)/3, V = (4 u - u-)/3, c = a = 2/3

A contact is found at the start of the step and sees the displacement over it, (X - x)/h + c u+; its impulse acts by a:
so gaps close by the scheme's own measure, and the problem stays symmetric. BDF2 keeps 3/2 u+ - u/2 where nothing acts:
momentum is not what impulses change. It would throw a stiff body back with up to a third of its velocity before an
impact: such a step is made again with Euler, and so is the next.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from ...cholesky import Factor
from ...reduced.base import Part
from ..nodes import rigid_part
from . import linearised

# A step is made again where the change of velocity differs from that of the last by more than this part of the speed,
# and this many times what gravity gives in a step.
JUMP, FALLS = 0.25, 2.0


class Scheme(NamedTuple):
    """The numbers of a scheme, see above: moves is c, acts a, in parts of the step; middle: whether contacts are found
    there; elements: whether elements are rows of the problem (literal/) instead of in its masses; stiffened: with
    geometric stiffness; stretches: hyperelastic ones without rows of shears; rounds: most linearisations of a step.
    """

    moves: float
    acts: float
    middle: bool = False
    elements: bool = False
    stiffened: bool = False
    stretches: bool = False
    rounds: int = 12

    @property
    def reach(self):
        """Factor of a body's rows: the root of how a unit of velocity shows and how a unit of impulse acts."""
        return 1.0 if self.middle else sqrt(self.moves * self.acts)


EULER = Scheme(1.0, 1.0)
BDF2 = Scheme(2.0 / 3.0, 2.0 / 3.0)
# See midpoint.py.
MIDPOINT = Scheme(0.5, 1.0, True)
ELEMENTS = EULER._replace(elements=True, rounds=20)
# By the name of the option; BDF2 where a body remembers its last step.
SCHEMES = {
    "bdf2": EULER, "euler": EULER, "midpoint": MIDPOINT, "element_rows": ELEMENTS,
    "element_rows_stiffened": ELEMENTS._replace(stiffened=True),
    "element_rows_printed": ELEMENTS._replace(stiffened=True, stretches=True),
}  # fmt: skip


@dataclass
class SoftPart(Part):
    """One deformable body in one step: number in its island, Deformable, its first node among the island's; Scheme;
    nodes x, u (n,3) before the step; X, V: see above, V with the damping of mass, undamped (n,3) without; v (n,3): the
    velocity so far.

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
    def found_at(self):
        """Node positions (n,3) at which contacts are found."""
        return self.x

    @property
    def after(self):
        """Velocities (n,3) that the next step begins with."""
        return self.v

    def position(self, h, v=None):
        """Node positions (n,3) at the end of a step of h [s] with velocities v, at which forces are taken."""
        return self.X + self.scheme.moves * h * (self.v if v is None else v)

    def contact_rate(self, h, v):
        """Velocities (n,3) that contacts see, for velocities v (n,3) at the end of the step."""
        return (self.X - self.x) / h + self.scheme.moves * v

    def mean_rate(self, h):
        """Displacement (n,3) over the step in parts of its length [m/s]."""
        return (self.X - self.x) / h + self.scheme.moves * self.v

    def linearise(self, gravity, h):
        """Linearise at the velocities so far; free gets those that it would end with without impulses."""
        linearised.linearise(self, gravity, h)

    def condensed(self, nodes):
        """W (3s,3s) on `nodes` (s,)."""
        return linearised.condensed(self, nodes)

    def take(self, push):
        """Take impulses push (n,3) [N s] of contacts: v gets the velocities they lead to."""
        self.push = np.where(self.body.pinned[:, None], 0.0, self.scheme.acts * push)
        self.v = self.free + (self.factor.solve(self.push) if self.push.any() else 0.0)

    def ledger(self, gravity, contact, h):
        """Of the step: (kinetic, elastic energy at its end; work of damping; what the scheme itself lost; work of pins
        and of gas) [J]; contact (n,3) [N]: forces of all rows on the nodes."""
        body, x, d = self.body, self.position(h), h * self.mean_rate(h)
        mass, acts, stored = body.mass[:, None], self.scheme.acts * h, body.energy(x)[0]
        damping = mass * (self.V - self.undamped) / acts
        if self.drag is not None:
            body.add_stiffness_product(self.drag, -body.damping[1], self.v, damping)
        if self.drag_force is not None:
            damping += self.drag_force
        inertia = mass * (self.v - self.undamped) / acts
        force = body.forces(x)
        kinetic = 0.5 * float((mass * self.v**2).sum())
        gained = kinetic - 0.5 * float((mass * self.u**2).sum())
        lost = gained - float((inertia * d).sum()) + stored - body.energy(self.x)[0] + float((force * d).sum())
        driven = 0.0
        if self.pressure:
            gas = body.forces(x, pressure=self.pressure) - force
            driven += float((gas * d).sum())
            force = force + gas
        pinned = body.pinned
        if pinned.any():
            reaction = inertia - force - damping - mass * gravity - contact
            driven += float((reaction * d)[pinned].sum())
        return kinetic, stored, float((damping * d).sum()), lost, driven


def soft_part(number, body, first, nodes, span, scheme, h, prescribed):
    """SoftPart of a body whose nodes are nodes[span]; prescribed (n,3): where pinned nodes are to be at the end of the
    step, None where none is."""
    x, u = nodes.position[span], nodes.velocity[span]
    X, V = x, u
    if scheme is BDF2:
        X, V = (4.0 * x - nodes.before[span]) / 3.0, (4.0 * u - nodes.velocity_before[span]) / 3.0
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
    return SoftPart(number, body, first, scheme, x, u, X, V, undamped, v, body.factor, body.blocks)


def jumps(part, nodes, span, h, gravity):
    """Whether the velocity of a body that BDF2 stepped changed otherwise than a step earlier: by an impact."""
    change, earlier = part.v - part.u, part.u - nodes.velocity_before[span]
    limit = JUMP * np.abs(part.u).max() + FALLS * h * np.linalg.norm(gravity)
    return np.abs(change - earlier)[~part.body.pinned].max(initial=0.0) > limit
