"""The mechanisms of a step: what may act in it besides rows, sweeps and motion, each with what it is for.

One table. The counters of `StepReport.events`, the rows of docs/mechanisms.md and the switch of its developers, the
environment variable STICTION_WITHOUT, take their names from it; `make ablate` turns one after the other off.
"""

import os
from typing import NamedTuple

import numpy as np

SWITCH = "STICTION_WITHOUT"


class UnknownMechanism(ValueError):
    """A name that is not in the table."""


class Mechanism(NamedTuple):
    """kind: term, error estimate, fallback, selection, goal, method or shortcut; what: one sentence on what it is for;
    counted: what one event is; where: the file that it is in."""

    kind: str
    what: str
    counted: str
    where: str


MECHANISMS = {
    "late_contacts": Mechanism(
        "error estimate", "Contacts with what bodies meet only with the velocities of the solution join the problem.",
        "contacts added", "dynamics/impulses.py"),
    "impact_within_step": Mechanism(
        "term", "The support of a body that lands slowly lasts until the impact, not until its step.",
        "contacts that land", "dynamics/onset.py"),
    "passed_contacts": Mechanism(
        "term", "Contacts that the last step let through are closed again.", "contacts closed", "dynamics/onset.py"),
    "jacobian_rate": Mechanism(
        "term", "Contacts hold with their rows as they are at the end of the step.",
        "contacts whose b it moves beyond the tolerance", "dynamics/contact_step.py"),
    "bounce_displacement": Mechanism(
        "term", "Bodies that bounce first close their gap, by a displacement problem of its own.",
        "contacts that bounce", "dynamics/displacement.py"),
    "bounded_restitution": Mechanism(
        "term", "Restitution that would give energy is less, in the proportion that gives none.",
        "contacts that bounce less", "dynamics/impact_energy.py"),
    "penetration_correction": Mechanism(
        "term", "Overlap is pushed out by a displacement, with friction given.", "contacts pushed",
        "dynamics/displacement.py"),
    "unbounded_response": Mechanism(
        "fallback", "Islands that a displacement would send flying do without it.", "contacts of such islands",
        "dynamics/displacement.py"),
    "halved_turning": Mechanism(
        "error estimate", "A component goes in halves where bodies turn further off their paths than they may overlap.",
        "pairs of bodies", "stepping/step_review.py"),
    "halved_flying": Mechanism(
        "error estimate", "A component goes in halves where bodies would pass each other before the search.",
        "pairs of bodies", "stepping/step_review.py"),
    "halved_overlap": Mechanism(
        "error estimate", "A component that ends newly deep in each other makes the step again, in halves.",
        "pairs of bodies", "stepping/step_review.py"),
    "halved_tension": Mechanism(
        "error estimate", "A component goes in halves where bodies swing fast across the pull of joints and contacts.",
        "bodies", "stepping/step_review.py"),
    "halved_constraint_work": Mechanism(
        "error estimate", "Held joint rows that do work make their component step again, in halves.", "bodies",
        "stepping/step_review.py"),
    "halved_bounces": Mechanism(
        "error estimate", "Nearly elastic bounces that hit others within the step make it again, in halves.",
        "pairs of bodies", "stepping/step_review.py"),
    "snapped_joints": Mechanism(
        "error estimate", "A joint that a blow breaks lets go at the start of the step, which is made again.", "joints",
        "stepping/substeps.py"),
    "minimum_norm": Mechanism(
        "selection", "Statically indeterminate loads are split as equal contact stiffness would split them.",
        "contacts evened", "methods/even.py"),
    "staggered_start": Mechanism(
        "selection", "Islands that slip from rest get a second answer, by staggered projections from even loads.",
        "islands answered so", "methods/staggered_start.py"),
    "inner_ring": Mechanism(
        "selection", "The inner ring of a round patch weighs twice its rim, for the torque of a disc.",
        "contacts of such patches", "dynamics/patches.py"),
    "carried_by_place": Mechanism(
        "selection", "An impulse whose contact has another key now goes to the contact in its place.",
        "loaded contacts whose key is gone", "dynamics/carry_kernels.py"),
    "rest_patience": Mechanism(
        "goal", "Islands at rest may use more work before less than the tolerance will do.",
        "solves that used more than the usual patience", "dynamics/goals.py"),
    "mass_ratio_floor": Mechanism(
        "goal", "The tolerance is no less than what round-off leaves between a heavy body and a light one.",
        "contacts with a raised tolerance", "dynamics/goals.py"),
    "resumed_effort": Mechanism(
        "goal", "Searches come after a quarter of the work; what is not solved by then goes on with all of it.",
        "solves gone on with", "dynamics/impulses.py"),
    "newton_turns": Mechanism(
        "method", "Sweeps and proximal Newton steps take turns.",
        "solves that came to a turn; in one call of a kernel: that came past the first sweeps", "methods/accelerated"),
    "joint_rows_at_end": Mechanism(
        "term", "Joints are solved for again with their rows as they are at the end of the step.", "solves",
        "dynamics/jointed/solution.py"),
    "bearing_friction": Mechanism(
        "term", "Friction in bearings is bounded by the loads of the solution before, until these agree.",
        "solves with new bounds", "dynamics/jointed/solution.py"),
    "joint_closing": Mechanism(
        "term", "Poses are taken onto the joints by displacements, without any velocity.", "bodies moved",
        "dynamics/jointed/projection.py"),
    "soft_subdivision": Mechanism(
        "error estimate", "Deformable bodies that are struck fast, turned over or crossed by waves step in parts.",
        "divisions", "stepping/soft/step.py"),
    "soft_late_contacts": Mechanism(
        "error estimate", "What deformable bodies overlap at the end of their step joins their problem.",
        "islands solved again", "stepping/soft/step.py"),
    "quiet_steps": Mechanism(
        "shortcut", "Steps that one attempt settles are made many in one call of a kernel, with the same bits.",
        "steps; in these impacts, bounces and pushes are counted, and nothing else", "stepping/quiet/loop.py"),
    "sleeping": Mechanism(
        "shortcut", "Bodies at rest cost nothing until something reaches them; off by default.", "bodies asleep",
        "stepping/sleeping.py"),
}  # fmt: skip


