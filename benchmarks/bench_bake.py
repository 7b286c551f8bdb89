"""Time of export and bake: 2000 bodies, 250 frames, without a solver. Needs Blender's Python module.

    python benchmarks/bench_bake.py [bodies] [frames]
"""

import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def load_package():
    """The checkout as the package `stiction`, installed or not."""
    place = {"location": ROOT / "__init__.py", "submodule_search_locations": [str(ROOT)]}
    spec = importlib.util.spec_from_file_location("stiction", **place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["stiction"] = module
    spec.loader.exec_module(module)
    return module


class RandomMotion:
    """A trajectory without a simulation: every key differs, so nothing is thinned."""

    def __init__(self, export):
        rng = np.random.default_rng(0)
        count = (export.frame_count, len(export.scene.bodies))
        self.names = tuple(body.name for body in export.scene.bodies)
        self.times = np.arange(export.frame_count) / export.fps
        self.positions = rng.normal(size=(*count, 3)).cumsum(axis=0)
        self.orientations = rng.normal(size=(*count, 4))
        self.orientations /= np.linalg.norm(self.orientations, axis=-1, keepdims=True)
        self.header, self.steps = {}, {}


def build(count, frames):
    """`count` objects of one mesh in an empty scene."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    mesh = bpy.data.meshes.new("tetrahedron")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    for i in range(count):
        ob = bpy.data.objects.new(f"body {i:04d}", mesh)
        ob.rotation_mode, ob.location = "QUATERNION", (3 * (i % 50), 3 * (i // 50), 0)
        ob.stiction.type = "ACTIVE"
        scene.collection.objects.link(ob)
    return scene


def main(count=2000, frames=250):
    """Print one JSON line: CPU seconds of export, bake, clear, and a bake to instances."""
    load_package().register()
    from stiction.blender_addon.baking import bake as baking
    from stiction.blender_addon.exporting.export import export_scene

    scene = build(count, frames)
    export_scene(scene)
    start = time.process_time()
    export = export_scene(scene)
    exported = time.process_time()
    motion = RandomMotion(export)
    begin = time.process_time()
    baking.bake(scene, export, motion)
    baked = time.process_time()
    baking.clear(scene)
    cleared = time.process_time()
    figures = {"export_cpu_s": exported - start, "bake_cpu_s": baked - begin, "clear_cpu_s": cleared - baked}
    scene.stiction.bake_to = "INSTANCES"
    with tempfile.TemporaryDirectory() as motion.folder:
        begin = time.process_time()
        baking.bake(scene, export, motion)
        figures["instances_cpu_s"] = time.process_time() - begin
    print(json.dumps({"bodies": count, "frames": frames} | {key: round(value, 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
