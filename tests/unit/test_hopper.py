"""The slot hopper: built without overlap at any parameters, its gate holds the grains and lets them go."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.scenes import build
from stiction.solver.scenes.hoppers.slot import WIDTH
from stiction.solver.simulation import options_for, simulate


@pytest.mark.parametrize(("half_angle", "outlet"), [(34.0, 3.0), (60.0, 5.0), (90.0, 2.0), (10.0, 6.0)])
def test_grains_start_apart_and_inside(half_angle, outlet):
    scene = build("slot_hopper", diameter=0.02, half_angle=half_angle, outlet=outlet, count=150, seed=3)
    place = np.array([b.position for b in scene.bodies if b.name.startswith("grain")]) / 0.02
    assert len(place) == 150
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) + 2.0 * np.eye(150)
    assert apart.min() > 1.0
    # Distance to the slopes' faces, from their lower edges, and to the sides.
    half = np.radians(half_angle)
    lateral = np.abs(place[:, 0]) - 0.5 * outlet
    assert np.all(-lateral * np.cos(half) + place[:, 2] * np.sin(half) > 0.5)
    assert np.all(np.abs(place[:, 0]) < 0.5 * WIDTH - 0.5)
    assert place[:, 2].min() > 0.5


@pytest.mark.parametrize("slot", [1.005, 1.05, 1.3])
def test_grains_start_between_the_plates(slot):
    scene = build("slot_hopper", diameter=0.1, count=100, slot=slot)
    across = np.abs([body.position[1] for body in scene.bodies if body.name.startswith("grain")])
    plates = [body for body in scene.bodies if body.name.startswith("plate")]
    faces = [abs(body.position[1]) - 0.5 * body.shape.size[1] for body in plates]
    assert faces == pytest.approx([0.05 * slot, 0.05 * slot])
    assert across.max() > 0.0 and across.max() + 0.05 < 0.05 * slot


def test_a_shut_gate_holds_and_an_open_one_lets_go():
    scene = build("slot_hopper", outlet=5.0, count=12, open_time=0.3)
    run = simulate(scene, options_for(scene, time=0.8, threads=1))
    grains = [i for i, name in enumerate(run.names) if name.startswith("grain")]
    assert run.positions[run.times < 0.3][:, grains, 2].min() > 0.045
    assert run.positions[-1, grains, 2].max() < 0.0


@pytest.mark.parametrize(
    ("name", "value"), [("outlet", 0.0), ("outlet", 17.0), ("half_angle", 0.0), ("count", 0), ("slot", 1.0)]
)
def test_a_hopper_that_cannot_be_built_is_refused(name, value):
    with pytest.raises(SceneError, match=f"slot_hopper: {name} is {value}"):
        build("slot_hopper", **{name: value})


@pytest.mark.parametrize("shape", ["sphere", "cube", "jack", "gear"])
def test_shapes_of_a_hopper_have_one_volume(shape):
    made = build("shape_hopper", shape=shape, count=30, outlet=2.5)
    grains = [body for body in made.bodies if body.name.startswith("grain")]
    assert len(grains) == 30 and len({id(grain.shape) for grain in grains}) == 1
    assert grains[0].shape.mass_properties().volume == pytest.approx(np.pi / 6 * 0.1**3, rel=1e-9)
    # Apart at the start, and inside the bin.
    places = np.array([grain.position for grain in grains])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 10 * np.eye(30)
    assert apart.min() > 0.15 and np.abs(places[:, :2]).max() < 0.35


def test_shape_hopper_refuses_what_it_cannot_build():
    with pytest.raises(SceneError, match="shape is 'bolt'; choose one of sphere, cube, jack, gear"):
        build("shape_hopper", shape="bolt")
    with pytest.raises(SceneError, match="outlet is 9"):
        build("shape_hopper", outlet=9)


def test_law_of_janssen():
    from stiction.solver.validation.hopper import janssen_load

    # A low heap lies on the floor whole, a high one as if it were lam high.
    assert janssen_load(1e-3, 1.0, 0.5) == pytest.approx(1e-3, rel=1e-3)
    assert janssen_load(50.0, 1.0, 0.5) == pytest.approx(1 / 0.6, rel=1e-6)
    assert janssen_load(1.63, 1.0, 0.5) == pytest.approx(1.04, abs=0.01)


def test_a_silo_has_a_flat_floor_and_its_grains_start_apart():
    d, outlet, width = 0.02, 5.0, 16.0
    scene = build("slot_silo", diameter=d, outlet=outlet, width=width, count=60, seed=2)
    place = np.array([b.position for b in scene.bodies if b.name.startswith("grain")]) / d
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) + 2.0 * np.eye(60)
    assert apart.min() > 1.0 and place[:, 2].min() > 0.5 and np.abs(place[:, 0]).max() < 0.5 * width - 0.5
    floors = {body.name: body for body in scene.bodies if body.name.startswith("floor")}
    for body in floors.values():
        half = 0.5 * np.array(body.shape.size)
        near, far = np.sort(np.abs(body.position[0] + np.array([-half[0], half[0]])))
        assert near == pytest.approx(0.5 * outlet * d) and far == pytest.approx(0.5 * width * d)
        assert body.position[2] + half[2] == pytest.approx(0.0)


@pytest.mark.slow
def test_a_silo_runs_out_but_for_the_heaps_beside_its_outlet():
    scene = build("slot_silo", outlet=6.0, width=10.0, count=40, open_time=0.5, friction=0.3)
    run = simulate(scene, options_for(scene, time=2.0, threads=1))
    left = np.isin(np.arange(len(run.names)), [i for i, name in enumerate(run.names) if name.startswith("grain")])
    assert run.positions[run.times < 0.5][:, left, 2].min() > 0.045
    out = np.sum(run.positions[-1, left, 2] < 0.0)
    assert 25 < out < 40


@pytest.mark.parametrize(("name", "value"), [("outlet", 29.0), ("width", 2.0), ("count", 0)])
def test_a_silo_that_cannot_be_built_is_refused(name, value):
    with pytest.raises(SceneError, match=f"slot_silo: {name} is {value}"):
        build("slot_silo", **{name: value})
