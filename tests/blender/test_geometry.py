"""A mesh as the bridge reads it."""

import numpy as np
import pytest
from conftest import CUBE, CUBE_FACES

from stiction.blender_addon.base.geometry import Geometry
from stiction.solver.shapes import Mesh

TRIANGLES = np.array([t for a, b, c, d in CUBE_FACES for t in ((a, b, c), (a, c, d))])
CUBE_MESH = Geometry(np.array(CUBE), TRIANGLES)


def test_mirroring_keeps_triangles_facing_out():
    mirrored = CUBE_MESH.transformed(np.diag([-1.0, 2.0, 3.0]))
    mesh = Mesh(mirrored.vertices, mirrored.triangles)
    assert mesh.prepared.report.repairs() == []
    assert mesh.mass_properties().volume == pytest.approx(6.0)
