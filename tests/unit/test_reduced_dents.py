"""Dents of reduced bodies: the whole mesh's static answer, reading them from nodes, steps, attachments, bits."""

from dataclasses import replace

import numpy as np
import pytest
import verified_scenes

from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.dynamics.elastic.schemes.middle import in_the_middle
from stiction.solver.dynamics.reduced.basis import FreeBody, shape_vectors
from stiction.solver.dynamics.reduced.dents import Dents
from stiction.solver.dynamics.reduced.inertia import Motion, cayley
from stiction.solver.dynamics.reduced.laws import LinearLaw
from stiction.solver.dynamics.reduced.shape import ReducedShape
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.model import compile_scene
from stiction.solver.options import changed
from stiction.solver.scene import Attachment, Body, Elastic, Reduction, Scene
from stiction.solver.scenes.base import floor, one_material
from stiction.solver.shapes import Box, Tetrahedra
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.deformable.elastic import stepped
from stiction.solver.validation.deformable.momentum import WEIGHTLESS, momenta
from stiction.solver.validation.deformable.reduced import beam


@pytest.fixture(scope="module", params=[(False, []), (True, [np.arange(4)])], ids=["modes", "and answers to loads"])
def dented(request):
    """(FreeBody, squares, U, Dents) of a beam."""
    body = deformable(*box_grid((4, 1, 1), (1.0, 0.4, 0.3)), 1e8, 0.3, 1000.0, law="corotational", element="t10")
    squares, U = shape_vectors(body, 5, *request.param)
    free = FreeBody(body)
    return free, squares, U, Dents(free, squares, U)


def test_vectors_and_dents_are_the_static_answer_of_the_mesh(dented):
    free, squares, U, dents = dented
    forces = np.zeros_like(free.X)
    forces[[3, 20, 7]] = np.random.default_rng(1).normal(size=(3, 3))
    shown = U @ (np.einsum("nir,ni->r", U, forces) / squares)
    exact = free.statics(forces.reshape(-1, 1)).reshape(-1, 3)
    dent = dents.under(forces)
    assert np.abs(shown + dent - exact).max() < 1e-8 * np.abs(exact).max()
    assert np.abs(dent).max() > 0.1 * np.abs(exact).max()
    # The work of the load is twice what is stored.
    assert np.isclose(dents.stored(dent), 0.5 * float((forces * dent).sum()), rtol=1e-7)


def test_flexibility_is_that_of_the_nodes(dented):
    nodes = np.array([3, 20, 7])
    found = dented[-1].flexibility(nodes).reshape(9, 9)
    for column, (node, axis) in zip(found.T, [(n, k) for n in nodes for k in range(3)], strict=True):
        force = np.zeros_like(dented[0].X)
        force[node, axis] = 1.0
        assert np.allclose(column, dented[-1].under(force)[nodes].ravel(), atol=1e-9 * np.abs(found).max())
    assert np.linalg.eigvalsh(found).min() > -1e-9 * np.abs(found).max()


def test_motion_and_dents_are_read_from_nodes(dented):
    free, squares, U, dents = dented
    random = np.random.default_rng(2)
    shape = ReducedShape(free.body.mass, free.X, U, LinearLaw(squares), 0 * squares, dents)
    q, forces = 0.01 * random.normal(size=len(squares)), np.zeros_like(free.X)
    forces[[3, 9]] = random.normal(size=(2, 3))
    dent = dents.under(forces)
    dent *= 0.01 / np.abs(dent).max()
    given = Motion(random.normal(size=3), cayley(np.array([0.3, 0.2, 0.4])), q, np.zeros(3), np.zeros(3), 0 * q)
    x = shape.places(given) + dent @ given.turn.T
    found = shape.motion(x, 0 * x)
    for one, other in zip(given[:3], found[:3], strict=True):
        assert np.abs(one - other).max() < 1e-8
    assert np.abs(shape.dent(found, x) - dent).max() < 1e-8
    assert np.isclose(shape.energy(x), 0.5 * squares @ q**2 + dents.stored(dent), rtol=1e-6)


def drop(**other):
    tilted = verified_scenes.turned(0.3, (0, 1, 0))
    body = beam(Reduction(8, dents=True, damping_ratio=0.02), cells=(6, 1, 1), position=(0, 0, 0.4),
                orientation=tilted, **other)  # fmt: skip
    return verified_scenes.scene("drop", [body])


