"""Thin deformable bodies that are struck fast make their step in parts, and nothing else does."""

import dataclasses

import numpy as np
import pytest
from marks import few
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.collision.mesh.mesh_kernels import EDGE_EDGE
from stiction.solver.collision.surface.mesh_pool import FIRST_EDGE, FLAT_ANGLE, INWARD, SIDE
from stiction.solver.dynamics.cholesky.factor import Factor, NotPositive
from stiction.solver.dynamics.elastic import surface_search
from stiction.solver.dynamics.elastic.crushed import Crushed
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.results.verdict import judge
from stiction.solver.scene import Attachment, Body, Elastic, Motion, Scene
from stiction.solver.shapes import Box, Capsule, Tetrahedra
from stiction.solver.simulation import SimulationOptions, compiled, options_for, simulate
from stiction.solver.stepping.soft import parts, step
from stiction.solver.stepping.soft.parts import thickness_of

THICK = 0.004
BLADE = Body("blade", Box((THICK, 1.0, 0.1)), motion=Motion.STATIC, position=(0.013, 0.0, -0.05))


def sheet(speed, height=0.1, law="neo_hookean"):
    """A sheet of 4 mm over the blade, coming down on it."""
    shape = Tetrahedra(*box_grid((6, 6, 1), (0.2, 0.2, THICK)))
    return Body("sheet", shape, position=(0, 0, height), velocity=(0, 0, -speed),
                elastic=Elastic(law=law, young=1e6))  # fmt: skip


@pytest.mark.parametrize("law", ["neo_hookean", "ciarlet_geymonat"])
@pytest.mark.parametrize("speed, height", few([(20.0, 0.2), (40.0, 0.1), (60.0, 0.1)], (20.0, 0.2)))
def test_a_fast_sheet_does_not_pass_a_blade(speed, height, law):
    """At 60 m/s it comes 60 cm in a step, 150 times its thickness, and its corners all miss the blade."""
    _, states, reports = run(scene(BLADE, sheet(speed, height, law)), 2)
    assert max(report.substeps for report in reports) >= 8
    assert held(states, reports)
    # On both sides of the blade.
    assert min(state.nodes.position[:, 2].min() for state in states) < -0.09


def held(states, reports):
    """Whether some of the sheet was always over the blade's edge, and none as deep in it as it is thick."""
    over = min(state.nodes.position[:, 2].max() for state in states) > 0.0
    return over and max(report.overlap for report in reports) < THICK


def only_sharp(model, pool, contacts, features):
    """Contacts and features without those of edges of the sheet between faces in one plane."""
    kind, first, second = features
    edge = np.where(model.soft[contacts.body_a], first, second)
    edge = np.where(kind == EDGE_EDGE, edge, 0) + pool.mesh_int[model.surfaces[1].mesh, FIRST_EDGE]
    side, left, right = (pool.edge_real[edge, first : first + 3] for first in (SIDE, INWARD, INWARD + 3))
    falls = -np.einsum("ei,ei->e", np.cross(side, left), right)
    kept = (kind != EDGE_EDGE) | (falls > FLAT_ANGLE * np.linalg.norm(side, axis=1))
    return type(contacts)(*(column[kept] for column in contacts)), tuple(column[kept] for column in features)


def holds(fast, accepted=False):
    """Whether the sheet is held in three steps, and not crushed beyond numbers; accepted: in steps that all are."""
    try:
        _, states, reports = run(fast, 3)
    except Crushed:
        return False
    return held(states, reports) and (not accepted or all(report.converged for report in reports))


@pytest.mark.slow
def test_a_fast_sheet_needs_its_flat_edges(monkeypatch):
    monkeypatch.setattr(surface_search, "_needed_edges", only_sharp)
    assert not holds(scene(BLADE, sheet(60.0, 0.1)))


@pytest.mark.slow
def test_a_fast_sheet_needs_parts_where_it_is_turned_inside_out(monkeypatch):
    fast = scene(BLADE, sheet(50.0, 0.2))
    _, states, reports = run(fast, 3)
    assert held(states, reports)
    monkeypatch.setattr(step, "MOST_TURNED", 1)
    assert not holds(fast, accepted=True)


def test_a_rod_meets_flat_edges_from_outside():
    """Of an edge between faces in one plane the rod's axis alone does not tell which side is out."""
    turn = (np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0)
    rod = Body("rod", Capsule(0.003, 1.0), motion=Motion.STATIC, position=(0.013, 0.0, -0.003), orientation=turn)
    _, _, reports = run(scene(rod, sheet(10.0)), 2)
    assert max(report.overlap for report in reports) < 0.1 * THICK


def test_thickness_is_measured_where_bodies_are_thin():
    world = scene(BLADE, sheet(0.0), cube("cube", position=(1.0, 0, 0)))
    model, _ = compiled(world, options_for(world))
    rigid, nodes = thickness_of(model)
    assert rigid[0] == pytest.approx(THICK)
    thin = nodes[model.span(1)][model.elastic[1].surface_nodes]
    assert thin == pytest.approx(np.full(len(thin), THICK), rel=1e-6)
    thick, surface = nodes[model.span(2)], np.isin(np.arange(27), model.elastic[2].surface_nodes)
    assert thick[surface] == pytest.approx(np.full(26, 0.2)), "a cube is as thick as its side"
    assert np.isinf(thick[~surface])


