"""Deformable bodies in few vectors of their shape: the vectors, free flight, contacts, scene files and refusals."""

from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import pytest
import verified_scenes

from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics.elastic import island_step
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.schemes.middle import in_the_middle
from stiction.solver.dynamics.reduced.basis import shape_vectors
from stiction.solver.dynamics.reduced.inertia import Inertia, Motion
from stiction.solver.dynamics.reduced.laws import CubicLaw, LinearLaw, gram_of, second_forces
from stiction.solver.dynamics.reduced.shape import ReducedShape
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.methods.second_order.wide_body import few_unknowns
from stiction.solver.model import compile_scene
from stiction.solver.options import changed
from stiction.solver.scene import Attachment, Body, Elastic, Joint, Reduction, Scene
from stiction.solver.scene import Motion as FIXED
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.scenes import build
from stiction.solver.scenes.base import one_material
from stiction.solver.shapes import Box, Mesh, Tetrahedra
from stiction.solver.simulation import SimulationOptions, options_for, simulate
from stiction.solver.validation.deformable.elastic import stepped
from stiction.solver.validation.deformable.momentum import WEIGHTLESS, momenta
from stiction.solver.validation.deformable.reduced import beam, on_its_ends, reduced_bodies, reduced_modes
from stiction.solver.validation.deformable.reduced_bends import reduced_elastica, reduced_flight, reduced_spin
from stiction.solver.validation.deformable.reduced_loads import reduced_blow, reduced_leg


def made(grid, young, element="t10"):
    return deformable(*grid, young, 0.3, 1000.0, law="corotational", element=element)


def test_kinetic_energy_is_that_of_the_nodes():
    random = np.random.default_rng(1)
    body = made(box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 1e8)
    squares, U = shape_vectors(body, 5, True, [])
    center = body.mass @ body.rest / body.mass.sum()
    shape = ReducedShape(body.mass, body.rest - center, U, LinearLaw(squares), 0 * squares)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    q, z = 0.02 * random.normal(size=11), random.normal(size=17)
    held = shape.inertia.matrix(q) @ z[3:]
    motion = Motion(random.normal(size=3), turn, q, z[:3], held[:3], held[3:])
    x, v = shape.places(motion), shape.velocities(motion, z)
    energy = 0.5 * float(body.mass @ (v**2).sum(axis=1))
    assert np.isclose(shape.inertia.kinetic(motion), energy, rtol=1e-12)
    # Nodes are all that a run keeps of such a body.
    for given, found in zip(motion, shape.motion(x, v), strict=True):
        assert np.abs(given - found).max() < 1e-12 * max(1.0, np.abs(given).max())


def test_the_cubic_law_is_that_of_the_mesh():
    """Energy and forces in shape vectors are those of the elements, the stiffness is their derivative."""
    random = np.random.default_rng(3)
    body = deformable(*box_grid((3, 1, 1), (1.0, 0.4, 0.3)), 1e6, 0.3, 1000.0, law="stvk", element="t10")
    squares, U = shape_vectors(body, 4, True, [np.arange(4)], 6)
    law, q = CubicLaw(gram_of(body, U), len(squares)), 0.3 * random.normal(size=len(squares))
    assert len(q) == 4 + 6 + 3 + 6
    x = body.rest + U @ q
    assert np.abs(U @ q).max() > 0.02
    assert np.isclose(law.stored(q), body.energy(x)[0], rtol=1e-10)
    force = law.force(q)
    assert np.allclose(force, np.einsum("nir,ni->r", U, body.forces(x)), rtol=1e-9, atol=1e-9 * np.abs(force).max())
    step, turned = 1e-6, law.stiffness(q)
    for k, e in enumerate(step * np.eye(len(q))):
        slope = (law.force(q - e) - law.force(q + e)) / (2.0 * step)
        assert np.allclose(slope, turned[:, k], rtol=1e-6, atol=1e-7 * np.abs(turned).max())
    assert np.allclose(law.stiffness(0 * q), np.diag(squares), rtol=1e-8, atol=1e-8 * squares[-1])


