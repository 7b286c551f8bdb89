"""Mechanisms at 100 Hz: gap, residual, energy and CPU of a step.

python benchmarks/bench_joints.py [CASE ...]. CPU times exclude compilation; gap in metres, energy as a part of what is
turned over.
"""

import sys
import time

import numpy as np

from stiction.solver.dynamics.jointed.readings import joint_readings
from stiction.solver.dynamics.report_kernels import energies
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import SHAPES
from stiction.solver.simulation import compiled, options_for, step_settings, stepper

G = 9.81
NOTHING = {"collides_with": ()}


def rod(name, p, q, mass=1.0, thick=0.02):
    """A rod along its local z."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    length, axis = np.linalg.norm(q - p), (q - p) / np.linalg.norm(q - p)
    turn = np.array([1.0 + axis[2], *np.cross([0.0, 0.0, 1.0], axis)])
    turn = turn / np.linalg.norm(turn) if axis[2] > -1 + 1e-9 else np.array([0.0, 1.0, 0.0, 0.0])
    shape = SHAPES["box"]((thick, thick, float(length)))
    return Body(name, shape, position=tuple((p + q) / 2), orientation=tuple(turn), mass=mass, **NOTHING)


def chain(count, heavy, kind):
    """A chain let go horizontally, links of 0.1 m and 0.1 kg, the last `heavy` times as heavy."""
    ends = [(0.1 * i, 0, 0) for i in range(count + 1)]
    bodies = [rod(f"l{i}", ends[i], ends[i + 1], 0.1 * (heavy if i == count - 1 else 1.0), 0.01) for i in range(count)]
    names = ["world", *(body.name for body in bodies)]
    joints = [Joint(f"j{i}", kind, (names[i], names[i + 1]), ends[i], (0, 1, 0)) for i in range(count)]
    return Scene(tuple(bodies), joints=tuple(joints))


def four_bar(windows):
    """IFToMM A02: windows of rods of 1 m and 1 kg, upright, the first corner at 1 m/s."""
    bodies, joints = [], []
    for i in range(windows + 1):
        upright = rod(f"u{i}", (i, 0, 0), (i, 0, 1))
        bodies.append(Body(**{**vars(upright), "velocity": (0.5, 0, 0), "angular_velocity": (0, 1, 0)}))
        joints.append(Joint(f"foot{i}", "hinge", ("world", f"u{i}"), (i, 0, 0), (0, 1, 0)))
    for i in range(windows):
        beam = rod(f"b{i}", (i, 0, 1), (i + 1, 0, 1))
        bodies.append(Body(**{**vars(beam), "velocity": (1.0, 0, 0)}))
        joints += [Joint(f"left{i}", "hinge", (f"u{i}", f"b{i}"), (i, 0, 1), (0, 1, 0)),
                   Joint(f"right{i}", "hinge", (f"u{i + 1}", f"b{i}"), (i + 1, 0, 1), (0, 1, 0))]  # fmt: skip
    return Scene(tuple(bodies), joints=tuple(joints))


CASES = {
    "chain20": (lambda: chain(20, 1.0, "ball"), 2.0),
    "chain100x1000 hinges": (lambda: chain(100, 1000.0, "hinge"), 0.1),
    "fourbar1": (lambda: four_bar(1), 10.0), "fourbar40": (lambda: four_bar(40), 2.0),
}  # fmt: skip


def measured(scene, duration, h=0.01):
    """Gap [m], residual [m/s], energy change, CPU [ms] a step."""
    options = options_for(scene, time=duration, time_step=h)
    model, state = compiled(scene, options)
    settings, step = step_settings(options, model, state), stepper(options)
    start, gap, residual, change, swing = None, 0.0, 0.0, 0.0, 1e-30
    count, cpu = round(duration / h), 0.0
    for k in range(count):
        begun = time.process_time()
        state, report, _ = step(model, state, settings)
        cpu += (time.process_time() - begun) if k else 0.0
        energy = report.kinetic + report.potential
        start = energy if start is None else start
        change, swing = max(change, abs(energy - start)), max(swing, report.kinetic)
        gap, residual = max(gap, joint_readings(state, h)[:, 2].max()), max(residual, report.residual)
    total = sum(energies(model.bodies, state.position, state.orientation, state.twist))
    return gap, residual, change / swing, 1e3 * cpu / max(1, count - 1), total


def main(names):
    """Print a row a case."""
    print("case                    gap [m]   residual   energy     CPU [ms a step]")
    for name in names or CASES:
        make, duration = CASES[name]
        gap, residual, change, cpu, _ = measured(make(), duration)
        print(f"{name:22s} {gap:9.1e} {residual:9.1e} {change:9.1e} {cpu:8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