@pytest.mark.parametrize("h", [0.01, 0.04])
def test_thick_bodies_that_meet_fast_do_not_pass_each_other(h):
    """From 30 m/s on they were past each other where contacts are found, at 40 ms, and the result was good."""
    pair = [cube(name, position=(x, 0.0, 0.0), velocity=(-300.0 * x, 0.0, 0.0), young=1e7)
            for name, x in (("left", -0.3), ("right", 0.3))]  # fmt: skip
    _, states, _ = run(scene(*pair, gravity=(0.0, 0.0, 0.0)), 2, time_step=h)
    first, second = states[-1].position[:, 0]
    assert first < second


def resting(x=2.0):
    """A cube that slides, a rigid box on it, and what is attached to it."""
    box = Body("box", Box((0.1, 0.1, 0.1)), position=(x, 0.0, 0.2505))
    weight = Body("weight", Box((0.05, 0.05, 0.05)), position=(x - 0.126, 0.0, 0.1))
    bodies = cube("low", position=(x, 0.0, 0.1005), velocity=(0.1, 0, 0)), box, weight
    return bodies, Attachment(("low", "weight"), ((x - 0.101, -0.03, 0.05), (x - 0.099, 0.03, 0.15)))


def test_what_is_far_from_it_keeps_every_bit():
    bodies, held = resting()
    alone = dataclasses.replace(scene(FLOOR, BLADE, *bodies), attachments=(held,))
    mixed = dataclasses.replace(scene(FLOOR, BLADE, *bodies, sheet(20.0, 0.3)), attachments=(held,))
    _, one, _ = run(alone, 3)
    _, both, reports = run(mixed, 3)
    assert max(report.substeps for report in reports) > 1
    count = len(one[-1].nodes.position)
    for name in ("position", "velocity", "before", "velocity_before"):
        assert np.array_equal(getattr(one[-1].nodes, name), getattr(both[-1].nodes, name)[:count]), name
    assert np.array_equal(one[-1].nodes.held, both[-1].nodes.held)
    assert np.array_equal(one[-1].position, both[-1].position[:-1])
    # And alone the sheet does what it does beside them.
    _, sole, _ = run(scene(FLOOR, BLADE, sheet(20.0, 0.3)), 3)
    assert np.array_equal(sole[-1].nodes.position, both[-1].nodes.position[count:])


def test_what_is_fast_far_away_changes_no_bit_of_what_turns_beside_another():
    """What turns too far for a step takes all that it may touch into halves, whatever is the fastest of the scene."""
    turning = cube("turning", angular_velocity=(0.0, 0.0, 40.0))
    beside = cube("beside", position=(0.2, 0.05, 0.1), angular_velocity=(1.0, 2.0, 0.5))
    far = Body("far", Box((0.2, 0.1, 0.3)), position=(50.0, 0.0, 0.0), velocity=(0.0, 60.0, 0.0))
    ends = [run(scene(*bodies, gravity=(0.0, 0.0, 0.0)), 2)[1][-1]
            for bodies in ((turning, beside), (turning, beside, far))]  # fmt: skip
    assert np.array_equal(ends[0].nodes.position, ends[1].nodes.position)
    assert np.array_equal(ends[0].nodes.velocity, ends[1].nodes.velocity)


def test_how_far_from_the_ground_contacts_are_seen_is_a_matter_of_the_body():
    """Not of the largest one of the scene, as which the box of the ground is moved out."""
    low = cube("low", position=(0.0, 0.0, 0.104), young=1e5)
    squeezed = tuple(map(tuple, low.shape.vertices * [1.0, 1.0, 0.85]))
    low = dataclasses.replace(low, elastic=dataclasses.replace(low.elastic, start=squeezed))
    far = Body("far", Box((2.0, 2.0, 2.0)), position=(1.0e3, 0.0, 50.0))
    ends = [run(scene(*bodies, gravity=(0.0, 0.0, 0.0)), 8)[1] for bodies in ((FLOOR, low), (FLOOR, low, far))]
    for one, other in zip(*ends, strict=True):
        assert np.array_equal(one.nodes.position, other.nodes.position)


def test_rigid_bodies_that_are_not_near_make_one_step():
    box = Body("far", Box((0.1, 0.1, 0.1)), position=(2.0, 0.0, 0.05))
    _, states, reports = run(scene(FLOOR, BLADE, box, sheet(20.0, 0.3)), 3)
    _, alone, _ = run(scene(FLOOR, BLADE, box), 3)
    assert max(report.substeps for report in reports) > 1
    assert np.array_equal(states[-1].position[2], alone[-1].position[2])


