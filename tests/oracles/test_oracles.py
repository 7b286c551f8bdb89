"""Distances and times of impact against two independent libraries, coal and ipctk.

They live in an environment of their own, because coal needs numpy 2 and Blender's module numpy 1: `make oracles`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "unit"))

from mesh_poses import ORIGIN, UPRIGHT  # noqa: E402
from narrow_reference import contacts_of  # noqa: E402
from test_convex_poses import random_pairs  # noqa: E402
from test_static_poses import gallery_with_surfaces, near_pose  # noqa: E402

from stiction.solver.shapes import Sphere, generators  # noqa: E402

PYTHON = Path(os.environ.get("STICTION_ORACLES", ROOT / ".venv-oracles" / "bin" / "python"))
MESHES = {
    "gear": generators.gear(6), "torus": generators.torus(0.4, 0.12, 16, 8), "jack": generators.jack(),
    "chalice": generators.chalice(1.0, 12),
}  # fmt: skip
PAIRS = (("gear", "gear"), ("torus", "jack"), ("chalice", "chalice"))

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="coal and ipctk are not installed (make oracles)")


def answers(jobs):
    """The oracles' answers to the jobs, in one process."""
    worker = [str(PYTHON), str(Path(__file__).with_name("worker.py"))]
    done = subprocess.run(worker, input=json.dumps(jobs), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return np.array(json.loads(done.stdout))


@pytest.fixture(scope="module")
def zoo():
    return gallery_with_surfaces(MESHES)


def surface(points, triangles):
    return {"points": np.asarray(points).tolist(), "triangles": np.asarray(triangles).tolist()}


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_distance_of_polytopes_is_coals(kind):
    """Apart: the distance to 2e-6. Overlapping: the depth, to that and half a percent for faces preferred to edges."""
    shapes, positions, turns, corners = random_pairs(kind, 60, 11)
    found = contacts_of(shapes, positions, turns)
    triangles = [shape.surface()[1] for shape in shapes]
    jobs = [
        {"kind": "convex", "a": surface(va, triangles[2 * k]), "b": surface(vb, triangles[2 * k + 1])}
        for k, (va, vb) in enumerate(corners)
    ]
    for k, distance in enumerate(answers(jobs)):
        gap = found.gap[found.body_a == 2 * k].min()
        assert gap == pytest.approx(distance, abs=2e-6 + 0.005 * max(0.0, -distance) + 1e-5 * (distance < 0.0))


def test_distance_of_spheres_and_boxes_is_coals():
    rng = np.random.default_rng(12)
    shapes, positions, turns, corners = random_pairs("box", 40, 13)
    jobs, ours = [], []
    for k, (va, _) in enumerate(corners):
        box, radius = shapes[2 * k], rng.uniform(0.1, 0.5)
        way = rng.normal(size=3)
        at = way / np.linalg.norm(way) * rng.uniform(0.5, 1.2)
        found = contacts_of([box, Sphere(radius)], [ORIGIN, at], [turns[2 * k], UPRIGHT], margin=2.0)
        ours.append(found.gap.min())
        jobs.append({"kind": "convex", "a": surface(va, box.surface()[1]), "b": {"sphere": radius, "at": at.tolist()}})
    np.testing.assert_allclose(ours, answers(jobs), atol=1e-6)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distance_of_meshes_is_ipctks(zoo, pair):
    rng = np.random.default_rng(14)
    jobs, ours = [], []
    for _ in range(12):
        qa, x, qb, _ = near_pose(zoo, *pair, rng)
        ours.append(zoo.contacts(pair[0], ORIGIN, qa, pair[1], x, qb).gap.min())
        a, b = zoo.placed(pair[0], 0.0, qa), zoo.placed(pair[1], x, qb)
        triangles = [zoo.meshes[zoo.index(name)][1] for name in pair]
        jobs.append({"kind": "meshes", "a": surface(a, triangles[0]), "b": surface(b, triangles[1]), "reach": 0.02})
    np.testing.assert_allclose(ours, answers(jobs), atol=1e-9)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_time_of_impact_is_ipctks(zoo, pair):
    """A pair that meets within the step has a contact whose gap closes by then, and one that does not has none."""
    rng = np.random.default_rng(15)
    jobs, ours = [], []
    for _ in range(20):
        qa, x, qb, way = near_pose(zoo, *pair, rng)
        x = x + 0.2 * way
        side = np.cross(way, rng.normal(size=3))
        move = -rng.uniform(0.1, 0.4) * way + rng.uniform(0.0, 0.3) * side
        twist = np.concatenate((move, np.zeros(3)))
        found = zoo.contacts(pair[0], ORIGIN, qa, pair[1], x, qb, ub=twist, h=1.0, margin=1e-6)
        ours.append(bool(np.any(found.gap + found.normal @ move <= 0.0)))
        a, b = zoo.placed(pair[0], 0.0, qa), zoo.placed(pair[1], x, qb)
        triangles = [zoo.meshes[zoo.index(name)][1] for name in pair]
        jobs.append(
            {"kind": "ccd", "a": surface(a, triangles[0]), "b": surface(b, triangles[1]), "move": move.tolist()}
        )
    theirs = answers(jobs) < 1.0
    assert 3 < theirs.sum() < 20
    assert not np.any(theirs & ~np.array(ours)), "a meeting was missed"
    assert np.count_nonzero(np.array(ours) & ~theirs) <= 1
