"""What splitting open loads evenly costs: CPU seconds of runs with and without it.

    python benchmarks/bench_even_loads.py [SCENE:STEPS[:LIMIT] ...]

LIMIT: contacts of the largest island that is looked at (default 200). Runs take turns; the least of three counts.
"""

import sys
import time
from dataclasses import replace

from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

CASES = ("stack10:300", "cardhouse3:300", "wall85:300", "wall85:300:2000", "funnel500j:60")


def cpu_seconds(name, steps, limit):
    """CPU seconds of the steps of a scene, without what they compile."""
    scene = build(name)
    options = options_for(scene, time=steps * 0.01, time_step=0.01)
    model, state = compiled(scene, options)
    settings = step_settings(options, model, state)
    settings = replace(settings, method_options=replace(settings.method_options, even_loads=limit))
    advance = stepper(options)
    state, _, _ = advance(model, state, settings)
    start = time.process_time()
    for _ in range(steps):
        state, _, _ = advance(model, state, settings)
    return time.process_time() - start


def main(cases):
    """Print a line a case."""
    print(f"{'scene':12} {'steps':>5} {'limit':>6} {'off [s]':>8} {'on [s]':>8} {'ratio':>6}")
    for case in cases:
        name, steps, limit = [*case.split(":"), "200"][:3]
        steps, limit = int(steps), int(limit)
        cpu_seconds(name, 5, limit)
        off, on = [], []
        for _ in range(3):
            off.append(cpu_seconds(name, steps, 0))
            on.append(cpu_seconds(name, steps, limit))
        print(f"{name:12} {steps:5d} {limit:6d} {min(off):8.2f} {min(on):8.2f} {min(on) / min(off):6.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or CASES)
