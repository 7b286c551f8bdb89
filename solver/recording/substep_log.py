"""The log of a step's substeps: who moved from where to where, with which impulses.

A scheme adds every substep that it makes; who takes a step back, or keeps it for some bodies only, says so to the log.
"""

from typing import NamedTuple

import numpy as np

# Columns of a body in a substep: its number and whether it moves freely, then position (3), orientation (4) and twist
# (6) at three instants: at its start; where impulses act, with the velocities they give; at its end.
BODY_COLUMNS = 2 + 3 * 13
# Of a contact: bodies a and b, position (3), normal (3), tangent s (3), gap, impulses n s t tau (4), the part of them
# that acted before an impact (4), and what is asked of each row: velocity + asked obeys the law (4) [m/s].
CONTACT_COLUMNS = 2 + 3 + 3 + 3 + 1 + 4 + 4 + 4
# Of a joint at a body: numbers of both, impulse (3) and its moment about the centre of mass (3), world.
JOINT_COLUMNS = 2 + 6
# Numbers before the columns: step, time at its start, length, how far into it impulses act, time until contacts are
# searched for again [s], and how many bodies, contacts and joint entries follow.
HEAD = 8


class Substep(NamedTuple):
    """times (4,): see HEAD; bodies (B, BODY_COLUMNS), contacts (C, CONTACT_COLUMNS), joints (E, JOINT_COLUMNS)."""

    times: tuple
    bodies: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray

    def of(self, kept):
        """The part of bodies whose numbers are in `kept`; components share no contact and no joint."""
        here = np.isin(self.bodies[:, 0], kept)
        pairs = np.isin(self.contacts[:, :2], kept).all(axis=1)
        return Substep(self.times, self.bodies[here], self.contacts[pairs],
                       self.joints[np.isin(self.joints[:, 1], kept)])  # fmt: skip

    def record(self, step):
        """All numbers (n,) in one array; step: number of the time step it is of."""
        sizes = len(self.bodies), len(self.contacts), len(self.joints)
        columns = self.bodies.ravel(), self.contacts.ravel(), self.joints.ravel()
        return np.concatenate([[step, *self.times, *sizes], *columns]).astype(np.float64)


class SubstepLog:
    """Substeps of the step in work; names (R,), joints (J,): of all bodies and joints of the run, whose order is their
    number."""

    def __init__(self, names, joints=()):
        self._number = {name: i for i, name in enumerate(names)}
        self._joint = {name: i for i, name in enumerate(joints)}
        self._substeps, self._of_model = [], (None, None)

    def mark(self):
        """Where the log is now, for `rewind`."""
        return len(self._substeps)

    def rewind(self, mark):
        """Forget what was added since `mark`."""
        del self._substeps[mark:]

    def pop(self):
        """Take the last substep out and return it."""
        return self._substeps.pop()

    def push(self, substep):
        """Add a substep."""
        self._substeps.append(substep)

    def take(self):
        """Return all substeps and begin anew."""
        taken, self._substeps = self._substeps, []
        return taken

    def numbers(self, model):
        """Numbers (B,) in the run of the bodies of a part's Model."""
        if self._of_model[0] is not model:
            self._of_model = model, np.array([self._number[name] for name in model.names], dtype=np.float64)
        return self._of_model[1]

    def add(self, model, start, there, after, solution, times):
        """Add a substep: States at its start, where impulses act, and at its end, StepSolution, and its times."""
        number = self.numbers(model)
        poses = ((start, start.twist), (there, solution.twist), (after, after.twist))
        states = [np.concatenate([state.position, state.orientation, twist], axis=1) for state, twist in poses]
        bodies = np.column_stack([number, model.inverse_mass > 0, *states])
        self.push(Substep(times, bodies, _contacts(solution, number), self._joints(model, solution, number)))

    def _joints(self, model, solution, number):
        step, problem = solution.step, solution.problem
        if step.joints is None:
            return np.zeros((0, JOINT_COLUMNS))
        of_dof = np.flatnonzero(model.inverse_mass > 0)
        tables = step.joints.tables
        joint_of = [self._joint[tables.names[joint]] for joint in tables.blocks.joint[step.joints.blocks]]
        J, entries = problem.J, []
        for k, joint in enumerate(joint_of, start=problem.block_count - len(joint_of)):
            rows = slice(problem.row_start[k], problem.row_start[k + 1])
            for s in range(J.indptr[k], J.indptr[k + 1]):
                block = J.data[J.offset[s] : J.offset[s] + 6 * (rows.stop - rows.start)].reshape(-1, 6)
                entries.append([joint, number[of_dof[J.start[s] // 6]], *(solution.impulse[rows] @ block)])
        return np.array(entries, dtype=np.float64).reshape(-1, JOINT_COLUMNS)


def _contacts(solution, number):
    step, problem = solution.step, solution.problem
    contacts, count = step.contacts, step.contact_rows
    # What the law sees beyond the velocities that the impulses give: targets of bounces, gaps that may close.
    asked = problem.b - step.problem.velocity(solution.held)
    columns = []
    for rows in (solution.impulse, solution.held, asked):
        full = np.zeros((contacts.count, 4))
        full[np.arange(4) < step.rows[:, None]] = rows[:count]
        columns.append(full)
    ends = number[contacts.body_a], number[contacts.body_b]
    return np.column_stack([*ends, contacts.position, contacts.normal, step.frame[:, 1], contacts.gap, *columns])