def test_a_body_that_is_crushed_beyond_numbers_is_named(monkeypatch):
    def refactor(*_):
        raise NotPositive

    monkeypatch.setattr(Factor, "refactor", refactor)
    with pytest.raises(SceneError, match="body 'sheet': .* smaller time step"):
        run(scene(sheet(1.0)), 1)


@pytest.mark.parametrize("turn", few([0.5, 1.0, 3.0], 1.0, 3.0))
@pytest.mark.parametrize("element", ["t4", "t10"])
def test_what_spins_fast_keeps_its_energy(turn, element):
    """Radians a step of 10 ms: its nodes go straight to the middle of a step, which would draw it out."""
    spin = turn / 0.01 * np.array([0.3, 0.5, 1.0]) / np.linalg.norm([0.3, 0.5, 1.0])
    body = Body("cube", Tetrahedra(*box_grid((2, 2, 2), (0.1, 0.08, 0.06))), angular_velocity=tuple(spin),
                elastic=Elastic(young=1e8, element=element))  # fmt: skip
    made = simulate(Scene((body,), gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.1))
    energy, still = made.steps["kinetic"] + made.steps["elastic"], made.steps["scheme_loss"]
    before = energy[0] - still[0]
    assert np.all((energy > 0.95 * before) & (energy < 1.005 * before))
    assert judge(made).word == "good"


@pytest.mark.parametrize("element", ["t4", "t10"])
def test_damping_does_not_widen_what_turns_evenly(element):
    """It would, by beta (2 t - 1) h omega^2/2, and what that stores is more than the motion of a stiff body."""
    body = Body("cube", Tetrahedra(*box_grid((2, 2, 2), (0.1, 0.08, 0.06))), angular_velocity=(0.0, 0.0, 20.0),
                elastic=Elastic(young=1e9, damping=(0.0, 0.02), element=element))  # fmt: skip
    made = simulate(Scene((body,), gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.1))
    # At the start it is not as wide as its steps make it.
    assert made.steps["elastic"][-1] < 1e-4 * made.steps["kinetic"][0]


@pytest.mark.parametrize("law", ["ciarlet_geymonat", "neo_hookean", "hill_ogden"])
def test_a_stiff_body_falls_in_whole_steps(law):
    """Energy of round-off, which grows with stiffness, would make every step one that made energy."""
    body = Body("cube", Tetrahedra(*box_grid((2, 2, 2), (1.9, 1.7, 1.2))), position=(0.4, 0.3, 7.7),
                orientation=(0.6, 0.0, 0.48, -0.64), elastic=Elastic(young=5e10, law=law))  # fmt: skip
    made = simulate(Scene((body,)), SimulationOptions(time=0.04, time_step=0.002))
    assert made.steps["substeps"].max() == 1 and made.steps["converged"].all()


def test_energy_that_a_time_scheme_gives_is_said(monkeypatch):
    """With steps that are never divided, of what can hardly change its volume."""
    monkeypatch.setattr(step, "MOST_DRIFTED", 0)
    monkeypatch.setattr(parts, "TURNED", np.inf)
    body = Body("block", Tetrahedra(*box_grid((1, 1, 1), (0.1, 0.2, 0.3))), angular_velocity=(3.0, 9.0, 3.0),
                elastic=Elastic(young=1e9, poisson=0.4999, element="t10"))  # fmt: skip
    verdict = judge(simulate(Scene((body,), gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.5)))
    assert verdict.word != "good" and "appeared from nowhere" in verdict.sentence


def test_a_weight_that_swings_on_rubber_is_good():
    """What the filter takes where they press on each other contacts give back: 3 J beside the 8 J that it took were
    energy from nowhere."""
    weight = Body("weight", Box((0.4, 0.4, 0.2)), position=(0.0, 0.0, 0.3), mass=800.0)
    made = simulate(scene(FLOOR, cube(young=1e7), weight), SimulationOptions(time=0.4))
    assert made.steps["impact_loss"].sum() > 0.5
    assert judge(made).word == "good", judge(made).sentence


def test_energy_that_taking_cubes_apart_gives_is_said():
    """Two that begin 4 mm in each other fly apart with what nothing stored, in the first step already."""
    shape = Tetrahedra(*box_grid((2, 2, 2), (0.06, 0.06, 0.06)))
    cubes = [Body(name, shape, position=at, elastic=Elastic(young=1e5))
             for name, at in (("a", (0.0, 0.0, 0.0)), ("b", (0.056, 0.003, 0.002)))]  # fmt: skip
    made = simulate(Scene(tuple(cubes), gravity=(0.0, 0.0, 0.0)), SimulationOptions(time=0.1))
    assert made.steps["substeps"].max() > 1 and made.steps["impact_loss"].sum() > 0.5 * made.steps["kinetic"].max()
    # A fifth of the way in a step of the run, and not in each of the parts of one.
    assert made.steps["kinetic"].max() < 0.5 * 2 * 1000.0 * 0.06**3 * (0.2 * 0.004 / 0.01) ** 2
    assert any("appeared from nowhere" in reason for reason in judge(made).reasons)
