"""Elements as compliant rows: the form of Macklin et al. 2019."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from soft_scenes import FLOOR, cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.literal.element_problem import linearise_elements
from stiction.solver.dynamics.elastic.literal.element_rows import element_rows
from stiction.solver.laws.elastic_laws import ELEMENTS, LAWS
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scene import Attachment, Body, Elastic
from stiction.solver.scenes import build
from stiction.solver.shapes import Box, Tetrahedra
from stiction.solver.simulation import compiled, options_for, simulate, step_settings, stepper
from stiction.solver.stepping.step_report import CHANGING

SIX = "element_rows", "element_rows_stiffened"


def body_of(law, element="t4"):
    return deformable(*box_grid((2, 2, 2), (0.2, 0.2, 0.2)), 1e5, 0.3, 1000.0, law=law, element=element)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("law", LAWS)
def test_loads_of_rows_are_the_elastic_forces(law, element):
    body = body_of(law, element)
    x = body.rest + np.random.default_rng(1).normal(0.0, 0.01, body.rest.shape)
    force = body.forces(x)
    for stretches in (False, True):
        rows = element_rows(body, x, stretches)
        assert np.abs(rows.on_nodes(-rows.load, len(x)) - force).max() < 1e-10 * np.abs(force).max()
        assert rows.load.shape[1] == (3 if stretches and law == "neo_hookean" else 6)


@pytest.mark.parametrize("law", LAWS)
def test_rows_of_a_body_at_rest_have_all_of_its_stiffness(law):
    body = body_of(law)
    rows, v = element_rows(body, body.rest), np.random.default_rng(2).normal(size=body.rest.shape)
    stress = np.einsum("qrs,qs->qr", rows.stiffness, rows.strain_rates(v))
    body.forces(body.rest, body.blocks)
    wanted = np.zeros_like(v)
    body.add_stiffness_product(body.blocks, 1.0, v, wanted)
    assert np.abs(rows.on_nodes(stress, len(v)) - wanted).max() < 1e-9 * np.abs(wanted).max()
    assert np.allclose(rows.stiffness @ rows.compliance, np.eye(rows.load.shape[1]), atol=1e-9)


@pytest.mark.parametrize("law", ["neo_hookean", "stvk"])
def test_rows_of_a_pressed_body_keep_a_stiffness_above_zero(law):
    """Its energy falls in some strain: the Hessian has an eigenvalue below zero, of which the compliance cannot be."""
    body = body_of(law)
    _, _, volume, mu, _ = body.tables
    rows = element_rows(body, body.rest * [1.0, 1.0, 0.4])
    least = 1e-3 * mu.min() * volume.min() ** (1 / 3)
    found = np.linalg.eigvalsh(rows.stiffness)
    assert found.min() == pytest.approx(least, rel=1e-6)


def test_impulses_that_geometric_stiffness_begins_with_are_those_of_the_stress():
    """So that its first change is that of the first round, not the stress itself once more."""
    body, h = body_of("corotational"), 0.01
    x, still = body.rest * [1.2, 1.0, 0.9], np.zeros_like(body.rest)
    part = SimpleNamespace(body=body, scheme=SimpleNamespace(stretches=False, stiffened=True), elements=None, v=still,
                           V=still, pressure=None, position=lambda _: x)  # fmt: skip
    linearise_elements(part, np.zeros(3), h)
    force = body.forces(x)
    found = part.elements.on_nodes(part.strain_impulse, len(x))
    assert np.abs(found - h * force).max() < 1e-10 * h * np.abs(force).max()
    assert np.array_equal(part.free, still)


def test_rows_turn_with_the_body():
    body = body_of("neo_hookean")
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    x = body.rest * [1.2, 1.0, 0.9]
    here, there = element_rows(body, x), element_rows(body, x @ turn.T)
    load = [rows.on_nodes(rows.load, len(x)) for rows in (here, there)]
    assert np.allclose(load[1], load[0] @ turn.T, atol=1e-9 * np.abs(load[0]).max())


def loaded(law):
    """A cube pinned along an edge strikes a floor; a rigid box falls on it, another is glued to its side."""
    soft = cube(law=law, position=(0, 0, 0.1), young=2e5, velocity=(0.2, 0.0, -0.5), damping=(1.0, 0.0),
                pins=(((-1, -1, 0.199), (-0.09, 1, 1)),))  # fmt: skip
    box = Body("box", Box((0.1, 0.1, 0.1)), position=(0.02, 0.0, 0.2505), velocity=(0.0, 0.0, -1.0))
    held = Body("held", Box((0.05, 0.05, 0.05)), position=(0.1265, 0.0, 0.1005))
    glue = Attachment(("cube", "held"), ((0.09, -0.03, 0.05), (0.11, 0.03, 0.15)))
    return dataclasses.replace(scene(FLOOR, soft, box, held), attachments=(glue,))


@pytest.mark.parametrize("law", LAWS)
def test_the_step_is_that_of_condensed_elasticity(law):
    """At its solution the form of 2019 is implicit Euler, whatever its rows."""
    ends = {}
    for scheme in ("euler", "element_rows"):
        _, states, reports = run(loaded(law), 6, time_step=0.005, soft_stepper=scheme)
        assert all(report.converged for report in reports)
        assert max(report.contact_count for report in reports) > 4
        ends[scheme] = states[-1]
    a, b = ends.values()
    assert np.abs(a.nodes.velocity - b.nodes.velocity).max() < 1e-4 * np.abs(a.nodes.velocity).max()
    assert np.abs(a.twist - b.twist).max() < 1e-4 * np.abs(a.twist).max()
    assert np.abs(a.nodes.position - b.nodes.position).max() < 1e-7


def test_energy_has_a_term_for_what_damping_of_rows_takes():
    world = scene(FLOOR, cube(position=(0, 0, 0.1005), velocity=(0.3, 0, -0.5), damping=(2.0, 1e-3)))
    _, _, reports = run(world, 10, time_step=1e-3, soft_stepper="element_rows")
    total = np.array([r.kinetic + r.potential + r.elastic for r in reports])
    work = np.cumsum([r.friction_work + r.impact_loss + r.damping_work + r.scheme_loss for r in reports])
    assert np.abs(total - total[0] - (work - work[0])).max() < 1e-8 * reports[0].kinetic
    assert sum(r.damping_work for r in reports) < -1e-3 * reports[0].kinetic


def stretched(scheme, law, stretch):
    """StepReport of the first step of a sheet let go while it is `stretch` times as long."""
    sheet = Tetrahedra(*box_grid((4, 2, 1), (0.8, 0.4, 0.1)))
    world = scene(Body("sheet", sheet, elastic=Elastic(young=1e6, law=law)), gravity=(0.0, 0.0, 0.0))
    options = options_for(world, time_step=0.0083, soft_stepper=scheme)
    model, state = compiled(world, options)
    longer = state.nodes.position * [stretch, stretch**-0.5, stretch**-0.5]
    state = dataclasses.replace(state, nodes=dataclasses.replace(state.nodes, position=longer))
    return stepper(options)(model, state, step_settings(options, model, state))[1]


def test_geometric_stiffness_ends_the_swings_of_a_stretched_sheet():
    """Macklin et al. 2019, Figure 12: without it the iterates of large strains swing; of small ones they need none."""
    for stretch in (2.0, 3.0):
        swings, settles = (stretched(scheme, "corotational", stretch) for scheme in SIX)
        assert settles.converged and settles.rounds < 15
        assert not swings.converged and swings.rounds == 20
    plain, stiffened = (stretched(scheme, "corotational", 1.05) for scheme in SIX)
    assert plain.rounds < stiffened.rounds


def test_stretches_alone_leave_a_body_soft_in_shear():
    """The rows of section 9.2.2: where the stretches are alike, shear has no row."""
    body = body_of("neo_hookean")
    shear = body.rest[:, [1, 0, 2]] * [1.0, 1.0, 0.0]
    few, six = (element_rows(body, body.rest, stretches).strain_rates(shear) for stretches in (True, False))
    assert not few.any() and np.linalg.norm(six, axis=1).min() > 0.05
    report = stretched("element_rows_printed", "neo_hookean", 1.2)
    assert not report.converged
    assert report.unsettled == CHANGING and report.unsettled_by > 1.0


@pytest.mark.parametrize("stepper", ["semi_implicit", "position_level", "position_level_stiffened"])
def test_schemes_of_rigid_bodies_refuse_deformable_ones(stepper):
    world = build("soft_drop")
    with pytest.raises(SceneError, match=rf"'cube'.*deformable, and stepper '{stepper}'.*soft_stepper"):
        simulate(world, options_for(world, time=0.01, stepper=stepper))


def test_a_stepper_of_deformable_bodies_is_refused_where_there_are_none():
    """It was accepted and had no effect."""
    with pytest.raises(SceneError, match="soft_stepper 'euler' is for deformable bodies, and scene .* has none; leave"):
        run(scene(FLOOR), 1, soft_stepper="euler")
