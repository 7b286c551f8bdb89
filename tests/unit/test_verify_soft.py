"""`stiction verify` judges runs with deformable bodies in full, and finds a solver that computes them wrongly."""

from dataclasses import replace

import numpy as np
import pytest
import verified_scenes
from test_verify_mutants import leaning as turned_normals

from stiction.solver.dynamics.elastic import deformable as bodies
from stiction.solver.dynamics.elastic import element_kernels, problem, row_kernels, surface_search
from stiction.solver.dynamics.elastic.deformable import Deformable
from stiction.solver.dynamics.elastic.schemes import midpoint
from stiction.solver.dynamics.elastic.schemes.rigid_modes import RigidModes
from stiction.solver.meshes.tet_grids import box_grid
from stiction.solver.scene import Attachment, Body, Elastic, KeyedPoses
from stiction.solver.scenes.lookup import find_scene
from stiction.solver.shapes import Tetrahedra
from stiction.solver.verify import NotVerifiable, verify
from stiction.solver.verify.elastic import Elastic as Recomputed
from stiction.solver.verify.elastic import Rigid
from stiction.solver.verify.surfaces import NORMALS


def grid(cells, sides):
    return Tetrahedra(*box_grid(cells, sides))


def failed(made, folder, time=0.06, **changes):
    """Names of the checks that a recorded run of a Scene does not pass."""
    verified_scenes.recorded(made, folder, time=time, **changes)
    found = verify(folder)
    assert found["steps"] == round(time / changes.get("time_step", 0.01))
    return [check["name"] for check in found["checks"] if not check["passed"]]


def beam():
    """A pinned beam with damping that a ball strikes."""
    elastic = Elastic(young=1e5, damping=(1.0, 1e-3), pins=(((-0.31, -1, 0), (-0.29, 1, 1)),))
    return verified_scenes.scene("beam", [
        Body("beam", grid((4, 1, 1), (0.6, 0.1, 0.1)), position=(0, 0, 0.5), elastic=elastic),
        Body("ball", verified_scenes.SPHERE(0.05), position=(0.2, 0, 0.61), velocity=(0, 0, -1)),
    ])  # fmt: skip


def foam():
    """Foam under a weight, beside a stiff body that turns."""
    elastic = Elastic(young=1e5, poisson=0.1, law="hill_ogden", damping=(0.0, 5e-3))
    return verified_scenes.scene("foam", [
        Body("foam", grid((1, 1, 1), (0.2, 0.2, 0.2)), position=(0, 0, 0.1), elastic=elastic),
        Body("weight", verified_scenes.BOX((0.2, 0.2, 0.2)), position=(0, 0, 0.31), mass=40.0, velocity=(0, 0, -2)),
        Body("stiff", grid((1, 1, 1), (0.2, 0.2, 0.2)), position=(1, 0, 0.5), elastic=Elastic(young=1e9),
             angular_velocity=(5, 3, 1)),
    ])  # fmt: skip


def rubber():
    """Nearly incompressible rubber of the stable law, in quadratic elements, falls onto a corner."""
    elastic = Elastic(young=2e4, poisson=0.49, law="neo_hookean", element="t10")
    return verified_scenes.scene("rubber", [
        Body("rubber", grid((1, 1, 1), (0.2, 0.1, 0.1)), position=(0, 0, 0.12), velocity=(0, 0, -1), elastic=elastic,
             orientation=verified_scenes.turned(1.0, (0.3, 1, 0))),
    ])  # fmt: skip


def stiff():
    """Steel in quadratic elements, away from the origin, falls beside foam that turns: round-off of forces counts."""
    steel = Elastic(young=2e11, element="t10")
    foam = Elastic(young=1e8, poisson=0.1, law="hill_ogden", damping=(0.0, 0.02), element="t10")
    return verified_scenes.scene("stiff", [
        Body("steel", grid((2, 1, 1), (0.2, 0.1, 0.1)), position=(7, -5, 0.6), elastic=steel,
             orientation=verified_scenes.turned(1.0, (0.3, 1, 0))),
        Body("foam", grid((1, 1, 1), (0.2, 0.2, 0.2)), position=(8, -5, 2.5), elastic=foam, angular_velocity=(9, 3, 1)),
    ])  # fmt: skip


