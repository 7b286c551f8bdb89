"""The stick-slip chair of Staggered Projections (2008): one coefficient of friction makes legs chatter, from that on at
which two modes of the sliding chair meet."""

from dataclasses import replace

import numpy as np

from ...dynamics.reduced.inertia import Motion, cayley
from ...model import compile_scene
from ...scenes.base import GRAVITY
from ...scenes.deformable.staggered2008 import stickslip_chair
from ..lines import Case, below, close, within
from .elastic import CHAPTER, stepped

# Angular frequency [1/s] below which nothing swings: what the chair does as a whole.
SLOWEST = 1.0
# How fast the chair slides [m/s]: slower, friction across the way damps more.
SPEED = 4.0


class Sliding:
    """Steady sliding of a ReducedShape along x at `speed` [m/s] on nodes `feet` (k,) with friction on a slope, from a
    Motion at rest: `bent` (6+r,), how gravity and friction move and bend it, and `loads` (k,) [N] of the feet, which
    stay at z = 0."""

    def __init__(self, shape, feet, friction, speed, slope):
        self.shape, self.friction, self.speed = shape, friction, speed
        r, mass = len(shape.damping), shape.inertia.mass
        rows = shape.rows(shape.motion(shape.X, np.zeros_like(shape.X)), feet)
        self.along, self.across, self.up = rows[:, 0], rows[:, 1], rows[:, 2]
        self.M, self.K = np.eye(6 + r), np.diag(np.concatenate([np.zeros(6), shape.law.squares]))
        self.M[:3, :3], self.M[3:, 3:] = mass * np.eye(3), shape.inertia.matrix(np.zeros(r))
        # Height, roll, pitch and q; accelerations along x, y and about z; forces of the feet.
        held = np.concatenate([[2, 3, 4], np.arange(6, 6 + r)])
        push = self.up - friction * self.along
        left = np.block([[self.K[:, held], self.M[:, [0, 1, 5]], -push.T],
                         [self.up[:, held], np.zeros((len(feet), 3 + len(feet)))]])  # fmt: skip
        weight = np.zeros(6 + r + len(feet))
        weight[[0, 2]] = mass * GRAVITY * np.sin(slope), -mass * GRAVITY * np.cos(slope)
        found = np.linalg.solve(left, weight)
        self.bent, self.loads = np.zeros(6 + r), found[-len(feet) :]
        self.bent[held] = found[: 3 + r]

    def growth(self):
        """(rate of growth and angular frequency, complex [1/s], velocities (6+r,) by that) of what swings and grows
        fastest: M a + D p + K q = (N - mu T)^T lambda, N u = 0. N and T are the rows of the feet's velocities normal
        and along; a balance Y that no contact enters, of those u = Z s that keep the feet down, has matrices without
        symmetry. Friction is against the sliding: what goes across is damped by mu lambda / speed."""
        D = np.diag(np.concatenate([np.zeros(6), self.shape.damping]))
        D += self.friction / self.speed * self.across.T @ (self.loads[:, None] * self.across)
        Z, Y = _null(self.up), _null(self.up - self.friction * self.along)
        m, d, k = (Y.T @ one @ Z for one in (self.M, D, self.K))
        n = len(m)
        both = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m, k), -np.linalg.solve(m, d)]])
        values, vectors = np.linalg.eig(both)
        swings = np.flatnonzero(values.imag > SLOWEST)
        worst = swings[np.argmax(values[swings].real)]
        return values[worst], Z @ vectors[:n, worst]

    def kicked(self, kick):
        """The function from (Model, State) of a chair to the State in which it slides so, but for `kick` [m/s] of what
        grows fastest."""

        def begun(model, state):
            shape, (value, vector) = self.shape, self.growth()
            start = shape.motion(state.nodes.position, np.zeros_like(shape.X))
            vector = kick / np.abs(self.along @ (value * vector)).max() * vector
            at, rate = self.bent + vector.real, (value * vector).real
            rate[0] += self.speed
            motion = Motion(start.center + at[:3], cayley(at[3:6]), at[6:], rate[:3], np.zeros(3), 0.0 * at[6:])
            nodes = state.nodes.copy()
            nodes.position[:], nodes.velocity[:] = shape.places(motion), shape.velocities(motion, rate)
            return replace(state, nodes=nodes)

        return begun


