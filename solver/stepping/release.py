"""What is let go at a time: bodies that follow keyed poses until then, and joints that hold until then.

How scenes are built in which something hangs until frame 30 and then falls. A body moves freely from then on with the
velocity it has: a new Model, the same State. A joint that lets go is as one that has broken, and may hold again.
"""

import dataclasses
from math import ceil, inf

import numpy as np

from ..collision.search_memory import SearchMemory
from ..dynamics.report_kernels import energies
from ..model import compile_scene
from ..scene import Motion
from .sleeping import wake


class Releases:
    """The releases of a scene's bodies, in the order of their steps."""

    def __init__(self, scene, options):
        self.scene, self.options = scene, options
        bodies = [body for body in scene.bodies if body.release is not None]
        self.left = sorted((_first_step(body.release, options.time_step), body.name) for body in bodies)

    @property
    def next(self):
        """Steps made before the next release, infinite for none."""
        return self.left[0][0] if self.left else inf

    def due(self, done, model, state, settings):
        """Model, State and StepSettings for the step after `done` steps: anew where bodies are released there."""
        if not self.left or self.left[0][0] > done:
            return model, state, settings
        now = {name for step, name in self.left if step <= done}
        self.left = [entry for entry in self.left if entry[0] > done]
        self.scene = dataclasses.replace(self.scene, bodies=tuple(
            dataclasses.replace(body, motion=Motion.DYNAMIC, keys=None, release=None) if body.name in now else body
            for body in self.scene.bodies
        ))  # fmt: skip
        options = self.options
        model, _ = compile_scene(
            self.scene, options.linear_damping, options.angular_damping, options.contact_generator
        )
        # What is remembered of pairs belongs to the old model's collision.
        return model, state, dataclasses.replace(settings, memory=SearchMemory())


class Switches:
    """The times at which joints let go or hold again, in the order of their steps; done: steps made before."""

    def __init__(self, scene, options, done=0):
        times = [(_first_step(time, options.time_step), joint.name, number % 2 == 0)
                 for joint in scene.joints for number, time in enumerate(joint.switches)]  # fmt: skip
        self.left = sorted(entry for entry in times if entry[0] >= done)

    @property
    def next(self):
        """Steps made before the next switch, infinite for none."""
        return self.left[0][0] if self.left else inf

    def due(self, done, state):
        """The State for the step after `done` steps; what sleeps wakes where a joint is switched."""
        if not self.left or self.left[0][0] > done:
            return state
        broken, ends = state.joints.broken.copy(), []
        while self.left and self.left[0][0] <= done:
            _, name, lets_go = self.left.pop(0)
            joint = state.joints.tables.names.index(name)
            broken[joint] = lets_go
            ends += [body for body in state.joints.tables.per_joint.ends[joint] if body >= 0]
        rest = state.rest
        if len(rest):
            woken = np.zeros(len(rest), dtype=bool)
            woken[ends] = True
            rest = wake(rest, woken)
        return dataclasses.replace(state, joints=dataclasses.replace(state.joints, broken=broken), rest=rest)


def brought_energy(before, after, state):
    """Energy [J] that moving bodies bring into the ledger where the arrays of bodies `before` become `after`."""
    poses = state.position, state.orientation, state.twist
    return sum(energies(after, *poses)) - sum(energies(before, *poses))


def _first_step(release, time_step):
    """Number of the last step before the release; one that round-off puts just after it counts."""
    return max(0, ceil(release / time_step - 1e-9))