def test_the_response_of_a_body_on_nodes():
    """Impulses on nodes give the velocities that its matrix on them says, and the way that they end on."""
    model, state = compile_scene(drop())
    part = in_the_middle(model, state, {}, 0.8, 0.01, 1)[0][1]
    part.linearise(np.zeros(3), 0.01)
    nodes, push = np.array([3, 40, 5]), np.zeros((model.elastic[1].node_count, 3))
    push[nodes] = 1e-4 * np.arange(9.0).reshape(3, 3)
    part.take(push)
    assert part.rows(nodes) is None
    found = part.condensed(nodes) @ push[nodes].ravel()
    assert np.allclose(found, (part.v - part.free)[nodes].ravel(), rtol=1e-9, atol=0.0)
    # Straight on from the middle, but for how far the body turns in half a step.
    moved = part.position(0.01) - part.y
    assert np.abs(moved - 0.005 * part.v)[nodes].max() < 1e-4 * np.abs(moved).max()


def test_works_add_up():
    _, _, reports = stepped(drop(), 0.3)
    energy = [one.kinetic + one.potential + one.elastic for one in reports]
    works = ("friction_work", "impact_loss", "damping_work", "scheme_loss", "joint_work", "stabilisation_work")
    given = [sum(getattr(one, name) for name in works) for one in reports]
    assert np.abs(np.diff(energy) - given[1:]).max() < 1e-9 * max(map(abs, energy))
    assert min(given) < -1e-3 and max(given) < 1e-3 * max(map(abs, energy))


def test_what_is_attached_keeps_momenta():
    """All nodes of an end are held, more than there are vectors: each gives way by itself."""
    end = Body("end", Box((0.1, 0.12, 0.1)), position=(0.55, 0, 0))
    held = Attachment(("beam", "end"), ((0.499, -1, -1), (0.501, 1, 1)))
    body = beam(Reduction(2, spin=False, dents=True), young=1e7, angular_velocity=(0, 1, 2))
    scene = Scene((body, end), one_material(0.5), WEIGHTLESS, attachments=(held,))
    model, states, reports = stepped(scene, 0.2)
    found = np.array([momenta(model, state) for state in states])
    assert np.abs(found - found[0]).max() < 1e-12 * np.abs(found).max()
    assert all(one.converged for one in reports)
    x, place = states[-1].nodes.position[model.attachments.node], states[-1].position[1]
    assert np.abs(np.linalg.norm(x.mean(axis=0) - place) - 0.05) < 1e-4


def pressed(reduction):
    """How far nodes go down until all is at rest, of a soft slab on the floor with a weight on it."""
    slab = Body("slab", Tetrahedra(*box_grid((4, 2, 1), (0.4, 0.2, 0.05))), position=(0, 0, 0.025),
                elastic=Elastic(young=2e5, law="corotational", damping=(0.0, 0.02), reduction=reduction))  # fmt: skip
    weight = Body("weight", Box((0.1, 0.1, 0.1)), position=(0, 0, 0.1), mass=4.0)
    model, states, reports = stepped(Scene((floor(2.0), slab, weight), one_material(0.5)), 0.25)
    assert all(one.converged for one in reports[-20:])
    assert np.abs(states[-1].twist).max() < 1e-4
    return (states[-1].nodes.position - model.elastic[1].rest)[:, 2]


def test_a_dent_is_that_of_the_whole_mesh():
    """Under a weight a slab gives way as the whole mesh does, where modes alone give next to nothing."""
    whole = pressed(None)
    off = {dents: np.abs(pressed(Reduction(12, dents=dents)) - whole).max() / np.abs(whole).max()
           for dents in (False, True)}  # fmt: skip
    assert off[True] < 0.04 < 0.9 < off[False]


def test_runs_are_the_same_bits_for_any_threads_and_resumed(tmp_path):
    options = options_for(drop(), time=0.2)
    whole = simulate(drop(), options, tmp_path / "whole")
    two = simulate(drop(), changed(options, threads=2), tmp_path / "two")
    seen = []
    simulate(drop(), options, tmp_path / "part", cancelled=lambda: seen.append(0) or len(seen) > 15)
    part = simulate(drop(), options, tmp_path / "part", resume=True)
    for other in (two, part):
        assert np.array_equal(other.node_positions, whole.node_positions)


def test_bodies_without_contacts_have_no_dents():
    body = replace(beam(Reduction(4, dents=True), cells=(4, 1, 1)), angular_velocity=(1, 2, 3))
    model, states, _ = stepped(Scene((body,), one_material(0.5), WEIGHTLESS), 0.1)
    shape, nodes = model.elastic[0].reduced, states[-1].nodes
    dent = shape.dent(shape.motion(nodes.position, nodes.velocity), nodes.position)
    assert np.abs(dent).max() < 1e-9
