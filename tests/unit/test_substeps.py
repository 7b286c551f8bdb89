"""Steps that are cut: where it is needed, at no one else's cost, and with the ledger, the bits and the files intact."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from stiction.solver.collision import depths
from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.collision.search_memory import SearchMemory
from stiction.solver.collision.surface.mesh_pool import thicknesses
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.scenes.newton2019 import table_pile
from stiction.solver.shapes import Box, Capsule, Compound, Cylinder, Mesh, Part, Sphere, generators
from stiction.solver.simulation import SimulationOptions, options_for, simulate, step_settings, stepper
from stiction.solver.stepping.not_accepted import step_notes
from stiction.solver.stepping.submodel import model_of
from stiction.solver.trajectory import Trajectory, TrajectoryError

FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
PLATE = Body("plate", Box((4.0, 4.0, 0.003)), motion=Motion.STATIC, position=(0.0, 0.0, -0.0015))
CARD = Body("card", Box((0.4, 0.6, 0.003)), position=(0.0, 0.0, 0.5), velocity=(0.0, 0.0, -5.0),
            angular_velocity=(20.0, 5.0, 1.0))  # fmt: skip


def scene(*bodies, friction=0.5, restitution=0.0):
    return Scene(bodies, MaterialTable((Material("default", friction=friction, restitution=restitution),)))


def same_frames(a, b):
    names = ("times", "center_of_mass", "orientations", "velocities", "angular_velocities")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def test_a_body_in_the_air_is_not_cut():
    flying = scene(FLOOR, replace(CARD, position=(0.0, 0.0, 9.0)))
    runs = [simulate(flying, SimulationOptions(time=0.2, substeps=n)) for n in (0, 1)]
    assert np.all(runs[0].steps["substeps"] == 1)
    assert same_frames(*runs)


def test_a_stack_at_rest_is_not_cut():
    boxes = [Body(f"box{i}", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5 + i)) for i in range(4)]
    runs = [simulate(scene(FLOOR, *boxes), SimulationOptions(time=0.2, substeps=n)) for n in (0, 1)]
    assert np.all(runs[0].steps["substeps"] == 1)
    assert same_frames(*runs)


def test_one_spinning_body_does_not_cut_the_others():
    boxes = [Body(f"box{i}", Box((1.0, 1.0, 1.0)), position=(5.0, 0.0, 0.5 + i)) for i in range(3)]
    model, state = compile_scene(scene(FLOOR, CARD, *boxes))
    options = SimulationOptions()
    advance, settings = stepper(options), step_settings(options, model, state)
    sizes = []
    for _ in range(20):
        state, report, rows = advance(model, state, settings)
        kept = np.isin(state.contacts.body_b, (2, 3, 4))
        assert len(rows) == state.contacts.count == report.contact_count
        if report.substeps > 1:
            sizes.append(state.impulses[kept & (state.contacts.body_a == 0), 0].sum())
    weight = 3 * 1000.0 * 9.81 * 0.01
    assert len(sizes) > 1
    # The boxes made one step: what the floor gave them in the last one is their weight times the whole step.
    assert np.array(sizes) == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("gap", [0.032, 0.034, 0.036, 0.038])
def test_a_body_stepped_finely_is_hit_by_one_that_is_not(gap):
    """A bar that spins over the floor is cut out with the box above it; in that time another box falls 40 mm."""
    box = Box((0.2, 0.2, 0.2))
    bar = Body("bar", Box((0.6, 0.2, 0.2)), position=(0.0, 0.0, 0.101), angular_velocity=(0.0, 0.0, 60.0))
    still = Body("still", box, position=(0.0, 0.0, 0.302))
    falling = Body("falling", box, position=(0.0, 0.0, 0.502 + gap), velocity=(0.0, 0.0, -4.0))
    model, state = compile_scene(scene(FLOOR, bar, still, falling, friction=0.0))
    options = SimulationOptions()
    state, report, _ = stepper(options)(model, state, step_settings(options, model, state))
    assert report.substeps > 1
    depths = pair_depths(model.collision, state.position, state.orientation, model.inverse_mass > 0).depth
    assert depths.max(initial=0.0) < 1e-3


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("stepping", ["moreau", "semi_implicit"])
def test_ledger_closes_over_substeps(restitution, stepping):
    """Energy before - energy after = work of friction, impacts and stabilisation; semi-implicit Euler falls by O(h)."""
    steps = simulate(scene(FLOOR, CARD, restitution=restitution), SimulationOptions(time=0.6, stepper=stepping)).steps
    energy = steps["kinetic"] + steps["potential"]
    work = np.cumsum(steps["friction_work"] + steps["impact_loss"] + steps["stabilisation_work"])
    assert steps["substeps"].max() >= 3
    if stepping == "moreau":
        assert energy - energy[0] == pytest.approx(work - work[0], abs=1e-9 * energy[0])
    else:
        assert energy - energy[0] == pytest.approx(work - work[0], abs=0.02 * energy[0])


def test_same_bits_for_any_number_of_threads_and_after_resuming(tmp_path):
    cards = [replace(CARD, name=f"card{i}", position=(0.3 * i, 0.0, 0.5 + 0.1 * i)) for i in range(3)]
    options = SimulationOptions(time=0.25)
    whole = simulate(scene(FLOOR, *cards), options)
    assert whole.steps["substeps"].max() >= 3
    for threads in (2, 4):
        assert same_frames(whole, simulate(scene(FLOOR, *cards), replace(options, threads=threads)))
    seen = []
    part = simulate(scene(FLOOR, *cards), options, tmp_path, progress=lambda *_: seen.append(1),
                    cancelled=lambda: len(seen) > 8)  # fmt: skip
    assert not part.complete
    assert same_frames(whole, simulate(scene(FLOOR, *cards), options, tmp_path, resume=True))


@pytest.mark.parametrize("stepping", ["moreau", "semi_implicit"])
def test_fixed_substeps_are_smaller_steps(stepping):
    given = dict(time=0.4, stepper=stepping, tolerance=1e-9)
    cut = simulate(scene(FLOOR, CARD), SimulationOptions(substeps=4, **given))
    small = simulate(scene(FLOOR, CARD), SimulationOptions(time_step=0.0025, steps_per_frame=4, substeps=1, **given))
    assert np.all(cut.steps["substeps"] == 4)
    assert cut.center_of_mass == pytest.approx(small.center_of_mass, abs=1e-12)
    for name in ("friction_work", "impact_loss", "stabilisation_work"):
        assert cut.steps[name] == pytest.approx(small.steps[name].reshape(-1, 4).sum(axis=1), abs=1e-9)
    assert cut.steps["overlap"] == pytest.approx(small.steps["overlap"].reshape(-1, 4).max(axis=1), abs=1e-9)


def test_restitution_does_not_depend_on_substeps():
    """A ball dropped from 1 m with e = 0.7 comes back to 0.49 m."""
    ball = Body("ball", Sphere(0.1), position=(0.0, 0.0, 1.1))
    for substeps in (0, 1, 3):
        run = simulate(scene(FLOOR, ball, restitution=0.7), SimulationOptions(time=0.6, substeps=substeps))
        height = run.center_of_mass[50:, 1, 2] - 0.1
        top = height + np.maximum(run.velocities[50:, 1, 2], 0.0) ** 2 / (2 * 9.81)
        assert top[0] == pytest.approx(0.49, rel=1e-4)


def test_a_flat_card_close_to_a_plate_does_not_jump_through_it():
    """Without a turn nothing is cut for it, and half the first step takes it 25 cm: the start must be looked at."""
    for gap in (0.02, 0.1, 0.24, 0.3):
        card = replace(CARD, position=(0.0, 0.0, gap), velocity=(0.0, 0.0, -50.0), angular_velocity=(0.0, 0.0, 0.0))
        run = simulate(scene(PLATE, card), SimulationOptions(time=0.05))
        assert run.center_of_mass[:, 1, 2].min() > 0.0


def test_overlap_at_the_start_is_no_reason_to_cut():
    boxes = [Body("a", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.45)),
             Body("b", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 1.2))]  # fmt: skip
    run = simulate(scene(FLOOR, *boxes), SimulationOptions(time=0.2))
    assert run.steps["overlap"][0] > 0.2
    assert np.all(run.steps["substeps"] == 1)
    assert np.all(run.steps["unresolved"] == 0)
    assert np.abs(run.velocities[-1]).max() < 1e-6


@pytest.mark.slow
def test_what_cannot_be_resolved_is_said():
    """A box between two plates that close to less than its height."""
    times = np.array([0.0, 0.1])
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    press = Body("press", Box((2.0, 2.0, 0.2)), motion=Motion.KINEMATIC, position=(0.0, 0.0, 1.1),
                 keys=KeyedPoses(times, np.array([[0.0, 0.0, 1.1], [0.0, 0.0, 0.7]]), turn))  # fmt: skip
    box = Body("box", Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5))
    run = simulate(scene(FLOOR, box, press), SimulationOptions(time=0.05))
    assert run.steps["unresolved"].max() == 2
    assert run.steps["substeps"].max() <= 32
    (note,) = step_notes(run.steps, run.names)
    assert "left bodies in each other, by up to" in note


def test_runs_of_another_format_are_refused(tmp_path):
    simulate(scene(FLOOR, CARD), SimulationOptions(time=0.05), tmp_path)
    header = json.loads((tmp_path / "header.json").read_text())
    (tmp_path / "header.json").write_text(json.dumps(header | {"format": 1}))
    with pytest.raises(TrajectoryError, match="format 1; this version reads format [0-9]+"):
        Trajectory.load(tmp_path)


def mixed_scene():
    """Every kind of shape in a heap that overlaps a little."""
    bar = Compound((Part(Box((0.6, 0.1, 0.1))), Part(Sphere(0.15), (0.3, 0.0, 0.0))))
    shapes = [Box((0.3, 0.3, 0.3)), Sphere(0.2), Capsule(0.1, 0.3), bar, Mesh(*generators.jack(0.5, 0.1)),
              Cylinder(0.15, 0.3), Mesh(*generators.torus(0.25, 0.08, 12, 8)), bar]  # fmt: skip
    rng = np.random.default_rng(3)
    bodies = []
    for i, shape in enumerate(shapes):
        q = rng.normal(size=4)
        bodies.append(Body(f"b{i}", shape, position=tuple(rng.uniform(-0.25, 0.25, 3)), layers=(1 + i % 2, 3),
                           orientation=tuple(q / np.linalg.norm(q)), velocity=tuple(rng.normal(size=3))))  # fmt: skip
    return replace(scene(FLOOR, *bodies), excluded_pairs=(("b0", "b5"), ("b3", "b4")))


def test_contacts_of_some_bodies_are_those_of_all_among_them():
    model, state = compile_scene(mixed_scene())
    pose = state.position, state.orientation, state.twist
    every = find_contacts(model.collision, *pose, 0.01)
    for bodies in ([0, 1, 3, 4, 5], [2, 4, 6, 8], [0, 1, 4, 6, 8], list(range(9))):
        part = model_of(model, np.array(bodies))
        found = find_contacts(part.collision, *(column[bodies] for column in pose), 0.01)
        among = np.isin(every.body_a, bodies) & np.isin(every.body_b, bodies)
        assert among.sum() > 4
        assert np.array_equal(np.array(bodies)[found.body_a], every.body_a[among])
        assert np.array_equal(found.key, every.key[among])
        # The box that bounds the search may be another one, the contacts are the same.
        assert found.gap == pytest.approx(every.gap[among], abs=1e-12)


def test_model_of_takes_every_field_with_a_row_a_body():
    model, _ = compile_scene(mixed_scene())
    part = model_of(model, np.array([0, 2, 3]))
    for field in fields(model):
        value = getattr(model, field.name)
        if isinstance(value, (np.ndarray, tuple)) and len(value) == model.body_count:
            assert len(getattr(part, field.name)) == 3, field.name
    assert part.names == ("floor", "b1", "b2")


def depth_of(first, second, position, orientation=(1.0, 0.0, 0.0, 0.0)):
    bodies = Body("a", first, motion=Motion.STATIC), Body("b", second, position=position, orientation=orientation)
    model, state = compile_scene(scene(*bodies))
    found = pair_depths(model.collision, state.position, state.orientation, np.ones(2, dtype=bool))
    return float(found.depth.max(initial=0.0))


def as_mesh(size):
    return Mesh(*Box(size).surface())


def test_piercing_depth():
    plate = as_mesh((4.0, 4.0, 0.003))
    bar = as_mesh((0.1, 0.1, 1.0))
    # A corner of a bar 1 mm deep, a bar all through, one beside.
    assert depth_of(plate, bar, (0.3, 0.2, 0.5005)) == pytest.approx(1e-3, abs=1e-9)
    assert depth_of(plate, bar, (0.3, 0.2, 0.1)) >= 0.003 - 1e-12
    assert depth_of(plate, bar, (2.1, 0.2, 0.1)) == 0.0
    # Edge over edge: the overlap along the common normal, not the length of the edges behind it.
    half = np.sqrt(0.5)
    turned = (np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0)
    ridge = Body("ridge", as_mesh((0.2, 2.0, 0.2)), motion=Motion.STATIC, orientation=turned)
    across = Body("across", as_mesh((2.0, 0.2, 0.2)), position=(0.03, 0.04, 0.4 * half - 2e-3),
                  orientation=(np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0))  # fmt: skip
    model, state = compile_scene(scene(ridge, across))
    found = pair_depths(model.collision, state.position, state.orientation, np.ones(2, dtype=bool))
    assert 2e-3 - 1e-9 <= found.depth[0] <= 4e-3


def test_depths_of_pairs_are_found_in_one_search(monkeypatch):
    """Each pair's own depth, in the order asked for, however often it is named; 0 of those that lie apart."""
    boxes = [Body(f"b{k}", Box((1.0, 1.0, 1.0)), position=(x, 0.0, 0.0)) for k, x in enumerate((0.0, 0.98, 1.95, 4.0))]
    model, state = compile_scene(scene(*boxes))
    searches, real = [], depths.find_contacts
    monkeypatch.setattr(depths, "find_contacts", lambda *a, **k: searches.append(1) or real(*a, **k))
    ends = np.array([1, 0, 1, 0, 2]), np.array([2, 1, 2, 3, 3])
    found = depths.depths_between(model.collision, state.position, state.orientation, ends)
    np.testing.assert_allclose(found, [0.03, 0.02, 0.03, 0.0, 0.0], atol=1e-12)
    assert len(searches) == 1


