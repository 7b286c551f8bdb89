"""Cost of contact generation on one core: the broad phase per body, the narrow phase per pair of each kind, and the
preparation of meshes.

    python benchmarks/bench_contacts.py [--quick]

CPU time, best of five (meshes: once), after compilation. A near pair is one whose boxes overlap; a touching pair has
contacts.
"""

import importlib.util
import json
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
STEP = 0.01
REPEATS = 5


def load_package():
    """The checkout as the package `stiction`, installed or not."""
    place = {"location": ROOT / "__init__.py", "submodule_search_locations": [str(ROOT)]}
    spec = importlib.util.spec_from_file_location("stiction", **place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["stiction"] = module
    spec.loader.exec_module(module)


def best_of(function):
    """(least CPU time of this thread [s], last result)."""
    times = []
    for _ in range(REPEATS):
        start = time.thread_time()
        result = function()
        times.append(time.thread_time() - start)
    return min(times), result


def broad_phase(count):
    """Microseconds a body of the grid: boxes of sides 0.4 to 1.2 as dense as a pile, and a ground."""
    from stiction.solver.collision.broadphase.broad import overlapping_pairs
    from stiction.solver.collision.broadphase.filters import pair_filter

    rng = np.random.default_rng(0)
    half = 0.5 * rng.uniform(0.8, 1.2, (count, 1)) * rng.uniform(0.5, 1.0, (count, 3))
    center = rng.uniform(0.0, 0.95 * count ** (1 / 3), (count, 3))
    low = np.vstack([center - half, [-1e3, -1e3, -2.0]])
    high = np.vstack([center + half, [1e3, 1e3, 0.2]])
    body, allowed = np.arange(count + 1, dtype=np.int32), pair_filter(np.ones(count + 1, bool))
    overlapping_pairs(low, high, body, allowed)
    seconds, pairs = best_of(lambda: overlapping_pairs(low, high, body, allowed))
    return {"bodies": count, "us_per_body": 1e6 * seconds / count, "pairs_per_body": len(pairs) / count}


def stones(rng, corners):
    """A convex hull of points on a sphere of radius 0.5."""
    from stiction.solver.shapes import ConvexHull

    points = rng.normal(size=(corners, 3))
    return ConvexHull(0.5 * points / np.linalg.norm(points, axis=1)[:, None])


def kinds(rng):
    """Name -> (first shape, second shape, distance of their centres at which random poses often touch)."""
    from stiction.solver.shapes import Box, Capsule, Cylinder, Mesh, Sphere

    ball, rod, box, wheel = Sphere(0.5), Capsule(0.25, 0.5), Box((0.7, 0.6, 0.5)), Cylinder(0.4, 0.6)
    stone, mesh = stones(rng, 16), Mesh(*Sphere(0.5).surface())
    return {
        "sphere-sphere": (ball, ball, 1.0), "sphere-capsule": (ball, rod, 0.85), "capsule-capsule": (rod, rod, 0.65),
        "sphere-box": (ball, box, 0.85), "capsule-box": (rod, box, 0.65), "sphere-hull": (ball, stone, 0.95),
        "box-box": (box, box, 0.7), "box-hull": (box, stone, 0.8), "hull-hull": (stone, stone, 0.92),
        "sphere-cylinder": (ball, wheel, 0.9), "box-cylinder": (box, wheel, 0.75),
        "cylinder-cylinder": (wheel, wheel, 0.8),
        "hull-cylinder": (stone, wheel, 0.85), "capsule-cylinder": (rod, wheel, 0.72),
        "sphere-mesh": (ball, mesh, 1.0), "capsule-mesh": (rod, mesh, 0.85),
        "box-mesh (960 triangles)": (box, mesh, 0.82), "cylinder-mesh": (wheel, mesh, 0.9),
        "mesh-mesh": (mesh, mesh, 1.0),
    }  # fmt: skip


def pair_cost(first, second, distance, count=2000):
    """Nanoseconds a pair in the narrow phase, for random poses of pairs far from each other pair."""
    from stiction.solver.collision import pipeline
    from stiction.solver.collision.pipeline import find_contacts, prepare

    rng = np.random.default_rng(1)
    offset = np.repeat(10.0 * np.arange(count)[:, None] * [1.0, 0.0, 0.0], 2, axis=0)
    way = rng.normal(size=(count, 3))
    offset[1::2] += way / np.linalg.norm(way, axis=1)[:, None] * distance * rng.uniform(0.97, 1.03, (count, 1))
    turns = rng.normal(size=(2 * count, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    model = prepare((first, second) * count, np.zeros((2 * count, 3)), np.ones(2 * count, bool))
    twist = np.zeros((2 * count, 6))
    found = find_contacts(model, offset, turns, twist, STEP)
    place, _, _ = pipeline.placed_boxes(model.geometry, offset, turns, twist, STEP, model.inflation)
    pairs = np.arange(2 * count, dtype=np.int32).reshape(count, 2)
    step = pipeline.Step(place, turns, STEP, -1.0, 1)
    narrow = pipeline.convex_contacts if model.meshes is None else pipeline.mesh_contacts
    seconds, _ = best_of(lambda: narrow(model, step, pairs))
    touching = len(np.unique(found.body_a))
    return {
        "ns_per_pair": 1e9 * seconds / count,
        "touching": touching / count,
        "contacts": found.count / max(1, touching),
    }


def preparation(count):
    """CPU seconds to check, mend, weigh and pool a bumpy ring of about `count` triangles, which nobody has seen."""
    from stiction.solver.collision.pipeline import prepare
    from stiction.solver.shapes import Mesh, generators

    around = int((count / 2) ** 0.5)
    vertices, triangles = generators.torus(0.4, 0.12, around, around)
    vertices = vertices * (1.0 + 0.01 * np.sin(40.0 * vertices[:, :1]))
    start = time.thread_time()
    mesh = Mesh(vertices, triangles)
    mesh.check("ring")
    prepare((mesh,), mesh.mass_properties().center[None], np.ones(1, bool))
    return {"triangles": len(triangles), "seconds": time.thread_time() - start}


def stack_of_boxes(side):
    """Whole step for side^3 boxes stacked face on face in columns: milliseconds, contacts."""
    from stiction.solver.collision.pipeline import find_contacts, prepare
    from stiction.solver.shapes import Box

    lattice = np.array([(i, j, k) for k in range(side) for j in range(side) for i in range(side)], dtype=float)
    positions = lattice * [1.1, 1.1, 1.0]
    count = len(positions)
    model = prepare((Box((1.0, 1.0, 1.0)),) * count, np.zeros((count, 3)), np.ones(count, bool))
    turns, twist = np.tile([1.0, 0, 0, 0], (count, 1)), np.zeros((count, 6))
    twist[:, 2] = -0.0981
    find_contacts(model, positions, turns, twist, STEP)
    seconds, found = best_of(lambda: find_contacts(model, positions, turns, twist, STEP))
    return {
        "bodies": count,
        "contacts": found.count,
        "ms": 1e3 * seconds,
        "us_per_contact": 1e6 * seconds / found.count,
    }


def main(quick):
    load_package()
    result = {"broad": [], "pairs": {}, "preparation": []}
    for count in (2000, 20000) if quick else (2000, 20000, 100000):
        row = broad_phase(count)
        result["broad"].append(row)
        print(
            f"broad phase {count:7d} bodies: {row['us_per_body']:.2f} us a body,"
            f" {row['pairs_per_body']:.1f} pairs a body"
        )
    for name, (first, second, distance) in kinds(np.random.default_rng(0)).items():
        row = pair_cost(first, second, distance, 500 if quick else 2000)
        result["pairs"][name] = row
        print(
            f"{name:26s} {1e-3 * row['ns_per_pair']:7.2f} us a near pair,"
            f" {100 * row['touching']:3.0f} % touch with {row['contacts']:.1f} contacts"
        )
    preparation(1000)
    for count in (10**4, 10**5) if quick else (10**4, 10**5, 10**6):
        row = preparation(count)
        result["preparation"].append(row)
        print(f"preparing a mesh of {row['triangles']:7d} triangles: {row['seconds']:.2f} s")
    result["stack"] = stack_of_boxes(8 if quick else 12)
    print(
        "stack of {bodies} boxes: {contacts} contacts in {ms:.1f} ms, {us_per_contact:.2f} us each".format(
            **result["stack"]
        )
    )
    print(json.dumps(result), file=sys.stderr)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
