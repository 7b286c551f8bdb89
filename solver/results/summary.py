"""What `simulate` says of a run: the keys of --json, and lines for people."""

import numpy as np

from ..stepping.not_accepted import gain_warnings, limit_notes, not_accepted, step_notes, unsettled_notes
from ..stepping.step_report import LEDGER
from .energy_notes import energy_notes
from .joint_step_error import joint_step_errors
from .reduced_notes import reduced_line, reduced_notes
from .squeezed_notes import squeezed_notes
from .verdict import InSeconds, judge, slightly_stiff

# Bodies and joints shown for people.
MOST_SHOWN = 5


def run_summary(run):
    """The `simulate --json` keys of a Trajectory."""
    steps, header = run.steps, run.header
    drift = np.linalg.norm(run.positions[-1] - run.positions[0], axis=1)
    largest = {key: float(np.max(steps[key], initial=0.0)) for key in ("contact_count", "overlap", "residual")}
    verdict = judge(run)
    last = {key: float(steps[key][-1]) if len(steps[key]) else 0.0 for key in ("kinetic", "potential", "elastic")}
    return {
        "scene": header["scene"], "method": header["method"], "steps": len(steps["time"]), "time": float(run.times[-1]),
        "wall_s": header["wall_s"], "cpu_s": header["cpu_s"], "contacts_max": int(largest["contact_count"]),
        "overlap_max": largest["overlap"], "residual_max": largest["residual"], "tolerance": header["tolerance"],
        "steps_above_tolerance": int(np.count_nonzero(steps["residual"] > header["tolerance"])),
        "steps_not_accepted": int(np.count_nonzero(steps["converged"] == 0)),
        "energy": last | {key: float(np.sum(steps[key])) for key in LEDGER if key in steps} | largest_gain(steps),
        "events": {name: int(counts.sum()) for name, counts in run.events.items()},
        "mesh_error": {name: known["stiff"] for name, known in header.get("mesh_error", {}).items()},
        "left_out": header.get("left_out", {}), "joint_step_error": joint_step_errors(run),
        "stopped": run.stopped, "fault": run.fault, "verdict": verdict.word, "reasons": verdict.reasons,
        "notes": [*header.get("notes", []), *squeezed_notes(header.get("squeezed", {})),
                  *slightly_stiff(header, InSeconds()), *reduced_notes(header.get("left_out", {})),
                  *step_notes(steps, header["names"]),
                  *limit_notes(steps, header["tolerance"], run.names),
                  *unsettled_notes(steps, header["tolerance"], run.names), *energy_notes(steps, header)],
        "warnings": [entry.sentence for entry in not_accepted(steps, header["tolerance"], run.names)]
        + gain_warnings(steps, header),
        "bodies": {
            name: {
                "position": run.positions[-1, i].tolist(), "orientation": run.orientations[-1, i].tolist(),
                "drift": float(drift[i]), "center_of_mass": run.center_of_mass[-1, i].tolist(),
            }
            for i, name in enumerate(run.names)
        },
    }  # fmt: skip


def largest_gain(steps):
    """The most energy [J] that a step gained, all in all and less what emitters brought, the most that removing
    overlap gave in one, and what parts these are of the energy at hand there: kinetic, elastic, and potential above
    the lowest of the run. steps: {field: (S,)} of a run.

    The second may be above the first: a body that comes upon another within a step goes on until they touch, which
    lifts it or takes it down, while its kinetic energy after the step is that after the impact.
    """
    lowest = np.min(steps["potential"], initial=np.inf)
    at_hand = steps["kinetic"] + steps["elastic"] + steps["potential"] - lowest
    kept = [steps[key] for key in LEDGER if key in steps and key != "brought_energy"]
    found = {}
    for name, work in (("largest_gain", np.sum(kept, axis=0)), ("largest_lift", steps["stabilisation_work"])):
        k = int(np.argmax(work)) if np.any(work > 0.0) else -1
        found[name] = float(work[k]) if k >= 0 else 0.0
        found[f"{name}_part"] = float(work[k] / max(at_hand[k], work[k])) if k >= 0 else 0.0
    return found


def print_summary(summary):
    """The summary for people; times exclude compilation."""
    print(f"scene        {summary['scene']} ({len(summary['bodies'])} bodies), method {summary['method']}")
    print(f"result       {summary['verdict']}")
    print(f"simulated    {summary['time']:g} s in {summary['steps']} steps")
    print(f"took         {summary['wall_s']:.2f} s wall, {summary['cpu_s']:.2f} s CPU, without compilation")
    print(f"contacts     at most {summary['contacts_max']}")
    print(f"overlap      at most {summary['overlap_max']:.3g} m")
    print(f"residual     at most {summary['residual_max']:.3g} m/s, aim {summary['tolerance']:.3g} m/s, "
          f"{summary['steps_not_accepted']} steps not accepted")  # fmt: skip
    print(f"energy       {_energies(summary['energy'])}")
    print(f"acted        {events_line(summary['events'])}")
    drift = max((body["drift"] for body in summary["bodies"].values()), default=0.0)
    for name, known in summary["left_out"].items():
        print(f"modes        {name}: {reduced_line(known)}")
    print(f"moved        at most {drift:.4g} m from start to end")
    print_joint_errors(summary["joint_step_error"])
    if "estimate" in summary:
        print_estimate(summary["estimate"])


def events_line(events):
    """{mechanism: how often it acted} in words, the most frequent first."""
    acted = sorted((entry for entry in events.items() if entry[1]), key=lambda entry: -entry[1])
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in acted) or "no mechanism"


def _energies(energy):
    """Energies at the end and the works of the run in words, those that are not zero."""
    ends = ", ".join(f"{name} {energy[name]:.4g} J" for name in ("kinetic", "potential", "elastic") if energy[name])
    works = ", ".join(f"{name.replace('_', ' ')} {energy[name]:.4g} J" for name in LEDGER if energy.get(name))
    return f"{ends or '0 J'} at the end" + (f"; {works}" if works else "")


def print_joint_errors(found):
    """What the time step leaves out of the forces in joints, those of which most is missing first."""
    worst = sorted(found.items(), key=lambda entry: -entry[1]["force"][1])
    for name, loads in worst[:MOST_SHOWN]:
        (force, off), (torque, turned) = loads["force"], loads["torque"]
        print(f"joint {name:6s} force {force:.4g} +- {off:.2g} N, torque {torque:.4g} +- {turned:.2g} N m, rms, by the "
              "time step")  # fmt: skip


def print_estimate(found):
    """The estimate for people: what changed, the bodies and joints that did so most first."""
    print(f"estimate     {found['sentence']}")
    for group in ("largest", "energy"):
        for name, (value, change) in found[group].items():
            if value or change:
                print(f"  {name.replace('_', ' ')} {value:.4g} +- {change:.2g}")
    bodies = sorted(found["bodies"].items(), key=lambda entry: -entry[1].get("node", entry[1]["center_of_mass"]))
    for name, body in bodies[:MOST_SHOWN]:
        more = f"a node {body['node']:.2g} m" if "node" in body else f"{body['angle']:.2g} rad"
        print(f"  body {name}: +- {body['center_of_mass']:.2g} m, {more}, {body['velocity']:.2g} m/s")
    joints = sorted(found["joints"].items(), key=lambda entry: -entry[1]["force"][1])
    for name, joint in joints[:MOST_SHOWN]:
        (force, off), (torque, turned) = joint["force"], joint["torque"]
        print(f"  joint {name}: force {force:.4g} +- {off:.2g} N, torque {torque:.4g} +- {turned:.2g} N m (rms)")
