"""When all bodies of a run have come to rest, and which have not."""

import numpy as np

from ..stepping.sleeping import HELD, QUIET

# Where gravity is none, or gives next to nothing in a step: part of a body's size that it may move in a second.
CREEP = 1e-5
# How many times faster the nodes of deformable bodies may be: their waves die away slowly, and are not seen.
WAVES = 10.0


class AtRest:
    """Looks after each step whether every free body's surface has been slower than what sleeping calls quiet, for as
    long as bodies must be quiet to sleep."""

    def __init__(self, options):
        self.enough = max(1, round(HELD / options.time_step))
        self.time_step = options.time_step
        self.quiet = 0
        self._fast = None

    def look(self, model, state):
        """Look at the State after a step; True once all bodies rest."""
        least = np.maximum(QUIET * np.linalg.norm(model.gravity) * self.time_step, CREEP * model.size)
        speed = np.linalg.norm(state.twist[:, :3], axis=1) + np.linalg.norm(state.twist[:, 3:], axis=1) * model.size
        self._fast = (model.inverse_mass > 0) & (speed > least)
        if state.nodes is not None:
            fastest = np.linalg.norm(state.nodes.velocity, axis=1)
            for body in np.flatnonzero(model.soft):
                self._fast[body] = fastest[model.span(body)].max(initial=0.0) > WAVES * least[body]
        self.quiet = 0 if self._fast.any() else self.quiet + 1
        return self.quiet >= self.enough

    def moving(self, model):
        """Names of the bodies that moved in the last step looked at."""
        return [] if self._fast is None else [model.names[i] for i in np.flatnonzero(self._fast)]
