"""Every generator of contacts: what all must do, and the faults each is known for (docs/contacts.md), as faults."""

import numpy as np
import pytest
from toy_shape import Wedge

from stiction.solver.base.refusal import SceneError
from stiction.solver.collision.contact_generators import CONTACT_GENERATORS, ENVELOPE
from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.options import OptionError
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Compound, Mesh, Part, Sphere, generators
from stiction.solver.simulation import options_for, simulate

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
FLOOR = Box((4.0, 4.0, 1.0))
CUBE = Box((1.0, 1.0, 1.0))
TWO_CUBES = Compound((Part(CUBE), Part(CUBE, (0.2, 0.0, 0.0))))
PROX = tuple(name for name in CONTACT_GENERATORS if name != "cones")
OVERLAPPING = ("opposing_surfaces", "growth")


def contacts(generator, a, b, x, q=UPRIGHT, workers=1):
    """Contacts of body b at x with body a at the origin."""
    model = prepare((a, b), np.zeros((2, 3)), np.array([False, True]), generator=generator)
    position, orientation = np.array([np.zeros(3), x]), np.stack((UPRIGHT, q))
    return find_contacts(model, position, orientation, np.zeros((2, 6)), 0.01, workers=workers)


def pose_for(generator):
    """Height of a touching unit body over FLOOR: closest points need a gap, the overlapping ones an overlap."""
    return 1.0 + (-1e-3 if generator in OVERLAPPING else 1e-3)


