"""A jammed state: its force chains, its arch, and how far friction is used."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle

from ..values import shown_point
from .drawing import finished, new_axes, saved


def force_chains(outcome):
    """Bodies and forces of one jammed run, the arch highlighted; beside it how much of the force is friction."""
    rows = [entry for entry in finished(outcome) if entry[2].get("state", {}).get("arch")]
    if not rows:
        return None
    # The most typical of them: the median number of grains in the arch.
    rows.sort(key=lambda entry: len(entry[2]["state"]["arch"]))
    task, row, detail = rows[len(rows) // 2]
    state = detail["state"]
    figure, axes = new_axes(9.6, 5.0, 2)
    _draw_state(axes[0], state)
    contacts = state["contacts"]
    normal, friction = np.array([c[8] for c in contacts]), np.array([c[9] for c in contacts])
    use = normal > 0.01 * normal.mean()
    axes[1].hist(friction[use] / normal[use], 30, color="#0072B2")
    axes[1].set(xlabel="friction force / normal force", ylabel="contacts")
    sentence = (
        f"Run with {shown_point(task.values) or 'no parameters'}, seed {task.seed}: jammed after "
        f"{row['discharged_count']} grains by an arch of "
        f"{len(state['arch'])} (orange). Widths of lines are normal forces, the largest {normal.max():.3g} N."
    )
    return saved(outcome, figure, "force_chains", "A jammed state", sentence)


def _draw_state(axes, state):
    """Bodies as circles in x and z, contacts between them as lines as wide as their force."""
    where = {body[0]: np.array([body[1], body[3]]) for body in state["bodies"]}
    arch = set(state["arch"])
    for number, x, _, z, size in state["bodies"]:
        colour = "#E69F00" if number in arch else "#e8edf2"
        axes.add_patch(Circle((x, z), size, facecolor=colour, edgecolor="0.75", lw=0.4))
    lines, forces = [], []
    for a, b, x, _, z, *rest in state["contacts"]:
        ends = [where.get(a, np.array([x, z])), where.get(b, np.array([x, z]))]
        lines.append(ends)
        forces.append(rest[3])
    forces = np.array(forces)
    widths = 4.0 * np.clip(forces / np.percentile(forces, 98), 0.0, 1.3)
    axes.add_collection(LineCollection(lines, linewidths=widths, colors="#7a1020", capstyle="round"))
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set(xlabel="x [m]", ylabel="z [m]")