def test_bars_that_cross_flat_are_as_deep_as_they_overlap():
    """Edges of each run all through the other, just under its surface: that is no wall pierced by 200 mm."""
    for overlap in (1e-5, 1e-3):
        for turn in (0.0, 0.3):
            bars = as_mesh((2.0, 0.2, 0.2)), as_mesh((0.2, 2.0, 0.2))
            depth = depth_of(*bars, (0.03, 0.02, 0.2 - overlap), (np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)))
            assert overlap * (1 - 1e-9) <= depth <= 2 * overlap * (1 + 1e-9)


def test_contacts_of_wanted_pairs_are_those_among_all():
    model, state = compile_scene(mixed_scene())
    pose = state.position, state.orientation, state.twist
    every = find_contacts(model.collision, *pose, 0.01)
    memory = SearchMemory()
    for _ in range(2):
        found = find_contacts(model.collision, *pose, 0.01, memory=memory, wanted=lambda a, b: (a + b) % 2 == 1)
        odd = (every.body_a + every.body_b) % 2 == 1
        assert 4 < odd.sum() < every.count
        assert all(np.array_equal(getattr(found, name), getattr(every, name)[odd]) for name in every._fields)
        find_contacts(model.collision, *pose, 0.01, memory=memory)
    some = np.arange(len(model.names)) < 2
    of_some = some[every.body_a] | some[every.body_b]
    found = find_contacts(model.collision, *pose, 0.01, of_interest=some)
    assert 0 < of_some.sum() < every.count
    assert all(np.array_equal(getattr(found, name), getattr(every, name)[of_some]) for name in every._fields)


def test_thickness_of_meshes():
    model, _ = compile_scene(
        scene(
            Body("plate", as_mesh((4.0, 4.0, 0.003))),
            Body("jack", Mesh(*generators.jack(2.0, 0.1))),
            Body("sheet", Mesh(*generators.grid_plane((2.0, 2.0))), motion=Motion.STATIC),
        )
    )
    assert thicknesses(model.collision.meshes) == pytest.approx([0.003, 0.1, np.inf], rel=1e-6)


def test_option_is_checked():
    assert options_for(scene(FLOOR), substeps=3).substeps == 3
    with pytest.raises(ValueError, match="substeps"):
        SimulationOptions(substeps=-1).check()


def test_tables_that_land_on_each_other_make_steps_again_that_leave_them_in_each_other():
    """Half the thickness of a table's top, 15 mm, was left to the next steps."""
    scene = table_pile(seed=15)
    options = options_for(scene, time=0.52, time_step=0.0083)
    reports = list(simulate(scene, options).steps["overlap"])
    assert max(reports) < 1e-3
