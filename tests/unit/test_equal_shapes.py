"""What is found out about shapes once for all that are equal."""

import pytest

from stiction.solver import model
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.scenes import build
from stiction.solver.shapes import Box, Compound, Sphere, once
from stiction.solver.shapes.compound import Part


def jack(size):
    """A compound of two bars, equal for equal sizes."""
    return Compound((Part(Box((size, 0.1, 0.1))), Part(Box((0.1, size, 0.1)))))


def counted(monkeypatch):
    """The calls of Compound.mass_properties from now on."""
    calls, own = [], Compound.mass_properties
    monkeypatch.setattr(Compound, "mass_properties", lambda shape: calls.append(shape) or own(shape))
    once._known.cache_clear()
    return calls


def scene_of(*shapes):
    bodies = tuple(Body(f"b{k}", shape, "m", position=(2.0 * k, 0.0, 0.0)) for k, shape in enumerate(shapes))
    return Scene(bodies, MaterialTable((Material("m", 1000.0),)))


def test_mass_of_equal_shapes_is_worked_out_once(monkeypatch):
    calls = counted(monkeypatch)
    made, _ = compile_scene(scene_of(jack(0.5), jack(0.5), jack(0.7), jack(0.5)))
    assert len(calls) == 2
    assert made.mass[0] == made.mass[1] == made.mass[3] < made.mass[2]


def test_shapes_read_from_a_file_are_known_again(monkeypatch, tmp_path):
    path = tmp_path / "scene.json"
    save_scene(path, build("funnel500j"))
    scene, calls = load_scene(path), counted(monkeypatch)
    compile_scene(scene)
    assert 0 < len(calls) < 4


def test_a_shape_with_lists_counts_as_it_is(monkeypatch):
    calls = counted(monkeypatch)
    made, _ = compile_scene(scene_of(*(Compound((Part(Box([size, 1.0, 1.0])),)) for size in (1.0, 2.0))))
    assert len(calls) == 2 and made.mass[1] == pytest.approx(2.0 * made.mass[0])


def test_a_bad_shape_is_refused_with_the_name_of_its_own_body():
    with pytest.raises(model.SceneError, match="body 'b1'.*part 0"):
        compile_scene(scene_of(jack(0.5), jack(-1.0), jack(-1.0)))


@pytest.mark.parametrize(("shape", "words"), [
    (Sphere("1"), "body 'b0': sphere radius is '1'; give a length in metres"),
    (Compound((Box((1, 1, 1)),)), r"body 'b0' part 0: is a Box; give a Part\(shape, position\)"),
])  # fmt: skip
def test_what_is_no_length_and_no_part_is_refused(shape, words):
    with pytest.raises(model.SceneError, match=words):
        compile_scene(scene_of(shape))
