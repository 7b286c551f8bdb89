"""Contacts between two triangle meshes, against exact answers and against brute force."""

import numpy as np
import pytest
from marks import few
from mesh_poses import ORIGIN, UPRIGHT, Gallery
from mesh_reference import axis_quaternion, meshes_intersect, random_quaternion, rotation, surface_distance
from scipy.spatial import ConvexHull

from stiction.solver.collision.mesh import mesh_contacts
from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.shapes import Mesh, generators

UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def boxes():
    return Gallery(
        {
            "cube": generators.plate((1, 1, 1)),
            "floor": generators.plate((8, 8, 0.5), (40, 40)),
            "sheet": generators.grid_plane((8, 8)),
            "fine sheet": generators.grid_plane((8, 8), (40, 40)),
            "scrap": generators.grid_plane((0.3, 0.3)),
            "card": generators.plate((0.063, 0.088, 0.0003)),
        }
    )


@pytest.fixture(scope="module")
def zoo():
    return Gallery(
        {
            "gear": generators.gear(6),
            "torus": generators.torus(0.4, 0.12, 16, 8),
            "jack": generators.jack(),
            "chalice": generators.chalice(1.0, 12),
            "ball": generators.icosphere(0.5, 1),
            "glass": generators.wine_glass(1.0, 0.02, 12),
        }
    )


def clipped_square(turn, shift):
    """Corners of the unit square cut with another, turned and shifted (Sutherland and Hodgman 1974)."""
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    c, s = np.cos(turn), np.sin(turn)
    polygon = list(square @ np.array([[c, s], [-s, c]]) + shift)
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        cut = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            a, b = 0.5 - sign * p[axis], 0.5 - sign * q[axis]
            if a >= 0:
                cut.append(p)
            if a * b < 0:
                cut.append(p + (q - p) * a / (a - b))
        polygon = cut
    return np.array(polygon)


@pytest.mark.parametrize("gap", [1e-3, -1e-3, 0.0])
def test_face_on_face_covers_exactly_the_common_polygon(boxes, gap):
    rng = np.random.default_rng(1)
    for _ in range(100):
        turn, shift = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-0.3, 0.3, size=2)
        found = boxes.contacts("cube", ORIGIN, UPRIGHT, "cube", (*shift, 1.0 + gap), axis_quaternion(UP, turn))
        np.testing.assert_allclose(found.gap, gap, atol=1e-12)
        np.testing.assert_allclose(found.normal, np.broadcast_to(UP, found.normal.shape), atol=1e-12)
        exact = clipped_square(turn, shift)
        assert ConvexHull(found.position[:, :2]).volume == pytest.approx(ConvexHull(exact).volume, abs=1e-6)
        assert len(found) <= 8
        np.testing.assert_allclose(found.position[:, 2], 0.5 + 0.5 * gap, atol=1e-12)


def test_slightly_tilted_face_keeps_its_contacts_and_normals(boxes):
    rng = np.random.default_rng(2)
    tilt = np.radians(0.2)
    for _ in range(50):
        q = axis_quaternion((*rng.normal(size=2), 0.0), tilt)
        found = boxes.contacts("cube", ORIGIN, UPRIGHT, "cube", (*rng.uniform(-0.3, 0.3, 2), 1.0005), q)
        assert 3 <= len(found) <= 9
        assert np.degrees(np.arccos(np.clip(found.normal @ UP, -1, 1))).max() < 2.9


@pytest.mark.parametrize("gap", [1e-3, -1e-3, -0.02])
def test_edge_on_edge_is_one_exact_contact(boxes, gap):
    rng = np.random.default_rng(3)
    n = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    for _ in range(50):
        lean, slide = rng.uniform(-1.0, 1.0), rng.uniform(-0.2, 0.2)
        # The lower edge of a cube stood on edge, laid across the upper edge (+x, +z) of the other at an angle.
        stand = rotation(axis_quaternion((0, 1, 0), np.pi / 4)) @ rotation(axis_quaternion(UP, lean))
        q = quaternion_of(stand @ rotation(axis_quaternion((1, 0, 0), np.pi / 4)))
        found = boxes.contacts("cube", ORIGIN, UPRIGHT, "cube", n * (np.sqrt(2.0) + gap) + (0, slide, 0), q)
        best = np.argmin(np.abs(found.gap - gap))
        assert found.gap[best] == pytest.approx(gap, abs=1e-12)
        np.testing.assert_allclose(found.normal[best], n, atol=1e-9)
        assert abs(gap) > 0.01 or len(found) == 1


def quaternion_of(r):
    w = 0.5 * np.sqrt(max(0.0, 1.0 + np.trace(r)))
    return np.array([w, *(np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4.0 * w))])


