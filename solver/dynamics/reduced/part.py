"""One reduced body in one step: half a step of coasting, a kick in the middle where contacts are, the other half.

    filtered  p' = p - (1 - rho) F p, F = (1 - A^-1 B)^2, spin and momentum kept    as in the scheme of whole meshes
    coast     for h/2 with the momenta R L and P
    kick      M (z+ - z') = h (m g, 0, f(q + w) - D (t p+ + (1 - t) p') + dT/dq) + sum of J^T lambda
              w = h (t/2 p+ + (t - 1)/2 p' - (t - 1/2) l)
    coast     for h/2

z = (v, W, p), M(q) are the coupled masses of inertia.py, B = 1 - C^T J^-1 C those of p where the spin is kept,
A = B + t/2 h^2 K + t h D, l = A^-1 B p', t = 1/(1 + rho). dT/dq, centrifugal and Coriolis forces, is that of the mean
of z' and the z+ without impulses: beside elastic forces it is balanced, where coasting it would pump what is stiff.
Elastic forces do not act on L: momenta change by gravity and impulses alone. What contacts see of the body is the
inverse of its matrix of 6 + r unknowns, elasticity included.

Dents d = D f have no inertia: d' is theirs at the start, they stay until the middle and end at d+ = D lambda / h, so
that contacts see besides z+ the velocity 2 (d+ - d') / h, and besides W of the body on their nodes 2 D / h^2.
"""

from dataclasses import dataclass

import numpy as np

from .base import Part
from .inertia import Motion


