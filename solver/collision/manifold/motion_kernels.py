"""How two bodies move past each other in a step."""

from typing import NamedTuple

from ...base.vectors import add, cross, dot, norm, sub
from ...jit import inner


class Motion(NamedTuple):
    """How two bodies move for h [s]: centres of mass, velocities of these and angular velocities."""

    center_a: tuple
    velocity_a: tuple
    spin_a: tuple
    center_b: tuple
    velocity_b: tuple
    spin_b: tuple
    h: float


@inner
def speed_at(motion, p):
    """Velocity of b's material at p relative to a's [m/s]."""
    va = add(motion.velocity_a, cross(motion.spin_a, sub(p, motion.center_a)))
    vb = add(motion.velocity_b, cross(motion.spin_b, sub(p, motion.center_b)))
    return sub(vb, va)


@inner
def closing_speed(motion, p, n):
    """Speed at which the two bodies' material at p approaches along n (from a to b) [m/s]."""
    return -dot(speed_at(motion, p), n)


@inner
def slide_speed(motion, p, n):
    """Speed at which the two bodies' material at p slides past each other across n [m/s]."""
    return norm(cross(speed_at(motion, p), n))


@inner
def share_of_b(motion):
    """Part of the approach that is b's own motion: 1 if a rests, 0 if b does."""
    speed_a, speed_b = norm(motion.velocity_a), norm(motion.velocity_b)
    return speed_b / (speed_a + speed_b) if speed_a + speed_b > 0.0 else 0.5
