"""A ground that was made Active with all the rest: it falls, and everything with it."""

import numpy as np

from ...solver.base.wording import counted
from .base import WARNING, Check, Finding

# A ground is so many times as wide as any body above it, by area seen from above.
WIDER = 4.0
# Parts of the ground's size that bodies may reach into it.
SUNK = 0.05


def find(scan):
    """Yield a Finding for an Active body that lies wide below all others, where nothing holds them."""
    bodies = scan.accepted()
    if len(bodies) < 2 or scan.scene.gravity.z >= 0 or scan.gravity == 0 or not all(body.dynamic for body in bodies):
        return
    yield None
    area = np.array([np.prod(np.ptp(body.bounds, axis=0)[:2]) for body in bodies])
    ground = bodies[int(np.argmax(area))]
    others = [body for body in bodies if body is not ground]
    top = ground.bounds[1, 2] - SUNK * np.ptp(ground.bounds, axis=0).max()
    wide = area.max() >= WIDER * np.partition(area, -2)[-2]
    if wide and min(body.bounds[0, 2] for body in others) >= top:
        yield Finding((ground.name,), "is Active and lies below all others: it will fall, and they with it", WARNING)


def hold(_scene, objects, _scan):
    """Make the objects Passive."""
    for ob in objects:
        ob.stiction.type = "PASSIVE"
    return f"{counted(len(objects), 'object')} made Passive"


CHECK = Check("falling_ground", "Ground falls", find, "Make Passive", hold)