@dataclass
class ReducedPart(Part):
    """A body with a ReducedShape in a step of h [s]; the fields are those of schemes/midpoint.py of whole meshes.

    dent, dented (n,3): dents at the start and at the end, in the body's frame; start, middle, end: Motions of the body;
    reached (n,3): nodes at the end, once asked for; z, free_z, given (6+r,): twists in the middle, solved for, without
    impulses, and of the kick's start; slow (r,): l; inverse (6+r,6+r): A^-1; tangent: (p (r,) it is linearised at,
    impulses (r,) of elasticity and damping there, their derivative (r,r)).
    """

    body: object
    h: float
    rho: float
    x: np.ndarray
    before: np.ndarray
    held: np.ndarray
    scheme: object
    number: int = 0
    first: int = 0
    stale: bool = True
    dent: np.ndarray = None
    dented: np.ndarray = None
    start: Motion = None
    middle: Motion = None
    end: Motion = None
    reached: np.ndarray = None
    unfiltered: np.ndarray = None
    given: np.ndarray = None
    slow: np.ndarray = None
    inverse: np.ndarray = None
    tangent: tuple = ()
    free_z: np.ndarray = None
    z: np.ndarray = None
    u: np.ndarray = None
    filtered: np.ndarray = None
    y: np.ndarray = None
    low: np.ndarray = None
    free: np.ndarray = None
    v: np.ndarray = None
    push: np.ndarray = None
    least: float = 1.0
    rounds: int = 0
    owed: float = 0.0
    overdone: bool = False

    def __post_init__(self):
        self.start = self.shape.motion(self.x, self.before)
        self.dent = self.dented = self.shape.dent(self.start, self.x)
        self.drift(np.zeros_like(self.x))

    @property
    def shape(self):
        """The ReducedShape."""
        return self.body.reduced

    @property
    def after(self):
        """Velocities (n,3) that the next step begins with."""
        end, shape = self._end(), self.shape
        return shape.velocities(end, shape.twist(end) if shape.dents is None else shape.dented_twist(end, self.dented))

    def position(self, h):
        """Node positions (n,3) at the end of the step."""
        if self.reached is None:
            end = self._end()
            self.reached = self.shape.places(end) + self.dented @ end.turn.T
        return self.reached

    def mean_rate(self, h):
        """Velocities (n,3) that impulses work along, the mean of those in the middle before and after the kick; nodes
        that turn go no straight way over the step."""
        rates = (self.dented - self.dent) / h
        mean = self.shape.velocities(self.middle, 0.5 * (self.given + self.z), self.dent)
        return mean + rates @ self.middle.turn.T

    def drift(self, pressed):
        """Filter the velocities, but for those along unit vectors pressed (n,3), 0 where there is none, and coast to
        the middle of the step."""
        motion, inertia = self.start, self.shape.inertia
        change = np.zeros_like(motion.q)
        if self.rho < 1.0:
            change = (self.rho - 1.0) * self._fast(pressed)
        # With the spin kept, P changes as p does by B.
        kept = motion._replace(momenta=motion.momenta + _inner(inertia.matrix(motion.q))[0] @ change)
        self.middle = middle = inertia.coasted(kept, 0.5 * self.h)
        self.given = self.shape.twist(middle)
        B, Y = _inner(inertia.matrix(middle.q))
        p = self.given[6:]
        self.slow = np.linalg.solve(B + self._stiff(middle.q), B @ p)
        self.y, self.filtered = self.shape.places(middle) + self.dent @ middle.turn.T, self._nodal(self.given)
        away = np.concatenate([np.zeros(3), -Y @ change, change])
        self.u = self.filtered - self._nodal(away)
        less = self.slow - p
        self.low = self._nodal(self.given + np.concatenate([np.zeros(3), -Y @ less, less]))
        self.z, self.v, self.end, self.reached = self.given, self.filtered, None, None

    def _fast(self, pressed):
        """F p (r,), without what moves nodes along unit vectors pressed (n,3) or nodes that are held."""
        motion, shape = self.start, self.shape
        B, Y = _inner(shape.inertia.matrix(motion.q))
        A = B + self._stiff(motion.q)
        on = np.flatnonzero(self.held | pressed.any(axis=1))
        rows = shape.rows(motion, on)
        moved = rows[:, :, 6:] - rows[:, :, 3:6] @ Y
        along = np.einsum("sia,si->sa", moved, pressed[on])[~self.held[on]]
        fixed = np.concatenate([moved[self.held[on]].reshape(-1, len(B)), along])

        def kept_apart(p):
            if len(fixed) == 0:
                return p
            by = np.linalg.solve(B, fixed.T)
            return p - by @ (np.linalg.pinv(fixed @ by, rcond=1e-12, hermitian=True) @ (fixed @ p))

        z = kept_apart(self.shape.twist(motion)[6:])
        for _ in range(2):
            z = kept_apart(z - np.linalg.solve(A, B @ z))
        return z

    def _stiff(self, q):
        """t/2 h^2 K + t h D (r,r)."""
        t, h = self.theta, self.h
        return 0.5 * t * h * h * self.shape.law.stiffness(q) + t * h * np.diag(self.shape.damping)

    def _nodal(self, z):
        """Velocities (n,3) of nodes in the middle for a twist z (6+r,)."""
        return self.shape.velocities(self.middle, z)

    def _seen(self, z, dented):
        """Velocities (n,3) that contacts see, for a twist z (6+r,) and dents (n,3) at the end."""
        rates = 2.0 / self.h * (dented - self.dent)
        return self.shape.velocities(self.middle, z, self.dent) + rates @ self.middle.turn.T

    def linearise(self, gravity, h):
        """Linearise at the velocities so far; free gets those that it would end with without impulses."""
        if not self.stale:
            return
        about, masses = self.z, self._masses()
        at, elastic = self._elastic(about)
        right = masses @ (self.given - about)
        right[:3] += self.h * self.shape.inertia.mass * gravity
        right[6:] += elastic
        stiff = self._stiff(at)
        masses[6:, 6:] += stiff
        self.inverse, self.tangent = np.linalg.inv(masses), (about[6:], elastic, stiff)
        self.free_z = self._with_centrifugal(about + self.inverse @ right)
        self.free = self._seen(self.free_z, 0.0)
        self.rounds, self.stale = self.rounds + 1, False

    def _elastic(self, z):
        """(q (r,) at which elastic forces are taken, impulses (r,) of these and of damping) for a twist z (6+r,)."""
        t, h, p, before = self.theta, self.h, z[6:], self.given[6:]
        at = self.middle.q + h * (0.5 * t * p + 0.5 * (t - 1.0) * before - (t - 0.5) * self.slow)
        return at, h * (self.shape.law.force(at) - self.shape.damping * (t * p + (1.0 - t) * before))

    def _with_centrifugal(self, plain):
        """The twist (6+r,) in the middle without impulses, of `plain` (6+r,) that lacks centrifugal forces."""
        found, change = plain, np.inf
        for _ in range(60):
            mean = 0.5 * (self.given + found)
            outward = self.h * self.shape.inertia.centrifugal(self.middle.q, mean[3:6], mean[6:])
            new, last = plain + self.inverse[:, 6:] @ outward, change
            change, found = float(np.abs(new - found).max()), new
            if change <= 1e-13 * float(np.abs(new).max()) or change > last:
                break
        return found

    def _masses(self):
        """The coupled masses (6+r,6+r) in the middle."""
        found = np.zeros((len(self.given),) * 2)
        found[:3, :3] = self.shape.inertia.mass * np.eye(3)
        found[3:, 3:] = self.shape.inertia.matrix(self.middle.q)
        return found

    def rows(self, nodes):
        """Velocities (3s,6+r) of `nodes` (s,) by the twist; None where they have dents of their own."""
        return self._moved(nodes) if self.shape.dents is None else None

    def _moved(self, nodes):
        return self.shape.rows(self.middle, nodes, self.dent).reshape(3 * len(nodes), len(self.z))

    def condensed(self, nodes):
        """W (6+r,6+r), that of all `nodes` (s,); with dents theirs (3s,3s)."""
        if self.shape.dents is None:
            return self.inverse
        if len(nodes) == 0:
            return np.zeros((0, 0))
        rows, turn = self._moved(nodes), self.middle.turn
        own = np.einsum("ia,satb,jb->sitj", turn, self.shape.dents.flexibility(nodes), turn)
        return rows @ self.inverse @ rows.T + 2.0 / self.h**2 * own.reshape(len(rows), -1)

    def take(self, push):
        """Take impulses push (n,3) [N s] of contacts: v gets the velocities they lead to.

        Raises NotPositive where it turns too far for its shape by them.
        """
        self.push, self.end, self.reached = push, None, None
        self.z = self.free_z + self.inverse @ self.shape.loads(self.middle, push, self.dent)
        if self.shape.dents is not None:
            self.dented = self.shape.dents.under(push @ self.middle.turn / self.h)
        self.v = self._seen(self.z, self.dented)
        self._end()

    def _end(self):
        """The Motion at the end of the step."""
        if self.end is None:
            held = self.shape.inertia.matrix(self.middle.q) @ self.z[3:]
            kicked = self.middle._replace(velocity=self.z[:3], spin=held[:3], momenta=held[3:])
            self.end = self.shape.inertia.coasted(kicked, 0.5 * self.h)
        return self.end

    def settled(self, gravity):
        """Whether the linearisation holds: what it left open changes velocities by less than 1e-8 of them, or of those
        that the elastic energy would give."""
        about, known, stiff = self.tangent
        at, elastic = self._elastic(self.z)
        left = elastic - known + stiff @ (self.z[6:] - about)
        whole = float(self.z @ self._masses() @ self.z) + 2.0 * self.shape.law.stored(at)
        self.stale = not float(left @ self.inverse[6:, 6:] @ left) <= 1e-16 * whole
        return not self.stale

    def finish(self, gravity, normal):
        """Give `least`, det F of the element that is pressed most where the body's picture has its nodes."""
        self.least = self.body.least_stretch(self.position(self.h))

    def ledger(self, gravity, contact, h):
        """Of the step: (kinetic, elastic energy at its end; work of damping; what the scheme itself lost; 0) [J];
        contact (n,3) [N]: forces of all rows on the nodes."""
        shape, start, end, t = self.shape, self.start, self._end(), self.theta
        kinetic, stored = shape.inertia.kinetic(end), shape.stored(end.q, self.dented)
        change = kinetic - shape.inertia.kinetic(start) + stored - shape.stored(start.q, self.dent)
        rate = t * self.z[6:] + (1.0 - t) * self.given[6:]
        damping = min(0.0, -float((shape.damping * rate) @ (end.q - start.q)))
        fall = shape.inertia.mass * float(gravity @ (end.center - start.center))
        pushed = h * float((contact * self.mean_rate(h)).sum())
        return kinetic, stored, damping, change - fall - pushed - damping, 0.0

    def left_open(self, gravity):
        """What momenta (n,3) [N s] of nodes changed by beyond forces and impulses: by what keeps the nodes in the
        vectors of the shape."""
        moved = self.body.mass[:, None] * (self._nodal(self.z) - self.filtered - self.h * gravity)
        return moved - self.push


def _inner(matrix):
    """(B (r,r) = 1 - C^T J^-1 C, Y (3,r) = J^-1 C) of coupled masses [[J, C], [C^T, 1]]."""
    Y = np.linalg.solve(matrix[:3, :3], matrix[:3, 3:])
    return matrix[3:, 3:] - matrix[3:, :3] @ Y, Y