def test_pins_that_move_with_the_keys_of_their_body_are_refused(tmp_path):
    keys = KeyedPoses(np.array([0.0, 1.0]), np.array([(0, 0, 0.5), (0.1, 0, 0.5)]), np.tile([1.0, 0, 0, 0], (2, 1)))
    still = beam()
    moving = replace(still, bodies=tuple(replace(b, keys=keys) if b.name == "beam" else b for b in still.bodies))
    verified_scenes.recorded(moving, tmp_path / "run", time=0.02)
    with pytest.raises(NotVerifiable, match="'beam' has pins that move"):
        verify(tmp_path / "run")


@pytest.mark.parametrize("made", [beam, foam, rubber, stiff], ids=lambda made: made.__name__)
def test_runs_with_deformable_bodies_pass(made, tmp_path):
    assert failed(made(), tmp_path / "run") == []


def scaled(function, factor):
    return lambda *given, **named: factor * function(*given, **named)


def heavier(elements, volume, density, count):
    """One node is a thousandth heavier than its elements make it."""
    mass = lumped_masses(elements, volume, density, count)
    mass[0] *= 1.001
    return mass


lumped_masses = bodies.lumped_masses


def without_couple(node, weight, frame, x, completed):
    """Contacts of two deformable bodies push each side about its own point."""
    return node, weight[..., None, None] * frame[:, None, None]


def less_gravity(part, gravity, h, linearise=midpoint.MidpointPart.linearise):
    linearise(part, 0.999 * gravity, h)


def turned_friction(node, weight, frame, x, completed, directions=problem.directions):
    """What friction does to nodes is turned by ten degrees."""
    node, push = directions(node, weight, frame, x, completed)
    s, t = push[:, :, :, 1].copy(), push[:, :, :, 2].copy()
    cosine, sine = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
    push[:, :, :, 1], push[:, :, :, 2] = cosine * s - sine * t, sine * s + cosine * t
    return node, push


def weaker(rows, row_start, node, push, impulse, force, add=row_kernels.add_impulses):
    """Nodes get a millionth less than what touches them."""
    add(rows, row_start, node, push, (1.0 - 1e-6) * impulse, force)


def lossless(part, *given, ledger=midpoint.MidpointPart.ledger):
    """The energy that the scheme took is not told."""
    kinetic, elastic, damping, _, pins = ledger(part, *given)
    return kinetic, elastic, damping, 0.0, pins


def shaken(part, gravity, normal, finish=midpoint.MidpointPart.finish):
    """Vibrations are faster after a step than it left them."""
    finish(part, gravity, normal)
    part.after = part.after + 0.01 * part.modes.deforming(part.v)


def other_law(law, *given, energy=element_kernels.elastic_energy):
    return energy(0, *given)


def leaning(*given, find=surface_search._with_vertices):
    """Normals of contacts with deformable bodies are turned by ten degrees."""
    contacts, features = find(*given)
    return turned_normals(contacts), features


