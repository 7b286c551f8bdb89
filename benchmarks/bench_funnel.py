"""Jacks in a funnel, ours beside Blender's own Bullet (bpy) in one run: CPU per simulated second and overlap.

    python benchmarks/bench_funnel.py [scene [seconds [threads]]]

scene: funnel2000j (default) or funnel500j, each jack a compound of three boxes. Ours runs with the default settings at
a 10 ms step; Bullet as Blender ships it (24 frames a second, 10 substeps, 10 iterations), jacks as compound parents
with box children. Overlap: how deep two convex parts are in each other in the last frame, by the same measuring tool
for both (solver/validation/overlap.py).
"""

import sys

from bullet_peer import SHIPPED, bullet
from scipy.spatial.transform import Rotation

from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.overlap import deepest_overlap


def ours(scene, seconds, threads):
    """(CPU s per simulated s, last positions (R,3) of the shapes, last orientations (R,4))."""
    run = simulate(scene, options_for(scene, time=seconds, threads=threads))
    return run.header["cpu_s"] / seconds, run.positions[-1], run.orientations[-1]


def line(who, scene, cpu, places, turns):
    """One row of the table."""
    depth = deepest_overlap(scene, places, turns)[0]
    print(f"{scene.name:12} {who:20} CPU {cpu:7.2f} s/s, deepest overlap {1e3 * depth:7.3f} mm", flush=True)


def main(name="funnel2000j", seconds=3.0, threads=1):
    """Print a row an engine; Bullet's is left out with a reason where bpy is not installed."""
    scene = SCENES[name].build()
    line("Stiction, default", scene, *ours(scene, seconds, threads))
    try:
        import bpy
    except ImportError as error:
        print(f"Blender's Bullet is left out: {error}", file=sys.stderr)
        return
    cpu, _, poses = bullet(bpy, scene, seconds, SHIPPED)
    turns = Rotation.from_matrix(poses[-1, :, :3, :3]).as_quat(scalar_first=True)
    line("Bullet, as shipped", scene, cpu, poses[-1, :, :3, 3], turns)


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*words[:1], *(float(word) for word in words[1:2]), *(int(word) for word in words[2:3]))