def checked(names):
    """The set of `names`; UnknownMechanism, with the table's names, for one that is not in it."""
    names = frozenset(names)
    unknown = sorted(names - MECHANISMS.keys())
    if unknown:
        raise UnknownMechanism(f"no mechanism {unknown[0]!r}; known are {', '.join(MECHANISMS)}")
    return names


# What this process does without.
OFF = checked(name for name in os.environ.get(SWITCH, "").split(",") if name)


def off(name):
    """Whether this process does without a mechanism. Quiet steps hold many others, and go with any of them."""
    return bool(OFF) and (name in OFF or name == "quiet_steps")


def notes():
    """Sentences on what this process does without."""
    return [f"{SWITCH}: this run does without {', '.join(sorted(OFF))}"] if OFF else []


class Event(NamedTuple):
    """A mechanism by name, how often it acted in a step, and the number of a body where it did last, -1 for none."""

    name: str
    count: int
    body: int = -1


class Events:
    """How often mechanisms acted in the step in work, parts and attempts that were taken back included."""

    def __init__(self):
        self._counts, self._at, self._numbers = {}, {}, (None, None)

    def begin(self):
        """Begin a step."""
        self._counts, self._at = {}, {}

    def count(self, name, number=1):
        """Count `number` events of a mechanism."""
        if name not in MECHANISMS:
            checked((name,))
        if number:
            self._counts[name] = self._counts.get(name, 0) + int(number)

    def bodies(self, name, model, mask):
        """Count an event for each body of a Model in mask (R,)."""
        number = np.count_nonzero(mask)
        self.count(name, number)
        if number:
            self._at[name] = model.names[int(np.argmax(mask))]

    def pairs(self, name, model, a, b):
        """Count an event for each pair of bodies a, b (P,) of a Model."""
        self.count(name, len(a))
        if len(a):
            ends = int(a[0]), int(b[0])
            self._at[name] = model.names[ends[0] if model.inverse_mass[ends[0]] > 0.0 else ends[1]]

    def some(self, name, model, contacts, mask):
        """Count an event for each contact in mask (C,)."""
        if mask.any():
            self.pairs(name, model, contacts.body_a[mask], contacts.body_b[mask])

    def all_of(self, pairs):
        """Count the (name, number) of what a solve says."""
        for name, number in pairs:
            self.count(name, number)

    def taken(self, model):
        """The Events so far, in the order of the table; model: that of the run, whose numbers bodies get."""
        if not self._counts:
            return ()
        return tuple(Event(name, self._counts[name], self._number(model, self._at.get(name)))
                     for name in MECHANISMS if name in self._counts)  # fmt: skip

    def _number(self, model, name):
        if name is None:
            return -1
        if self._numbers[0] is not model:
            self._numbers = model, {body: i for i, body in enumerate(model.names)}
        return self._numbers[1].get(name, -1)
