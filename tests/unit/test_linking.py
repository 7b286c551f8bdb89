"""Linking numbers of closed polygons against known links and against a count of crossings."""

import numpy as np
import pytest

from stiction.solver.results.linking import linking_number, linking_numbers, placed, unhooked


def ring(count=24, radius=1.0, start=0.3):
    """A regular polygon (count,3) in the xy plane."""
    angle = start + 2 * np.pi * np.arange(count) / count
    return radius * np.column_stack((np.cos(angle), np.sin(angle), 0 * angle))


def stood_up(line, x):
    """The same in the xz plane, moved along x."""
    return line[:, [0, 2, 1]] * (1, -1, 1) + (x, 0, 0)


def torus_knot(turns, twists, count=400, start=0.0):
    """A curve (count,3) that goes round a torus `turns` times the long way and `twists` times the short way."""
    t = 2 * np.pi * np.arange(count) / count
    u, v = turns * t, twists * t + start
    return np.column_stack(((2 + 0.5 * np.cos(v)) * np.cos(u), (2 + 0.5 * np.cos(v)) * np.sin(u), 0.5 * np.sin(v)))


def crossings(a, b, direction):
    """Half the sum of the signs of all crossings of the shadows of two closed polygons along `direction` (3,)."""
    frame = np.linalg.qr(np.column_stack((direction, np.eye(3)[:, :2])))[0]
    frame[:, 0] *= np.sign(np.linalg.det(frame))
    depth_x_y_a, depth_x_y_b = a @ frame, b @ frame
    total = 0
    for p, p_next in zip(depth_x_y_a, np.roll(depth_x_y_a, -1, axis=0), strict=True):
        for q, q_next in zip(depth_x_y_b, np.roll(depth_x_y_b, -1, axis=0), strict=True):
            u, v, w = p_next - p, q_next - q, q - p
            cross = u[1] * v[2] - u[2] * v[1]
            s, t = (w[1] * v[2] - w[2] * v[1]) / cross, (w[1] * u[2] - w[2] * u[1]) / cross
            if 0 < s < 1 and 0 < t < 1:
                over = (p + s * u)[0] > (q + t * v)[0]
                total += np.sign(cross) * (1 if over else -1)
    return total / 2


@pytest.mark.parametrize("facets", (3, 4, 8, 64))
def test_two_rings_are_linked_once_and_apart_they_are_not(facets):
    a, b = ring(facets), stood_up(ring(facets, start=0.11), 1.0)
    assert abs(linking_number(a, b)) == 1
    assert linking_number(a, b) == linking_number(b, a)
    assert linking_number(a, b[::-1]) == -linking_number(a, b)
    assert linking_number(a * (1, 1, -1), b * (1, 1, -1)) == -linking_number(a, b)
    assert linking_number(a, stood_up(ring(facets), 2.5)) == 0


@pytest.mark.parametrize("twists", (1, 2, 5))
def test_a_curve_that_winds_round_a_ring_is_linked_as_often_as_it_winds(twists):
    assert abs(linking_number(2.0 * ring(50), torus_knot(1, twists))) == twists
    assert abs(linking_number(torus_knot(1, twists), torus_knot(1, twists, start=np.pi))) == twists


def test_all_but_touching_segments_still_give_an_integer():
    a = ring(24, start=0.0)
    corner = np.array([np.cos(np.pi / 24) * np.cos(np.pi / 24), np.cos(np.pi / 24) * np.sin(np.pi / 24), 0.0])
    outward = corner / np.linalg.norm(corner)
    for gap, number in ((1e-9, 0), (-1e-9, 1)):
        near = corner + gap * outward
        square = np.array(
            [near - (0, 0, 1), near + (0, 0, 1), near + 3 * outward + (0, 0, 1), near + 3 * outward - (0, 0, 1)]
        )
        assert abs(linking_number(a, square)) == number


def test_polygons_that_meet_are_refused():
    a = ring(24)
    square = np.array([[2, 2, 0.0], [2, -2, 0], [-0.2, -2, 0], [-0.2, 2, 0]])
    with pytest.raises(ValueError, match="meet"):
        linking_number(a, square)
    with pytest.raises(ValueError, match="not finite"):
        linking_number(a + (np.nan, 0, 0), a + (0, 0, 1))
    with pytest.raises(ValueError, match="three points"):
        linking_number(a, a[:2])


def test_random_polygons_agree_with_their_crossings():
    seen = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(12, 3)), rng.normal(size=(9, 3))
        number = linking_number(a, b)
        assert number == crossings(a, b, rng.normal(size=3))
        seen.add(number)
    assert {-1, 0, 1} < seen


def test_links_of_a_chain_at_their_poses():
    half = np.sqrt(0.5)
    lines = [ring(16), None, ring(16), ring(16)]
    positions = np.array([[0, 0, 0], [0, 0, 0], [1.5, 0, 0], [3.0, 0, 0]], dtype=float)
    orientations = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [half, half, 0, 0], [1, 0, 0, 0]])
    before = linking_numbers(lines, positions, orientations)
    assert set(before) == {(0, 2), (2, 3)}
    assert unhooked(before, before) == []
    turned = orientations.copy()
    turned[2] = orientations[0]
    positions[2] += (0, 0, 0.3)
    assert unhooked(before, linking_numbers(lines, positions, turned)) == [(0, 2), (2, 3)]


def test_a_line_is_placed_as_its_body_is():
    half = np.sqrt(0.5)
    np.testing.assert_allclose(placed([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (1, 2, 3), (half, 0, 0, half)),
                               [[1, 3, 3], [0, 2, 3], [1, 2, 4]], atol=1e-15)  # fmt: skip
