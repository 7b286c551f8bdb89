"""Edges that are prolonged beyond an inner corner make no contact of solids that do not cross."""

import numpy as np

from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import chalice

# Two chalices of a pile: the stem of one passes the other's cup, 2.5 mm apart.
PLACE = np.array([[1.248451934481231, -0.46952214192939884, 0.5656111032237507],
                  [1.0843205041020152, -0.3700886244928372, 0.8793300894737422]])  # fmt: skip
TURN = np.array([[-0.847905666451422, 0.2912959946017976, -0.37355202146613115, -0.23803678620559168],
                 [-0.5712906863663589, 0.00347708513068178, -0.6630439656423861, 0.48372260767434355]])  # fmt: skip
TWIST = np.array([[0.098, 0.242, -0.488, 1.055, -1.010, -0.242], [0.530, -0.890, -0.122, 4.948, -1.267, 0.599]])


def test_solids_that_pass_each_other_do_not_overlap():
    """Two edges, prolonged past the walls that they bound, were 26 mm in each other: pushing that out threw bodies."""
    shape = Mesh(*chalice(0.5, 12))
    model, _ = compile_scene(Scene((Body("a", shape), Body("b", shape))))
    both = np.ones(2, dtype=bool)
    assert not pair_depths(model.collision, PLACE, TURN, both).depth.any()
    found = find_contacts(model.collision, PLACE, TURN, TWIST, 0.00375)
    assert found.count >= 3
    assert found.gap.min() > 0.0