def last_position(generator, shape, x, v=(0.0, 0.0, 0.0), time=0.6):
    """Where the body is after the time [s]; overlap is left alone, as in the runs of the paper."""
    floor = Body("floor", FLOOR, motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    scene = Scene((floor, Body("body", shape, position=x, velocity=v)))
    options = options_for(scene, time=time, contact_generator=generator, overlap="none")
    return simulate(scene, options).positions[-1, 1]


@pytest.mark.parametrize("generator", CONTACT_GENERATORS)
def test_contacts_are_in_order_and_the_same_for_any_threads(generator):
    turn = np.array([0.9, 0.1, 0.2, 0.3]) / np.linalg.norm([0.9, 0.1, 0.2, 0.3])
    for shape in (CUBE, Sphere(0.5), Wedge(0.5), Mesh(*generators.gear(6)), TWO_CUBES):
        found = contacts(generator, FLOOR, shape, (0.13, 0.07, 0.97), turn)
        again = contacts(generator, FLOOR, shape, (0.13, 0.07, 0.97), turn, workers=2)
        assert np.all(np.diff(found.key) > 0)
        assert np.linalg.norm(found.normal, axis=1) == pytest.approx(1.0)
        for name in ("position", "normal", "gap", "key"):
            assert getattr(found, name).tobytes() == getattr(again, name).tobytes()


@pytest.mark.parametrize("generator", CONTACT_GENERATORS)
def test_keys_stay_under_small_motion(generator):
    x = np.array([0.13, 0.07, pose_for(generator)])
    before, after = (contacts(generator, FLOOR, CUBE, x + shift) for shift in (0.0, 1e-7))
    assert before.count > 3
    assert len(np.intersect1d(before.key, after.key)) >= 0.9 * before.count


@pytest.mark.parametrize("generator", CONTACT_GENERATORS)
def test_face_on_face_is_covered(generator):
    found = contacts(generator, FLOOR, CUBE, (0.13, 0.07, pose_for(generator)))
    for corner in ((-0.37, -0.43), (0.63, -0.43), (-0.37, 0.57), (0.63, 0.57)):
        assert np.linalg.norm(found.position[:, :2] - corner, axis=1).min() < 2e-3


@pytest.mark.parametrize("generator", CONTACT_GENERATORS)
def test_a_box_a_ball_and_an_added_shape_come_to_rest(generator):
    """From 10 mm above the floor; where the generator lets them rest is another question. With `growth` they may jump
    by millimetres when the leaning normals of a box change."""
    for shape in (CUBE, Sphere(0.5), Wedge(0.5)):
        early = last_position(generator, shape, (0.0, 0.0, 0.51), time=0.3)
        late = last_position(generator, shape, (0.0, 0.0, 0.51))
        assert late == pytest.approx(early, abs=1e-6 if generator != "growth" else 0.5 * ENVELOPE)
        assert abs(late[2] - 0.5) < ENVELOPE


def test_the_default_rests_on_the_floor_and_slides_as_coulomb_says():
    assert last_position("cones", CUBE, (0.0, 0.0, 0.51)) == pytest.approx([0.0, 0.0, 0.5], abs=1e-6)
    slid = last_position("cones", CUBE, (0.0, 0.0, 0.5), (1.0, 0.0, 0.0))[0]
    assert slid == pytest.approx(1.0 / (2.0 * 0.5 * 9.81), rel=2e-3)


def test_closest_points_hold_bodies_in_the_air():
    """All within the envelope is held where it is: a body stays as far off as the step left it."""
    assert last_position("closest_points", CUBE, (0.0, 0.0, 0.51))[2] > 0.505


def test_closest_points_of_a_corner_beneath_a_face_are_none_of_that_face():
    """Overlap is ignored: what is left are edges through faces, and none where the box lies well inside."""
    assert contacts("closest_points", Box((4.0, 4.0, 4.0)), Box((0.5, 0.5, 0.5)), (0.2, 0.1, 0.0)).count == 0


@pytest.mark.parametrize("generator", OVERLAPPING)
def test_overlap_generators_see_nothing_that_is_apart(generator):
    """So a body that falls is stopped below the floor it falls on, by what it moves in a step."""
    assert contacts(generator, FLOOR, CUBE, (0.13, 0.07, 1.0 + 1e-6)).count == 0
    assert last_position(generator, CUBE, (0.0, 0.0, 0.51))[2] < 0.499


@pytest.mark.parametrize("generator", OVERLAPPING)
def test_overlap_generators_give_all_points_of_two_tetrahedra_one_gap(generator):
    """A tilted cube on its corner: the gap is the extent of the shared part, for points that lie higher, too."""
    found = contacts(generator, FLOOR, CUBE, (0.13, 0.07, 1.03), np.array([np.cos(0.06), np.sin(0.06), 0.0, 0.0]))
    assert found.count > 3
    tetrahedra = found.key >> 6
    for pair in np.unique(tetrahedra):
        assert np.ptp(found.gap[tetrahedra == pair]) == 0.0


def crossed_edges(generator, gap):
    """Angles [degrees] to the exact normal of a cube stood on an edge over the upper edge of another."""
    n = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    half = np.pi / 8
    stand, roll = np.array([np.cos(half), 0, np.sin(half), 0]), np.array([np.cos(half), np.sin(half), 0, 0])
    w, v = stand[0] * roll[0] - stand[1:] @ roll[1:], stand[0] * roll[1:] + roll[0] * stand[1:]
    q = np.concatenate(([w], v + np.cross(stand[1:], roll[1:])))
    found = contacts(generator, CUBE, CUBE, n * (np.sqrt(2.0) + gap) + (0.0, 0.1, 0.0), q)
    return np.degrees(np.arccos(np.clip(found.normal @ n, -1.0, 1.0)))


def test_the_default_knows_crossed_edges():
    assert crossed_edges("cones", -1e-3).max() < 0.01


def test_opposing_surfaces_take_a_face_for_crossed_edges():
    """Every normal is that of a face, half a right angle off."""
    off = crossed_edges("opposing_surfaces", -1e-3)
    assert len(off) > 0
    assert off.min() > 40.0


def test_growth_takes_inner_faces_for_normals():
    """Of a box that slides on the floor many normals lean, and friction stops it far too early."""
    found = contacts("growth", FLOOR, CUBE, (0.13, 0.07, 1.0 - 1e-3))
    assert np.mean(found.normal[:, 2] < np.cos(np.radians(5.0))) > 0.2
    assert last_position("growth", CUBE, (0.0, 0.0, 0.5), (1.0, 0.0, 0.0))[0] < 0.06


@pytest.mark.parametrize("generator", PROX)
def test_open_meshes_are_refused_by_name(generator):
    floor = Body("ground", Mesh(*generators.grid_plane()), motion=Motion.STATIC)
    scene = Scene((floor, Body("body", CUBE, position=(0.0, 0.0, 1.0))))
    with pytest.raises(SceneError, match="'ground'.*close it or use the generator 'cones'"):
        simulate(scene, options_for(scene, time=0.01, contact_generator=generator))


def test_an_unknown_generator_is_refused():
    with pytest.raises(OptionError, match="contact_generator"):
        options_for(Scene((Body("body", CUBE),)), contact_generator="sdf")