def test_derivatives_are_what_green_s_strain_adds():
    body = deformable(*box_grid((2, 1, 1), (1.0, 0.4, 0.3)), 1e6, 0.3, 1000.0, law="stvk", element="t10")
    u, v = np.random.default_rng(5).normal(size=(2, *body.rest.shape))

    def forces(a, b):
        return -body.forces(body.rest + 1e-4 * (a * u + b * v)).ravel()

    found = (forces(1, 1) - forces(1, -1) - forces(-1, 1) + forces(-1, -1)) / 4e-8
    exact = second_forces(body, u, v)
    assert np.abs(found - exact).max() < 1e-4 * np.abs(exact).max()


def test_a_tumbling_beam_of_the_cubic_law_keeps_its_momenta_and_energy():
    """As the whole mesh tumbles, which bends: the corner within a millimetre."""
    corners = []
    for reduction in (Reduction(4, 10), None):
        body = beam(reduction, young=1e6, velocity=(1, 0.2, 0), angular_velocity=(3, 2, 8))
        scene = Scene((replace(body, elastic=replace(body.elastic, law="stvk")),), one_material(0.5), WEIGHTLESS)
        model, states, reports = stepped(scene, 0.25, 0.005, spectral_radius=1.0)
        corners.append(states[-1].nodes.position[0])
        if reduction is not None:
            found = np.array([momenta(model, state) for state in states])
            energy = np.array([one.kinetic + one.elastic for one in reports])
            assert np.abs(found - found[0]).max() < 1e-11 * np.abs(found).max()
            assert np.abs(energy / energy[0] - 1.0).max() < 1e-5
    assert np.abs(corners[0] - corners[1]).max() < 1e-3


def test_centrifugal_forces_are_the_derivative_of_the_energy():
    random = np.random.default_rng(2)
    body = made(box_grid((2, 1, 1), (1.0, 0.4, 0.3)), 1e8)
    _, U = shape_vectors(body, 4, False, [])
    inertia = Inertia(body.mass, body.rest, U)
    q, z = 0.1 * random.normal(size=4), random.normal(size=7)
    for k, force in enumerate(inertia.centrifugal(q, z[:3], z[3:])):
        step = 1e-6 * np.eye(4)[k]
        up, down = (0.5 * z @ inertia.matrix(q + sign * step) @ z for sign in (1.0, -1.0))
        assert np.isclose(force, (up - down) / 2e-6, atol=1e-7 * np.abs(z).max() ** 2)


CASES = (reduced_modes, reduced_bodies, reduced_elastica, reduced_spin, reduced_flight, reduced_blow, reduced_leg)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_closed_forms(case):
    lines = case()
    assert [line for line in lines if not line.passed] == []


def test_tumbling_is_that_of_the_whole_mesh():
    corners = []
    for reduction in (Reduction(24), None):
        scene = Scene((beam(reduction, angular_velocity=(6, 5, 4)),), one_material(0.5), WEIGHTLESS)
        _, states, _ = stepped(scene, 0.25, 0.005, spectral_radius=1.0)
        corners.append(states[-1].nodes.position[0])
    assert np.abs(corners[0] - corners[1]).max() < 1e-3


