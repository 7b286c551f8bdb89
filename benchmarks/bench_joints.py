"""Mechanisms at 100 Hz, ours beside MuJoCo and Bullet in one run: gap, energy and CPU of a step.

python benchmarks/bench_joints.py [CASE ...] [--alone]. The gap is the largest of the run, by one measure for all;
energy is the largest change in parts of what swings; CPU times exclude compiling and measuring. Peers that are not
installed are left out, with a line that says so. pip install -e ".[bench]" has them.
"""

import argparse
import importlib.util
import time

import numpy as np
from joint_peers import PEERS

from stiction.solver.dynamics.jointed.rows import linearised_at
from stiction.solver.dynamics.jointed.tables import Role
from stiction.solver.dynamics.report_kernels import energies
from stiction.solver.scenes import build
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.scenes.jointed.linkages import rod_pendulum
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

G, STEP, EVERY = 9.81, 0.01, 20
# name -> (scene, seconds, energy that swings [J])
CASES = {
    "rod pendulum": (rod_pendulum, 10.0, 0.5 * G),
    "chain of 20 balls": (lambda: chain(20), 2.0, 2 * G),
    "chain of 20, 1:1000": (lambda: chain(20, 1000.0), 2.0, 200 * G),
    "chain of 100, 1:1000": (lambda: chain(100, 1000.0), 0.5, 1000 * G),
    "chain of 100 hinges, 1:1000": (lambda: chain(100, 1000.0, "hinge"), 0.5, 1000 * G),
    "four-bar": (lambda: build("four_bar"), 10.0, 4 * G),
    "four-bar, 40 windows": (lambda: build("four_bar", windows=40), 10.0, 80 * G),
    "Bricard": (lambda: build("bricard"), 10.0, 5 * G),
}


class Stiction:
    """Ours, with the default settings of a run."""

    def __init__(self, model, state, settings, step):
        self.model, self.state, self.settings, self._step = model, state, settings, step
        self.most = 1

    def step(self):
        self.state, report, _ = self._step(self.model, self.state, self.settings)
        self.most = max(self.most, report.substeps)

    def poses(self):
        return self.state.position, self.state.orientation, self.state.twist


def widest(model, position, orientation):
    """Largest value of a held row [m]."""
    linear = linearised_at(model.joints, np.zeros(len(model.joints.functions.part)), position, orientation)
    return float(np.abs(linear.g[model.joints.rows.role == Role.HOLD]).max())


def measured(engine, model, seconds):
    """(largest gap [m], largest change of energy [J], CPU [ms] a step), or the time [s] at which it has blown up."""
    start, gap, change, cpu = sum(energies(model.bodies, *engine.poses())), 0.0, 0.0, 0.0
    count = round(seconds / STEP)
    for k in range(count):
        begun = time.process_time()
        engine.step()
        cpu += time.process_time() - begun if k else 0.0
        if (k + 1) % EVERY == 0 or k == count - 1:
            poses = [np.ascontiguousarray(part) for part in engine.poses()]
            if not all(np.all(np.isfinite(part)) for part in poses) or np.abs(poses[0]).max() > 1e6:
                return (k + 1) * STEP
            gap = max(gap, widest(model, *poses[:2]))
            change = max(change, abs(sum(energies(model.bodies, *poses)) - start))
    return gap, change, 1e3 * cpu / max(1, count - 1)


def rows(name, alone):
    """Rows (engine, text) of one case."""
    make, seconds, scale = CASES[name]
    scene = make()
    options = options_for(scene, time=seconds, time_step=STEP)
    model, state = compiled(scene, options)
    engines = {"Stiction": lambda: Stiction(model, state, step_settings(options, model, state), stepper(options))}
    for peer, build_peer in {} if alone else PEERS.items():
        if importlib.util.find_spec(peer.split()[0].lower().replace("bullet", "pybullet")):
            engines[peer] = lambda build_peer=build_peer: build_peer(model, state, STEP)
    for engine, build_engine in engines.items():
        found = measured(build_engine(), model, seconds)
        if isinstance(found, float):
            yield engine, f"blown up after {found:.2f} s"
        else:
            yield engine, f"{found[0]:9.1e} {found[1] / scale:9.1e} {found[2]:9.3f}"


def main():
    """Print a row an engine and case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], default=[])
    parser.add_argument("--alone", action="store_true")
    chosen = parser.parse_args()
    for module in ("mujoco", "pybullet"):
        if not chosen.alone and importlib.util.find_spec(module) is None:
            print(f"{module} is not installed: left out")
    print(f"{'':44}   gap [m]    energy  CPU [ms a step]")
    for name in chosen.cases or CASES:
        for engine, text in rows(name, chosen.alone):
            print(f"{name:22} {engine:20} {text}", flush=True)


if __name__ == "__main__":
    main()
