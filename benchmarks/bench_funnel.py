"""Jacks in a funnel, ours beside Blender's own Bullet (bpy) in one run: CPU per simulated second and overlap.

    python benchmarks/bench_funnel.py [scene [seconds [threads]]]

scene: funnel2000j (default) or funnel500j, each jack a compound of three boxes. Ours runs with the default settings at
a 10 ms step; Bullet as Blender ships it (24 frames a second, 10 substeps, 10 iterations), jacks as compound parents
with box children. Overlap: how deep two convex parts are in each other, by the same measuring tool for both
(solver/validation/overlap.py), every quarter of a second: a single frame is chance.
"""

import sys

import numpy as np
from bullet_peer import SHIPPED, bullet
from scipy.spatial.transform import Rotation

from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.overlap import deepest_overlap

EVERY = 0.25  # [s]: divides frames of both


def ours(scene, seconds, threads):
    """(CPU s per simulated s, times (F,) [s], positions (F,R,3) of the shapes, orientations (F,R,4))."""
    run = simulate(scene, options_for(scene, time=seconds, threads=threads))
    return run.header["cpu_s"] / seconds, run.times, run.positions, run.orientations


def line(who, scene, cpu, times, places, turns):
    """One row of the table."""
    samples = np.arange(EVERY, times[-1] + 1e-9, EVERY)
    frames = np.searchsorted(times, samples - 1e-6)
    depths = 1e3 * np.array([deepest_overlap(scene, places[frame], turns[frame])[0] for frame in frames])
    print(f"{scene.name:12} {who:20} CPU {cpu:7.2f} s/s, deepest overlap [mm]: mean {depths.mean():7.3f}, worst"
          f" {depths.max():7.3f}, at the end {depths[-1]:7.3f}", flush=True)  # fmt: skip


def main(name="funnel2000j", seconds=3.0, threads=1):
    """Print a row an engine; Bullet's is left out with a reason where bpy is not installed."""
    scene = SCENES[name].build()
    line("Stiction, default", scene, *ours(scene, seconds, threads))
    try:
        import bpy
    except ImportError as error:
        print(f"Blender's Bullet is left out: {error}", file=sys.stderr)
        return
    cpu, times, poses = bullet(bpy, scene, seconds, SHIPPED)
    turns = Rotation.from_matrix(poses[..., :3, :3].reshape(-1, 3, 3)).as_quat(scalar_first=True)
    line("Bullet, as shipped", scene, cpu, times, poses[..., :3, 3], turns.reshape(*poses.shape[:2], 4))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*words[:1], *(float(word) for word in words[1:2]), *(int(word) for word in words[2:3]))
