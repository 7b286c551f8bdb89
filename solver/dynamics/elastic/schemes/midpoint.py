"""The filtered midpoint rule: drift, contact in the middle, kick, drift, as the rigid bodies of Moreau's scheme move.

With the lumped masses M, A = M + t/2 h^2 K + t h D, t = 1/(1 + rho), and P of rigid_modes.py:

    u' = u - (1 - rho) F u,  F = P (1 - A^-1 M) P (1 - A^-1 M) P       what vibrates too fast for the step is damped
    y  = x + h/2 u'                                                    contacts, arms and P are taken here
    l  = u' - P u' + P A^-1 M P u'                                     the slow part of the velocity
    w  = h P (t/2 u+ + (t - 1)/2 u' - (t - 1/2) l)                     elastic forces are taken at y + w
    M (u+ - u') = h P^T f(y + w) - h P^T D P (t u+ + (1 - t) u' + (2 t - 1) a) + h M g + J^T lambda
    x+ = y + h/2 u+

a is how fast nodes that turn evenly come outward at y. P^T leaves of elastic and damping forces neither sum nor moment
about y, however exactly they are solved for: momenta change by gravity and by impulses alone. rho is the spectral
radius at infinity: 1 keeps all vibrations, as the midpoint rule does. One linearisation about U = 2 l - u' serves; a
step that made energy is linearised again, and what remains of that energy is taken from P u+, which changes no
momentum. P is 1 in pieces that are pinned or pulled to goals, whose springs k and dampers c are on the diagonal of A:
t/2 h^2 k + t h c.
"""

from dataclasses import dataclass

import numpy as np

from ...reduced.base import Part
from ..nodes import moved_with
from .multistep import MIDPOINT
from .rigid_modes import Response, RigidModes

# Part of the energy of vibration that a step may make before it is linearised again; also the most that is owed to
# later steps of what earlier ones lost: of what moves and of what the step changes. A step that makes so much of all
# energy of deformation is too long.
SLACK = 0.02


