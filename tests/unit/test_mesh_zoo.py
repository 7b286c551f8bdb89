"""Dirty meshes: each is accepted and right, or refused with a sentence that names the defect; none crashes.

A mesh of the zoo is a clean solid that went through one to three accidents. An accident says whether the solid can
still be told: then volume and centre must be those of the clean one.
"""

import time

import numpy as np
import pytest
from mesh_poses import ORIGIN, REST, UPRIGHT

from stiction.solver.collision.mesh_kernels import mesh_pair
from stiction.solver.collision.mesh_pool import build_mesh_pool
from stiction.solver.collision.mesh_round_kernels import sphere_mesh
from stiction.solver.refusal import SceneError
from stiction.solver.shapes import generators
from stiction.solver.shapes.mesh import Mesh

CLEAN = (
    generators.plate((1, 1, 1)),
    generators.plate((1, 0.6, 0.01), (4, 3)),
    generators.icosphere(0.5, 2),
    generators.torus(0.4, 0.12, 16, 8),
    generators.gear(6),
    generators.jack(),
    generators.chalice(1.0, 12),
    generators.wine_glass(1.0, 0.02, 12),
    generators.hopper(),
)
MENDS, REFUSED, EITHER = "mends", "refused", "either"


def turned(rng, v, t):
    some = rng.random(len(t)) < 0.4
    return v, np.where(some[:, None], t[:, ::-1], t), MENDS


def inside_out(rng, v, t):
    return v, t[:, ::-1], MENDS


def doubled_vertices(rng, v, t):
    return v[t.ravel()], np.arange(t.size).reshape(-1, 3), MENDS


def shaken_soup(rng, v, t):
    size = np.linalg.norm(np.ptp(v[t.ravel()], axis=0))
    return v[t.ravel()] + 1e-6 * size * rng.uniform(-1, 1, (t.size, 3)), np.arange(t.size).reshape(-1, 3), MENDS


def unused_vertices(rng, v, t):
    return np.concatenate((v, 3.0 * rng.normal(size=(5, 3)))), t, MENDS


def collapsed_triangles(rng, v, t):
    extra = t[rng.integers(len(t), size=4)][:, [0, 1, 1]]
    return v, np.concatenate((t, extra)), MENDS


def split_edges(rng, v, t):
    """A new vertex on the inside of some triangles' edges: slivers of no area close the seam."""
    for f in rng.integers(len(t), size=3):
        a, b, c = t[f]
        v = np.concatenate((v, [0.5 * (v[a] + v[b])]))
        m = len(v) - 1
        t = np.concatenate((np.delete(t, f, axis=0), [[a, m, c], [m, b, c], [a, b, m]]))
    return v, t, MENDS


def shuffled(rng, v, t):
    order = rng.permutation(len(v))
    place = np.argsort(order)
    return v[order], place[t][rng.permutation(len(t))], MENDS


def far_away(rng, v, t):
    return v + 1e4 * rng.normal(size=3), t, MENDS


def single_precision(rng, v, t):
    return v.astype(np.float32), t.astype(np.int32), MENDS


def holes(rng, v, t):
    return v, t[rng.random(len(t)) > 0.1][: len(t) - 1], REFUSED


def one_missing(rng, v, t):
    return v, np.delete(t, rng.integers(len(t)), axis=0), REFUSED


def fin(rng, v, t):
    return np.concatenate((v, [v.mean(axis=0) + 2.0])), np.concatenate((t, [[t[0, 0], t[0, 1], len(v)]])), REFUSED


def duplicate_triangles(rng, v, t):
    return v, np.concatenate((t, t[rng.integers(len(t), size=3)])), EITHER


def not_a_number(rng, v, t):
    v = v.copy()
    v[rng.choice(t.ravel()), rng.integers(3)] = rng.choice([np.nan, np.inf, -np.inf])
    return v, t, REFUSED


def index_out_of_range(rng, v, t):
    t = t.copy()
    t[rng.integers(len(t)), rng.integers(3)] = rng.choice([-1, len(v), 10**6])
    return v, t, REFUSED


def flattened(rng, v, t):
    v = v.copy()
    v[:, rng.integers(3)] = 0.25
    return v, t, REFUSED


def to_a_point(rng, v, t):
    return np.zeros_like(v), t, REFUSED


def no_triangles(rng, v, t):
    return v, t[:0], REFUSED


def crumpled(rng, v, t):
    return v + 0.05 * rng.normal(size=v.shape), t, EITHER


def random_soup(rng, v, t):
    return rng.normal(size=(20, 3)), rng.integers(20, size=(30, 3)), EITHER


