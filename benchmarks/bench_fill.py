"""How long grains between smooth plates go on rolling: energy of a fill behind a shut gate, by the time step.

    python benchmarks/bench_fill.py [--seeds 6] [--first 1] [--steps 0.005 0.0025]

The slot hopper of the jam studies (outlet 3 d, friction 0.5, 200 balls) without its gate's opening. One row a seed and
step: kinetic energy of translation and of rotation, means of every half second from 1.5 to 3.5 s; then mean and
standard error over the seeds for each step.
"""

import argparse
from dataclasses import replace

import numpy as np

from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate

FIRST, LAST, EVERY = 1.5, 3.5, 0.5


def fill(seed, step):
    """(translation, rotation) [J] of the grains, means over the times."""
    scene = replace(
        build("slot_hopper", outlet=3.0, friction=0.5, seed=seed, open_time=100.0, time_step=step), gates=()
    )
    grains = [number for number, body in enumerate(scene.bodies) if body.name.startswith("grain")]
    radius = scene.bodies[grains[0]].shape.radius
    mass = scene.materials.materials[0].density * 4.0 / 3.0 * np.pi * radius**3
    found = []

    def watch(done, state, _report, _rows):
        if done % round(EVERY / step) == 0 and state.time > FIRST - 0.5 * step:
            square = np.square(state.twist[grains])
            found.append((0.5 * mass * square[:, :3].sum(), 0.2 * mass * radius**2 * square[:, 3:].sum()))
        return "over" if state.time > LAST - 0.5 * step else ""

    simulate(scene, replace(options_for(scene, time=LAST + 1.0), steps_per_frame=10_000), watch=watch)
    return np.mean(found, axis=0)


def main():
    """Print the rows and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--steps", type=float, nargs="+", default=[0.005, 0.0025])
    given = parser.parse_args()
    for step in given.steps:
        rows = []
        for seed in range(given.first, given.first + given.seeds):
            rows.append(fill(seed, step))
            print(f"step {1e3 * step:g} ms, seed {seed}: translation {rows[-1][0]:.3f} J, rotation {rows[-1][1]:.3f} J",
                  flush=True)  # fmt: skip
        mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
        print(f"step {1e3 * step:g} ms: rotation {mean[1]:.3f} +- {error[1]:.3f} J of {len(rows)} fills")


if __name__ == "__main__":
    main()
