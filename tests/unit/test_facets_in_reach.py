"""Of the many contacts of a pair, those stay that its motion within the step needs."""

import numpy as np
from scipy.spatial.transform import Rotation

from stiction.solver.collision.manifold import reduce_kernels
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import one_material
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import torus
from stiction.solver.simulation import compiled, options_for

HALF = np.sqrt(0.5)


def hanging_link():
    """Model of a link that hangs in one that stands, and its poses."""
    link = Mesh(*torus(0.4, 0.1, 96, 48))
    bodies = (
        Body("upper", link, motion=Motion.STATIC, orientation=(HALF, 0.0, HALF, 0.0)),
        Body("lower", link, orientation=(HALF, HALF, 0.0, 0.0), position=(0.0, 0.0, -0.6)),
    )
    scene = Scene(bodies, one_material(0.0))
    model, state = compiled(scene, options_for(scene, time=0.1, time_step=0.01))
    return model, state.position, state.orientation


def test_a_link_slides_from_facet_to_facet_as_its_contacts_tell():
    model, position, orientation = hanging_link()
    random, size = np.random.default_rng(1), model.size[1]

    def contacts_at(shift):
        moved = position + [np.zeros(3), shift]
        return find_contacts(model.collision, moved, orientation, np.zeros((2, 6)), 0.0)

    facets = 0
    for _ in range(50):
        place = np.append(random.uniform(-0.02, 0.02, 2), 0.0)
        for _ in range(4):
            found = contacts_at(place)
            lowest = found.gap.argmin()
            place -= found.gap[lowest] * found.normal[lowest]
        found = contacts_at(place)
        facets += len(np.unique(found.normal.round(6), axis=0))
        slide = np.append(random.uniform(-1.0, 1.0, 2), 0.0)
        slide *= 0.8 * reduce_kernels.UNKNOWN_SLIDE * 0.01 * size / np.linalg.norm(slide)
        carrying = found.normal[:, 2] > 0.2
        height = -(found.gap + found.normal @ slide)[carrying] / found.normal[carrying, 2]
        least = contacts_at(place + slide + [0.0, 0.0, height.max()]).gap.min()
        assert least > -1e-12 * size
    # They are more than one each time, and few.
    assert 100 < facets < 500


def test_the_corner_that_a_turning_body_comes_down_on_is_a_contact():
    ring = Mesh(*torus(0.4, 0.1, 48, 24))
    floor = Mesh(np.array([[-2.0, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    bodies = Body("floor", floor, motion=Motion.STATIC), Body("ring", ring, position=(0.0, 0.0, 0.1))
    scene = Scene(bodies, one_material(0.0))
    model, state = compiled(scene, options_for(scene, time=0.1, time_step=0.01))
    random, still = np.random.default_rng(0), np.zeros((2, 6))
    for _ in range(40):
        first = Rotation.from_rotvec(np.append(random.normal(size=2) * 0.008, 0.0))
        spin = np.append(random.normal(size=2) * 2.0, 0.0)
        place, moves = state.position.copy(), still.copy()
        moves[1, 3:] = spin
        for _ in range(3):
            found = find_contacts(model.collision, place, poses(first), still, 0.0)
            place[1, 2] -= found.gap.min()
        found = find_contacts(model.collision, place, poses(first), moves, 0.01)
        ends = poses(Rotation.from_rotvec(0.01 * spin) * first)
        at_end = find_contacts(model.collision, place, ends, still, 0.0)
        assert at_end.key[at_end.gap.argmin()] in found.key


def poses(rotation):
    """Orientations (2,4) of a body that stands and one that is turned."""
    x, y, z, w = rotation.as_quat()
    return np.array([[1.0, 0.0, 0.0, 0.0], [w, x, y, z]])
