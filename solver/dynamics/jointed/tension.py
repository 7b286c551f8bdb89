"""How fast bodies swing across the pull of their joints and contacts: what a time step must resolve.

A force f of a joint or contact on a body, at the arm r from its centre of mass, gives its turning the stiffness

    K = (f . r) 1 - f r^T

(in its own frame; the body's block of the geometric stiffness, Macklin et al. 2019, (70)-(74)). To roll about r changes
nothing, however small the inertia is there. A body that a joint pins to what never moves turns about that point: arms
and moments of inertia are those about it, and a pendulum, whatever its own inertia, is not taut at all.

Contacts mostly press: a body that is pressed together has K below zero. Links of a chain are drawn apart by theirs.

A link of mass m and length l under the tension T so swings at sqrt(12 T/(m l)). Forces along rows of the middle of a
step follow that swing explicitly: it grows without bound where it turns by more than two radians in a step.
"""

import numpy as np

from .state import joints_of
from .tension_kernels import swings

# Types whose two anchors are one point.
PINS = ("ball", "fixed", "hinge", "universal")
# Radians a step of the fastest swing that are allowed ahead, by the tension of the last step, and looking back.
AHEAD, BACK = 1.0, 3.0


def taut_bodies(model, state, h, limit):
    """Moving bodies (R,) that swing across the pull of their joints and contacts by more than `limit` radians in h
    seconds, by the loads of the last step, which was as long."""
    joints, t = joints_of(state), model.joint_tables
    taut = np.zeros(len(model.inverse_mass), dtype=bool)
    if joints.load.any() or state.contacts.count:
        pressed = state.contacts, state.impulses, state.position, state.twist, state.since
        swings(model.bodies, state.orientation, (t.ends, t.anchor, t.pins), joints.broken, joints.load, pressed,
               limit**2 / h, taut)  # fmt: skip
    return taut


def parts_of(model, state, h, most):
    """How many parts (R,) of a step of h seconds, two times two times two and so on up to `most`, each body is to make
    so that it swings by no more than is allowed ahead in one: two of what does not swing."""
    parts, count = np.full(len(model.inverse_mass), 2), 2
    while count < most and (taut := taut_bodies(model, state, h, AHEAD * count)).any():
        count *= 2
        parts[taut] = count
    return parts
