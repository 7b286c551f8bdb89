"""The zoo of dirty meshes: clean solids that went through one to three accidents, each made from a number.

An accident says what must come of it: the solid can still be told (MENDS: volume and centre must be those of the
clean one), it cannot (REFUSED), or either (EITHER).
"""

from typing import NamedTuple

import numpy as np

from stiction.solver.shapes import generators

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
# Of growing fineness, for one specimen in twenty beyond the first hundred: up to a quarter of a million triangles.
FIRST_FINE = 100
FINE = (
    lambda: generators.torus(0.4, 0.12, 100, 50),
    lambda: generators.icosphere(0.5, 5),
    lambda: generators.torus(0.4, 0.12, 300, 150),
    lambda: generators.torus(0.4, 0.12, 500, 250),
)
MENDS, REFUSED, EITHER = "mends", "refused", "either"


class Specimen(NamedTuple):
    """vertices, triangles as they are given; the clean mesh, in the same place and size; what must come of it."""

    vertices: np.ndarray
    triangles: np.ndarray
    clean: tuple
    scale: float
    expected: str
    accidents: list


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


def half_gone(rng, v, t):
    """What lies on one side of a plane: an open sheet."""
    middle = v[t].mean(axis=1)
    way = rng.normal(size=3)
    height = middle @ way
    return v, t[height < np.median(height)], REFUSED


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


def one_triangle(rng, v, t):
    return v, t[:1], REFUSED


def crumpled(rng, v, t):
    return v + 0.05 * rng.normal(size=v.shape), t, EITHER


def folded_over(rng, v, t):
    """Mirrored beyond a plane through the middle: the surface goes through itself and is inside out behind it."""
    middle = 0.5 * (v.min(axis=0) + v.max(axis=0))
    axis = rng.integers(3)
    side = (axis + 1) % 3
    way = np.where(v[:, axis] > middle[axis] + 0.1 * np.ptp(v[:, axis]), -1.0, 1.0)
    v = v.copy()
    v[:, side] = middle[side] + way * (v[:, side] - middle[side])
    return v, t, EITHER


def a_second_copy(rng, v, t):
    """The same solid once more, shifted by a part of its size: overlapping parts."""
    shift = 0.2 * rng.uniform(-1, 1, 3) * np.ptp(v, axis=0)
    return np.concatenate((v, v + shift)), np.concatenate((t, t + len(v))), EITHER


def random_soup(rng, v, t):
    return rng.normal(size=(20, 3)), rng.integers(20, size=(30, 3)), EITHER


MILD = (turned, inside_out, doubled_vertices, shaken_soup, unused_vertices, collapsed_triangles, split_edges, shuffled)
MILD += (single_precision,)
HARSH = (holes, one_missing, half_gone, fin, duplicate_triangles, not_a_number, index_out_of_range, flattened)
HARSH += (to_a_point, no_triangles, one_triangle, crumpled, folded_over, a_second_copy, random_soup, far_away)
SCALES = (1.0, 1.0, 1e-4, 1e4)


def specimen(seed):
    """The Specimen of a number."""
    rng = np.random.default_rng(seed)
    fine = seed >= FIRST_FINE and seed % 20 == 19
    clean = FINE[rng.integers(len(FINE))]() if fine else CLEAN[rng.integers(len(CLEAN))]
    scale = SCALES[rng.integers(len(SCALES))]
    v, t = clean[0] * scale, clean[1]
    accidents = [MILD[k] for k in rng.choice(len(MILD), size=rng.integers(1, 3), replace=False)]
    if rng.random() < 0.5:
        accidents.append(HARSH[rng.integers(len(HARSH))])
    expected = MENDS
    for accident in accidents:
        v, t, outcome = accident(rng, v, t)
        expected = outcome if outcome != MENDS else expected
    return Specimen(v, t, clean, scale, expected, [accident.__name__ for accident in accidents])

