"""One deformable body in one step, linearised at its velocities so far; and how far the step to new ones may go."""

import numpy as np

from ...cholesky.factor import NotPositive


def linearise(part, gravity, h):
    """Factor a SoftPart's matrix at its velocities so far; part.free gets those it would end with without impulses."""
    body, scheme = part.body, part.scheme
    ah, damping = scheme.acts * h, body.damping[1]
    x, mass = part.position(h), body.mass[:, None]
    if damping > 0.0 and part.drag is None:
        # Damping by the stiffness that the step begins with: it is linear in the velocity then.
        body.forces(x, part.blocks, project=True)
        part.drag = part.blocks.copy()
    force = body.forces(x, part.blocks, project=False, pressure=part.pressure)
    right = mass * (part.V - part.v) + ah * (force + mass * gravity)
    if damping > 0.0:
        body.add_stiffness_product(part.drag, -ah * damping, part.v, right)
    right[body.pinned] = 0.0
    try:
        part.factor.refactor(_matrix(part, h), 1.0, body.mass, body.pinned)
    except NotPositive:
        # Nearly always the mass makes it positive, and the true stiffness settles in fewer rounds.
        body.forces(x, part.blocks, project=True)
        part.factor.refactor(_matrix(part, h), 1.0, body.mass, body.pinned)
    part.right = right
    part.free = part.v + part.factor.solve(right)


def condensed(part, nodes):
    """W (3s,3s) of a linearised SoftPart on `nodes` (s,)."""
    return part.factor.condensed(nodes)[0] if len(nodes) else np.zeros((0, 0))


def _matrix(part, h):
    """Blocks (s,3,3) of the stiffness and the damping, as they are in the matrix."""
    scheme = part.scheme
    blocks = scheme.acts * scheme.moves * h * h * part.blocks
    if part.drag is not None:
        blocks += scheme.acts * h * part.body.damping[1] * part.drag
    return blocks


def merit(part, v, h, gravity):
    """What the velocities v (n,3) of a body minimise at the end of the step, the impulses given [J]."""
    body, mass, scheme = part.body, part.body.mass, part.scheme
    energy, _ = body.energy(part.position(h, v), part.pressure)
    moved = v - part.V
    inertia = 0.5 * float(mass @ np.einsum("ni,ni->n", moved, moved))
    fall = scheme.acts * h * float((mass @ v) @ gravity)
    total = inertia + scheme.acts / scheme.moves * energy - fall - float((part.push * v).sum())
    if part.drag is not None:
        drag = np.zeros_like(v)
        body.add_stiffness_product(part.drag, scheme.acts * h * body.damping[1], v, drag)
        total += 0.5 * float((drag * v).sum())
    return total


def shorten(part, start, h, gravity):
    """Shorten the change of part.v (n,3) from `start` until the merit falls enough (Armijo)."""
    step = part.v - start
    slope = float(((part.right + part.push) * step).sum())
    before, length = merit(part, start, h, gravity), 1.0
    scale = abs(before) + 0.5 * float(part.body.mass @ np.einsum("ni,ni->n", part.v, part.v))
    # A 64th of it at least: what is left of the way the next linearisation makes.
    while length > 1.0 / 64.0:
        if merit(part, start + length * step, h, gravity) <= before - 1e-4 * length * slope + 1e-9 * scale:
            break
        length *= 0.5
    part.v = start + length * step
