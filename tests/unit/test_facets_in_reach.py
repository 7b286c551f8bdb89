"""Of a hollow of many facets, every one that a body may slide to within the step is among its contacts."""

import numpy as np

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
