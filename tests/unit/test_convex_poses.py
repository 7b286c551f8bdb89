"""Random poses of two boxes and of two hulls, both by their own closed path and as triangle meshes.

Where the direction is known (face on face, edge across edge, corner on face, tilted face) it must be that one. Random
poses are judged by the Minkowski difference: the gap must be the least that parts the two.
"""

import numpy as np
import pytest
from narrow_reference import contacts_of, random_quaternion, rotation, signed_distance
from scipy.spatial import ConvexHull as QuickHull

from stiction.solver.collision.convex.convex_kernels import EDGE_SHARE
from stiction.solver.shapes import Box, ConvexHull, Mesh

UP = np.array([0.0, 0.0, 1.0])
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
ONE_DEGREE = np.cos(np.radians(1.0))
GAPS = (1e-3, -1e-3, 1e-5, -1e-5)


def about(axis, angle):
    axis = np.asarray(axis, dtype=float)
    return np.concatenate(([np.cos(0.5 * angle)], np.sin(0.5 * angle) * axis / np.linalg.norm(axis)))


def after(p, q):
    """The turn q followed by the turn p."""
    w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate(([w], v))


def face_on_face(rng, gap):
    """Unit box b on unit box a: (orientation of b, position of b, normal)."""
    return about(UP, rng.uniform(0, 7)), np.array([*rng.uniform(-0.3, 0.3, 2), 1.0 + gap]), UP


def edge_across_edge(rng, gap):
    n = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    lean = rng.uniform(-1.2, 1.2)  # at a quarter turn the edges would be parallel
    q = after(about((0, 1, 0), np.pi / 4), after(about(UP, lean), about((1, 0, 0), np.pi / 4)))
    return q, n * (np.sqrt(2.0) + gap) + (0.0, rng.uniform(-0.2, 0.2), 0.0), n


def corner_on_face(rng, gap):
    tip = about(np.cross((1, 1, 1), -UP), np.arccos(-1.0 / np.sqrt(3.0)))
    q = after(about(UP, rng.uniform(0, 7)), after(about((1, 0.3, 0), rng.uniform(-0.3, 0.3)), tip))
    lowest = (Box((1.0, 1.0, 1.0)).surface()[0] @ rotation(q).T)[:, 2].min()
    return q, np.array([*rng.uniform(-0.2, 0.2, 2), 0.5 - lowest + gap]), UP


def tilted_face(rng, gap):
    """Tilted by up to a fifth of a degree: the lowest corner is at the gap, and the normal still that of a face."""
    q = after(about((*rng.normal(size=2), 0.0), np.radians(rng.uniform(0.0, 0.2))), about(UP, rng.uniform(0, 7)))
    corners = Box((1.0, 1.0, 1.0)).surface()[0] @ rotation(q).T
    lowest = corners[np.argmin(corners[:, 2])]
    # Its lowest corner over the face of a, not beside it.
    return q, np.array([*(rng.uniform(-0.4, 0.4, 2) - lowest[:2]), 0.5 - lowest[2] + gap]), UP


POSES = (face_on_face, edge_across_edge, corner_on_face, tilted_face)


def unit(kind):
    box = Box((1.0, 1.0, 1.0))
    return box if kind == "box" else Mesh(*box.surface())


def check_known(pose, kind, count, seed):
    """Every contact has the exact normal within a degree, and the nearest the exact gap."""
    rng = np.random.default_rng(seed)
    gaps = rng.choice(GAPS, count)
    turns, places, normals = zip(*(pose(rng, gap) for gap in gaps), strict=True)
    shift = np.arange(count)[:, None] * [10.0, 0.0, 0.0]
    positions = np.stack((shift, shift + np.array(places)), axis=1).reshape(-1, 3)
    orientations = np.stack((np.tile(UPRIGHT, (count, 1)), np.array(turns)), axis=1).reshape(-1, 4)
    found = contacts_of([unit(kind)] * (2 * count), positions, orientations)
    for k, (gap, normal) in enumerate(zip(gaps, normals, strict=True)):
        mine = np.flatnonzero(found.body_a == 2 * k)
        assert len(mine) >= (3 if pose is face_on_face else 1), f"pose {k}, gap {gap}"
        assert (found.normal[mine] @ normal).min() > ONE_DEGREE, f"pose {k}, gap {gap}"
        assert found.gap[mine].min() == pytest.approx(gap, abs=1e-6), f"pose {k}"


