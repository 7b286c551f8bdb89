"""What a mesh is taken for: the exact shapes at any pose, and nothing that is not one."""

import numpy as np
import pytest
from mesh_reference import random_quaternion, rotation

from stiction.solver.meshes.mesh_prep import prepare_mesh
from stiction.solver.shapes import Box, Capsule, Cylinder, Mesh, Sphere, generators
from stiction.solver.shapes.recognise import VOLUME, recognise
from stiction.solver.shapes.revolution import revolve


def globe(radius, segments):
    angle = np.linspace(0.0, np.pi, segments // 2 + 1)
    return revolve(radius * np.sin(angle), -radius * np.cos(angle), segments)


def prism(radius, length, sides):
    return revolve(np.array([0.0, radius, radius, 0.0]), 0.5 * length * np.array([-1.0, -1.0, 1.0, 1.0]), sides)


def pill(radius, length, segments):
    angle = np.linspace(0.0, 0.5 * np.pi, segments // 4 + 1)
    radii, rise = radius * np.sin(angle), 0.5 * length + radius * np.cos(angle)
    return revolve(np.concatenate([radii, radii[::-1]]), np.concatenate([-rise, rise[::-1]]), segments)


SHAPES = {
    "box": (generators.plate((1.0, 2.0, 0.3), (3, 2)), Box((1.0, 2.0, 0.3))),
    "cube": (generators.plate((1.0, 1.0, 1.0)), Box((1.0, 1.0, 1.0))),
    "sphere": (globe(0.7, 80), Sphere(0.7)),
    "icosphere": (generators.icosphere(0.5, 5), Sphere(0.5)),
    "cylinder": (prism(0.4, 1.3, 48), Cylinder(0.4, 1.3)),
    "coin": (prism(0.4, 0.03, 64), Cylinder(0.4, 0.03)),
    "equal moments": (prism(1.0, 3.0**0.5, 64), Cylinder(1.0, 3.0**0.5)),
    "equal normals": (prism(0.5, 1.0, 64), Cylinder(0.5, 1.0)),
    "capsule": (pill(0.3, 1.1, 80), Capsule(0.3, 1.1)),
}


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e4])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_found_and_lie_where_the_mesh_lies(name, scale, moved):
    (vertices, triangles), exact = SHAPES[name]
    rng = np.random.default_rng(3)
    turn = rotation(random_quaternion(rng)) if moved else np.eye(3)
    vertices = scale * (vertices @ turn.T + (moved * np.array([3.0, -2.0, 1.0])))
    single = vertices.astype(np.float32).astype(float) if not moved else vertices
    prepared = prepare_mesh(single, triangles)
    found = recognise(prepared)
    assert found.shape.type == exact.type
    shape = found.in_place()
    assert (shape.type == exact.type) == (not moved)
    ours, theirs = shape.mass_properties(), Mesh(single, triangles).mass_properties()
    assert ours.volume == pytest.approx(theirs.volume, rel=VOLUME)
    assert ours.volume == pytest.approx(exact.mass_properties().volume * scale**3, rel=1e-4)
    size = prepared.report.size
    np.testing.assert_allclose(ours.center, theirs.center, atol=1e-4 * size)
    np.testing.assert_allclose(ours.inertia, theirs.inertia, atol=0.015 * np.abs(theirs.inertia).max())
    np.testing.assert_allclose(
        np.concatenate([single.min(axis=0), single.max(axis=0)]), bounds(shape), atol=0.01 * size
    )  # fmt: skip


def bounds(shape):
    points = shape.surface()[0]
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def dented(mesh, depth):
    vertices, triangles = mesh
    vertices = vertices.copy()
    vertices[len(vertices) // 2] *= 1.0 - depth
    return vertices, triangles


OTHERS = {
    "globe of 32 by 16": (globe(1.0, 32), "convex_hull"),
    "prism of 32": (prism(1.0, 2.0, 32), "convex_hull"),
    "ellipsoid": ((globe(1.0, 80)[0] * (1.0, 1.0, 1.02), globe(1.0, 80)[1]), "convex_hull"),
    "box with one corner moved": (dented(generators.plate((1, 1, 1)), 0.01), "mesh"),
    "dented globe": (dented(globe(1.0, 80), 0.01), "mesh"),
    "dented cylinder": (dented(prism(1.0, 2.0, 64), 0.02), None),
    "jack": (generators.jack(), "mesh"),
    "torus": (generators.torus(), "mesh"),
    "open box": ((generators.plate((1, 1, 1))[0], generators.plate((1, 1, 1))[1][1:]), "mesh"),
    "two boxes": (
        (
            np.concatenate([generators.plate((1, 1, 1))[0] + 3.0 * k for k in range(2)]),
            np.concatenate([generators.plate((1, 1, 1))[1] + 8 * k for k in range(2)]),
        ),
        "mesh",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_quite_the_shape_is_not_taken_for_it(name):
    mesh, expected = OTHERS[name]
    found = recognise(prepare_mesh(*mesh))
    if expected is None:
        assert found is None or found.shape.type == "convex_hull"
    else:
        assert (found.shape.type if found else "mesh") == expected
