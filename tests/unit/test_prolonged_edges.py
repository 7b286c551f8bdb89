"""Edges make no deep contact where their solids are not in each other."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import chalice
from stiction.solver.shapes.threads import threaded

# Two chalices of a pile: the stem of one passes the other's cup, 2.5 mm apart.
PLACE = np.array([[1.248451934481231, -0.46952214192939884, 0.5656111032237507],
                  [1.0843205041020152, -0.3700886244928372, 0.8793300894737422]])  # fmt: skip
TURN = np.array([[-0.847905666451422, 0.2912959946017976, -0.37355202146613115, -0.23803678620559168],
                 [-0.5712906863663589, 0.00347708513068178, -0.6630439656423861, 0.48372260767434355]])  # fmt: skip
TWIST = np.array([[0.098, 0.242, -0.488, 1.055, -1.010, -0.242], [0.530, -0.890, -0.122, 4.948, -1.267, 0.599]])

# The same: the foot of one under the cup of the other, apart, 38 mm "inside" it; and two cups that cross by 16 um.
APART = (
    [[-0.13315898553373898, 0.1896403435693523, 1.067779730798216],
     [-0.44965458515145373, 0.2895815119628625, 1.091984705592624]],
    [[0.756721238401548, 0.5841453266202509, 0.08219030143794087, -0.28176578764869253],
     [0.789736451580123, 0.4622552760353263, -0.37586203672719576, 0.14616472272892944]],
)  # fmt: skip
GRAZING = (
    [[0.3782137237970334, -0.7850056144080473, 0.8841289389798289],
     [0.20489866750675886, -0.27580048475438773, 1.0043655353767458]],
    [[0.5757110183363168, -0.5006447259093775, -0.14593029672556015, 0.6297745868823824],
     [0.733016565531511, 0.6561776416755195, -0.04370697767447857, -0.1738025239290393]],
)  # fmt: skip
GRAZING_TWIST = [[0.492, 0.160, -0.778, -1.283, 3.598, 3.977], [-1.459, -0.246, -1.801, -0.862, -16.007, 3.118]]


def test_solids_that_pass_each_other_do_not_overlap():
    """Two edges, prolonged past the walls that they bound, were 26 mm in each other: pushing that out threw bodies."""
    shape = Mesh(*chalice(0.5, 12))
    model, _ = compile_scene(Scene((Body("a", shape), Body("b", shape))))
    both = np.ones(2, dtype=bool)
    assert not pair_depths(model.collision, PLACE, TURN, both).depth.any()
    found = find_contacts(model.collision, PLACE, TURN, TWIST, 0.00375)
    assert found.count >= 3
    assert found.gap.min() > 0.0


@pytest.mark.parametrize(
    ("poses", "twist", "deepest"), [(APART, np.zeros((2, 6)), 0.0), (GRAZING, GRAZING_TWIST, 2e-5)]
)
def test_edges_are_no_deeper_in_each_other_than_their_solids(poses, twist, deepest):
    """They were by 38 and 21 mm: within both segments, and prolonged where the solids touch elsewhere."""
    shape = Mesh(*chalice(0.5, 12))
    model, _ = compile_scene(Scene((Body("a", shape), Body("b", shape))))
    place, turn = (np.array(part) for part in poses)
    assert pair_depths(model.collision, place, turn, np.ones(2, dtype=bool)).depth.max(initial=0.0) <= deepest
    found = find_contacts(model.collision, place, turn, np.array(twist), 0.0025)
    assert found.gap.min(initial=0.0) >= -deepest


def test_threads_that_do_not_overlap_make_no_deep_contact():
    """What is beyond a ridge of the other thread is behind its faces, and below its edges where these go on inside."""
    rng = np.random.default_rng(1)
    pitch, depth, air = 0.05, 0.025, 0.004
    nut = Mesh(*threaded(0.1 + depth + air, 0.1 + air, pitch, 2, outer=0.25))
    screw = Mesh(*threaded(0.1, 0.1 + depth, pitch, 5))
    model, state = compile_scene(Scene((Body("nut", nut), Body("screw", screw))))
    apart = 0
    for _ in range(300):
        position, orientation = state.position.copy(), state.orientation.copy()
        angle = rng.uniform(-6, 6) * np.pi
        turn = Rotation.from_rotvec(0.4 * air / 0.15 * rng.normal(size=3)) * Rotation.from_rotvec((0, 0, angle))
        off = air * rng.normal(size=3) * (0.5, 0.5, 0.3 * pitch / depth)
        position[1] = turn.apply(state.position[1]) + off + (0.0, 0.0, pitch * angle / (2 * np.pi))
        orientation[1] = np.roll(turn.as_quat(), 1)
        if len(pair_depths(model.collision, position, orientation, np.ones(2, dtype=bool)).depth):
            continue
        apart += 1
        found = find_contacts(model.collision, position, orientation, np.zeros((2, 6)), 0.0)
        assert found.gap.min(initial=0.0) > -1e-9
    assert apart > 100
