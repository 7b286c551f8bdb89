"""Which bodies contacts and joints couple, and what each island of them asks of the solve of a step.

An island asks from its own bodies and contacts alone, whatever others do.
"""

from math import hypot
from typing import NamedTuple

import numpy as np

from ..mechanisms import off
from ..methods.base import Goals
from ..problems.islands import body_islands
from . import goal_kernels as kernels

# Islands slower than this part of what gravity gives in a step are at rest.
AT_REST = 0.03
# How much more patience and work a solve for velocities has for an island at rest; work goes down smoothly from there:
# what hardly moves starts its next steps with what this one found.
# Blocks times bodies in line of an island that has twice the effort of a small one: see goal_kernels.add_for_size.
REST_PATIENCE, REST_WORK, DOUBLES = 15, 30, 1000.0
# Part of an island's speed that its tolerance is measured by where gravity gives less in a step, and of what gravity
# gives that counts as speed at rest.
OF_SPEED = 0.01
# Residual that round-off leaves, in parts of speed times mass ratio: that of all contacts of a body.
ROUND_OFF = 16.0 * float(np.finfo(float).eps)


class BlockIslands(NamedTuple):
    """Islands of the blocks of a step: label (B,) of each block's island, and label (R,) of each body's."""

    of_block: np.ndarray
    of_body: np.ndarray

    def any(self, mask):
        """Blocks (B,) of the islands in which `mask` (B,) holds anywhere."""
        found = np.zeros(len(self.of_body), dtype=bool)
        found[self.of_block[mask]] = True
        return found[self.of_block]

    def bodies(self, mask):
        """Bodies (R,) of the islands in which `mask` (B,) holds anywhere."""
        return np.isin(self.of_body, self.of_block[mask])


def couplings(model, contacts):
    """Bodies a, b (P,) of every coupling of a Model: those of the contacts, then those of the joints.

    Joints that broke count still: to step bodies together that need not be is no error.
    """
    joined = model.joints.coupled
    if len(joined) == 0:
        return contacts.body_a, contacts.body_b
    return np.concatenate([contacts.body_a, joined[:, 0]]), np.concatenate([contacts.body_b, joined[:, 1]])


def block_bodies(model, step):
    """A body (B,) that moves of each block of a ContactStep."""
    contacts = step.contacts
    ends = np.empty(contacts.count, dtype=np.int64)
    kernels.moving_ends(model.inverse_mass, contacts.body_a, contacts.body_b, ends)
    return ends if step.joints is None else np.concatenate([ends, step.joints.bodies])


def ends_of_block(model, step, k):
    """The two bodies of block k of a ContactStep: one that moves, and another, -1 for none."""
    first, contacts = int(block_bodies(model, step)[k]), step.contacts
    if k < contacts.count:
        return first, int(contacts.body_a[k] + contacts.body_b[k]) - first
    blocks = step.joints.tables.blocks
    own = step.joints.blocks[k - contacts.count]
    others = [int(body) for body in blocks.body[blocks.body_start[own] : blocks.body_start[own + 1]] if body != first]
    return first, others[0] if others else -1


def block_islands(model, step):
    """BlockIslands of a ContactStep: a block belongs to the island of its body that moves."""
    of_body = body_islands(model.inverse_mass, *couplings(model, step.contacts))
    return BlockIslands(of_body[block_bodies(model, step)], of_body)


def on_blocks(step, mask):
    """What holds of contacts, `mask` (C,), as what holds of the blocks (B,) of a step: not of others."""
    return mask if step.joints is None else np.pad(mask, (0, len(step.joints.blocks)))


def couples_of(model, joints):
    """The Couples of a JointStep, None for none."""
    tables, none = model.joints, (np.zeros(0, dtype=np.int64), np.zeros(0))
    bodies, driven = none if joints is None else (joints.bodies, joints.driven)
    return kernels.Couples(tables.coupled, bodies, tables.blocks.body, driven)


def step_goals(model, twist, step, settings, patient=True):
    """The Goals of the blocks of a ContactStep, one for all blocks of an island; twist (R,6): velocities before it.

    tolerance: the stated one, or settings.accuracy times the velocity that gravity, or a drive, gives in a step or a
    hundredth of the island's speed, whichever is largest, and no less than round-off leaves where masses differ much.
    The speed: the root mean square of its bodies', its fastest contact where a body on a given path moves it, or how
    fast joints let a body turn. acceptable: settings.acceptable times that and a hundredth of what gravity gives. An
    island at rest gets more patience and effort where `patient`.
    """
    return _goals(model, twist, step, goal_numbers(model, settings, patient))


def _goals(model, twist, step, numbers):
    return Goals(*kernels.islands_asked(model.bodies, step.contacts, twist, step.before, numbers,
                                        couples_of(model, step.joints))[2])  # fmt: skip


def _fall(model, settings):
    """What gravity gives in a step [m/s]."""
    return settings.time_step * hypot(*model.gravity)


def count_raised(model, twist, step, found, settings):
    """Count the contacts of a ContactStep whose tolerance round-off raises; found: what the step Asks."""
    if ROUND_OFF * model.mass_ratio <= OF_SPEED * settings.accuracy or settings.accuracy == 0.0:
        return
    (*asked, _), *others = goal_numbers(model, settings)
    usual = _goals(model, twist, step, ((*asked, 0.0), *others)).tolerance
    raised = (found.tolerance > usual)[: step.contacts.count]
    settings.events.some("mass_ratio_floor", model, step.contacts, raised)


def goals_at(label, speed, fall, settings, patient=True, ratio=None):
    """The Goals of blocks (B,) in islands label (B,) that move with `speed` (I,) [m/s], see step_goals; fall [m/s]:
    what their loads would give them in a step; ratio (I,): heaviest over lightest body of each, None for ones that are
    alike."""
    count, ratio = len(label), np.ones(len(speed)) if ratio is None else ratio
    asked, rest, (tolerance, patience, effort) = _numbers(fall, settings, patient)
    goals = Goals(np.full(count, tolerance), np.empty(count), np.full(count, patience), np.full(count, effort))
    kernels.block_goals(label, speed, ratio, asked, rest, tuple(goals))
    if settings.acceptable > 0.0:
        kernels.add_for_size(label, np.ones(len(speed), dtype=np.int64), DOUBLES, goals.effort)
    return goals


def goal_numbers(model, settings, patient=True):
    """What the goals of a step follow from besides its islands, see goal_kernels.block_goals: its numbers, how many
    times patience and work at rest are others', DOUBLES, and tolerance, patience and effort of the options."""
    return _numbers(_fall(model, settings), settings, patient)


def _numbers(fall, settings, patient):
    given = settings.method_options
    floor = 0.0 if off("mass_ratio_floor") else ROUND_OFF
    asked = fall, AT_REST * fall, float(settings.accuracy), OF_SPEED, float(settings.acceptable), floor
    own = float(given.tolerance), getattr(given, "patience", 0), getattr(given, "effort", 0)
    patient = patient and not off("rest_patience")
    return asked, ((REST_PATIENCE, REST_WORK) if patient else (1, 1)) + (DOUBLES,), own


def only(goals, wanted):
    """Goals that let islands be which are not `wanted` (B,): any residual is good enough for them."""
    return goals._replace(tolerance=np.where(wanted, goals.tolerance, np.inf))