# Changes of the solver: object, attribute, what it becomes.
MUTANTS = {
    "elastic forces a hundredth too large": (Deformable, "forces", scaled(Deformable.forces, 1.01)),
    "no damping": (midpoint.MidpointPart, "_damping", lambda part, v: 0.0),
    "a node too heavy": (bodies, "lumped_masses", heavier),
    "forces with a moment": (RigidModes, "balanced", lambda modes, force: force),
    "a filter that brakes flight": (RigidModes, "kept_apart", lambda modes, v, pressed, held: v),
    "a thousandth less gravity": (midpoint.MidpointPart, "linearise", less_gravity),
    "contacts about two points": (problem, "directions", without_couple),
    "friction turned by ten degrees": (problem, "directions", turned_friction),
    "impulses that nodes do not get": (row_kernels, "add_impulses", weaker),
    "a loss that is not told": (midpoint.MidpointPart, "ledger", lossless),
    "vibrations out of nothing": (midpoint.MidpointPart, "finish", shaken),
    "energy of another law": (element_kernels, "elastic_energy", other_law),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_solver_that_computes_deformable_bodies_wrongly_is_found(name, tmp_path, monkeypatch):
    monkeypatch.setattr(*MUTANTS[name])
    assert failed(verified_scenes.soft(), tmp_path / "run", time=0.02)


def test_the_laws_of_the_check_are_those_of_the_solver():
    """Energy, forces and positive stiffness of every law that it knows, of elements that are pressed and inside out."""
    rng = np.random.default_rng(0)
    vertices, tets = box_grid((2, 1, 1), (0.2, 0.1, 0.1))
    for law, poisson in (("neo_hookean", 0.49), ("ciarlet_geymonat", 0.499), ("hill_ogden", 0.0), ("hill_ogden", 0.2)):
        body = bodies.deformable(vertices, tets, 1e5, poisson, 1000.0, law=law, element="t10")
        given = {name: getattr(body, name) for name in ("law", "damping", "rest", "elements", "mu", "mass", "pinned")}
        own = Recomputed(given | {"lambda": body.lam, "law": law, "even": True})
        for amount in (0.005, 0.06):
            x, v = (body.rest + amount * rng.standard_normal(body.rest.shape), rng.standard_normal(body.rest.shape))
            blocks, product = body.blocks, np.zeros_like(v)
            body.forces(x, blocks, project=True)
            body.add_stiffness_product(blocks, 1.0, v, product)
            for found, known in ((own.energy(x), body.energy(x)[0]), (own.forces(x), body.forces(x)),
                                 (own.stiffness(x, v), product)):  # fmt: skip
                assert np.abs(found - known).max() <= 1e-12 * np.abs(known).max()
        assert own.uneven < 1e-12


def test_rigid_motions_are_taken_out():
    rng = np.random.default_rng(1)
    x, mass = rng.standard_normal((9, 3)), rng.uniform(1.0, 2.0, 9)
    modes = Rigid(np.repeat([0, 1], [5, 4]), mass, x)
    v, force = np.array([1.0, 2, 3]) + np.cross([3.0, -1, 2], x), rng.standard_normal((9, 3))
    assert np.abs(modes.deforming(v)).max() < 1e-13
    assert np.abs(modes.balanced(force)[:5].sum(axis=0)).max() < 1e-13
    assert np.abs(np.cross(x, modes.balanced(force))[5:].sum(axis=0)).max() < 1e-13


@pytest.mark.parametrize(("what", "changes"), [
    ("the law corotational", {"law": "corotational"}),
    ("goals", {"goals": ((0, 0, 0.2, 100.0, 1.0),)}),
])  # fmt: skip
def test_what_is_not_checked_of_deformable_bodies_is_refused(what, changes, tmp_path):
    made = verified_scenes.soft()
    cube = made.bodies[1]
    made = replace(made, bodies=(*made.bodies[:1], replace(cube, elastic=replace(cube.elastic, **changes))))
    verified_scenes.recorded(made, tmp_path / "run", time=0.01)
    with pytest.raises(NotVerifiable, match=what):
        verify(tmp_path / "run")


def test_attachments_and_other_schemes_are_refused(tmp_path):
    made = verified_scenes.soft()
    held = Attachment(("cube", "floor"), ((-1, -1, 0), (1, 1, 0.03)))
    verified_scenes.recorded(replace(made, attachments=(held,)), tmp_path / "held", time=0.01)
    with pytest.raises(NotVerifiable, match="attachments"):
        verify(tmp_path / "held")
    verified_scenes.recorded(made, tmp_path / "bdf2", time=0.01, soft_stepper="bdf2")
    with pytest.raises(NotVerifiable, match="bdf2"):
        verify(tmp_path / "bdf2")
    # Nothing of a body alone is kept, and none was asleep.
    alone = replace(made, bodies=(made.bodies[1],))
    verified_scenes.recorded(alone, tmp_path / "alone", time=0.01, soft_stepper="euler")
    with pytest.raises(NotVerifiable, match="the scheme euler"):
        verify(tmp_path / "alone")


@pytest.mark.parametrize("made", [beam, verified_scenes.soft], ids=lambda made: made.__name__)
def test_normals_that_lean_are_found_on_the_faces_of_deformable_bodies(made, tmp_path, monkeypatch):
    """A ball strikes a beam, and what is thrown a cube: nodes, and triangles of them, have normals of their own."""
    monkeypatch.setattr(surface_search, "_with_vertices", leaning)
    assert NORMALS in failed(made(), tmp_path / "run")


def test_a_run_of_deformable_bodies_alone_passes(tmp_path):
    """Energies of rigid bodies are sums of nothing."""
    assert failed(find_scene("soft_beam"), tmp_path / "run") == []
