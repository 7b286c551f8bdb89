"""The steps of the program are those of docs/theory.md, as tests/reference/theory_step.py has them from that page.

Residuals are solved for to 1e-12 m/s and pushes as exactly, so that no answer depends on where a solve stopped.
"""

from dataclasses import replace
from types import SimpleNamespace as Record

import numpy as np
import problem_cases as cases
import pytest
import soft_scenes
from reference import judging, theory, theory_soft, theory_step
from scipy.spatial.transform import Rotation

from stiction.solver import methods
from stiction.solver.collision.contacts import empty_contacts
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.collision.search_memory import SearchMemory
from stiction.solver.dynamics import displacement, projection, rotation
from stiction.solver.dynamics.elastic.nodes import center_of, moved_with, rigid_part
from stiction.solver.dynamics.elastic.surface_search import find
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.methods.even import spread
from stiction.solver.methods.method_options import AcceleratedOptions
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scenes import leaning, single
from stiction.solver.scenes.base import axis_angle, floor, one_material, quadruple, triple
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import compiled, options_for, step_settings, stepper
from stiction.solver.steppers import moreau_midpoint

STEPS, EXACT, SAME = 50, 1e-12, 1e-9


def box_on_floor():
    """Tipped about an edge, it falls back, lands on the other one while that carries it, and rocks."""
    return leaning.rocking_block(), 0.01


def stack():
    """Three boxes turned a little, pressed into each other by 0.4 mm, the upper one sliding."""
    bodies = [
        Body(f"b{i}", Box((0.3 - 0.05 * i, 0.3 - 0.03 * i, 0.2)), position=(0.02 * i, 0.01 * i, 0.1 + 0.2 * i - drop),
             orientation=quadruple(axis_angle((0, 0, 1), 0.1 * i)), velocity=velocity)
        for i, (drop, velocity) in enumerate([(0.0, (0, 0, 0)), (4e-4, (0, 0, 0)), (0.0, (0.5, 0.2, 0.0))])
    ]  # fmt: skip
    return Scene((floor(), *bodies), one_material(0.4)), 0.005


def oblique_bounce():
    return single.oblique_bounce(0.1, 0.8, (2.0, 0.3, -3.0), tangential_restitution=0.5), 0.005


def bouncing_ball():
    """Falls under gravity and bounces with drag: the height does not depend on where in a step the impact falls."""
    ball = Body("ball", Sphere(0.1), position=(0.0, 0.0, 0.12), angular_velocity=(3.0, 1.0, 2.0), damping=(0.3, 0.7))
    table = MaterialTable((Material("default", 1000.0, 0.4, torsional_friction=0.01, restitution=0.8),))
    return Scene((floor(), ball), table), 0.01


def tumbling_bounce():
    """Restitution 1, hit beside its centre: with Coulomb's friction Newton's law would give it energy."""
    table = MaterialTable((Material("default", 1000.0, 0.5, restitution=1.0, tangential_restitution=0.3),))
    return replace(tumbling_box((4.0, -3.0, 5.0), 0.2)[0], materials=table), 0.005


def ladder():
    """Slides down a wall: its rows turn with it, and an edge runs along each."""
    return leaning.ladder(friction=0.2), 0.005


def chain():
    """Two bars and a ball, which lands on the floor, rolls and slides."""
    w, z = np.array([0.6, 1.0, 0.8]), 0.12
    bars = ("a", Box((0.3, 0.06, 0.04)), 0.15, 1.0), ("b", Box((0.3, 0.05, 0.05)), 0.45, 0.5)
    bodies = [Body(name, shape, position=(x, 0.0, z), mass=mass, velocity=triple(np.cross(w, [x, 0.0, 0.0])),
                   angular_velocity=triple(w), collides_with=None if name == "c" else ())
              for name, shape, x, mass in (*bars, ("c", Sphere(0.05), 0.8, 0.4))]  # fmt: skip
    joints = (
        Joint("j0", "ball", ("world", "a"), (0.0, 0.0, z), (0.0, 1.0, 0.0)),
        Joint("j1", "hinge", ("a", "b"), (0.3, 0.0, z), (0.0, 1.0, 0.0)),
        Joint("j2", "distance", ("b", "c"), positions=((0.6, 0.0, z), (0.8, 0.0, z)), length=0.2),
    )
    return Scene((floor(), *bodies), one_material(0.3), joints=joints), 0.005