@pytest.mark.slow
def test_a_beam_on_its_ends_sags_alike_in_long_and_short_steps():
    reduction = Reduction(12, damping_ratio=1.0)
    sags = [on_its_ends(reduction, step, seconds) for step, seconds in ((0.01, 2.0), (0.002, 0.6), (0.001, 0.6))]
    assert np.allclose(sags, sags[0], rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("friction", [0.55, 0.6])
def test_a_stiff_cube_slides_and_sticks_as_a_rigid_one(friction):
    scene = build("soft_incline", friction=friction, young=2e11)
    bodies = [replace(body, elastic=replace(body.elastic, law="corotational", reduction=Reduction(12)))
              if body.elastic else body for body in scene.bodies]  # fmt: skip
    _, states, _ = stepped(replace(scene, bodies=tuple(bodies)), 0.6)
    found = (states[60].twist[1, 0] - states[30].twist[1, 0]) / 0.3
    exact = 9.81 * (sin(radians(30)) - friction * cos(radians(30)))
    assert abs(found - max(exact, 0.0)) < 1e-6
    assert exact > 0 or np.abs(states[-1].nodes.velocity).max() < 1e-6


def test_what_is_attached_keeps_momenta():
    end = Body("end", Box((0.1, 0.12, 0.1)), position=(0.55, 0, 0))
    held = Attachment(("beam", "end"), ((0.499, -1, -1), (0.501, 1, 1)))
    scene = Scene((beam(Reduction(12), young=1e7, angular_velocity=(0, 1, 2)), end), one_material(0.5), WEIGHTLESS,
                  attachments=(held,))  # fmt: skip
    model, states, reports = stepped(scene, 0.2)
    found = np.array([momenta(model, state) for state in states])
    assert np.abs(found - found[0]).max() < 1e-9 * np.abs(found).max()
    assert all(one.converged for one in reports)
    x, place = states[-1].nodes.position[model.attachments.node], states[-1].position[1]
    assert np.abs(np.linalg.norm(x.mean(axis=0) - place) - 0.05) < 1e-4


def test_what_is_attached_to_a_hinge_swings_with_the_energy_of_its_fall():
    """Its nodes turn as the hub does, and go outward no more: taken for straight ways, they gained 1 % in a swing."""
    hub = Body("hub", Box((0.1, 0.1, 0.1)), position=(0.0, 0.0, 1.0))
    body = Body("bar", Tetrahedra(*box_grid((8, 1, 1), (0.8, 0.1, 0.1))), position=(0.45, 0.0, 1.0),
                elastic=Elastic(law="corotational", young=1e9, element="t10", reduction=Reduction(8)))  # fmt: skip
    pin = Joint("pin", "hinge", ("world", "hub"), position=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
    held = Attachment(("bar", "hub"), ((0.04, -1.0, 0.9), (0.051, 1.0, 1.1)))
    steps = simulate(Scene((hub, body), joints=(pin,), attachments=(held,)), SimulationOptions(time=0.6)).steps
    energy = steps["kinetic"] + steps["potential"] + steps["elastic"]
    assert np.ptp(energy) < 3e-3 * steps["kinetic"].max()


def drop(**other):
    reduction = Reduction(8, attachments=(((0.4, -1, 0), (0.6, 1, 1)),), error=0.5, damping_ratio=0.02)
    tilted = verified_scenes.turned(0.3, (0, 1, 0))
    return verified_scenes.scene("drop", [beam(reduction, position=(0, 0, 0.4), orientation=tilted, **other)])


def test_the_response_of_a_body_on_nodes():
    """Impulses on nodes give the velocities that its matrix and its rows on nodes say."""
    model, state = compile_scene(drop())
    starts, _ = in_the_middle(model, state, {}, 0.8, 0.01, 1)
    part = starts[1]
    part.linearise(np.zeros(3), 0.01)
    nodes, push = np.array([3, 40, 5]), np.zeros((model.elastic[1].node_count, 3))
    push[nodes] = np.arange(9.0).reshape(3, 3)
    part.take(push)
    rows = part.rows(nodes)
    found = rows @ part.condensed(nodes) @ rows.T @ push[nodes].ravel()
    assert np.allclose(found, (part.v - part.free)[nodes].ravel(), rtol=1e-9, atol=0.0)


def pile(*more):
    """Two beams of few modes and a rigid box between them on the floor, and more bodies above."""
    low, high = (replace(beam(Reduction(6), cells=(6, 1, 1), position=(0, 0, z)), name=name)
                 for name, z in (("low", 0.05), ("high", 0.25)))  # fmt: skip
    return verified_scenes.scene("pile", [low, Body("box", Box((0.1, 0.1, 0.1)), position=(0, 0, 0.15)), high, *more])


def problems_of(scene, monkeypatch, steps=3):
    """[(ContactProblem, velocities (K,) of its rows by what its bodies do then, impulses (K,))] of a few steps."""
    found, solve = [], island_step._contacts_solved

    def watched(island, settings, parts, step, soft, chosen, base, impulse, fall):
        problem, at, twist, *rest = solve(island, settings, parts, step, soft, chosen, base, impulse, fall)
        h, rigid = settings.time_step, problem.velocity_change(rest[-1])[: step.problem.dof_count]
        moved = island_step._row_velocities(parts, step, soft, base, [part.v for part in parts], rigid, h)
        found.append((problem, moved[at], rest[-1]))
        return problem, at, twist, *rest

    monkeypatch.setattr(island_step, "_contacts_solved", watched)
    stepped(scene, 0.01 * steps)
    return found


CUBE = Body("cube", Tetrahedra(*box_grid((2, 2, 2), (0.1, 0.1, 0.1))), position=(0, 0, 0.35),
            elastic=Elastic(law="corotational"))  # fmt: skip


@pytest.mark.parametrize("more", [(), (CUBE,)], ids=["few unknowns", "and a whole mesh"])
def test_the_problem_has_the_velocities_of_all_bodies(more, monkeypatch):
    for problem, moved, impulse in problems_of(pile(*more), monkeypatch):
        assert np.abs(impulse).max() > 0.0
        assert np.abs(problem.velocity(impulse) - moved).max() < 1e-9
        assert (problem.inverse_mass is None) == bool(more)


def test_the_problem_of_reduced_bodies_has_few_unknowns(monkeypatch):
    """G = J W with W of the box and both beams, block by block."""
    problem, _, _ = problems_of(pile(), monkeypatch)[-1]
    mass, W = problem.inverse_mass, np.zeros((problem.dof_count, problem.dof_count))
    for i, (first, last) in enumerate(zip(mass.start[:-1], mass.start[1:], strict=True)):
        size = last - first
        for array, out in ((mass.data, W), (mass.mass, None)):
            block = array[mass.offset[i] : mass.offset[i] + size**2].reshape(size, size)
            if out is not None:
                out[first:last, first:last] = block
            else:
                assert np.allclose(block @ W[first:last, first:last], np.eye(size), atol=1e-9)
    assert problem.dof_count == 6 + 2 * 18 and few_unknowns(problem)
    J, G = (np.zeros((problem.row_count, problem.dof_count)) for _ in range(2))
    for rows, out in ((problem.J, J), (problem.G, G)):
        for k in range(problem.block_count):
            here = slice(problem.row_start[k], problem.row_start[k + 1])
            for s in range(rows.indptr[k], rows.indptr[k + 1]):
                part = rows.data[rows.offset[s] :][: (here.stop - here.start) * rows.size[s]]
                out[here, rows.start[s] : rows.start[s] + rows.size[s]] += part.reshape(-1, rows.size[s])
    assert np.allclose(G, J @ W, rtol=1e-12, atol=1e-12 * np.abs(G).max())


def test_works_add_up():
    _, _, reports = stepped(drop(), 0.3)
    energy = [one.kinetic + one.potential + one.elastic for one in reports]
    works = ("friction_work", "impact_loss", "damping_work", "scheme_loss", "joint_work", "stabilisation_work")
    given = [sum(getattr(one, name) for name in works) for one in reports]
    assert np.abs(np.diff(energy) - given[1:]).max() < 1e-9 * max(map(abs, energy))
    assert min(given) < -1e-3


def test_runs_are_the_same_bits_for_any_threads_and_resumed(tmp_path):
    options = options_for(drop(), time=0.2)
    whole = simulate(drop(), options, tmp_path / "whole")
    two = simulate(drop(), changed(options, threads=2), tmp_path / "two")
    seen = []
    simulate(drop(), options, tmp_path / "part", cancelled=lambda: seen.append(0) or len(seen) > 8)
    part = simulate(drop(), options, tmp_path / "part", resume=True)
    for other in (two, part):
        assert np.array_equal(other.node_positions, whole.node_positions)


def test_scene_files_keep_a_reduction(tmp_path):
    save_scene(tmp_path / "scene.json", drop())
    assert load_scene(tmp_path / "scene.json").bodies[-1].elastic == drop().bodies[-1].elastic


FAULTS = {
    "law is 'neo_hookean'": {"law": "neo_hookean"},
    "0 derivatives, and the law is 'stvk'": {"law": "stvk"},
    "10 derivatives, and the law is 'corotational'": {"reduction": Reduction(4, 10)},
    "-1 derivatives": {"reduction": Reduction(4, -1), "law": "stvk"},
    "2.5 derivatives": {"reduction": Reduction(4, 2.5), "law": "stvk"},
    "for at most 48": {"reduction": Reduction(40, 10), "law": "stvk"},
    "and pins": {"pins": (((-1, -1, -1), (0, 1, 1)),)},
    "and goals": {"goals": ((0, 0, 0, 1.0, 1.0),)},
    "and a pressure": {"pressure": 1e3},
    "and self_contact": {"self_contact": True},
    "and inflated boxes": {"inflated": (((-1, -1, -1), (0, 1, 1)),)},
    "has spin 1; give true or false": {"reduction": Reduction(4, spin=1)},
    "has dents 'no'; give true or false": {"reduction": Reduction(4, dents="no")},
    "damping_ratio is inf": {"reduction": Reduction(4, damping_ratio=float("inf"))},
    "corner of attachment 0": {"reduction": Reduction(4, attachments=(((0, 0, 0), (0, float("nan"), 0)),))},
    "0 modes": {"reduction": Reduction(0)},
    "True modes": {"reduction": Reduction(True)},
    "for at most 87 vectors": {"reduction": Reduction(200)},
    "an error of 0.0; give": {"reduction": Reduction(4, error=0.0)},
    "an error of 2.0; give": {"reduction": Reduction(4, error=2.0)},
    "an error of nan; give": {"reduction": Reduction(4, error=float("nan"))},
    "an error of 1e-05, and 87 shape vectors, .* leave 0": {"reduction": Reduction(30, error=1e-5)},
    "an error of 0.02, and 48 shape vectors, .*'stvk', leave 0": {"reduction": Reduction(4, 10, error=0.02),
                                                                 "law": "stvk"},
    "reduction has dents, and the law is 'stvk'": {"reduction": Reduction(4, 10, dents=True), "law": "stvk"},
    "damping_ratio is -1": {"reduction": Reduction(4, damping_ratio=-1.0)},
    "holds no node of the surface": {"reduction": Reduction(4, attachments=(((5, 5, 5), (6, 6, 6)),))},
    "give a box of two corners": {"reduction": Reduction(4, attachments=(((5, 5, 5),),))},
    "wrong way round": {"reduction": Reduction(4, attachments=(((1, 1, 1), (0, 0, 0)),))},
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_reduced_body_is_refused(fault):
    body = beam(Reduction(4), cells=(3, 1, 1))
    body = replace(body, elastic=replace(body.elastic, **FAULTS[fault]))
    with pytest.raises(SceneError, match=f"body 'beam'.*{fault}"):
        compile_scene(Scene((body,), one_material(0.5)))


def test_open_meshes_are_refused():
    """Modes are those of a solid."""
    vertices, triangles = Box((1.0, 0.2, 0.2)).surface()
    body = Body("sheet", Mesh(vertices, triangles[:-1]), elastic=Elastic(law="corotational", reduction=Reduction(4)))
    with pytest.raises(SceneError, match="body 'sheet'.*(open|closed|hole)"):
        compile_scene(Scene((body,), one_material(0.5)))


def test_bodies_that_cannot_move_in_modes_are_refused():
    """What is fixed or goes where its keys are has no free modes."""
    for motion in (FIXED.STATIC, FIXED.KINEMATIC):
        body = replace(beam(Reduction(4), cells=(3, 1, 1)), motion=motion)
        with pytest.raises(SceneError, match="body 'beam'"):
            compile_scene(Scene((body,), one_material(0.5)))


def test_loose_pieces_are_refused():
    vertices, tets = box_grid((2, 1, 1), (0.2, 0.1, 0.1))
    two = Tetrahedra(np.concatenate([vertices, vertices + 1.0]), np.concatenate([tets, tets + len(vertices)]))
    body = Body("two", two, elastic=Elastic(law="corotational", reduction=Reduction(4)))
    with pytest.raises(SceneError, match="'two': is 2 loose pieces"):
        compile_scene(Scene((body,), one_material(0.5)))


def test_other_steppers_are_refused():
    scene = Scene((beam(Reduction(4), cells=(3, 1, 1)),), one_material(0.5))
    with pytest.raises(SceneError, match="has a reduction, which soft_stepper 'euler' does not know"):
        stepped(scene, 0.01, soft_stepper="euler")
