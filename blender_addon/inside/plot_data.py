"""What the plots of a run show: series by panel. No bpy; used with matplotlib and without."""

from typing import NamedTuple

import numpy as np

from ...solver.stepping.step_report import LEDGER

# Points along the logarithmic axis of a comparison.
ALONG = 200


class Along(NamedTuple):
    """The axis along a plot: first and last value, what they are, logarithmic or not."""

    first: float
    last: float
    label: str
    log: bool = False


class Panel(NamedTuple):
    """One plot: title with unit, {label: values (S,)}, logarithmic or not, level drawn across (or None); along: what
    its values stand over, evenly from one number to the other, on a logarithmic axis or not."""

    title: str
    series: dict
    log: bool = False
    level: float | None = None
    along: Along | None = None


# So many joints have lines of their own: those with the largest values.
MOST_JOINTS = 6


def joint_panels(frames):
    """The panels of the joints of loaded frames, values (F,) a joint; none without joints."""
    if not frames.joint_names:
        return []
    found = frames.joints
    gap = {"gap [mm]": 1e3 * found[:, :, 2].max(axis=1), "angle [degrees]": np.degrees(found[:, :, 3].max(axis=1))}
    gap = {label: np.maximum(values, 1e-16) for label, values in gap.items()}
    force, torque = (np.linalg.norm(found[:, :, part], axis=2) for part in (slice(4, 7), slice(7, 10)))
    panels = [Panel("widest joint", gap, True)]
    for title, values in (("joint force [N]", force), ("joint torque [N m]", torque),
                          ("power of motors and servos [W]", found[:, :, 10])):  # fmt: skip
        series = _largest(frames.joint_names, values)
        if series:
            panels.append(Panel(title, series))
    return panels


def _largest(names, values):
    """{name: values (F,)} of the joints with the largest values (F,J); those that are always 0 are left out."""
    size = np.abs(values).max(axis=0)
    order = [int(k) for k in np.argsort(-size, kind="stable")[:MOST_JOINTS] if size[k] > 0]
    return {names[k]: values[:, k] for k in order}


# Terms that only some runs have.
OTHERS = {"joints and drives": "joint_work", "damping": "damping_work", "time scheme": "scheme_loss",
          "released, poured, drained": "brought_energy"}  # fmt: skip


def panels(steps, header):
    """The panels of a run's steps {field: (S,)}."""
    done = {name: np.cumsum(steps[name]) for name in LEDGER if name in steps}
    kinetic, potential, elastic = steps["kinetic"], steps["potential"], steps.get("elastic", 0.0 * steps["kinetic"])
    start = (kinetic + potential + elastic)[:1]
    explained = sum(values - values[:1] for values in done.values())
    ledger = {
        "kinetic": kinetic, "potential": potential - potential[:1], "friction work": done["friction_work"],
        "impact loss": done["impact_loss"], "stabilisation": done["stabilisation_work"],
        **({"elastic": elastic} if np.any(elastic) else {}),
        **{label: done[name] for label, name in OTHERS.items() if np.any(done.get(name))},
        "unexplained": kinetic + potential + elastic - start - explained,
    }  # fmt: skip
    return [
        Panel("residual [m/s]", {"residual": np.maximum(steps["residual"], 1e-16)}, True, header["tolerance"]),
        Panel("iterations", {"iterations": steps["iterations"]}),
        Panel("deepest overlap [mm]", {"overlap": 1e3 * steps["overlap"]}),
        Panel("energy [J]", ledger),
        Panel("contacts", {"contacts": steps["contact_count"]}),
        Panel("parts of a step, and time to solve it [ms]",
              {"parts": steps["substeps"], "solve time": 1e3 * steps["solve_s"]}),
    ]  # fmt: skip


def comparison_panels(curves):
    """Panels of a comparison as `compare.json` has it: the judge's residual over iterations and over CPU seconds, both
    axes logarithmic, flat before a method's first point and after its last."""
    found = []
    for column, label in ((0, "iterations"), (1, "CPU time [s]")):
        points = {curve["method"]: [row for row in curve["points"] if row[2] and row[column]] for curve in curves}
        ends = [point[column] for rows in points.values() for point in rows]
        if not ends:
            continue
        along = np.linspace(np.log10(min(ends)), np.log10(max(ends)), ALONG)
        series = {}
        for method, rows in points.items():
            if rows:
                at, residual = np.log10([(row[column], row[2]) for row in sorted(rows)]).T
                series[method] = 10 ** np.interp(along, at, residual)
        axis = Along(min(ends), max(ends), label, log=True)
        found.append(Panel(f"residual [m/s] over {label}", series, log=True, along=axis))
    return found