def tumbling_box(spin=(1.5, -1.0, 2.0), height=0.15):
    """Three different moments: it flies, lands on a corner and an edge, and turns about them."""
    body = Body("box", Box((0.3, 0.2, 0.1)), position=(0.0, 0.0, height), velocity=(0.4, 0.1, -0.5),
                orientation=quadruple(axis_angle((1, 2, 0.5), 0.6)), angular_velocity=spin)  # fmt: skip
    return Scene((floor(), body), one_material(1.0)), 0.003


def ball_on_ball():
    """Rolls down a fixed ball: the normal turns."""
    lower = Body("lower", Sphere(0.3), motion=Motion.STATIC)
    upper = Body("upper", Sphere(0.1), position=(0.04, 0.01, 0.4 * np.sqrt(1.0 - 0.0106)), velocity=(0.2, 0.0, 0.0))
    return Scene((lower, upper), one_material(0.6)), 0.005


SCENES = [box_on_floor, stack, oblique_bounce, bouncing_ball, tumbling_bounce, ladder, chain, tumbling_box,
          ball_on_ball]  # fmt: skip


@pytest.fixture(autouse=True)
def exact_displacements(monkeypatch):
    """What pushes and what closes at the end of a step is solved to round-off, on both sides."""
    monkeypatch.setattr(displacement, "PUSHED", 0.0)
    solve = projection.improve_within

    def exactly(problem, impulse, settings, goals):
        return solve(problem, impulse, settings, goals._replace(tolerance=1e-8 * goals.tolerance))

    monkeypatch.setattr(projection, "improve_within", exactly)


def begun(scene, h, steps=STEPS, **options):
    """(model, State, StepSettings, step of the program) of a scene."""
    options = options_for(scene, time_step=h, time=steps * h, tolerance=EXACT, **options)
    model, state = compiled(scene, options)
    return model, state, step_settings(options, model, state), stepper(options)


def of_page(state):
    """A State as the reference has it."""
    return Record(x=state.position, R=rotation.matrix(state.orientation), u=state.twist, contacts=empty_contacts(),
                  impulses=np.zeros((0, 5)), since=0.0)  # fmt: skip


def search_of(model):
    def search(x, R, u, T):
        return find_contacts(model.collision, x, Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]], u, T)

    return search


def assert_same(state, s):
    for mine, its in ((state.position, s.x), (rotation.matrix(state.orientation), s.R), (state.twist, s.u)):
        assert np.abs(mine - its).max() <= SAME


@pytest.mark.parametrize("made", SCENES, ids=[made.__name__ for made in SCENES])
def test_a_trajectory_is_that_of_the_page(made):
    scene, h = made()
    model, state, settings, step = begun(scene, h)
    s, search, touched = of_page(state), search_of(model), 0
    for _ in range(STEPS):
        state, report, _ = step(model, state, settings)
        s = theory_step.step(model, s, h, search, EXACT)
        assert report.substeps == 1 and report.converged
        assert_same(state, s)
        touched += report.contact_count > 0
    assert touched > 0


def test_steps_of_other_lengths_are_those_of_the_page():
    """A short step foresees a long one after it, and the other way round."""
    scene, h = box_on_floor()
    model, state, settings, _ = begun(scene, h)
    s, search = of_page(state), search_of(model)
    for k in range(STEPS):
        own, following = (0.3 * h, h) if k % 2 else (h, 0.3 * h)
        state, *_ = moreau_midpoint(model, state, replace(settings, time_step=own, next_step=following))
        s = theory_step.step(model, s, own, search, EXACT, following=following)
        assert_same(state, s)


class Elements:
    """What the reference takes of a deformable body: forces, stiffness (dense), energy and constants."""

    def __init__(self, model, number):
        self.body = body = model.elastic[number]
        self.mass, self.damping, self.wave_speed = body.mass, body.damping, body.wave_speed
        self.size, self.extent = model.size[number], body.size

    def f(self, x):
        return self.body.forces(x)

    def V(self, x):
        return self.body.energy(x)[0]

    def K(self, x):
        blocks, pattern = np.zeros_like(self.body.blocks), self.body.symbolic
        self.body.forces(x, blocks, project=True)
        dense = np.zeros((len(x), 3, len(x), 3))
        dense[pattern.pair_row, :, pattern.pair_column] = blocks
        dense[pattern.pair_column, :, pattern.pair_row] = blocks.transpose(0, 2, 1)
        return dense.reshape(x.size, x.size)


