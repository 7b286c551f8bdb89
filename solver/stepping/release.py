"""Bodies that follow keyed poses until a time, and move freely from then on with the velocity they have.

How scenes are built in which something hangs until frame 30 and then falls. A release makes a new Model; the
State stays.
"""

import dataclasses
from math import ceil

from ..collision.search_memory import SearchMemory
from ..dynamics.report_kernels import energies
from ..model import compile_scene
from ..scene import Motion


class Releases:
    """The releases of a scene's bodies, in the order of their steps."""

    def __init__(self, scene, options):
        self.scene, self.options = scene, options
        bodies = [body for body in scene.bodies if body.release is not None]
        self.left = sorted((_first_step(body.release, options.time_step), body.name) for body in bodies)

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


def brought_energy(before, after, state):
    """Energy [J] that moving bodies bring into the ledger where the arrays of bodies `before` become `after`."""
    poses = state.position, state.orientation, state.twist
    return sum(energies(after, *poses)) - sum(energies(before, *poses))


def _first_step(release, time_step):
    """Number of the last step before the release; one that round-off puts just after it counts."""
    return max(0, ceil(release / time_step - 1e-9))
