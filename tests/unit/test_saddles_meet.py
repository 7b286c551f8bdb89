"""Links whose inner corners come down on each other meet in the four pairs of edges there, and in nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.collision.contact_keys import mesh_features
from stiction.solver.collision.mesh.mesh_kernels import EDGE_EDGE
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import axis_angle, multiply, one_material
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import torus
from stiction.solver.simulation import options_for, simulate

RING, WIRE, AIR = 0.1, 0.02, 0.004
ACROSS = axis_angle((1, 0, 0), np.pi / 2)


def chain(count):
    """Rings of 12 facets, corner over corner, the first one held."""
    link = Body("link", Mesh(*torus(RING, WIRE, 12, 6)))
    pitch = 2.0 * (RING - WIRE) - AIR
    turns = ACROSS, multiply(axis_angle((0, 0, 1), np.pi / 2), ACROSS)
    links = [
        replace(link, name=f"link{k}", position=(0.0, 0.0, -k * pitch), orientation=tuple(map(float, turns[k % 2])))
        for k in range(count)
    ]
    # With much more friction one of the four contacts holds a link by itself, along its normal.
    return Scene((replace(links[0], motion=Motion.STATIC), *links[1:]), one_material(0.3, 7800.0))


@pytest.mark.parametrize("aside", [(0.0, 0.0), (1e-6, 0.0), (-3e-5, 2e-5), (2e-4, -1e-4)])
def test_corner_over_corner_meets_in_its_four_pairs_of_edges(aside):
    """A corner that moved aside by a micrometre on its way met one pair of edges, one face, and one vertex."""
    model, state = compile_scene(chain(2))
    twist = np.array([np.zeros(6), [*aside, -0.7, 0.0, 0.0, 0.0]])
    found = find_contacts(model.collision, state.position, state.orientation, twist, 0.01)
    kinds, of_a, of_b = mesh_features(found.key)
    np.testing.assert_array_equal(kinds, EDGE_EDGE)
    assert len(of_a) == 4
    assert len(set(of_a)) == len(set(of_b)) == 2
    np.testing.assert_allclose(found.gap, AIR * found.normal[:, 2], rtol=1e-6)


def test_a_straight_chain_of_ten_links_comes_to_rest():
    """What met askew set the links swinging at 0.3 mm/s, and a chain that hangs on corners swings on for ever."""
    scene = chain(10)
    end = simulate(scene, options_for(scene, time=0.2, time_step=0.01, threads=1)).state
    assert np.abs(end.twist).max() < 1e-6