def _null(rows):
    """Columns that span what rows (k,n) of full rank send to zero."""
    return np.linalg.svd(rows)[2][len(rows) :].T


def onset(shape, feet, speed, low=0.05, high=0.6):
    """Friction from which steady sliding at a speed [m/s], on the slope that keeps it, ends in chatter, by halving."""
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        value, _ = Sliding(shape, feet, middle, speed, np.arctan(middle)).growth()
        low, high = (low, middle) if value.real > 0.0 else (middle, high)
    return high


def feet_of(body):
    """Nodes of a Deformable that stand on the floor."""
    return np.flatnonzero(body.rest[:, 2] < body.rest[:, 2].min() + 1e-9)


def slid(friction, splay=15.0, kick=1e-4, seconds=0.2, step=5e-4):
    """(Sliding of the chair, times (S,) [s], how fast its feet go along the slope against their mean (S,k) [m/s]) of a
    run that begins with `kick` [m/s] of what grows fastest."""
    slope = np.arctan(friction)
    scene = stickslip_chair(friction, np.degrees(slope), splay)
    body = compile_scene(scene)[0].elastic[1]
    steady = Sliding(body.reduced, feet_of(body), friction, SPEED, slope)
    _, states, _ = stepped(scene, seconds, step, steady.kicked(kick), spectral_radius=1.0)
    found = np.array([state.nodes.velocity[feet_of(body), 0] for state in states])
    return steady, step * np.arange(len(states)), found - found.mean(axis=1, keepdims=True)


def grown(steady, times, off):
    """(rate of growth [1/s], frequency [Hz]) of that part of the feet's motion off (S,k) that has the shape of what
    grows fastest, as a complex number that turns and grows."""
    value, vector = steady.growth()
    shape = steady.along @ (value * vector)
    shape = np.stack([shape.real, -shape.imag], axis=1)
    both = np.linalg.lstsq(shape - shape.mean(axis=0), off.T, rcond=None)[0]
    turning = np.log(both[0] + 1j * both[1])
    rate, turn = (np.polyfit(times, one, 1)[0] for one in (turning.real, np.unwrap(turning.imag)))
    return float(rate), float(abs(turn) / (2.0 * np.pi))


def _rms(off):
    return float(np.sqrt((off**2).mean()))


def reduced_chair():
    """A chair slides steadily. From the friction on at which two of its modes meet, by the eigenproblem of small
    motions on that slope, what was a ten-thousandth of a metre a second grows, as fast and as often as that says, until
    feet leave the floor; below it dies out. Friction across the way, mu lambda / speed, damps, and counts."""
    lines = []
    for splay in (15.0, 12.0):
        body = compile_scene(stickslip_chair(splay=splay))[0].elastic[1]
        starts = onset(body.reduced, feet_of(body), SPEED)
        name = f"legs splayed by {splay:g} degrees, chatter from mu = {starts:.3f}; at {starts + 0.05:.3f}"
        steady, times, off = slid(starts + 0.05, splay)
        value, (rate, frequency) = steady.growth()[0], grown(steady, times, off)
        lines.append(close(f"{name}: growth [1/s]", value.real, rate, 0.1, "1/s", relative=True))
        exact = value.imag / (2.0 * np.pi)
        lines.append(close("the same: frequency [Hz]", exact, frequency, 0.05, "Hz", relative=True))
        _, _, off = slid(starts - 0.05, splay)
        first, _, last = np.array_split(off, 3)
        lines.append(below(f"at mu = {starts - 0.05:.3f}: what is left of it, in parts", _rms(last) / _rms(first), 1.0))
        lines.append(below("the same: speed of the legs in parts of the chair's", _rms(last) / SPEED, 5e-3))
    _, _, off = slid(starts + 0.05, splay, 0.05, 0.4)
    lines.append(within("legs that chatter: their speed in parts of the chair's", 0.05, 0.5, _rms(off[-200:]) / SPEED))
    return lines


CASES = (Case("reduced_chair", CHAPTER, reduced_chair, False),)
