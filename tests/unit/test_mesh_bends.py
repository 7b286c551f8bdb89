"""Where a surface bends inward: what lies beyond the bend is no overlap, what lies in it is."""

import numpy as np
import pytest
from mesh_reference import axis_quaternion, rotation

from stiction.solver.collision import find_contacts, prepare
from stiction.solver.shapes import Box, Mesh, generators

# How meshes are turned in the axes of their body, so that boxes about their faces reach beyond these.
ASKEW = axis_quaternion((1.0, 2.0, 3.0), 1.0)


def contacts(prism, box, position, orientation=(1.0, 0.0, 0.0, 0.0), turned=False):
    """Contacts of a mesh (vertices, triangles) and a box at rest, the box placed in the mesh's axes.

    turned: the box is the first of the two.
    """
    mesh = Mesh(prism[0] @ rotation(ASKEW).T, prism[1])
    order = [1, 0] if turned else [0, 1]
    places = np.array([np.zeros(3), rotation(ASKEW) @ position])[order]
    q, p = ASKEW, np.asarray(orientation)
    both = np.array([q[0] * p[0] - q[1:] @ p[1:], *(q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:]))])
    shapes, turns = [(mesh, Box(box))[k] for k in order], np.array([[1.0, 0.0, 0.0, 0.0], both])[order]
    model = prepare(shapes, np.zeros((2, 3)), np.array([False, True])[order])
    return find_contacts(model, places, turns, np.zeros((2, 6)), 0.01)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("below", [0.07, 0.08, 0.09])
def test_a_corner_in_the_air_beyond_a_gentle_hollow_is_not_under_it(below, turned):
    """A face, a narrow one bent up from it by a tenth, and a cliff. The box hangs beside the cliff."""
    outline = [(-1.0, -1.0), (0.05, -1.0), (0.05, 0.005), (0.0, 0.0), (-1.0, 0.0)]
    corner = np.array([0.06, 0.2, -below])
    found = contacts(generators.extruded(outline, 2.0), (0.1, 0.1, 0.1), corner + 0.05, turned=turned)
    assert found.gap.min(initial=1.0) >= 0.0
