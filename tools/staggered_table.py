"""Redo the iteration table of Staggered Projections (2008), Table 2, left: pairs of projections a step, warm and cold.

Run from the checkout: python tools/staggered_table.py [STEPS]. The paper's stopping rule (28) with 1e-4, 8 directions;
every step of a run, or of the same run whose contacts forget their impulses.
"""

import sys
from dataclasses import replace

import numpy as np

from stiction.solver.methods.method_options import StaggeredOptions
from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

SCENES = {"catenary arch": "catenary_arch", "card house": "cardhouse3"}
PAPER = StaggeredOptions(friction="polygon", directions=8, stopping="paper", friction_tolerance=1e-4)


def iterations(name, warm, steps):
    """Mean number of pairs of projections a step."""
    scene = build(name)
    options = options_for(scene, time=steps * 0.01, time_step=0.01)
    model, state = compiled(scene, options)
    settings = replace(step_settings(options, model, state), method="staggered", method_options=PAPER, accuracy=0.0)
    advance, found = stepper(options), []
    for _ in range(steps):
        state, report, _ = advance(model, state, settings)
        found.append(report.iterations)
        if not warm:
            state.impulses[:] = 0.0
    return float(np.mean(found))


def main(steps=40):
    """Print the table."""
    print(f"{steps} steps of 10 ms        warm   without")
    for label, name in SCENES.items():
        print(f"{label:22} {iterations(name, True, steps):6.1f} {iterations(name, False, steps):9.1f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
