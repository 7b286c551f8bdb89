"""Which contacts of a patch stay is the same at every size: no length is the same at all of them."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import extruded
from stiction.solver.simulation import compiled, options_for


def kept(size, seed):
    """Keys of the contacts of two prisms of twelve sides, one on the other, at a size [m]: corners and edges meet but
    for parts of 1e-12 to 1e-10 of it."""
    rng, angle = np.random.default_rng(seed), 2.0 * np.pi * np.arange(12) / 12
    off = 10.0 ** rng.uniform(-12.0, -10.0, 3) * rng.choice((-1.0, 1.0), 3)
    vertices, triangles = extruded(np.column_stack((np.cos(angle), np.sin(angle))), 0.5)
    shape = Mesh(size * vertices[:, [0, 2, 1]] * (1, 1, -1), triangles)
    yaw = (float(np.cos(off[2])), 0.0, 0.0, float(np.sin(off[2])))
    bodies = (Body("low", shape, motion=Motion.STATIC),
              Body("high", shape, position=(size * off[0], size * off[1], size * 0.5), orientation=yaw))  # fmt: skip
    scene = Scene(bodies)
    model, state = compiled(scene, options_for(scene))
    return find_contacts(model.collision, state.position, state.orientation, np.zeros_like(state.twist), 0.0).key


@pytest.mark.parametrize("seed", range(4))
def test_the_contacts_that_stay_are_the_same_at_every_size(seed):
    one = kept(1.0, seed)
    assert len(one) >= 8
    for size in (1.0 / 1024.0, 64.0):
        np.testing.assert_array_equal(kept(size, seed), one)
