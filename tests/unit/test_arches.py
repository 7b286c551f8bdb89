"""Blocks with arc faces: their volume, and the limits of thickness and friction published for them."""

import numpy as np
import pytest

from stiction.solver.scenes import build
from stiction.solver.validation.limit_analysis import stands
from stiction.solver.validation.masonry import FACETS, PUBLISHED_FRICTION, PUBLISHED_THICKNESS


def test_faces_of_many_chords_are_nearly_arcs():
    """The area of a half ring is pi R t; chords take the part (angle of a chord)^2 / 6 of it."""
    for facets in (1, FACETS):
        scene = build("arch", count=7, ratio=0.15, radius=1.0, depth=0.5, facets=facets)
        volume = sum(body.shape.mass_properties().volume for body in scene.bodies[1:])
        assert 1.0 - volume / (np.pi * 0.15 * 0.5) == pytest.approx((np.pi / 7 / facets) ** 2 / 6, rel=0.02)


@pytest.mark.parametrize(("count", "limit"), PUBLISHED_THICKNESS.items())
def test_published_thickness(count, limit):
    assert stands(count, 1.002 * limit, 0.7, FACETS)
    assert not stands(count, 0.998 * limit, 0.7, FACETS)


@pytest.mark.parametrize(("count", "limit"), PUBLISHED_FRICTION.items())
def test_published_friction(count, limit):
    assert stands(count, 0.15, 1.002 * limit, FACETS)
    assert not stands(count, 0.15, 0.998 * limit, FACETS)
