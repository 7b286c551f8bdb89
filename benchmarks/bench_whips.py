"""Chains with a heavy end let go for 10 s at 100 Hz: do they keep their energy where they crack?

python benchmarks/bench_whips.py [LINKS,RATIO,ANGLE ...]: largest change of energy in parts of what swings, largest gap,
most substeps of a frame, CPU. All eight take five minutes of CPU time.
"""

import sys
import time

from bench_joints import STEP, G, widest

from stiction.solver.dynamics.report_kernels import energies
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

CASES = ("20,1000,90", "20,1000,88", "20,1000,80", "20,1000,95", "20,300,89", "20,3000,90", "10,1000,87", "30,1000,90")
SECONDS, LINK, MASS = 10.0, 0.1, 0.1


def whip(links, ratio, angle):
    """(energy, gap [m], substeps in all, most in a frame) of one chain."""
    scene = chain(links, ratio, angle=angle)
    options = options_for(scene, time=SECONDS, time_step=STEP)
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    start = sum(energies(model.bodies, state.position, state.orientation, state.twist))
    change, gap, substeps, most = 0.0, 0.0, 0, 0
    for _ in range(round(SECONDS / STEP)):
        state, report, _ = step(model, state, settings)
        now = sum(energies(model.bodies, state.position, state.orientation, state.twist))
        change, gap = max(change, now - start, key=abs), max(gap, widest(model, state.position, state.orientation))
        substeps, most = substeps + report.substeps, max(most, report.substeps)
    return change / (MASS * ratio * G * links * LINK), gap, substeps, most


def main():
    """Print a row a chain."""
    print("links,ratio,angle     energy   gap [m]  substeps  most  CPU [s]")
    for name in sys.argv[1:] or CASES:
        links, ratio, angle = (float(part) for part in name.split(","))
        begun = time.process_time()
        energy, gap, substeps, most = whip(int(links), ratio, angle)
        cpu = time.process_time() - begun
        print(f"{name:18} {energy:9.1e} {gap:9.1e} {substeps:9d} {most:5d} {cpu:8.1f}", flush=True)


if __name__ == "__main__":
    main()