@dataclass
class MidpointPart(Part):
    """One deformable body in one step of h [s]: number in its island, Deformable, its first node among the island's.

    Nodes (n,3): x, before, where and how fast they are before the step, u the same with the velocities that pins have
    in it; carried: velocities of the rigid motion of its pins; filtered, y, low: u', y and l; about, v: velocities it
    is linearised at and solved for; free: those without impulses; push [N s]: impulses of contacts; after: velocities
    that the next step begins with. held (n,) bool: nodes that the filter leaves, pinned or attached ones.

    credit, owed [J]: energy that earlier steps lost, before and after this one; removed [J]: what was taken from v;
    overdone: whether more was made than could be taken; least: det F of its worst element at the end; pressure [Pa] of
    the gas in its cavities; at_start, modes: RigidModes at x and at y; drag (s,3,3): stiffness of its damping; stale:
    whether it has to be linearised; aim: (places, velocities) (g,3) of the goals of its nodes; widened [J]: elastic
    energy that it has more where its width follows the length of the step; judged: what _judge found of v; tied:
    whether nodes are pinned or attached.
    """

    body: object
    h: float
    rho: float
    x: np.ndarray
    u: np.ndarray
    carried: np.ndarray
    held: np.ndarray
    credit: float = 0.0
    pressure: float = 0.0
    number: int = 0
    first: int = 0
    scheme: object = MIDPOINT
    stale: bool = True
    filtered: np.ndarray = None
    y: np.ndarray = None
    low: np.ndarray = None
    about: np.ndarray = None
    v: np.ndarray = None
    at_start: RigidModes = None
    modes: RigidModes = None
    response: Response = None
    drag: np.ndarray = None
    free: np.ndarray = None
    push: np.ndarray = None
    after: np.ndarray = None
    before: np.ndarray = None
    owed: float = 0.0
    removed: float = 0.0
    overdone: bool = False
    least: float = 1.0
    rounds: int = 0
    aim: tuple = ()
    widened: float = 0.0
    judged: tuple = None
    tied: bool = False

    @property
    def unresolved(self):
        """Whether waves cross the body so often in a step that to it the body is rigid, and its elastic energy none."""
        return self.h * self.body.wave_speed > 16.0 * self.body.size

    def position(self, h, v=None):
        """Node positions (n,3) at the end of the step with velocities v."""
        return self.y + 0.5 * self.h * (self.v if v is None else v)

    def mean_rate(self, h):
        """Displacement (n,3) over the step in parts of its length [m/s]."""
        return 0.5 * (self.filtered + self.v)

    def evaluated(self, h, v=None):
        """Node positions (n,3) at which elastic forces are taken."""
        v, t = self.v if v is None else v, self.theta
        mean = 0.5 * t * v + 0.5 * (t - 1.0) * self.filtered - (t - 0.5) * self.low
        return self.y + self.h * self.modes.deforming(mean)

    def linearise(self, gravity, h):
        """Linearise at the velocities so far; free gets those that it would end with without impulses.

        Raises NotPositive where the body's matrix is none.
        """
        if not self.stale:
            return
        if self.rounds:
            self.about = self.v
            self.body.forces(self.evaluated(h), self.body.blocks, project=True)
            self._factor()
        else:
            self.about = 2.0 * self.low - self.filtered
        mass, h = self.body.mass[:, None], self.h
        force = self.body.forces(self.evaluated(h, self.about), pressure=self.pressure) + self._damping(self.about)
        force = force + self._pull(self.about)
        right = mass * (self.filtered - self.about + h * gravity) + h * self.modes.balanced(force)
        right[self.body.pinned] = 0.0
        self.response = Response(self.body.factor, self.modes)
        self.free = self.about + self.response.solve(right)
        self.rounds, self.stale = self.rounds + 1, False

    def condensed(self, nodes):
        """W (3s,3s) on `nodes` (s,)."""
        return self.response.condensed(nodes) if len(nodes) else np.zeros((0, 0))

    def take(self, push):
        """Take impulses push (n,3) [N s] of contacts: v gets the velocities they lead to."""
        self.push, own = push, _without_pins(self.body, push)
        self.v = self.free + (self.response.solve(own) if own.any() else 0.0)
        self.judged = None

    def settled(self, gravity):
        """Whether the step made no more energy than it may; where it did, it is to be linearised again."""
        made, before, stored, bent = self._judge(gravity)[0]
        change = self.v - self.filtered
        turned = 0.5 * float(self.body.mass @ np.einsum("ni,ni->n", change, change))
        # Not what is stored all the time: that of an inflated finger would cover any vibration that grows.
        allowed = SLACK * (turned + bent) + 1e-9 * (abs(before) + turned + stored) + max(self.credit, 0.0)
        # Linearised four times at most: what a fourth leaves is taken out, or the step divided.
        self.stale = not made <= allowed and self.rounds < 4
        return not self.stale

    def finish(self, gravity, normal):
        """Take energy that was made from the velocities of deformation; normal (n,3) [N s]: impulses of contacts along
        their normals, which keep their velocities. Gives `after`, `removed`, `owed` and `overdone`."""
        (made, before, stored, bent), _, _, modes = self._judge(gravity)
        mass, v = self.body.mass, self.v
        if self.unresolved and not self.tied:
            # It ends as wide as its turn: what nodes go inward for the turn before a blow would ring.
            v = v + modes.deforming(self._outward(self.filtered) - self._outward(v))
        z = modes.kept_apart(v - _at_rest(self, v, self.y), unit(normal), self.held)
        moving = 0.5 * float(mass @ np.einsum("ni,ni->n", z, z))
        of_it = SLACK * (moving + stored)
        self.owed = min(self.credit - made, SLACK * (moving + bent))
        self.after = v
        if self.owed < 0.0 and moving > 0.0:
            left = np.sqrt(max(0.0, 1.0 + self.owed / moving))
            self.after = v - (1.0 - left) * z
            self.owed += (1.0 - left**2) * moving
        square = np.einsum("ni,ni->n", self.v, self.v)
        self.removed = 0.5 * float(mass @ (square - np.einsum("ni,ni->n", self.after, self.after)))
        if self.unresolved:
            # Its strains are those of places between which nodes go straight, unless they hold as much as motion does.
            of_it += SLACK * before
        # Round-off is that of the energy of all motion, not of deformation alone. What is owed from long ago, and of
        # what has died away since, a shorter step would owe as well.
        self.overdone = self.owed < -of_it - 1e-9 * (before + 0.5 * float(mass @ square) + stored)
        self.overdone = self.overdone and made > -SLACK * self.owed
        if self.unresolved:
            self.owed = max(self.owed, 0.0)

    def _damping(self, v):
        """Damping forces (n,3) [N] for velocities v (n,3) at the end of the step, before P^T."""
        alpha, beta = self.body.damping
        if alpha == 0.0 and beta == 0.0:
            return 0.0
        rate = self._rate(v)
        force = -alpha * self.body.mass[:, None] * rate
        if beta > 0.0:
            self.body.add_stiffness_product(self.drag, -beta, rate, force)
        return force

    def _rate(self, v):
        """How fast nodes deform (n,3), as damping sees it, for velocities v (n,3) at the end of the step."""
        # What turns evenly goes as fast inward at the end as it went outward: weights that differ take it for a strain.
        even = (2.0 * self.theta - 1.0) * self._outward(self.filtered)
        return self.modes.deforming(self.theta * v + (1.0 - self.theta) * self.filtered + even - self.carried)

    def _outward(self, v):
        return self.modes.outward(v, self.h)

    def _pull(self, v):
        """Forces (n,3) [N] of springs to goals for velocities v (n,3) at the end of the step; P is 1 there."""
        goals = self.body.goals
        if goals is None:
            return 0.0
        force, own, (place, rate) = np.zeros_like(v), goals.nodes, self.aim
        away = self.evaluated(self.h, v)[own] - place
        faster = self.theta * v[own] + (1.0 - self.theta) * self.filtered[own] - rate
        force[own] = -goals.stiffness[:, None] * away - goals.drag[:, None] * faster
        return force

    def _factor(self):
        """Factor A with the stiffness in the body's blocks."""
        body, t, h = self.body, self.theta, self.h
        alpha, beta = body.damping
        blocks = 0.5 * t * h * h * body.blocks
        if beta > 0.0:
            blocks += t * h * beta * self.drag
        diagonal = (1.0 + t * h * alpha) * body.mass
        if body.goals is not None:
            diagonal[body.goals.nodes] += 0.5 * t * h * h * body.goals.stiffness + t * h * body.goals.drag
        body.factor.refactor(blocks, 1.0, diagonal, body.pinned)

    def ledger(self, gravity, contact, h):
        """Of the step: (kinetic, elastic energy at its end; work of damping; what the scheme itself lost; work of pins
        and of gas) [J]; contact (n,3) [N]: forces of all rows on the nodes, as in push."""
        body, mass = self.body, self.body.mass
        (made, _, stored, _), (spent, pins), end, _ = self._judge(gravity)
        # Damping takes energy. What its forces would give on the way of nodes is the error of steps too long for it.
        damping = min(spent, 0.0)
        taken = np.einsum("ni,ni->n", self.filtered, self.filtered) - np.einsum("ni,ni->n", self.before, self.before)
        taken *= 0.5 * mass
        pins += float(taken[body.pinned].sum())
        gas = 0.0
        if self.pressure:
            gas = self.pressure * (body.cavity_volume(end) - body.cavity_volume(self._start()))
        kinetic = 0.5 * float(mass @ np.einsum("ni,ni->n", self.after, self.after))
        lost = made + self.widened + float(taken[~body.pinned].sum()) - self.removed + spent - damping
        return kinetic, stored, damping, lost, pins + gas

    def _start(self):
        """Node positions (n,3) at the start of the step, as wide as they are where forces are taken."""
        return self.x + self.at_start.shrunk(self.u, 0.5 * self.h, 0.0)

    def _judge(self, gravity):
        """((energy [J] that the step made, which neither loads nor impulses gave; kinetic energy before and energy of
        deformation after it; by how much that of deformation and gas changed), works, node positions (n,3) at its end,
        as wide as they are where forces are taken, RigidModes there); found once for v."""
        if self.judged is not None:
            return self.judged
        body, h, d = self.body, self.h, self.h * self.mean_rate(self.h)
        mass, end = body.mass[:, None], self.position(self.h)
        modes = RigidModes(body.piece, body.mass, end)
        end = end + modes.shrunk(self.v, 0.5 * h, 0.0)
        before = 0.5 * float((mass * self.filtered**2).sum())
        work = self.works(gravity)
        stored, self.least = body.energy(end)
        bent = stored - body.energy(self._start(), self.pressure)[0]
        if self.pressure:
            bent -= self.pressure * body.cavity_volume(end)
        change = 0.5 * float((mass * self.v**2).sum()) - before + bent
        loads = float(((mass * gravity + self.push / h) * d).sum())
        self.judged = (change - loads - work[0] - work[1], before, stored, abs(bent)), work, end, modes
        return self.judged

    def works(self, gravity):
        """(damping, pins and goals) [J] over the step."""
        d, pinned = self.h * self.mean_rate(self.h), self.body.pinned
        damping = self.modes.balanced(self._damping(self.v) + np.zeros_like(self.v))
        pull = self._pull(self.v) + np.zeros_like(self.v)
        pins = float((pull * d).sum())
        if pinned.any():
            needed = self.left_open(gravity) / self.h + self.modes.balanced(pull)
            pins += float((needed * d)[pinned].sum())
        return float((damping * d).sum()), pins

    def left_open(self, gravity):
        """What momenta (n,3) [N s] of nodes changed by beyond forces and impulses: on pinned ones what pins gave,
        on the others what linearising left."""
        mass, h = self.body.mass[:, None], self.h
        force = self.body.forces(self.evaluated(h), pressure=self.pressure)
        force = self.modes.balanced(force + self._damping(self.v) + self._pull(self.v))
        return mass * (self.v - self.filtered - h * gravity) - h * force - self.push

    def begin(self, prescribed, last):
        """Filter the velocities and drift to the middle of the step; prescribed (n,3): where pinned
        nodes are to be at its end, None where none is; last [s]: length of the step before, 0 at the start.
        Raises NotPositive."""
        body, h = self.body, self.h
        self.before, self.tied = self.u, bool(self.held.any())
        if last != h:
            _widen(self, last)
        u, x = self.u, self.x
        if prescribed is not None:
            # Even motion between two poses: else the velocity of pins would swing about its mean.
            u = u.copy()
            u[body.pinned] = ((prescribed - x) / h)[body.pinned]
            self.u = u
        if prescribed is not None or body.goals is not None:
            driven = u.copy()
            if body.goals is not None:
                driven[body.goals.nodes] = self.aim[1]
            self.carried = _carried(body, x, driven)
        modes = self.at_start = RigidModes(body.piece, body.mass, x)
        rigid = modes.rigid(u - self.carried) + self.carried
        # No wider than at rest: pressure of what straight ways add would be stiffness, or clamped to none.
        middle = RigidModes(body.piece, body.mass, x + 0.5 * h * rigid)
        body.forces(x + 0.5 * h * (rigid - middle.outward(rigid, h)), body.blocks, project=True)
        if body.damping[1] > 0.0:
            self.drag = body.blocks.copy()
        self._factor()
        self.drift(np.zeros_like(u))

    def drift(self, pressed):
        """Filter the velocities, but for those along unit vectors pressed (n,3), 0 where there is none,
        and move to the middle of the step."""
        body, h, u = self.body, self.h, self.u
        self.filtered = u
        if self.rho < 1.0:
            self.filtered = u + (self.rho - 1.0) * _fast(self, u - _at_rest(self, u, self.x), pressed)
        self.y = self.x + 0.5 * h * self.filtered
        self.modes = RigidModes(body.piece, body.mass, self.y)
        fast = self.modes.deforming(self.filtered - self.carried)
        slow = body.factor.solve(body.mass[:, None] * _without_pins(body, fast))
        self.low = self.filtered - fast + self.modes.deforming(slow)
        self.low[body.pinned] = self.filtered[body.pinned]
        self.v = 2.0 * self.low - self.filtered