def soft_search(model, state, number, h):
    """Where nodes of the one deformable body touch, see theory_soft.step."""
    body, memory = model.elastic[number], SearchMemory()

    def search(y, u):
        v, twist, position = u + h * model.gravity, np.zeros_like(state.twist), state.position.copy()
        twist[number], position[number] = rigid_part(body, y, v), center_of(body, y)
        speed, off = np.zeros(model.body_count), v - moved_with(twist[number], position[number], y)
        speed[number] = np.linalg.norm(off[body.surface_nodes], axis=1).max()
        found = find(model, position, state.orientation, twist, y, v, speed, h, 1, model.joints.coupled, memory)
        c, second = found.contacts, found.contacts.body_b == number
        weight, side = np.zeros((c.count, body.node_count + 1)), second.astype(int)
        for k in range(c.count):
            np.add.at(weight[k], found.stencils.node[k, side[k]], found.stencils.weight[k, side[k]])
        mu = model.mu[model.material[c.body_a], model.material[c.body_b]]
        sign = np.where(second, 1.0, -1.0)
        return Record(gap=c.gap.copy(), normal=c.normal, sign=sign, weight=weight[:, :-1], mu=mu)

    return search


def soft_run(scene, h, steps, rho=0.8, stretch=(1.0, 1.0, 1.0)):
    """Linearisations (steps,) that a soft cube takes, after each step has been compared with the page."""
    model, state, settings, step = begun(scene, h, steps, spectral_radius=rho)
    state.nodes.position[:] *= stretch
    number, taken = int(np.flatnonzero(model.soft)[0]), []
    elements, search = Elements(model, number), soft_search(model, state, number, h)
    s = Record(x=state.nodes.position.copy(), u=state.nodes.velocity.ravel(), credit=0.0, last=0.0)
    for _ in range(steps):
        state, report, _ = step(model, state, settings)
        s = theory_soft.step(elements, s, h, model.gravity, search, rho, EXACT)
        assert report.substeps == 1 and report.converged and report.rounds == s.rounds
        assert np.abs(state.nodes.position - s.x).max() <= SAME
        assert np.abs(state.nodes.velocity.ravel() - s.u).max() <= SAME
        assert abs(state.nodes.credit[number] - s.credit) <= SAME
        taken.append(s.rounds)
    return taken


def test_a_soft_cube_lands_and_slides_as_on_the_page():
    cube = soft_scenes.cube(young=2e5, position=(0.0, 0.0, 0.1002), velocity=(0.1, 0.05, 0.0),
                            angular_velocity=(0.0, 0.05, 0.5), damping=(0.5, 0.002))  # fmt: skip
    soft_run(soft_scenes.scene(soft_scenes.FLOOR, cube, friction=0.4), 0.01, STEPS)


@pytest.mark.parametrize("rho", [0.8, 1.0])
def test_energy_that_a_stretched_cube_makes_is_taken_as_on_the_page(rho):
    cube = soft_scenes.cube(young=2e6, angular_velocity=(3.0, 1.0, 2.0))
    taken = soft_run(soft_scenes.scene(cube, gravity=(0.0, 0.0, 0.0)), 0.005, 8, rho, (1.4, 0.9, 0.8))
    assert max(taken) == (4 if rho == 1.0 else 1)


@pytest.mark.parametrize("name", ["slide60_t0.6", "stack10_t0.5", "stack10_top100_t0.5", "boxpile50_t3"])
def test_open_loads_are_split_as_on_the_page(name):
    problem = cases.load(name)
    found, tolerance = np.zeros(problem.row_count), 1e-8
    methods.improve(problem, found, "default", AcceleratedOptions(tolerance=1e-11, max_iterations=200_000))
    evened, each = found.copy(), np.full(problem.block_count, tolerance)
    changed = spread(problem, evened, np.zeros_like(found), each, np.ones(problem.block_count), problem.block_count)
    assert changed.any()
    expected = theory.even(*judging.bodies_of(problem), problem.b, problem.mu, found, tolerance)
    assert np.abs(evened - expected).max() <= 1e-7 * np.abs(found).max()
    assert np.abs(evened - found).max() >= 1e-2 * np.abs(found).max()
