"""How far a mesh stands out of the tetrahedra that are simulated of it, and what the verdict says of it."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices
from marks import few

from stiction.blender_addon.deformable.embedding import standing_out
from stiction.blender_addon.inside.contacts import record_of
from stiction.solver.meshes.tet_grids import boundary, box_grid


def test_the_mesh_of_a_grid_does_not_stand_out():
    nodes, tets = box_grid((2, 2, 2), (1.0, 1.0, 1.0))
    assert standing_out(nodes, nodes, boundary(tets)) == pytest.approx(0.0, abs=1e-12)
    assert standing_out(0.9 * nodes, nodes, boundary(tets)) == pytest.approx(0.0, abs=1e-12)


def test_it_is_the_distance_from_faces_edges_and_corners():
    nodes, tets = box_grid((2, 2, 2), (1.0, 1.0, 1.0))
    out = [((0.1, 0.2, 0.6), 0.1), ((0.6, 0.6, 0.2), 0.1 * 2**0.5), ((0.6, 0.6, 0.6), 0.1 * 3**0.5)]
    for point, distance in out:
        assert standing_out(np.array([point]), nodes, boundary(tets)) == pytest.approx(distance, rel=1e-6)


@pytest.mark.parametrize("element", few(["T4", "T10"], "T4"))
def test_a_ball_of_few_tetrahedra_is_said_to_sink_as_far_as_it_is_seen_to(drop, element):
    """It was called good, with an overlap of 0.2 mm; bent elements were said to stand out as far as straight ones."""
    bpy.data.objects.remove(drop.objects["cube"])
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0, 0, 0.52))
    ball = bpy.context.object
    ball.stiction.type = "ACTIVE"
    elastic = ball.stiction.elastic
    elastic.use, elastic.element_size, elastic.young = True, 0.35, 1e5
    elastic.element, elastic.bent = element, element == "T10"
    drop.frame_end, drop.stiction.steps_per_frame = 12, 2
    bpy.ops.stiction.bake()
    sunk = 0.0
    for frame in range(1, 13):
        drop.frame_set(frame)
        sunk = max(sunk, -shown_vertices(ball)[:, 2].min())
    said = drop.stiction.verdict
    assert drop.stiction.worth == "usable" and "'Sphere' stands up to" in said and "Element Size" in said
    told = float(said.partition("up to ")[2].partition(" mm")[0])
    assert 5.0 < 1e3 * sunk < 1.2 * told < 4e3 * sunk


def test_the_overlap_of_a_jelly_is_that_of_the_mesh_that_is_played(drop):
    """70 mm were told where the played cube showed none: now what is told is what is seen, from every frame."""
    cube = drop.objects["cube"]
    elastic = cube.stiction.elastic
    elastic.use, elastic.young, elastic.element_size = True, 2e4, 0.25
    drop.frame_end = 12
    bpy.ops.stiction.bake()
    assert cube.modifiers, "a cache is played"
    seen = 0.0
    for frame in range(1, 13):
        drop.frame_set(frame)
        seen = max(seen, -shown_vertices(cube)[:, 2].min())
    told = record_of(drop).frames.steps["overlap"].max()
    squeezed = shown_vertices(cube)[:, 2]
    assert squeezed.max() - squeezed.min() < 0.98, "the jelly has been pressed"
    assert told < 1e-3 and seen == pytest.approx(told, abs=1e-4)