def _widen(part, last):
    """Make a body that turns as wide as steps of its length make it, and not as those of `last` [s] do; its momenta
    stay."""
    body, h = part.body, part.h
    modes = RigidModes(body.piece, body.mass, part.x)
    momenta, wide = modes.momenta(part.u), part.x
    rest = part.x + modes.shrunk(part.u, 0.5 * last, 0.0)
    still = RigidModes(body.piece, body.mass, rest)
    # The wider it is the slower it turns, and the less wide: what is left of that would be a strain. What is attached
    # soon turns as before.
    for _ in range(40):
        change = rest + still.shrunk(still.moved(modes.motion(momenta)), 0.0, 0.5 * h) - wide
        wide = wide + change
        modes = RigidModes(body.piece, body.mass, wide)
        if part.tied or np.abs(change).max() <= 1e-15 * body.size:
            break
    part.x = wide
    part.u = part.u + modes.moved(modes.motion(momenta - modes.momenta(part.u)))
    part.widened = body.energy(wide + modes.shrunk(part.u, 0.5 * h, 0.0))[0] - body.energy(rest)[0]


def _fast(part, u, pressed):
    """F u (n,3)."""
    mass, factor, modes = part.body.mass[:, None], part.body.factor, part.at_start
    z = modes.kept_apart(u, pressed, part.held)
    for _ in range(2):
        z = modes.kept_apart(z - factor.solve(mass * _without_pins(part.body, z)), pressed, part.held)
    return z


