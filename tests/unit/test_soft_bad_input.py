"""Deformable bodies that cannot be: each is refused with its name, the value and a remedy, or made good and said."""

import dataclasses

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.results.summary import run_summary
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Elastic, Reduction
from stiction.solver.shapes import Mesh, Tetrahedra
from stiction.solver.simulation import simulate as run_of


def box_mesh(size, at=(0.0, 0.0, 0.0)):
    """Vertices and outward triangles of a box."""
    shape = Tetrahedra(*box_grid((1, 1, 1), size, low=np.array(at)))
    return shape.surface()


def joined(*meshes):
    shift = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    return (np.concatenate([vertices for vertices, _ in meshes]),
            np.concatenate([triangles + k for (_, triangles), k in zip(meshes, shift[:-1], strict=True)]))  # fmt: skip


def soft(shape, **elastic):
    return Body("thing", shape, position=(0.0, 0.0, 1.0), elastic=Elastic(**elastic))


def test_a_mesh_through_itself_is_filled_as_the_union():
    mesh = Mesh(*joined(box_mesh((0.2, 0.2, 0.2)), box_mesh((0.2, 0.2, 0.2), (0.1, 0.05, 0.05))))
    model, _, _ = run(scene(soft(mesh, element_size=0.1)), 0)
    union = 2 * 0.2**3 - 0.1 * 0.15 * 0.15
    assert model.elastic[0].mass.sum() == pytest.approx(1000.0 * union, rel=0.01)


def test_a_mesh_without_thickness_is_refused():
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    sheet = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]))
    with pytest.raises(SceneError, match="body 'thing'.*zero thickness") as refused:
        run(scene(soft(sheet)), 0)
    assert "solidify" in str(refused.value)


def test_elements_larger_than_the_wall_are_refused():
    outer, inner = box_mesh((1.0, 1.0, 1.0)), box_mesh((0.98, 0.98, 0.98), (0.01, 0.01, 0.01))
    hollow = Mesh(*joined(outer, (inner[0], inner[1][:, [0, 2, 1]])))
    with pytest.raises(SceneError, match="body 'thing': element_size is 0.3 m.*give a smaller one"):
        run(scene(soft(hollow, element_size=0.3)), 0)


@pytest.mark.parametrize("density", [0.0, -5.0, float("nan")])
def test_density_must_be_above_zero(density):
    world = dataclasses.replace(scene(FLOOR, cube()), materials=MaterialTable((Material("default", density, 0.5),)))
    with pytest.raises(SceneError, match="density is"):
        run(world, 0)


def test_tetrahedra_of_either_orientation_are_alike():
    vertices, tets = box_grid((2, 2, 2), (0.2, 0.2, 0.2))
    turned = tets[:, [0, 2, 1, 3]]
    ends = []
    for one in (tets, turned):
        body = Body("cube", Tetrahedra(vertices, one), position=(0, 0, 0.101), elastic=Elastic())
        ends.append(run(scene(FLOOR, body), 3)[1][-1].nodes.position)
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def test_flat_tetrahedra_are_refused():
    vertices, tets = box_grid((1, 1, 1), (0.2, 0.2, 0.2))
    vertices[:, 2] = 0.0
    with pytest.raises(SceneError, match="'flat'"):
        run(scene(Body("flat", Tetrahedra(vertices, tets), elastic=Elastic())), 0)


def test_an_inverted_start_recovers():
    """A body whose first velocities turn its elements inside out within a step in flight ends the right way round.

    On a floor at once, its nodes could only turn back through it."""
    body = cube(young=1e5, damping=(0.0, 1e-2), position=(0.0, 0.0, 0.4))
    model, states, _ = run(scene(FLOOR, body), 1)
    assert model.elastic[1].energy(model.elastic[1].rest)[1] == pytest.approx(1.0)
    states[0].nodes.velocity[:, 2] = np.where(states[0].nodes.position[:, 2] > 0.45, -40.0, 0.0)
    from stiction.solver.simulation import options_for, step_settings, stepper

    options = options_for(scene(FLOOR, body))
    settings, advance, state = step_settings(options, model, states[0]), stepper(options), states[0]
    for _ in range(30):
        state, _, _ = advance(model, state, settings)
    assert np.all(np.isfinite(state.nodes.position))
    assert model.elastic[1].energy(state.nodes.position)[1] > 0.5


