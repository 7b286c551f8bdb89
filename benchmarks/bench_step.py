"""CPU time of a step and its share in broad phase, narrow phase, assembly, solve and write, on scenes of the library.

The clock is put around the functions that the step calls; what they do not cover is the rest.
"""

import tempfile
import time
from unittest import mock

from stiction.solver import methods
from stiction.solver.collision import pipeline
from stiction.solver.dynamics import impulses
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import TrajectoryWriter

PARTS = {
    "broad": [(pipeline, "overlapping_pairs"), (pipeline, "overlapping_parts"), (pipeline, "few_pairs"),
              (pipeline, "placed_boxes")],
    "narrow": [(pipeline, "convex_contacts"), (pipeline, "mesh_contacts")],
    "assembly": [(impulses, "first_step"), (impulses, "contact_step")],
    "solve": [(methods, "solve"), (methods, "improve")],
    "write": [(TrajectoryWriter, "add_frame"), (TrajectoryWriter, "add_step")],
}
RUNS = (
    ("stack10", 2.0), ("heavy4096", 2.0), ("cardhouse3", 2.0), ("wall85", 1.0), ("funnel500s", 1.5), ("funnel500j", 0.8)
)  # fmt: skip


def clocked(function, spent, part):
    """The function with its time added to spent[part]."""

    def run(*arguments, **options):
        start = time.process_time()
        try:
            return function(*arguments, **options)
        finally:
            spent[part] += time.process_time() - start

    return run


def shares(name, seconds):
    """(milliseconds a step, {part: share}) of a run of the scene."""
    scene, spent = SCENES[name].build(), dict.fromkeys(PARTS, 0.0)
    options = options_for(scene, time=seconds)
    patches = [mock.patch.object(owner, function, clocked(getattr(owner, function), spent, part))
               for part, places in PARTS.items() for owner, function in places]  # fmt: skip
    simulate(scene, options_for(scene, time=0.02))
    with tempfile.TemporaryDirectory() as folder:
        for patch in patches:
            patch.start()
        try:
            run = simulate(scene, options, folder)
        finally:
            for patch in patches:
                patch.stop()
    cpu, steps = run.header["cpu_s"], len(run.steps["time"])
    return 1e3 * cpu / steps, {part: value / cpu for part, value in spent.items()}, run.steps["contact_count"].mean()


def main():
    """Print a line a scene."""
    print(f"{'scene':12} {'ms/step':>8} {'contacts':>9}  " + "  ".join(f"{part:>8}" for part in (*PARTS, "rest")))
    for name, seconds in RUNS:
        milliseconds, part, contacts = shares(name, seconds)
        part["rest"] = 1.0 - sum(part.values())
        print(
            f"{name:12} {milliseconds:8.2f} {contacts:9.0f}  " + "  ".join(f"{100 * v:7.1f}%" for v in part.values()),
            flush=True,
        )


if __name__ == "__main__":
    main()