MILD = (turned, inside_out, doubled_vertices, shaken_soup, unused_vertices, collapsed_triangles, split_edges, shuffled)
MILD += (single_precision,)
HARSH = (holes, one_missing, fin, duplicate_triangles, not_a_number, index_out_of_range, flattened, to_a_point)
HARSH += (no_triangles, crumpled, random_soup, far_away)
SCALES = (1.0, 1.0, 1e-4, 1e4)


def specimen(seed):
    """(vertices, triangles, clean mesh, scale, what is expected, accidents) of a number."""
    rng = np.random.default_rng(seed)
    clean = CLEAN[rng.integers(len(CLEAN))]
    scale = SCALES[rng.integers(len(SCALES))]
    v, t = clean[0] * scale, clean[1]
    accidents = [MILD[k] for k in rng.choice(len(MILD), size=rng.integers(1, 3), replace=False)]
    if rng.random() < 0.5:
        accidents.append(HARSH[rng.integers(len(HARSH))])
    expected = MENDS
    for accident in accidents:
        v, t, outcome = accident(rng, v, t)
        expected = outcome if outcome != MENDS else expected
    return v, t, clean, scale, expected, [accident.__name__ for accident in accidents]


def touch_everything(mesh):
    """Contacts of the mesh's surface with a cube and a sphere through it: finite numbers, whatever they are."""
    vertices, triangles = mesh.surface()
    size = mesh.prepared.report.size
    pool = build_mesh_pool([(vertices - vertices.mean(axis=0), triangles), (0.5 * size * CLEAN[0][0], CLEAN[0][1])])
    out = (np.zeros((9999, 3)), np.zeros((9999, 3)), np.zeros(9999), np.zeros(9999, dtype=np.int64))
    x = np.array([0.45, 0.4, 0.1]) * size
    twist = np.array([-9.0, -9.0, 0.0, 0.0, 0.0, 5.0]) * size
    counts = [
        mesh_pair(pool, 0, ORIGIN, UPRIGHT, REST, 1, x, UPRIGHT, twist, 0.01, 0.01 * size, *out),
        sphere_mesh(pool, 0, ORIGIN, UPRIGHT, REST, x, 0.3 * size, twist, 0.01, 0.01 * size, *out),
    ]
    for count in counts:
        assert count >= 0
    for table in out[:3]:
        assert np.all(np.isfinite(table))


def judge(seed):
    """Run one specimen; return 'accepted' or 'refused'."""
    v, t, clean, scale, expected, accidents = specimen(seed)
    mesh = Mesh(v, t)
    start = time.perf_counter()
    try:
        mesh.check("specimen")
        touch_everything(mesh)
        found = mesh.mass_properties()
    except SceneError as error:
        assert expected != MENDS, (accidents, str(error))
        assert len(str(error)) > 30
        return "refused"
    assert time.perf_counter() - start < 10.0
    assert expected != REFUSED, accidents
    assert found.volume > 0.0
    assert np.all(np.isfinite(found.inertia))
    if expected == MENDS and "far_away" not in accidents:
        exact = Mesh(clean[0] * scale, clean[1]).mass_properties()
        loose = "shaken_soup" in accidents or "single_precision" in accidents
        assert found.volume == pytest.approx(exact.volume, rel=2e-3 if loose else 1e-9), accidents
        np.testing.assert_allclose(found.center, exact.center, atol=(1e-4 if loose else 1e-9) * scale)
        np.testing.assert_allclose(found.inertia, exact.inertia, atol=(2e-3 if loose else 1e-9) * exact.inertia.max())
    return "accepted"


def test_zoo():
    touch_everything(Mesh(*CLEAN[0]))  # compiles
    verdicts = [judge(seed) for seed in range(100)]
    assert min(verdicts.count("accepted"), verdicts.count("refused")) > 20


@pytest.mark.slow
def test_whole_zoo():
    touch_everything(Mesh(*CLEAN[0]))
    for seed in range(100, 1100):
        judge(seed)


@pytest.mark.slow
def test_a_million_triangles_and_one():
    vertices, triangles = generators.torus(0.4, 0.12, 1000, 500)
    assert len(triangles) == 10**6
    start = time.perf_counter()
    mesh = Mesh(vertices, triangles)
    mesh.check("large")
    assert mesh.mass_properties().volume == pytest.approx(2.0 * np.pi**2 * 0.4 * 0.12**2, rel=1e-4)
    assert time.perf_counter() - start < 30.0
    touch_everything(mesh)
    single = Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 2]]))
    single.check("single")
    touch_everything(single)
    with pytest.raises(SceneError, match="holes"):
        single.mass_properties()
