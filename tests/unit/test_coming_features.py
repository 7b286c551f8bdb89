"""Features of meshes that meet within the step are found where they meet, not where they are now."""

import numpy as np

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import jack, plate

H = 0.01
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def contacts(shapes, places, turns, twist):
    """Contacts of two bodies that are where the scene says; of these the second moves."""
    made = (Body(name, Mesh(*shape), position=place, orientation=turn)
            for name, shape, place, turn in zip("ab", shapes, places, turns, strict=True))  # fmt: skip
    model, state = compile_scene(Scene(tuple(made)))
    twists = np.array([np.zeros(6), twist])
    return find_contacts(model.collision, state.position, state.orientation, twists, H)


def test_a_tip_beside_a_face_that_comes_over_it_as_it_sinks():
    """A tip 20 mm outside a cube and 4 mm above its top, less than the margin: it ends 6 mm under it, 80 mm inwards."""
    tip = np.array([(0, 0, 0), (0.05, 0.05, 1), (-0.05, 0.05, 1), (-0.05, -0.05, 1), (0.05, -0.05, 1)])
    sides = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (1, 3, 2), (1, 4, 3)])
    place = (0.52, 0.0, 0.504)
    found = contacts((plate((1, 1, 1)), (tip, sides)), ((0, 0, 0), place), (UPRIGHT, UPRIGHT),
                     (-10.0, 0.0, -1.0, 0.0, 0.0, 0.0))  # fmt: skip
    up = found.normal[:, 2] > 0.999
    assert up.any()
    np.testing.assert_allclose(found.gap[up], 0.004, atol=1e-9)


def test_an_edge_whose_end_sinks_about_its_middle():
    """A bar with an edge down, across an edge 0.4 m from its middle: that sinks by 40 mm, and the middle stays."""
    half = np.cos(np.pi / 8), np.sin(np.pi / 8)
    gap, size = 0.02, 0.1
    height = np.sqrt(0.5) * (1.0 + size) + gap
    found = contacts((plate((1, 1, 1)), plate((1, size, size))), ((0.4, 0, 0), (0, 0, height)),
                     ((half[0], 0, half[1], 0), (half[0], half[1], 0, 0)), (0, 0, 0, 0, 10.0, 0))  # fmt: skip
    assert found.count == 1
    np.testing.assert_allclose(found.gap, gap, atol=1e-9)
    np.testing.assert_allclose(found.normal[0], (0, 0, 1), atol=1e-9)


def test_edges_that_are_near_and_askew_and_pass_through_each_other():
    """Two jacks of a pour turn against each other at 13 rad/s: edges 3.533 mm apart, within the margin and 5 degrees
    off their cones, are 6 mm in each other at the end."""
    jacks = Mesh(*jack(0.7, 0.14))
    place = np.array([[-0.775097668, -0.781150139, 3.313030856], [-0.75782788, -0.74756217, 3.784597849]])
    turn = np.array([[-0.005737925, -0.566772734, -0.269988483, -0.778358506],
                     [-0.480504369, -0.567113485, -0.194602257, 0.640021725]])  # fmt: skip
    twist = np.array([[-0.173453, -0.770430, -3.666022, 7.779664, -0.783537, 0.419128],
                      [-0.253535, -0.047489, -4.597880, -5.038783, -0.252472, -0.799518]])  # fmt: skip
    model, _ = compile_scene(Scene((Body("a", jacks), Body("b", jacks))))
    found = find_contacts(model.collision, place, turn, twist, H)
    assert np.isclose(found.gap, 0.003533, atol=1e-6).any()
