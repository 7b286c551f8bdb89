"""What is said of energy that a time scheme or impacts took from deformable bodies."""

import numpy as np

from ..stepping.step_report import LEDGER

# Part of the energy there was above which a loss is said.
SAID = 0.1


def energy_notes(steps, header):
    """Sentences on a run's steps, {field: (S,)}, with deformable bodies, whose waves and impacts a time step may not
    resolve. Where rigid bodies move, too, impacts are theirs as well, and their restitution is what the user says."""
    soft = np.diff(header.get("node_start", [0, 0])) > 0
    if not soft.any() or len(steps["time"]) == 0:
        return []
    free = np.array([motion == "dynamic" for motion in header["motion"]])
    held = steps["kinetic"] + steps["elastic"] + steps["potential"]
    # Steps hold what is there at their ends: what was there at the start is that of the first and what it took.
    begun = held[0] - sum(steps[name][0] for name in LEDGER if name in steps)
    largest = float(np.append(held, begun).max() - steps["potential"].min())
    taken = {"the time scheme": -float(steps["scheme_loss"].sum())}
    if not np.any(free & ~soft):
        taken["impacts"] = -float(steps["impact_loss"].sum())
    if not sum(taken.values()) > SAID * largest > 0.0:
        return []
    said = " and ".join(f"{who} {energy:.3g} J" for who, energy in taken.items() if energy > 0.0)
    h = header["options"]["time_step"]
    return [
        f"of {largest:.3g} J that there were at most, {said} took {sum(taken.values()) / largest:.0%} in all, which no "
        f"material did: deformable bodies bounce and vibrate less than they should; use a time step of {0.5 * h:g} s, "
        "or give them damping if they are to come to rest"
    ]
