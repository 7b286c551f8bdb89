"""What is said of the steps of a run that are not as good as they should be: when, where and how much."""

from typing import NamedTuple

import numpy as np

from ..base.wording import as_length, counted
from .step_report import FOLDED, LATE, NUMBERS, OVERDONE

# Fields that runs without deformable bodies may lack.
ELASTIC = ("unsettled", "unsettled_by", "rounds")

# Energy that removing overlap gives in a step, in parts of what is at hand: kinetic, and weights times sizes.
SHOWS = 1e-3


class NotAccepted(NamedTuple):
    """A step that was not accepted: its number from 1, the time [s] at its end, the two bodies where it was worst (""
    for none), residual [m/s] and how many times the aim that is, deepest overlap [m], pairs of bodies left too deep,
    stabilisation_work: what removing overlap gave [J], kinetic energy after it [J], iterations, substeps, spent:
    whether all the work that a step may take was used up; unsettled, unsettled_by, rounds: why its elasticity did not
    settle, as in a StepReport, and how often that was linearised."""

    step: int
    time: float
    body: str
    other: str
    residual: float
    times_the_aim: float
    overlap: float
    unresolved: int
    stabilisation_work: float
    kinetic: float
    iterations: int
    substeps: int
    spent: bool
    unsettled: int = 0
    unsettled_by: float = 0.0
    rounds: int = 0

    @property
    def sentence(self):
        """The same in words: of what failed, contacts or elasticity."""
        names = " and ".join(repr(name) for name in (self.body, self.other) if name)
        where = f" at {names}" if names else ""
        left = f", {counted(self.unresolved, 'pair')} left deep in each other" if self.unresolved else ""
        if self.unsettled:
            return f"step {self.step}, to {self.time:.6g} s{where}: {unsettled_sentence(self)}{left}"
        times = f", {self.times_the_aim:.3g} times the aim" if np.isfinite(self.times_the_aim) else ""
        ended = "; all that a step may take was used up, raise step_effort for more" if self.spent else ""
        return (
            f"step {self.step}, to {self.time:.6g} s{where}: residual {self.residual:.2g} m/s{times}, overlap "
            f"{1e3 * self.overlap:.2g} mm, removing overlap gave {self.stabilisation_work:.2g} J{left}{ended}"
        )


def unsettled_sentence(step):
    """Why the elasticity of a NotAccepted step did not settle, and what to do."""
    if step.unsettled == OVERDONE:
        return (f"elasticity made {step.unsettled_by:.2g} J that nothing gave it, and that its vibrations do not hold; "
                "use a smaller time step")  # fmt: skip
    if step.unsettled == FOLDED:
        return (f"elements are inside out (least det F {step.unsettled_by:.2g}); use a smaller time step, larger "
                "elements where it is pressed, or a stiffer material")  # fmt: skip
    if step.unsettled == LATE:
        return "contacts were found only in the last round of its elasticity; use a smaller time step"
    return (f"after {step.rounds:.0f} rounds of linearisation the equations of elasticity leave a change of velocity "
            f"{step.unsettled_by:.3g} times its aim; use soft_stepper midpoint, or a smaller time step")  # fmt: skip


def not_accepted(steps, tolerance, names):
    """A NotAccepted for every step of a run, {field: (S,)}, whose solve a limit of work ended, or that left bodies too
    deep in each other; tolerance: the run's aim [m/s]; names (R,) of the bodies."""
    bad = np.flatnonzero((steps["converged"] == 0) | (steps["unresolved"] > 0))
    rows = []
    for k in bad:
        at = {name: steps[name][k] for name in steps}
        ends = [names[int(at.get(end, -1))] if at.get(end, -1) >= 0 else "" for end in ("worst_body", "worst_other")]
        rows.append(NotAccepted(
            int(k) + 1, float(at["time"]), *ends, float(at["residual"]),
            float(at["residual"]) / tolerance if tolerance > 0 else np.inf, float(at["overlap"]), int(at["unresolved"]),
            float(at["stabilisation_work"]), float(at["kinetic"]), int(at["iterations"]), int(at["substeps"]),
            bool(at["spent"]), *(at.get(name, 0) for name in ELASTIC),
        ))  # fmt: skip
    return rows


