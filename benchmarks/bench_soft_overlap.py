"""How deep deformable bodies are in what they touch, step by step, and what that costs.

    python benchmarks/bench_soft_overlap.py [scene:seconds ...]

Each scene runs with the default settings: CPU seconds, steps not accepted, and of the deepest overlap of every step the
mean, how many steps are above 0.2 and 1 mm, and the largest. Beside it the same without searches at the end of a step
(solver/stepping/soft/late_contacts.py).
"""

import sys
import time

import numpy as np

from stiction.solver.scenes import SCENES
from stiction.solver.simulation import compiled, options_for, step_settings, stepper
from stiction.solver.stepping.soft import step

SCENES_OF_IT = ("soft_stack:1", "soft_pile:2", "soft_funnel:1.5")


def measured(name, seconds):
    """(CPU seconds, steps not accepted, deepest overlaps (S,) [mm]) of the first `seconds` of a scene."""
    scene = SCENES[name].build()
    options = options_for(scene)
    model, state = compiled(scene, options)
    settings, advance = step_settings(options, model, state), stepper(options)
    start, reports = time.process_time(), []
    while state.time < seconds - 1e-9:
        state, report, _ = advance(model, state, settings)
        reports.append(report)
    bad = sum(not report.converged for report in reports)
    return time.process_time() - start, bad, 1e3 * np.array([report.overlap for report in reports])


def main(*wanted):
    """Print the table."""
    print("| scene | late searches | CPU s | not accepted | mean [mm] | above 0.2 mm | above 1 mm | largest [mm] |")
    print("|---|---|---|---|---|---|---|---|")
    most = step.SEARCHES
    for one in wanted or SCENES_OF_IT:
        name, seconds = one.split(":")
        for searches in (0, most):
            step.SEARCHES = searches
            cpu, bad, overlap = measured(name, float(seconds))
            print(f"| {name}, {seconds} s | {searches} | {cpu:.1f} | {bad} of {len(overlap)} | {overlap.mean():.3f} | "
                  f"{(overlap > 0.2).sum()} | {(overlap > 1.0).sum()} | {overlap.max():.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