@pytest.mark.parametrize(("given", "words"), [
    ({"young": 2e15}, "young is 2000000000000000.0; give .* up to 1e.15 Pa"),
    ({"young": float("inf")}, "young is inf; give"),
    ({"young": [1e6] * 39 + [float("nan")]}, "young is .*nan.*; give"),
    ({"young": 1e12, "stiffness_points": ((0.0, 0.0, 0.1, 1e4),)}, "stiffness_points make young 1e.16 Pa; give"),
    ({"element_size": 0.05}, "element_size is 0.05 m, and its 40 tetrahedra are given; remove element_size"),
    ({"pin_points": ((0.0, 0.0, 0.45),)}, r"pin point 0 .* is 0.25 m from the body, .* 0.2 m .*; move"),
    ({"pin_points": ((0.0, 0.0, 0.2), (0.0, 0.0, -0.11))}, "pin point 1 .* is 0.11 m from the body"),
    ({"pin_points": ((0.0, float("nan"), 0.2),)}, "points of its pins are not rows of three finite numbers; correct"),
    ({"pin_points": ((0.0, 0.2),)}, "points of its pins are not rows of three finite numbers; correct"),
])  # fmt: skip
def test_elastic_values_that_cannot_be_meant_are_refused(given, words):
    with pytest.raises(SceneError, match=words) as refused:
        run(scene(FLOOR, cube(**given)), 0)
    assert "body 'cube'" in str(refused.value)


def test_the_last_values_before_refusal_are_accepted():
    near = ((0.0, 0.0, 0.299),)
    for given in ({"young": 1e15}, {"pin_points": near}, {"element_size": None}):
        run(scene(FLOOR, cube(**given)), 0)


@pytest.mark.parametrize("elastic", [
    {"young": "soft"}, {"poisson": 0.3j}, {"pins": 5}, {"pin_points": "x"}, {"goals": 5}, {"stiffness_points": 5},
    {"mass_points": None}, {"inflated": 1.0}, {"start": 5}, {"reduction": {"modes": 3}},
    {"reduction": Reduction(attachments=5), "law": "corotational"},
], ids=lambda elastic: next(iter(elastic)))  # fmt: skip
def test_values_of_another_kind_are_refused(elastic):
    """From Python no schema has looked at them."""
    label, value = next(iter(elastic.items()))
    with pytest.raises(SceneError, match=f"body 'cube'.*{label}.*; give") as refused:
        run(scene(dataclasses.replace(cube(), elastic=Elastic(**elastic))), 0)
    assert repr(5 if isinstance(value, Reduction) else value) in str(refused.value)


def test_arrays_are_rows_as_lists_are():
    made = cube(cells=1)
    rows = {"start": 1.01 * made.shape.vertices, "stiffness_points": np.array([[0.0, 0.0, 0.1, 2.0]])}
    both = [dataclasses.replace(made, elastic=Elastic(**{key: kind(value) for key, value in rows.items()}))
            for kind in (np.asarray, lambda value: tuple(map(tuple, value.tolist())))]  # fmt: skip
    ends = [run(scene(body), 1)[1][-1].nodes.position for body in both]
    assert np.array_equal(*ends)
    held = cube(cells=1, pin_points=np.array([[0.1, 0.1, 0.2]]))
    assert run(scene(held), 0)[0].elastic[0].pinned.sum() == 1


def test_a_body_that_springs_hold_fast_loses_nothing_of_nothing():
    """Where there is no energy at all no part of it is said."""
    made = scene(cube(goals=((0.0, 0.0, 0.1, 1e30, 0.0),)))
    assert run_summary(run_of(made, SimulationOptions(time=0.02)))["verdict"] == "good"
