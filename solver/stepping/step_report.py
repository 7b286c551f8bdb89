"""StepReport: what one time step did, in physical units."""

from typing import NamedTuple

import numpy as np


class StepReport(NamedTuple):
    """time [s]; overlap: deepest of its contacts at the end of the step [m]; energies after the step [J];
    friction_work and impact_loss: work of the friction and the normal impulses, negative where energy is lost [J];
    stabilisation_work: potential energy that removing overlap gave [J]; residual: the judge's [m/s].

    joint_work: of motors, servos, springs, limits and friction in joints, of the turning of held rows, and of what
    drives deformable bodies: moved pins, attachments, pressure [J];
    substeps: the most parts the step was divided into for any body; unresolved: pairs of bodies left deeper in each
    other than they may be, although the step was made as fine as allowed, or locked in each other by what presses them.

    elastic: energy of deformable bodies [J]; damping_work: what their damping took, negative [J]; rounds: how often
    their elasticity was linearised, at most; scheme_loss: what the time scheme itself took
    of their motion and waves [J]; brought_energy: kinetic and potential energy of bodies that were released or poured
    before the step, less that of those that were taken out [J]; worst_body: number of a body that moves at the contact
    or joint with the largest residual, where a limit of work ended the solve; -1: not known, or none did."""

    time: float
    contact_count: int
    overlap: float
    kinetic: float
    potential: float
    friction_work: float
    impact_loss: float
    stabilisation_work: float
    residual: float
    iterations: int
    converged: bool
    solve_s: float
    substeps: int = 1
    unresolved: int = 0
    elastic: float = 0.0
    damping_work: float = 0.0
    rounds: int = 0
    joint_work: float = 0.0
    scheme_loss: float = 0.0
    brought_energy: float = 0.0
    worst_body: int = -1

    def numbered(self, bodies):
        """The same of bodies (B,) of a larger model, whose numbers in it these are."""
        return self if self.worst_body < 0 else self._replace(worst_body=int(bodies[self.worst_body]))

    def among(self, bodies):
        """The same for bodies (B,) of the model alone, which are numbered 0..B-1 then."""
        here = np.flatnonzero(bodies == self.worst_body)
        return self._replace(worst_body=int(here[0]) if len(here) else -1)


# Terms of the energy ledger: what kinetic, potential and elastic energy change by.
LEDGER = ("friction_work", "impact_loss", "stabilisation_work", "joint_work", "damping_work", "scheme_loss",
          "brought_energy")  # fmt: skip


def step_notes(steps):
    """Sentences on the steps of a run, {field: (S,)}, that are not as good as they should be."""
    left = int((steps["unresolved"] > 0).sum())
    if left == 0:
        return []
    return [
        f"{left} of {len(steps['time'])} steps left bodies deep in each other (up to {int(steps['unresolved'].max())} "
        "pairs), however finely they were subdivided: use a smaller time step, or move bodies apart that overlap at "
        "the start"
    ]


def limit_notes(steps, tolerance, names):
    """Sentence on the steps, {field: (S,)}, whose solve a limit of work ended; tolerance: the run's aim [m/s]; names
    (R,) of the bodies."""
    ended = steps["converged"] == 0
    if not ended.any():
        return []
    residual = steps["residual"][ended]
    factor = f", {residual.max() / tolerance:.3g} times the aim" if tolerance > 0 else ""
    worst = int(np.argmax(np.where(ended, steps["residual"], -1.0)))
    body = int(steps["worst_body"][worst])
    where = f" at {names[body]!r}" if body >= 0 else ""
    return [
        f"{int(ended.sum())} of {len(ended)} steps ({100 * ended.mean():.1f} %) ended at a limit of work before they "
        f"were good enough: residual {float(sorted(residual)[len(residual) // 2]):.2g} m/s in the middle one, at most "
        f"{residual.max():.2g} m/s{factor}, in the step to {steps['time'][worst]:.6g} s{where}; raise effort or "
        "max_iterations"
    ]