@pytest.mark.parametrize("gap", [1e-3, -1e-3, -0.02])
def test_corner_on_face_is_one_exact_contact(boxes, gap):
    rng = np.random.default_rng(4)
    for _ in range(50):
        tip = axis_quaternion(np.cross((1, 1, 1), -UP), np.arccos(-1.0 / np.sqrt(3.0)))
        q = quaternion_of(rotation(axis_quaternion(UP, rng.uniform(-3, 3))) @ rotation(tip))
        x = (*rng.uniform(-0.3, 0.3, 2), 0.5 + np.sqrt(3.0) / 2.0 + gap)
        found = boxes.contacts("cube", ORIGIN, UPRIGHT, "cube", x, q)
        assert len(found) == 1
        assert found.gap[0] == pytest.approx(gap, abs=1e-12)
        np.testing.assert_allclose(found.normal[0], UP, atol=1e-12)


PAIRS = [(pair,) for pair in (("gear", "gear"), ("torus", "jack"), ("chalice", "glass"), ("ball", "torus"))]


@pytest.mark.parametrize("pair", few(PAIRS, PAIRS[1], PAIRS[3]))
def test_contacts_against_brute_force(zoo, pair):
    """The least gap is the least distance (none missing); every contact is a pair of surface points that far apart."""
    a, b = pair
    rng = np.random.default_rng(5)
    for _ in range(3):
        qa, xb, qb, distance = zoo.touching(a, b, rng, 3e-3)
        found = zoo.contacts(a, ORIGIN, qa, b, xb, qb)
        assert found.gap.min() == pytest.approx(distance, abs=1e-9)
        assert len(np.unique(found.key)) == len(found)
        for name, x, q in ((a, 0.0, qa), (b, xb, qb)):
            triangles = zoo.meshes[zoo.index(name)][1]
            away = surface_distance(found.position, zoo.placed(name, x, q), triangles)
            np.testing.assert_allclose(away, 0.5 * found.gap, atol=2e-6)


def resolved(normal, gap):
    """Least translation that opens all gaps."""
    move, force = np.zeros(3), np.zeros(len(gap))
    for _ in range(500):
        for i in range(len(gap)):
            new = max(0.0, force[i] + 1e-6 - gap[i] - normal[i] @ move)
            move += (new - force[i]) * normal[i]
            force[i] = new
    return move


@pytest.mark.parametrize(
    ("pair", "depth", "effort"),
    [
        pytest.param(("gear", "gear"), 0.005, 1.1, marks=pytest.mark.slow),
        (("jack", "jack"), 0.005, 1.1),
        pytest.param(("chalice", "chalice"), 0.005, 1.1, marks=pytest.mark.slow),
        pytest.param(("glass", "glass"), 0.005, 1.1, marks=pytest.mark.slow),
        (("gear", "gear"), 0.03, 4.0),
        (("jack", "jack"), 0.03, 4.0),
    ],
)
def test_pushed_in_pairs_are_resolved(zoo, pair, depth, effort):
    """Within half of the thickness (glass: 0.02). At half a percent the way out is the way in."""
    a, b = pair
    ta, tb = zoo.meshes[zoo.index(a)][1], zoo.meshes[zoo.index(b)][1]
    ways = []
    for qa, x, qb, distance in zoo.poses(a, b, 7, 3, 1e-3):
        first = zoo.contacts(a, ORIGIN, qa, b, x, qb)
        x = pushed = x - first.normal[first.gap.argmin()] * (depth + distance)
        for _ in range(5):
            found = zoo.contacts(a, ORIGIN, qa, b, x, qb)
            if len(found) == 0 or found.gap.min() >= 0.0:
                break
            x = x + resolved(found.normal, found.gap)
        assert not meshes_intersect(zoo.placed(a, 0.0, qa), ta, zoo.placed(b, x, qb), tb)
        ways.append(np.linalg.norm(x - pushed) / depth)
    assert np.median(ways) < effort


def test_gap_is_continuous_through_zero(zoo):
    rng = np.random.default_rng(8)
    step = 2e-4
    for a, b in (("jack", "torus"), ("gear", "ball"), ("glass", "jack")):
        qa, x, qb, distance = zoo.touching(a, b, rng, 2e-3)
        n = zoo.contacts(a, ORIGIN, qa, b, x, qb).normal[0]
        gaps = []
        for k in range(25):
            found = zoo.contacts(a, ORIGIN, qa, b, x - k * step * n, qb)
            assert len(found) > 0
            gaps.append(found.gap.min())
        assert gaps[0] > 0.0 > gaps[-1]
        assert np.abs(np.diff(gaps)).max() <= step * (1.0 + 1e-9)


