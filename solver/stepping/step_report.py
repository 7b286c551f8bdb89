"""StepReport: what one time step did, in physical units."""

from typing import NamedTuple

import numpy as np


class StepReport(NamedTuple):
    """time [s]; overlap: deepest of its contacts at the end of the step [m], those that seem deep searched there;
    energies after the step [J]; friction_work and impact_loss: work of the friction and the normal impulses, negative
    where energy is lost [J]; stabilisation_work: potential energy that removing overlap gave [J]; residual: the judge's
    [m/s]; solve_s: time in solves [s], of quiet steps all of it.

    joint_work: of motors, servos, springs, limits and friction in joints, of the turning of held rows, and of what
    drives deformable bodies: moved pins, attachments, pressure [J];
    substeps: the most parts the step was divided into for any body; unresolved: pairs of bodies left deeper in each
    other than they may be, although the step was made as fine as allowed, or locked in each other by what presses them.

    elastic: energy of deformable bodies [J]; damping_work: what their damping took, negative [J]; rounds: how often
    their elasticity was linearised, at most; scheme_loss: what the time scheme itself took
    of their motion and waves [J]; brought_energy: kinetic and potential energy of bodies that were released or poured
    before the step, less that of those that were taken out [J]; worst_body: number of a body that moves at the contact
    or joint with the largest residual, where a limit of work ended the solve, else of a pair that is left too deep, or
    where removing overlap gave energy that shows, -1 for none; worst_other: the other body there, -1 for none; work:
    contacts relaxed in it, see base/work.py; spent: whether that was all that a step may take. unsettled: why the
    elasticity of a step that was not accepted did not settle, one of UNSETTLED, 0 where it did; unsettled_by: change of
    velocity over its aim, energy [J] or least det F; events: which mechanisms acted, a tuple of mechanisms.Event."""

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
    worst_other: int = -1
    work: int = 0
    spent: bool = False
    unsettled: int = 0
    unsettled_by: float = 0.0
    events: tuple = ()

    @property
    def numbers(self):
        """All fields that are numbers, in the order of NUMBERS."""
        return self[: len(NUMBERS)]

    def numbered(self, bodies):
        """The same of bodies (B,) of a larger model, whose numbers in it these are."""
        return self.where(*(int(bodies[body]) if body >= 0 else -1 for body in self.pair))

    def among(self, bodies):
        """The same for bodies (B,) of the model alone, which are numbered 0..B-1 then."""
        found = [np.flatnonzero(bodies == body) for body in self.pair]
        return self.where(*(int(here[0]) if len(here) else -1 for here in found))

    @property
    def pair(self):
        """The two bodies where the step was worst, -1 for none."""
        return self.worst_body, self.worst_other

    def where(self, body, other):
        """The same, worst between these two bodies."""
        return self._replace(worst_body=body, worst_other=other)

    @property
    def badness(self):
        """What tells which of two reports says where a step was worst: the larger."""
        return self.worst_body >= 0, not self.converged, self.residual


# Fields that are numbers.
NUMBERS = tuple(name for name in StepReport._fields if name != "events")

# Why the elasticity of a step did not settle: velocities still changed in its last linearisation, contacts were found
# only there, it made energy that could not be taken back, or elements ended inside out.
UNSETTLED = CHANGING, LATE, OVERDONE, FOLDED = range(1, 5)
# Terms of the energy ledger: what kinetic, potential and elastic energy change by.
LEDGER = ("friction_work", "impact_loss", "stabilisation_work", "joint_work", "damping_work", "scheme_loss",
          "brought_energy")  # fmt: skip