def refusal(report, done, tolerance, names):
    """What is said of a step, the one after which `done` are made, if it was not accepted; "" if it was. See
    not_accepted."""
    steps = {name: np.array([number]) for name, number in zip(NUMBERS, report.numbers, strict=True)}
    return "".join(row._replace(step=done).sentence for row in not_accepted(steps, tolerance, names))


def step_notes(steps, names):
    """Sentences on the steps of a run, {field: (S,)}, that are not as good as they should be; names (R,) of bodies."""
    left = steps["unresolved"] > 0
    if not left.any():
        return []
    worst = int(np.argmax(np.where(left, steps["overlap"], -1.0)))
    ends = (int(steps[end][worst]) if end in steps else -1 for end in ("worst_body", "worst_other"))
    pair = " and ".join(repr(names[end]) for end in ends if end >= 0)
    where = f"worst {pair or 'overlap'} at {steps['time'][worst]:.6g} s"
    return [
        f"{int(left.sum())} of {len(left)} steps left bodies in each other, by up to "
        f"{as_length(steps['overlap'][worst])} (up to {counted(int(steps['unresolved'].max()), 'pair')}; {where}), "
        "however finely they were subdivided: use a smaller time step, or move bodies apart that overlap at the start"
    ]


def gain_warnings(steps, header):
    """Sentences on accepted steps, {field: (S,)}, in which removing overlap gave energy that shows; header: the run's.

    What was not accepted says what removing overlap gave itself, see NotAccepted.
    """
    moving = [i for i, motion in enumerate(header["motion"]) if motion == "dynamic"]
    weight = np.linalg.norm(header["gravity"]) * sum(header["mass"][i] * header["size"][i] for i in moving)
    losses = steps["friction_work"], steps["impact_loss"]
    gain = gain_by_overlap(steps["stabilisation_work"], losses)
    # Where all stands still there is what the tolerance leaves.
    there = steps["kinetic"] + weight + 0.5 * sum(header["mass"]) * header.get("tolerance", 0.0) ** 2
    part = gain / np.maximum(there, 1e-300)
    found = []
    accepted = (steps["converged"] != 0) & (steps["unresolved"] == 0)
    for k in np.flatnonzero(accepted & (part > SHOWS)):
        ends = (int(steps[end][k]) for end in ("worst_body", "worst_other"))
        pair = [header["names"][end] for end in ends if end >= 0]
        where = f" at {' and '.join(map(repr, pair))}" if pair else ""
        share = f"{part[k]:.2%} of the energy at hand" if part[k] < 1.0 else "more than all the energy at hand"
        found.append(
            f"step {k + 1}, to {steps['time'][k]:.6g} s{where}: removing overlap gave {gain[k]:.2g} J, {share}; use a "
            "smaller time step"
        )
    return found


def gain_by_overlap(stabilisation, losses):
    """Energy [J] that a step gained by removing overlap; `losses` [J]: works of impacts and friction."""
    return np.maximum(0.0, np.minimum(stabilisation, stabilisation + sum(losses)))


def limit_notes(steps, tolerance, names):
    """Sentence on the steps, {field: (S,)}, whose solve a limit of work ended; tolerance: the run's aim [m/s]; names
    (R,) of the bodies."""
    ended = (steps["converged"] == 0) & (np.asarray(steps.get("unsettled", 0)) == 0)
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
        f"{residual.max():.2g} m/s{factor}, in the step to {steps['time'][worst]:.6g} s{where}; raise effort, "
        "step_effort or max_iterations; not_accepted.csv in the run's folder and `warnings` of --json list them all"
    ]


def unsettled_notes(steps, tolerance, names):
    """Sentence on the steps, {field: (S,)}, whose elasticity did not settle; tolerance: the run's aim [m/s]; names (R,)
    of the bodies."""
    left = [entry for entry in not_accepted(steps, tolerance, names) if entry.unsettled]
    if not left:
        return []
    worst = max(left, key=lambda entry: abs(entry.unsettled_by))
    return [f"elasticity of {len(left)} of {len(steps['time'])} steps did not settle; the worst is {worst.sentence}"]
