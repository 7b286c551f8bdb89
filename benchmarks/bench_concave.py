"""A pile of concave bodies in the whole pipeline: CPU time of every phase of a step, contacts, memory, overlap.

    python benchmarks/bench_concave.py [bodies [seconds [threads]]]

Gears, chalices, rings, jacks and heads of 480 to 1152 triangles fall into a box at 100 Hz (scene `concave200`).
CPU time is that of all threads; "wall" is meant for a quiet machine. Narrow phase: contacts of the pairs whose boxes
overlap; raw: contacts before the reduction, counted in the last step. Overlap: the deepest contact as a part of the
smaller body's size.
"""

import functools
import resource
import sys
import tempfile
import time

import numpy as np

from stiction.solver import methods, simulation
from stiction.solver.collision import pipeline
from stiction.solver.dynamics import impulses
from stiction.solver.model import compile_scene
from stiction.solver.scenes.granular import concave_pile
from stiction.solver.trajectory import TrajectoryWriter

# Phase -> the functions it consists of: (where they are looked up, name).
PHASES = {
    "broad": ((pipeline, "overlapping_pairs"), (pipeline, "overlapping_parts")),
    "narrow": ((pipeline, "convex_contacts"), (pipeline, "mesh_contacts")),
    "assembly": ((impulses, "contact_step"),),
    "solve": ((methods, "improve"),),
    "write": ((TrajectoryWriter, "add_frame"), (TrajectoryWriter, "add_step")),
}


class Clock:
    """CPU and wall time of each phase in each step, and the number of pairs looked at."""

    def __init__(self):
        self.now = {phase: np.zeros(2) for phase in PHASES}
        self.steps, self.pairs, self.last = [], 0, self.read()
        for phase, functions in PHASES.items():
            for owner, name in functions:
                setattr(owner, name, self.wrapped(phase, getattr(owner, name)))

    def read(self):
        return np.array([time.process_time(), time.perf_counter()])

    def wrapped(self, phase, function):
        """The function with its time booked."""

        @functools.wraps(function)
        def timed(*arguments, **named):
            start = self.read()
            result = function(*arguments, **named)
            self.now[phase] += self.read() - start
            if phase == "broad":
                self.pairs = len(result)
            return result

        return timed

    def step_done(self):
        """Close the books of a step: rows of PHASES, then of everything."""
        now = self.read()
        self.steps.append([*self.now.values(), now - self.last])
        self.now = {phase: np.zeros(2) for phase in PHASES}
        self.last = now


def run(count, seconds, threads):
    """Simulate and print."""
    scene = concave_pile(count)
    options = simulation.options_for(scene, time=seconds, threads=threads)
    print(f"{count} bodies, {seconds} s at 100 Hz, {threads} threads", flush=True)
    seen = {}
    original = simulation._run

    def stepping(scene, model, state, settings, options, *rest):
        seen["clock"] = clock = Clock()
        writer, _, *more = rest
        overlap = seen["overlap"] = []
        counts = seen["counts"] = []

        def progress(done, total, report):
            clock.step_done()
            overlap.append(report.overlap)
            counts.append((clock.pairs, report.contact_count))
            if done % 50 == 0:
                phases = dict(zip((*PHASES, "step"), 1e3 * np.array(clock.steps[-1])[:, 0], strict=True))
                told = " ".join(f"{name} {value:.0f}" for name, value in phases.items())
                print(f"step {done}: ms {told}; {clock.pairs} pairs, {report.contact_count} contacts,"
                      f" overlap {1e3 * report.overlap:.3f} mm", flush=True)  # fmt: skip

        return original(scene, model, state, settings, options, writer, progress, *more)

    simulation._run = stepping
    with tempfile.TemporaryDirectory() as folder:
        result = simulation.simulate(scene, options, folder)
    report_phases(seen)
    settled(scene, result, seen)


def report_phases(seen):
    """Mean and worst CPU of every phase, and the wall time of a step."""
    steps = 1e3 * np.array(seen["clock"].steps)
    for k, phase in enumerate((*PHASES, "whole step")):
        cpu = steps[:, k, 0]
        print(f"{phase:11} CPU mean {cpu.mean():8.2f} ms, worst {cpu.max():8.2f} ms;"
              f" wall mean {steps[:, k, 1].mean():8.2f} ms")  # fmt: skip
    pairs, contacts = np.array(seen["counts"]).T
    print(f"pairs mean {pairs.mean():.0f}, most {pairs.max()}; contacts mean {contacts.mean():.0f},"
          f" most {contacts.max()}")  # fmt: skip
    print(f"memory of the process, highest: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def settled(scene, result, seen):
    """Speed and overlap at the end."""
    model, _ = compile_scene(scene)
    size = model.size[model.inverse_mass > 0].min()
    last = np.array(seen["overlap"])[-50:]
    speed = np.linalg.norm(np.diff(result.center_of_mass[-2:], axis=0)[0], axis=1).max() / 0.01
    print(f"deepest contact, of the smallest size {size:.2f} m: worst ever {max(seen['overlap']) / size:.2e},"
          f" worst of the last half second {last.max() / size:.2e}, at the end {last[-1] / size:.2e};"
          f" fastest body at the end {speed:.2f} m/s")  # fmt: skip
    lowest = result.center_of_mass[-1, :, 2][model.inverse_mass > 0].min()
    print(f"lowest centre {lowest:.3f} m; checksum {np.float64(result.center_of_mass[-1]).sum():.17g}")


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[1:]]
    run(int(numbers[0]) if numbers else 200, numbers[1] if len(numbers) > 1 else 4.0,
        int(numbers[2]) if len(numbers) > 2 else 1)  # fmt: skip
