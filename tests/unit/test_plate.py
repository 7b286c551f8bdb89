"""A flat convex sheet is one plate for the contact search, and its contacts are those of a box without thickness."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.dynamics import rotation
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Capsule, ConvexHull, Mesh, Sphere
from stiction.solver.simulation import options_for, simulate

SQUARE = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])


def grid(columns, rows, skip=()):
    """Vertices and triangles of a flat grid of 10 m by 8 m without the triangles `skip`."""
    vertices = np.array([[x, y, 0.0] for x in np.linspace(-5, 5, columns + 1) for y in np.linspace(-4, 4, rows + 1)])
    triangles = []
    for i in range(columns):
        for j in range(rows):
            a = i * (rows + 1) + j
            triangles += [[a, a + rows + 1, a + rows + 2], [a, a + rows + 2, a + 1]]
    return vertices, np.delete(np.array(triangles), skip, axis=0)


def turned(seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_a_flat_grid_is_a_plate_of_four_corners(seed):
    vertices, triangles = grid(10, 8)
    vertices = vertices if seed is None else (vertices @ turned(seed).T + 3.0).astype(np.float32).astype(float)
    form = Mesh(vertices, triangles).form()
    assert form.family == "plate"
    assert len(form.points) == 4


def test_a_disc_is_a_plate():
    angle = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
    vertices = np.concatenate([np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), [[0.0, 0.0, 0.0]]])
    form = Mesh(vertices, np.array([[32, k, (k + 1) % 32] for k in range(32)])).form()
    assert form.family == "plate"
    assert len(form.points) == 32


def bent(vertices):
    vertices = vertices.copy()
    vertices[40, 2] = 1e-4
    return vertices


@pytest.mark.parametrize(
    "mesh",
    [
        Mesh(*grid(10, 8, skip=[0])),
        Mesh(*grid(10, 8, skip=[40, 41])),
        Mesh(bent(grid(10, 8)[0]), grid(10, 8)[1]),
        Mesh(np.concatenate([SQUARE, SQUARE + [5.0, 0.0, 0.0]]), np.concatenate([HALVES, HALVES + 4])),
    ],
    ids=["a corner missing", "a hole", "not flat", "two"],
)
def test_what_is_no_plate_stays_a_mesh(mesh):
    assert mesh.form().family == "mesh"


def test_a_scene_of_plates_and_convex_bodies_has_no_meshes():
    assert prepare([Mesh(SQUARE, HALVES), Box((1.0, 1.0, 1.0))], np.zeros((2, 3)), [False, True]).meshes is None


SHAPES = {
    "box": (Box((0.3, 0.4, 0.5)), Box((0.3, 0.4, 0.5)).surface()[0], 0.0),
    "hull": (ConvexHull(np.random.default_rng(5).normal(size=(12, 3)) * 0.25), None, 0.0),
    "sphere": (Sphere(0.3), np.zeros((1, 3)), 0.3),
    "capsule": (Capsule(0.1, 0.6), np.array([[0.0, 0.0, -0.3], [0.0, 0.0, 0.3]]), 0.1),
}


def edges_and_normals(points):
    """(edges (E,3) between points (n,3) both ways, products (P,3) of some of them with all), which turn as they do."""
    edges = (points[:, None] - points[None]).reshape(-1, 3)
    edges = edges[np.linalg.norm(edges, axis=1) > 1e-9]
    some = edges[:: max(1, len(edges) // 60)]
    return edges, np.cross(some[:, None], edges[None]).reshape(-1, 3)


def separation(points, edges, normals, radius):
    """Largest separation of the hull of points (n,3), swollen by radius, from the square, over all axes, and whether
    that is a distance; by brute force."""
    axes = [np.array([[0.0, 0.0, 1.0]]), *(np.cross(edges, side) for side in np.eye(3)[:2]), normals]
    corners = points[:, None] - SQUARE[None]
    axes += [corners.reshape(-1, 3), corners.reshape(-1, 3) * [1, 0, 1], corners.reshape(-1, 3) * [0, 1, 1]]
    axes = np.concatenate(axes)
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-9] / length[length > 1e-9, None]
    axes = np.concatenate([axes, -axes])
    return float(((points @ axes.T).min(axis=0) - (SQUARE @ axes.T).max(axis=0)).max()) - radius


@pytest.mark.parametrize("name", SHAPES)
def test_a_body_at_a_plate_touches_where_it_is_and_nowhere_else(name):
    shape, points, radius = SHAPES[name]
    points = shape.surface()[0] if points is None else points
    collision = prepare([Mesh(SQUARE, HALVES), shape], np.zeros((2, 3)), [False, True])
    rng, own = np.random.default_rng(3), edges_and_normals(points)
    touching = 0
    for _ in range(400):
        x, q = np.array([*rng.uniform(-1.3, 1.3, 2), rng.uniform(-0.35, 0.35)]), rng.normal(size=4)
        q /= np.linalg.norm(q)
        poses = np.array([[0.0, 0.0, 0.0], x]), np.array([[1.0, 0.0, 0.0, 0.0], q])
        found = find_contacts(collision, *poses, np.zeros((2, 6)), 0.0)
        turn = rotation.matrix(q[None])[0].T
        apart = separation(points @ turn + x, *(axes @ turn for axes in own), radius)
        if apart > 0.01:
            assert found.count == 0
        elif found.count:
            touching += 1
            # Brute force tries no axis too few where the way out is along the plate's normal; others only bound it.
            assert found.gap.min() <= apart + 1e-3
        else:
            assert apart > 0.0
    assert touching > 100


def test_a_body_through_a_plate_goes_out_on_the_side_of_its_larger_part():
    collision = prepare([Mesh(SQUARE, HALVES), Box((0.2, 0.2, 0.2))], np.zeros((2, 3)), [False, True])
    for height in (0.02, -0.02):
        poses = np.array([[0.0, 0.0, 0.0], [0.1, 0.2, height]]), np.array([[1.0, 0.0, 0.0, 0.0]] * 2)
        found = find_contacts(collision, *poses, np.zeros((2, 6)), 0.0)
        assert np.sign(found.normal[:, 2]) == pytest.approx(np.sign(height))
        assert found.gap == pytest.approx(-0.08, abs=1e-12)


def test_a_bullet_stops_at_a_plate():
    for below in (1.0, -1.0):
        bodies = (
            Body("ground", Mesh(SQUARE, HALVES), motion=Motion.STATIC),
            Body("bullet", Box((0.01, 0.01, 0.01)), position=(0.2, 0.3, 0.6 * below),
                 velocity=(0.0, 0.0, -300.0 * below)),
        )  # fmt: skip
        scene = Scene(name="bullet", bodies=bodies, gravity=(0.0, 0.0, 0.0))
        run = simulate(scene, options_for(scene, time=0.05, time_step=0.005))
        assert (below * run.positions[:, 1, 2] > 0.004).all()


@pytest.mark.parametrize("name", ["box", "hull", "capsule"])
def test_bodies_thrown_spinning_stay_on_their_side(name):
    rng, bodies = np.random.default_rng(7), [Body("ground", Mesh(3.0 * SQUARE, HALVES), motion=Motion.STATIC)]
    for k in range(20):
        q, side = rng.normal(size=4), 1.0 if k % 2 else -1.0
        place = (0.9 * (k % 5 - 2), 0.9 * (k // 5 - 2), side * (0.5 + 0.3 * rng.random()))
        speed = (*(10.0 * rng.normal(size=2)), -100.0 * side)
        bodies.append(Body(f"{k}", SHAPES[name][0], position=place, orientation=tuple(q / np.linalg.norm(q)),
                           velocity=speed, angular_velocity=tuple(20.0 * rng.normal(size=3))))  # fmt: skip
    scene = Scene(name="thrown", bodies=tuple(bodies), gravity=(0.0, 0.0, 0.0))
    end = simulate(scene, options_for(scene, time=0.05, time_step=0.01)).positions[-1, 1:]
    over = (np.abs(end[:, :2]) < 2.5).all(axis=1)
    assert over.sum() > 10
    assert (end[over, 2] * np.array([1.0 if k % 2 else -1.0 for k in range(20)])[over] > 0.0).all()
