"""Where a surface bends inward: what lies beyond the bend is no overlap, what lies in it is."""

import numba
import numpy as np
import pytest
from mesh_reference import axis_quaternion, rotation
from scipy.spatial.transform import Rotation

from stiction.solver.collision.mesh.mesh_features import INSIDE, over_face
from stiction.solver.collision.mesh.mesh_kernels import mesh_pair
from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.collision.surface.mesh_pool import CONVEX_RIM, FLAT_FOREIGN_RIM, FLAT_RIM, build_mesh_pool
from stiction.solver.shapes import Box, Mesh, generators

# How meshes are turned in the axes of their body, so that boxes about their faces reach beyond these.
ASKEW = axis_quaternion((1.0, 2.0, 3.0), 1.0)
# The outline of an L, its opening where x and z are positive, and its inner corner at one end of a prism 2 m long.
ELL = [(-1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (-1.0, 1.0)]
CORNER = np.array([0.0, 1.0, 0.0])


@numba.njit(error_model="numpy")
def place_over(across, a, b, c, p):
    """INSIDE, NEAR or FAR: p against the face a, b, c in the xy plane, across its sides what `across` (3,) tells."""
    rims = ((across[0], 0.0), (across[1], 0.0), (across[2], 0.0))
    return over_face(rims, a, b, c, (0.0, 0.0, 1.0), p, p[2], 0.001)


def contacts(prism, box, position, orientation=(1.0, 0.0, 0.0, 0.0), turned=False):
    """Contacts of a mesh (vertices, triangles) and a box at rest, the box placed in the mesh's axes.

    turned: the box is the first of the two.
    """
    mesh = Mesh(prism[0] @ rotation(ASKEW).T, prism[1])
    order = [1, 0] if turned else [0, 1]
    places = np.array([np.zeros(3), rotation(ASKEW) @ position])[order]
    both = Rotation.from_quat(np.roll(ASKEW, -1)) * Rotation.from_quat(np.roll(orientation, -1))
    turns = np.array([[1.0, 0.0, 0.0, 0.0], np.roll(both.as_quat(), 1)])[order]
    model = prepare([(mesh, Box(box))[k] for k in order], np.zeros((2, 3)), np.array([False, True])[order])
    return find_contacts(model, places, turns, np.zeros((2, 6)), 0.01)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("below", [0.08, 0.09])
def test_a_corner_in_the_air_beyond_a_gentle_hollow_is_not_under_it(below, turned):
    """A face, a narrow one bent up from it by a tenth, and a cliff. The box hangs beside the cliff."""
    outline = [(-1.0, -1.0), (0.05, -1.0), (0.05, 0.005), (0.0, 0.0), (-1.0, 0.0)]
    corner = np.array([0.06, 0.2, -below])
    found = contacts(generators.extruded(outline, 2.0), (0.1, 0.1, 0.1), corner + 0.05, turned=turned)
    assert found.gap.min(initial=1.0) >= 0.0


def bar_across(tilt, deep):
    """A bar of side 0.2 m whose edge passes by the inner corner of the L, `deep` [m] in it, down into its opening.

    tilt: how steeply. Returns position, orientation, the unit vectors (2,3) that part the bar from both rims, and the
    direction in which it lies over the corner.
    """
    along, up = np.array([1.0, -tilt, 1.0]), np.array([tilt, 2.0, tilt])
    along, up = along / np.linalg.norm(along), up / np.linalg.norm(up)
    side = np.cross(along, up)
    axes = np.column_stack((along, (up + side) / np.sqrt(2.0), (side - up) / np.sqrt(2.0)))
    axes = axes if np.linalg.det(axes) > 0.0 else axes * [1.0, 1.0, -1.0]
    sides = np.array([[0.0, 1.0, tilt], [tilt, 1.0, 0.0]]) / np.hypot(1.0, tilt)
    return CORNER + (0.1 * np.sqrt(2.0) - deep) * up, np.roll(Rotation.from_matrix(axes).as_quat(), 1), sides, up


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("deep", [1e-5, 1e-3, 0.01, 0.03])
@pytest.mark.parametrize("tilt", [0.3, 1.0])
def test_an_edge_across_an_inner_corner_overlaps_both_rims_that_end_there(tilt, deep, turned):
    """Neither of them reaches what is under the corner: it would sink in without a contact."""
    position, orientation, sides, up = bar_across(tilt, deep)
    found = contacts(generators.extruded(ELL, 2.0), (1.0, 0.2, 0.2), position, orientation, turned)
    overlaps = found.gap < 0.0
    normals = found.normal[overlaps] @ rotation(ASKEW) * (-1.0 if turned else 1.0)
    assert found.gap[overlaps] == pytest.approx(-deep * (sides[0] @ up), rel=1e-6)
    assert sorted(map(tuple, normals.round(9))) == sorted(map(tuple, sides.round(9)))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("tilt", [0.3, 1.0])
def test_an_edge_over_an_inner_corner_does_not_overlap(tilt, turned):
    position, orientation, _, _ = bar_across(tilt, -1e-3)
    found = contacts(generators.extruded(ELL, 2.0), (1.0, 0.2, 0.2), position, orientation, turned)
    assert found.gap.min() > 0.0


def draped(deep, width, top):
    """A block whose underside hangs over a ridge along y, down both sides of it: 2 x 2 squares of `width` [m] and four
    triangles each, whose middles touch. The corner of all of them dips `deep` [m] into the ridge, the others are off.

    top: height of the block [m] over the ridge.
    """
    line = np.array([-width, 0.0, width])
    x, y = (axis.ravel() for axis in np.meshgrid(line, line, indexing="ij"))
    z = -abs(x) + np.where((x == 0.0) & (y == 0.0), -deep, deep)
    middle = 0.5 * width * np.array([(i, j, -1.0) for i in (-1, 1) for j in (-1, 1)])
    vertices = np.vstack((np.column_stack((x, y, z)), np.column_stack((x, y, np.full(9, top))), middle))
    triangles, number = [], np.arange(9).reshape(3, 3)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        ring = number[[i, i, i + 1, i + 1], [j, j + 1, j + 1, j]]
        triangles += [(ring[k], ring[(k + 1) % 4], 18 + 2 * i + j) for k in range(4)]
        triangles += [(ring[0] + 9, ring[2] + 9, ring[1] + 9), (ring[0] + 9, ring[3] + 9, ring[2] + 9)]
    rim = [*number[:-1, 0], *number[-1, :-1], *number[:0:-1, -1], *number[0, :0:-1]]
    for p, q in zip(rim, rim[1:] + rim[:1], strict=True):
        triangles += [(p, q, q + 9), (p, q + 9, p + 9)]
    return vertices, np.array(triangles)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("deep", [1.2e-4, 3e-4])
@pytest.mark.parametrize(("width", "top"), [(0.15, 1.5), (0.2, 0.4)])
def test_what_is_draped_over_an_edge_is_as_deep_as_the_edge_is_in_it(width, top, deep, turned):
    """The curves in which the surfaces intersect run down both sides of the edge, by two thirds of the width.

    The corner that dips in is one that bends inward, and lies on the edge. The folds beside it, bent by less than a
    quarter of a degree, cross the edge on either side: each says what the block is to be lifted by, as it is.
    """
    position, orientation = np.array([0.0, 0.0, -np.sqrt(2.0)]), axis_quaternion((0.0, 1.0, 0.0), np.pi / 4)
    order = [1, 0] if turned else [0, 1]
    block = Mesh(*draped(deep, width, top))
    model = prepare([(Box((2.0, 2.0, 2.0)), block)[k] for k in order], np.zeros((2, 3)), np.array([False, True])[order])
    places, turns = np.array([position, np.zeros(3)])[order], np.array([orientation, (1.0, 0.0, 0.0, 0.0)])[order]
    found = find_contacts(model, places, turns, np.zeros((2, 6)), 0.01)
    overlap = found.gap < -1e-9
    up = found.normal[overlap, 2] * (-1.0 if turned else 1.0)
    assert found.gap[overlap] / up == pytest.approx([-deep, -deep], rel=1e-6)
    assert sorted(np.sign(found.normal[overlap, 0])) == [-1.0, 1.0]
    assert np.linalg.norm(found.position[overlap], axis=1).max() < deep


@pytest.mark.parametrize("past", [0.002, 0.01, 0.1])
def test_a_point_past_the_tip_of_a_narrow_face_is_not_under_it(past):
    """Both its long sides are flat: across each it reaches a little further, which past its tip would be very far."""
    a, b, c = (0.0, 0.0, 0.0), (1.0, -0.005, 0.0), (1.0, 0.005, 0.0)
    assert place_over((FLAT_RIM, CONVEX_RIM, FLAT_RIM), a, b, c, (-past, 0.0, -0.05)) > INSIDE


@pytest.mark.parametrize("along", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("bend", [-0.004, 0.004])
@pytest.mark.parametrize("height", [-0.1, 0.1])
def test_a_point_between_the_prisms_of_two_nearly_flat_faces_is_over_the_first(along, bend, height):
    """Wherever along their edge, from one end to the other, and on the side of it where the second face is."""
    a, b, p = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (along, bend * height, height)
    assert place_over((FLAT_RIM,) * 3, a, b, (0.5, 1.0, 0.0), p) == INSIDE
    assert place_over((FLAT_FOREIGN_RIM,) * 3, b, a, (0.5, -1.0, 0.0), p) > INSIDE


@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_past_a_corner_does_not_take_the_other_edge_for_a_bend_of_the_outline(turned):
    """An edge is no other side of the corner that it ends at, past which nothing is.

    The bar hangs in the air beside an L, moved a little each time: rounding tells what is in line with an edge.
    """
    turn = Rotation.from_rotvec(np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)).as_matrix()
    meshes = [generators.extruded(0.4 * np.array(ELL), 0.2), generators.plate((0.6, 0.2, 0.2))]
    pool = build_mesh_pool([(vertices @ turn.T, triangles) for vertices, triangles in meshes])
    position, orientation = np.array([-0.4532, -0.2446, 0.2544]), np.array([-0.9818, 0.0613, 0.0859, -0.1579])
    orientation /= np.linalg.norm(orientation)
    still, room = np.zeros(6), (np.empty((200, 3)), np.empty((200, 3)), np.empty(200), np.empty(200, dtype=np.int64))
    for step in 1e-4 * np.vstack((np.zeros(3), np.eye(3), -np.eye(3))):
        ell = (0, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), still)
        bar = (1, position + step, orientation, still)
        first, second = (bar, ell) if turned else (ell, bar)
        count = mesh_pair(pool, *first, *second, 0.01, 0.01, *room)
        assert room[2][:count].min(initial=1.0) >= 0.0