@pytest.mark.parametrize("floor", ["floor", "sheet", "fine sheet"])
def test_box_sliding_over_triangles_feels_a_plane(boxes, floor):
    top = 0.25 if floor == "floor" else 0.0
    rng = np.random.default_rng(9)
    q = axis_quaternion(UP, 0.3)
    corners = None
    for x in np.concatenate((np.linspace(-2, 2, 101), rng.uniform(-2, 2, 100))):
        found = boxes.contacts(floor, ORIGIN, UPRIGHT, "cube", (x, 0.37, top + 0.5 - 1e-4), q)
        assert len(found) == len(np.unique(found.key)) == 4
        np.testing.assert_allclose(found.gap, -1e-4, atol=1e-12)
        assert np.all(found.normal == UP)
        assert corners is None or np.array_equal(corners, found.key)
        corners = found.key


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("overlap", [0.0, 1e-3, -2e-3])
def test_a_sheet_holds_from_both_sides(boxes, side, overlap):
    found = boxes.contacts("sheet", ORIGIN, UPRIGHT, "cube", (0.3, 0.1, side * (0.5 - overlap)), UPRIGHT)
    assert len(found) == 4
    np.testing.assert_allclose(found.gap, -overlap, atol=1e-12)
    np.testing.assert_allclose(found.normal, np.broadcast_to(side * UP, (4, 3)), atol=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("overlap", [0.0, 1e-3, 1e-2])
def test_a_corner_driven_into_the_fold_of_a_sheet_is_held_by_both_sides(side, overlap):
    fold = np.array([(-3, -4, 3), (0, -4, 0), (3, -4, 3), (-3, 4, 3), (0, 4, 0), (3, 4, 3.0)])
    triangles = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    tip = np.array([(0, -0.2, 0), (0, 0.2, 0), (-0.5, -0.2, 1), (-0.5, 0.2, 1), (0.5, -0.2, 1), (0.5, 0.2, 1.0)])
    wedge = np.array([[0, 1, 3], [0, 3, 2], [0, 5, 1], [0, 4, 5], [2, 3, 5], [2, 5, 4], [0, 2, 4], [1, 5, 3]])
    valley = Gallery({"fold": (fold, triangles if side > 0 else triangles[:, ::-1]), "wedge": (tip, wedge)})
    lowest = valley.meshes[1][0][:, 2].min()
    found = valley.contacts("fold", ORIGIN, UPRIGHT, "wedge", (0.0, 0.3, -lowest - overlap * np.sqrt(2.0)), UPRIGHT)
    np.testing.assert_allclose(found.gap, -overlap, atol=1e-12)
    slopes = np.unique(np.sign(found.normal[:, 0]))
    assert list(slopes) == [-1.0, 1.0]
    np.testing.assert_allclose(found.normal[:, 2], np.sqrt(0.5), atol=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_sheet_smaller_than_the_face_on_it(boxes, side):
    found = boxes.contacts("scrap", ORIGIN, UPRIGHT, "cube", (0.45, 0.1, side * 0.499), UPRIGHT)
    np.testing.assert_allclose(found.gap, -1e-3, atol=1e-12)
    np.testing.assert_allclose(found.normal @ (side * UP), 1.0, atol=1e-12)
    # Sheet from -0.15 to 0.15, cube from -0.05: three quarters of the length of one, all of the other.
    assert ConvexHull(found.position[:, :2]).volume == pytest.approx(0.2 * 0.3, abs=1e-6)


@pytest.mark.parametrize("gap", [1e-6, -1e-6, -1e-5])
@pytest.mark.parametrize("under", ["card", "sheet", "fine sheet"])
def test_a_card_is_held_up_by_what_it_lies_on(boxes, under, gap):
    """Its own far side, a third of a millimetre off, lies below nothing."""
    height = 3e-4 if under == "card" else 1.5e-4
    found = boxes.contacts(under, ORIGIN, UPRIGHT, "card", (0.01, 0.005, height + gap), UPRIGHT, margin=5e-4)
    assert len(found) >= 4
    np.testing.assert_allclose(found.normal @ UP, 1.0, atol=1e-9)
    np.testing.assert_allclose(found.gap, gap, atol=1e-12)


def test_swept_pair_meets_in_time_or_not_at_all(boxes):
    fall = np.array([0.0, 0.0, -50.0, 0.0, 0.0, 0.0])
    found = boxes.contacts("floor", ORIGIN, UPRIGHT, "cube", (0.3, 0.1, 1.1), UPRIGHT, ub=fall)
    np.testing.assert_allclose(found.gap, 0.35, atol=1e-12)
    assert len(found) == 4
    # Half a gap from both, as every contact: that is where the two are pushed.
    np.testing.assert_allclose(found.position[:, 2], 0.25 + 0.5 * 0.35, atol=1e-12)
    assert len(boxes.contacts("floor", ORIGIN, UPRIGHT, "cube", (0.3, 0.1, 1.3), UPRIGHT, ub=fall)) == 0
    assert len(boxes.contacts("floor", ORIGIN, UPRIGHT, "cube", (4.52, 0.1, 1.1), UPRIGHT, ub=fall)) == 0
    # The relative motion counts, not that of one body.
    assert len(boxes.contacts("floor", ORIGIN, UPRIGHT, "cube", (0.3, 0.1, 1.1), UPRIGHT, ua=fall, ub=fall)) == 0


def test_swept_contact_of_a_turning_body(boxes):
    """A cube turning about x over the floor: only corners whose straight way ends in the floor are contacts."""
    turn = np.array([0.0, 0.0, 0.0, 10.0, 0.0, 0.0])
    found = boxes.contacts("floor", ORIGIN, UPRIGHT, "cube", (0.3, 0.1, 0.25 + 0.5 + 0.03), UPRIGHT, ub=turn)
    np.testing.assert_allclose(found.gap, 0.03, atol=1e-12)
    assert np.all(found.position[:, 1] < 0.0)
    assert len(found) == 2


def test_the_order_of_the_bodies_does_not_matter(zoo):
    rng = np.random.default_rng(11)
    for _ in range(3):
        qa, xb, qb, _ = zoo.touching("gear", "torus", rng, 1e-3)
        xb = xb * 0.98
        ab = zoo.contacts("gear", ORIGIN, qa, "torus", xb, qb)
        ba = zoo.contacts("torus", xb, qb, "gear", ORIGIN, qa)
        assert len(ab) == len(ba) > 0
        one, two = np.argsort(ab.gap, kind="stable"), np.argsort(ba.gap, kind="stable")
        np.testing.assert_allclose(ab.gap[one], ba.gap[two], atol=1e-12)
        np.testing.assert_allclose(np.sort(ab.normal, axis=0), np.sort(-ba.normal, axis=0), atol=1e-9)


def test_keys_stay_under_small_motion(zoo):
    rng = np.random.default_rng(12)
    same = total = 0
    for name in ("gear", "jack", "chalice"):
        a = b = name
        for qa, x, qb, _ in zoo.poses(a, b, 7, 3, 1e-3):
            before = zoo.contacts(a, ORIGIN, qa, b, x, qb)
            after = zoo.contacts(a, ORIGIN, qa, b, x + 1e-6 * rng.normal(size=3), qb)
            same += len(np.intersect1d(before.key, after.key))
            total += len(before)
    assert same == total


def test_same_input_same_bits(zoo):
    rng = np.random.default_rng(13)
    qa, qb = random_quaternion(rng), random_quaternion(rng)
    one = zoo.contacts("jack", ORIGIN, qa, "jack", (0.3, 0.1, 0.2), qb)
    two = zoo.contacts("jack", ORIGIN, qa, "jack", (0.3, 0.1, 0.2), qb)
    assert len(one) > 0
    for name in ("position", "normal", "gap", "key"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


def test_too_little_room_is_told_not_overrun(boxes):
    room = 3
    out = (np.full((8, 3), 7.0), np.full((8, 3), 7.0), np.full(8, 7.0), np.full(8, 7, dtype=np.int64))
    views = [table[:room] for table in out]
    count = mesh_pair(
        boxes.pool, 0, ORIGIN, UPRIGHT, np.zeros(6), 0, np.array([0.1, 0.2, 1.001]), UPRIGHT, np.zeros(6),
        0.01, 0.01, *views,
    )  # fmt: skip
    assert count >= 4
    for table in out:
        assert np.all(table[room:] == 7)


def test_a_pair_that_touches_with_many_features_is_searched_once(monkeypatch):
    """Room for their contacts is there at once: without it the search is made again with more."""
    ring = Mesh(*generators.torus())
    bodies = Body("one", ring), Body("other", ring, position=(0.1, 0.1, 0.15))
    model, state = compile_scene(Scene(bodies))
    searches, real = [], mesh_contacts.mesh_chunk
    monkeypatch.setattr(mesh_contacts, "mesh_chunk", lambda *given: searches.append(1) or real(*given))
    found = find_contacts(model.collision, state.position, state.orientation, state.twist, 0.01)
    assert found.count > 40
    assert len(searches) == 1
