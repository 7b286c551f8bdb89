"""What `stiction demo` tells while it works: phases, simulated time, pictures, and the time left of both together."""

import numpy as np

from ..demos import DEMOS
from ..demos.stage import FPS


class Telling:
    """Feeds a Film with the frames of a run, and a Progress with how far both are."""

    def __init__(self, name, film, scene, progress):
        """film: a Film, None where nothing is rendered; progress: a Progress, None to tell nobody."""
        self.film, self.progress, self.per_frame = film, progress, scene.stiction.steps_per_frame
        self.pace = getattr(DEMOS[name], "PACE", (0.0, 1.0))
        self.costs = getattr(DEMOS[name], "COSTS", (1.0, 1.0))
        self.begun, self.said, self.pictured = False, "", False

    def __call__(self, run):
        """Look at a run on its way."""
        job = run.job
        if not job.done:
            self._phase(job.status())
            return
        if self.film is not None:
            if not self.begun:
                self.begun = True
                self.film.begin(run.folder)
            self.film.grown(job.done // self.per_frame + 1)
        seconds = job.done / self.per_frame / FPS, job.total / self.per_frame / FPS
        self._show(job.fraction, f"{seconds[0]:.1f} of {seconds[1]:g} s simulated")

    def pictures(self, *_counts):
        """Tell of the pictures once the simulation is done."""
        self._show(1.0, "simulated")

    def note(self, sentence):
        """Tell something in a line of its own."""
        if self.progress is not None:
            self.progress.note(sentence)

    def _phase(self, phase):
        if phase != self.said:
            self.said = phase
            self.note(phase[:1].lower() + phase[1:])

    def _show(self, simulated, said):
        """Tell how far all is; simulated: part of the simulated time, said: the same in words."""
        if self.progress is None:
            return
        share = float(np.interp(simulated, np.linspace(0.0, 1.0, len(self.pace)), self.pace))
        if self.film is None:
            self.progress.show(share, 1.0, said)
            return
        if self.film.done and not self.pictured:
            self.pictured = True
            self.progress.note(f"first picture: {self.film.newest} (it changes as the film grows)")
        simulation, rendering = self.costs
        done = simulation * share + rendering * self.film.done / self.film.total
        self.progress.show(done, simulation + rendering, f"{said}, {self.film.done} of {self.film.total} pictures")
