"""From Bake to the first frame, in Blender and in its worker: the first bake of a session, and those after it.

    python benchmarks/bench_warm.py [bodies]

CPU milliseconds, so that other programs count for little. Needs Blender's Python module.
"""

import json
import os
import sys
import tempfile
import time

from bench_bake import load_package

BAKES, FRAMES = 4, 6


def build(count):
    """`count` boxes of one mesh above a slab, in an empty scene."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, side = bpy.context.scene, int(count**0.5) + 1
    scene.frame_end = FRAMES
    add(scene, "slab", box(200.0), (0, 0, -100), "PASSIVE")
    mesh = box(0.5)
    for i in range(count):
        add(scene, f"body {i:05d}", mesh, (i % side - side / 2, i // side - side / 2, 0.6), "ACTIVE")
    return scene


def box(size):
    """A mesh."""
    import bpy

    corners = [(x, y, z) for x in (-size / 2, size / 2) for y in (-size / 2, size / 2) for z in (-size / 2, size / 2)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new("box")
    mesh.from_pydata(corners, [], faces)
    return mesh


def add(scene, name, mesh, place, kind):
    """A body."""
    import bpy

    ob = bpy.data.objects.new(name, mesh)
    ob.location, ob.stiction.type = place, kind
    scene.collection.objects.link(ob)


def cpu_of(process):
    """CPU seconds of another process so far, on Linux."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def main(count=300):
    """Print one JSON line a bake."""
    load_package().register()
    from stiction.blender_addon.running import job as jobs
    from stiction.blender_addon.running import run as runs

    scene = build(count)
    with tempfile.TemporaryDirectory() as folder:
        scene.stiction.cache = folder
        for number in range(1, BAKES + 1):
            known = jobs._worker is not None
            before, start, clock = cpu_of(jobs._worker.process.pid) if known else 0.0, time.process_time(), time.time()
            run = runs.begin(scene)
            read = time.process_time() - start
            while not run.job.done and run.job.poll() == jobs.JobState.RUNNING:
                time.sleep(0.002)
            worker, wall = cpu_of(jobs._worker.process.pid) - before, time.time() - clock
            figures = {"blender_cpu_ms": 1e3 * read, "worker_cpu_ms": 1e3 * worker, "wall_ms": 1e3 * wall}
            print(json.dumps({"bodies": count, "bake": number} | {k: round(x) for k, x in figures.items()}), flush=True)
            run.job.wait()
            runs.finish(run)
    jobs.stop_all()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