@pytest.mark.parametrize("kind", ["box", "mesh"])
@pytest.mark.parametrize("pose", POSES)
def test_known_poses_of_boxes(pose, kind):
    check_known(pose, kind, 30, 1)


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("kind", ["box", "mesh"])
@pytest.mark.parametrize("pose", POSES)
def test_a_thousand_known_poses_of_boxes(pose, kind):
    check_known(pose, kind, 1000, 2)


def random_solid(kind, rng):
    if kind == "box":
        return Box(tuple(rng.uniform(0.4, 1.0, 3)))
    points = rng.normal(size=(rng.integers(6, 20), 3))
    return ConvexHull(0.5 * points / np.linalg.norm(points, axis=1)[:, None])


def random_pairs(kind, count, seed, gaps=(-2e-3, 2e-3)):
    """Pairs of solids whose planes part them by one of `gaps` (low, high): shapes, poses, world vertices."""
    rng = np.random.default_rng(seed)
    shapes, positions, turns, corners = [], [], [], []
    for k in range(count):
        pair, q = (random_solid(kind, rng), random_solid(kind, rng)), (random_quaternion(rng), random_quaternion(rng))
        va, vb = (
            (s.surface()[0] - s.mass_properties().center) @ rotation(t).T for s, t in zip(pair, q, strict=True)
        )
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        planes = QuickHull((vb[None] - va[:, None]).reshape(-1, 3)).equations
        target, low, high = rng.uniform(*gaps), 0.0, 3.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            parted = (planes[:, 3] - middle * (planes[:, :3] @ way)).max() >= target
            low, high = (low, middle) if parted else (middle, high)
        start = np.array([10.0 * k, 0.0, 0.0])
        shapes += pair
        positions += [start, start + high * way]
        turns += q
        corners.append((va, vb + high * way))
    return shapes, np.array(positions), np.array(turns), corners


def check_random(kind, count, seed, gaps=(-2e-3, 2e-3)):
    """Counts of poses whose gap is not the least by 1e-6 of the size: (poses, worst excess [m])."""
    shapes, positions, turns, corners = random_pairs(kind, count, seed, gaps)
    found = contacts_of(shapes, positions, turns)
    excess = np.zeros(count)
    for k, (va, vb) in enumerate(corners):
        exact, direction = signed_distance(va, vb)
        mine = np.flatnonzero(found.body_a == 2 * k)
        assert len(mine), f"pair {k}: nothing at {exact}"
        best = mine[np.argmin(found.gap[mine])]
        gap, n = found.gap[best], found.normal[best]
        excess[k] = abs(exact - gap)
        if excess[k] > 1e-6 or n @ direction < ONE_DEGREE:
            # Another direction than the best: it must do nearly as well, and what is said must lie between the two. (It
            # is less than the overlap along n where the deepest vertex lies beside the face.)
            along = (vb @ n).min() - (va @ n).max()
            assert along - 1e-6 <= gap <= exact + 1e-6, f"pair {k}: {exact}, {gap}, along n {along}"
            allowed = 2e-5 + EDGE_SHARE * max(0.0, -exact)
            assert excess[k] < allowed, f"pair {k}: {exact} along {direction}, not {gap} along {n}"
    return np.count_nonzero(excess > 1e-6), excess.max()


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_random_poses_of_solids(kind):
    more, worst = check_random(kind, 30, 3)
    assert more <= 1
    assert worst < 2e-5


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_thousand_random_poses_of_solids(kind):
    """A face is preferred to an edge that saves less than half a percent of the overlap, and the first of two faces to
    one better by 1e-5 of the size: stable contacts for an excess that never passes 2e-5."""
    more, worst = check_random(kind, 1000, 4)
    assert more <= 60
    assert worst < 2e-5


def test_deepest_vertex_beside_the_reference_face_is_met():
    """Pair 46 of the seed: the overlap is that of a vertex which the sides of the reference face cut away."""
    more, worst = check_random("hull", 47, 4)
    assert more <= 1
    assert worst < 2e-5


def test_deepest_vertex_of_another_face_is_met():
    """Pair 46 of the seed: the face most opposed to the reference face does not hold the deepest vertex."""
    check_random("hull", 47, 4, (-0.04, 0.0))


@pytest.mark.slow(hours=True)
def test_a_thousand_random_hulls_deep_in_each_other():
    more, _ = check_random("hull", 1000, 5, (-0.04, 0.0))
    assert more <= 20
