"""Collision layers and excluded pairs: from the scene to the contacts."""

import dataclasses

import numpy as np
import pytest

from stiction.solver.api.kinds import check_kinds
from stiction.solver.base.refusal import SceneError
from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.shapes import Box, Compound, Mesh, Part, Sphere

FLOOR = Body("floor", Box((9.0, 9.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
SHAPES = {
    "box": Box((1.0, 1.0, 1.0)),
    "sphere": Sphere(0.5),
    "mesh": Mesh(*Box((1.0, 1.0, 1.0)).surface()),
    "compound": Compound((Part(Sphere(0.5)), Part(Sphere(0.2), (0.5, 0.0, 0.0)))),
}


def touching(floor, body, excluded=()):
    """Whether a body resting on the floor is seen to touch it."""
    model, state = compile_scene(Scene((floor, body), excluded_pairs=excluded))
    return len(find_contacts(model.collision, state.position, state.orientation, state.twist, 0.01).gap) > 0


@pytest.mark.parametrize("shape", SHAPES)
def test_both_bodies_must_want_the_contact(shape):
    body = Body("body", SHAPES[shape], position=(0.0, 0.0, 0.5))
    on = dataclasses.replace
    assert touching(FLOOR, body)
    assert touching(on(FLOOR, layers=(2,)), on(body, layers=(3, 4), collides_with=(2,)))
    assert not touching(on(FLOOR, layers=(2,)), on(body, collides_with=(1,)))
    assert not touching(on(FLOOR, collides_with=(7,)), body)
    assert not touching(FLOOR, on(body, layers=()))
    assert not touching(FLOOR, body, (("body", "floor"),))
    assert not touching(FLOOR, body, (("floor", "body"), ("body", "floor")))


def test_a_pair_that_is_left_out_falls_through(tmp_path):
    """From a file, through the whole loop: the ghost passes the floor, its twin rests."""
    from stiction.solver.simulation import options_for, simulate

    ghost = Body("ghost", Sphere(0.5), position=(2.0, 0.0, 0.5), layers=(2,), collides_with=(2,))
    scene = Scene((FLOOR, Body("twin", Sphere(0.5), position=(0.0, 0.0, 0.5)), ghost))
    save_scene(tmp_path / "ghost.json", scene)
    scene = load_scene(tmp_path / "ghost.json")
    assert scene.bodies[2].layers == scene.bodies[2].collides_with == (2,)
    run = simulate(scene, options_for(scene, time=0.2))
    assert run.positions[-1, 1, 2] == pytest.approx(0.5, abs=1e-6)
    assert run.positions[-1, 2, 2] == pytest.approx(0.5 - 0.5 * 9.81 * 0.2**2, abs=0.02)


def test_wrong_layers_and_pairs_are_refused_by_name():
    body = Body("crate", Sphere(0.5))
    with pytest.raises(SceneError, match="body 'crate': layers: 33 is no layer"):
        compile_scene(Scene((dataclasses.replace(body, layers=(33,)),)))
    with pytest.raises(SceneError, match="body 'crate': collides_with: .*from 1 to 32"):
        compile_scene(Scene((dataclasses.replace(body, collides_with=("x",)),)))
    with pytest.raises(SceneError, match="no body 'lid'"):
        compile_scene(Scene((body,), excluded_pairs=(("crate", "lid"),)))
    with pytest.raises(SceneError, match="two different bodies"):
        compile_scene(Scene((body,), excluded_pairs=(("crate", "crate"),)))


@pytest.mark.parametrize("given", [{1, 3}, frozenset((3, 1)), range(1, 4, 2), np.array([1, 3]), {1: "a", 3: "b"}.keys(),
                                   (layer for layer in (1, 3))], ids=lambda one: type(one).__name__)  # fmt: skip
def test_layers_are_taken_from_any_collection(given):
    """Sets were refused."""
    body = Body("a", Box((1.0, 1.0, 1.0)), layers={2}, collides_with=given)
    assert (body.layers, body.collides_with) == ((2,), (1, 3))
    check_kinds(Scene((body,)))
