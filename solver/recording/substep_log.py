"""The log of a step's substeps: who moved from where to where, with which impulses.

A scheme adds every substep that it makes; who takes a step back, or keeps it for some bodies only, says so to the log.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .columns import HEAD, JOINT_COLUMNS, NODE_COLUMNS, PARTS, STENCIL_COLUMNS
from .soft_log import island_numbers, island_solution


class Substep(NamedTuple):
    """times (4,): see HEAD; bodies (B, BODY_COLUMNS), contacts (C, CONTACT_COLUMNS), joints (E, JOINT_COLUMNS), nodes
    (N, NODE_COLUMNS), stencils (S, STENCIL_COLUMNS)."""

    times: tuple
    bodies: np.ndarray
    contacts: np.ndarray
    joints: np.ndarray
    nodes: np.ndarray = np.zeros((0, NODE_COLUMNS))
    stencils: np.ndarray = np.zeros((0, STENCIL_COLUMNS))

    def of(self, kept):
        """The part of rigid bodies whose numbers are in `kept`; components share no contact and no joint."""
        here = np.isin(self.bodies[:, 0], kept)
        pairs = np.isin(self.contacts[:, :2], kept).all(axis=1)
        return Substep(self.times, self.bodies[here], self.contacts[pairs],
                       self.joints[np.isin(self.joints[:, 1], kept)])  # fmt: skip

    def record(self, step):
        """All numbers (n,) in one array; step: number of the time step it is of."""
        parts = self[1:]
        return np.concatenate([[step, *self.times, *map(len, parts)], *map(np.ravel, parts)]).astype(np.float64)


def substeps_of(data):
    """(head (HEAD,), parts: one array (n, columns) for each of PARTS) of every substep in the numbers of a log."""
    at = 0
    while at + HEAD <= len(data):
        head, parts = data[at : at + HEAD], []
        at += HEAD
        for count, columns in zip(head[5:].astype(int), PARTS.values(), strict=True):
            parts.append(data[at : at + count * columns].reshape(-1, columns))
            at += count * columns
        yield head, parts


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
        # What the law sees beyond the velocities that the impulses give: targets of bounces, gaps that may close.
        asked = solution.problem.b - solution.step.problem.velocity(solution.held)
        self.push(self._substep(model, start, there, after, solution, times, solution.held, asked))

    def add_island(self, island, solved, own, end, times):
        """Add the substep of a Solved Island; own, end: States of its bodies at its start and end."""
        model = island.model
        still = np.where(model.soft, 0.0, 1.0)[:, None]
        start, after = (replace(state, twist=still * state.twist) for state in (own, end))
        none, asked = np.zeros_like(solved.impulse), solved.base - solved.step.problem.b
        solution = island_solution(solved, still * solved.twist)
        made = self._substep(model, start, island.poses, after, solution, times, none, asked)
        self.push(made._replace(**island_numbers(island, solved, self.numbers(model))))

    def _substep(self, model, start, there, after, solution, times, held, asked):
        """The Substep of bodies; held, asked (K,): impulses before an impact, and what is asked of the rows."""
        number = self.numbers(model)
        poses = ((start, start.twist), (there, solution.twist), (after, after.twist))
        states = [np.concatenate([state.position, state.orientation, twist], axis=1) for state, twist in poses]
        bodies = np.column_stack([number, model.inverse_mass > 0, *states])
        contacts = _contacts(solution, number, held, asked)
        return Substep(times, bodies, contacts, self._joints(model, solution, number))

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


def _contacts(solution, number, held, asked):
    step = solution.step
    contacts, count = step.contacts, step.contact_rows
    columns = []
    for rows in (solution.impulse, held, asked):
        full = np.zeros((contacts.count, 4))
        full[np.arange(4) < step.rows[:, None]] = rows[:count]
        columns.append(full)
    ends = number[contacts.body_a], number[contacts.body_b]
    return np.column_stack([*ends, contacts.position, contacts.normal, step.frame[:, 1], contacts.gap, *columns])
