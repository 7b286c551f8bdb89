"""Plots of a run over time, each drawn into the axes it is given: contacts, residual, overlap, energy."""

import numpy as np

from ..base.refusal import TrajectoryError


def new_axes():
    """Axes of a new figure; TrajectoryError where matplotlib is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise TrajectoryError("plots need matplotlib, which is not installed; pip install matplotlib") from None
    axes = plt.subplots(figsize=(8, 3.5), layout="constrained")[1]
    axes.set_xlabel("time [s]")
    return axes


def draw_contacts(run, axes):
    """Number of contacts of each step of a Trajectory."""
    axes.plot(run.steps["time"], run.steps["contact_count"], color="tab:blue")
    axes.set_ylabel("contacts")
    axes.grid(alpha=0.3)


def draw_residual(run, axes):
    """The judge's residual [m/s] of each step, and what was aimed at."""
    # Logarithms know no 0.
    axes.semilogy(run.steps["time"], np.maximum(run.steps["residual"], 1e-16), color="tab:red")
    axes.axhline(run.header["tolerance"], color="gray", linestyle="--", label="aim")
    axes.set_ylabel("residual [m/s]")
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)


def draw_overlap(run, axes):
    """Deepest overlap [mm] of each step."""
    axes.plot(run.steps["time"], 1e3 * run.steps["overlap"], color="tab:purple")
    axes.set_ylabel("overlap [mm]")
    axes.grid(alpha=0.3)


def draw_energy(run, axes):
    """Energies [J] after each step, and what friction, impacts and the removal of overlap took or gave until then."""
    steps, time = run.steps, run.steps["time"]
    axes.plot(time, steps["kinetic"], label="kinetic")
    axes.plot(time, steps["potential"] - steps["potential"][-1:], label="potential, from the end")
    if np.any(steps["elastic"]):
        axes.plot(time, steps["elastic"], label="elastic")
    axes.plot(time, -np.cumsum(steps["friction_work"]), label="lost to friction")
    axes.plot(time, -np.cumsum(steps["impact_loss"]), label="lost to impacts")
    axes.plot(time, np.cumsum(steps["stabilisation_work"]), label="given by stabilisation")
    axes.set_ylabel("energy [J]")
    axes.legend(loc="center right")
    axes.grid(alpha=0.3)


# From the top to the bottom of a sheet.
PLOTS = (draw_contacts, draw_residual, draw_overlap, draw_energy)