def _at_rest(part, v, x):
    """Velocities (n,3) beside which those of nodes, v (n,3) at x (n,3), count as vibration where P is 1: of the pins'
    own rigid motion, or of the body's own where goals alone pull it and it may fly as one past them."""
    body = part.body
    if body.goals is None or body.pinned.any():
        return part.carried
    return RigidModes(body.component, body.mass, x).rigid(v)


def _without_pins(body, v):
    return np.where(body.pinned[:, None], 0.0, v) if body.any_pinned else v


def _carried(body, x, u):
    """Velocities (n,3) of the rigid motion that its driven nodes make by u (n,3), in the sense of least squares, at the
    nodes of pieces that have any."""
    at, v = x[body.driven], u[body.driven]
    center = at.mean(axis=0)
    rows = np.zeros((len(at), 3, 6))
    rows[:, :, :3] = np.eye(3)
    for axis in range(3):
        rows[:, :, 3 + axis] = np.cross(np.eye(3)[axis], at - center)
    twist = np.linalg.lstsq(rows.reshape(-1, 6), v.ravel(), rcond=1e-9)[0]
    return np.where((body.piece < 0)[:, None], moved_with(twist, center, x), 0.0)


def unit(push):
    """Unit vectors (n,3) along push (n,3), 0 where there is none."""
    if not push.any():
        return push
    length = np.linalg.norm(push, axis=1, keepdims=True)
    return np.divide(push, length, out=np.zeros_like(push), where=length > 0.0)


