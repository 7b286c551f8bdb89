"""What the plots of a run show: series by panel. No bpy; used with matplotlib and without."""

from typing import NamedTuple

import numpy as np


class Panel(NamedTuple):
    """One plot: title with unit, {label: values (S,)}, logarithmic or not, level drawn across (or None)."""

    title: str
    series: dict
    log: bool = False
    level: float | None = None


def panels(steps, header):
    """The panels of a run's steps {field: (S,)}."""
    terms = ("friction_work", "impact_loss", "stabilisation_work", "joint_work")
    done = {name: np.cumsum(steps[name]) for name in terms if name in steps}
    kinetic, potential = steps["kinetic"], steps["potential"]
    start = (kinetic + potential)[:1]
    explained = sum(values - values[:1] for values in done.values())
    ledger = {
        "kinetic": kinetic, "potential": potential - potential[:1], "friction work": done["friction_work"],
        "impact loss": done["impact_loss"], "stabilisation": done["stabilisation_work"],
        **({"joints": done["joint_work"]} if np.any(done.get("joint_work")) else {}),
        "unexplained": kinetic + potential - start - explained,
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
