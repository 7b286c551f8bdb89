"""Connected components, and points that may be near one another."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from stiction.solver.problems.connected import connected, crowded


@pytest.mark.parametrize(("count", "pairs"), [(50, 20), (1000, 900), (10, 0), (0, 0)])
def test_components_are_those_of_scipy_in_its_order(count, pairs):
    a, b = np.random.default_rng(pairs).integers(0, max(count, 1), (2, pairs))
    graph = coo_array((np.ones(pairs), (a, b)), (count, count))
    found = connected(a, b, count)
    assert found.tolist() == (connected_components(graph, directed=False)[1].tolist() if count else [])


@pytest.mark.parametrize("flat", [False, True])
def test_all_near_points_are_crowded_and_few_others(flat):
    random = np.random.default_rng(3)
    points = random.random((400, 3))
    if flat:
        points[:, 0] = 0.25
    points[::9] = points[1::9][: len(points[::9])] + 1e-6 * random.random((len(points[::9]), 3))
    points[7], points[8] = points[20], points[20]
    near = np.unique(cKDTree(points).query_pairs(1e-5, output_type="ndarray"))
    found = crowded(points, 1e-5)
    assert set(near) <= set(found)
    assert len(near) > 80 and len(found) <= len(near) + 4


def test_points_far_from_one_another_are_not_crowded():
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    assert len(crowded(grid, 0.5)) == 0
    assert len(crowded(np.zeros((0, 3)), 0.5)) == 0


def test_an_open_mesh_is_prepared_without_loading_scipy():
    """A quarter of a second of the first check in Blender, and again of the first bake."""
    said = ("import sys; sys.path.insert(0, 'tests'); import conftest; "
            "from stiction.solver.meshes.mesh_prep import prepare_mesh; "
            "from stiction.solver.shapes.generators import plate; "
            "vertices, triangles = plate(); prepare_mesh(vertices, triangles[1:]); "
            "sys.exit(sum(name in sys.modules for name in ('scipy.sparse', 'scipy.spatial')))")  # fmt: skip
    root = Path(__file__).resolve().parents[2]
    assert subprocess.run([sys.executable, "-c", said], cwd=root).returncode == 0
