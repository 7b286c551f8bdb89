"""What goes through an open surface is found by its path, and the run that it does so in is never called usable."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from test_sunk_in_sheets import GROUNDS, drum

from stiction.solver.results.verdict import POOR, judge
from stiction.solver.runs import passed_sheets as module
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.shapes import Box, Compound, Mesh
from stiction.solver.shapes.compound import Part
from stiction.solver.simulation import compiled, options_for, simulate

HIGH, LOW = (0.3, 0.1, 2.0), (0.3, 0.1, -2.0)
BESIDE = (7.0, 0.0, 0.0)


def passed_sheets(scene, run):
    """Asked as a run asks: which bodies collide, its model knows."""
    model, _ = compiled(scene, options_for(scene))
    return module.passed_sheets(scene, run, model.collision.allowed)


def ring():
    """Four bars round a hole."""
    places = [((0.5, 0.0, 0.0), (0.2, 1.2, 0.2)), ((-0.5, 0.0, 0.0), (0.2, 1.2, 0.2)),
              ((0.0, 0.5, 0.0), (1.2, 0.2, 0.2)), ((0.0, -0.5, 0.0), (1.2, 0.2, 0.2))]  # fmt: skip
    return Compound(tuple(Part(Box(size), place) for place, size in places))


def run_along(path, ground, shape=None, present=None, **more):
    """A scene of a ground and a body, and frames in which the body goes along the path (F,3)."""
    body = Body("body", shape or Box((0.4, 0.4, 0.4)))
    scene = Scene(name="along", bodies=(Body("ground", GROUNDS[ground], motion=Motion.STATIC), body), **more)
    places = np.stack([np.zeros((len(path), 3)), np.array(path, dtype=float)], axis=1)
    header = {"center_of_mass": np.zeros((2, 3)), "present": {"body": present} if present else {}}
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(path), 2, 1))
    run = SimpleNamespace(header=header, times=0.1 * np.arange(len(path)), positions=places, orientations=turns)
    return scene, run


@pytest.mark.parametrize("ground", ["plate", "hole", "terrain", "coarse"])
def test_a_body_that_falls_through_is_found(ground):
    scene, run = run_along([HIGH, (0.3, 0.1, 0.21), LOW, (0.3, 0.1, -4.0)], ground)
    assert passed_sheets(scene, run) == [["body", "ground", pytest.approx(0.2)]]


@pytest.mark.parametrize(
    "path",
    [[HIGH, (0.3, 0.1, 0.2), (0.3, 0.1, 0.2), HIGH], [(4.9, 0, 0.2), BESIDE, LOW], [LOW, (0.3, 0.1, -0.2), LOW],
     [(4.9, 0.0, 0.3), (5.2, 0.0, -0.3), LOW]],
    ids=["bounces", "goes round", "stays below", "slips over the rim"],
)  # fmt: skip
def test_a_body_that_does_not_is_not(path):
    assert passed_sheets(*run_along(path, "plate")) == []


def test_what_falls_through_a_hole_has_not_gone_through():
    """The hole is at one corner of the ground."""
    assert passed_sheets(*run_along([(4.75, 4.75, 2.0), (4.75, 4.75, -2.0)], "hole", Box((0.1, 0.1, 0.1)))) == []


def test_a_ring_may_fall_round_a_sheet():
    """A sheet of 0.4 m goes through the ring's middle, where none of it is; the ground is in the way of its bars."""
    small = Mesh(0.04 * GROUNDS["plate"].surface()[0], GROUNDS["plate"].surface()[1])
    scene, run = run_along([HIGH, LOW], "plate", ring())
    assert passed_sheets(scene, run)
    ground = dataclasses.replace(scene.bodies[0], shape=small, position=(0.3, 0.1, 0.0))
    run.positions[:, 0] = (0.3, 0.1, 0.0)
    assert passed_sheets(dataclasses.replace(scene, bodies=(ground, scene.bodies[1])), run) == []


@pytest.mark.parametrize("way", ["layers", "pairs", "joint", "closed", "absent"])
def test_what_does_not_collide_may_go_through(way):
    scene, run = run_along([HIGH, LOW], "plate", present=[0.1, None] if way == "absent" else None)
    ground, body = scene.bodies
    changed = {
        "layers": {"bodies": (ground, dataclasses.replace(body, layers=(2,), collides_with=(2,)))},
        "pairs": {"excluded_pairs": (("body", "ground"),)},
        "joint": {"joints": (Joint("ball", "ball", ("ground", "body")),)},
        "closed": {"bodies": (dataclasses.replace(ground, shape=Mesh(*drum())), body)},
        "absent": {},
    }[way]
    assert passed_sheets(dataclasses.replace(scene, **changed), run) == []


@pytest.mark.parametrize("stored", [False, True])
def test_the_verdict_on_it_is_poor(stored, tmp_path, monkeypatch):
    """A body that meets nothing, since nothing is looked for."""
    scene = Scene(name="lost", bodies=(Body("ground", GROUNDS["plate"], motion=Motion.STATIC),
                                       Body("body", Box((0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.5))))  # fmt: skip
    monkeypatch.setattr("stiction.solver.runs.passed_sheets.may_meet", lambda allowed, one, other: True)
    ground, body = scene.bodies
    lost = dataclasses.replace(scene, bodies=(ground, dataclasses.replace(body, layers=(2,), collides_with=(2,))))
    run = simulate(lost, options_for(lost, time=0.6, time_step=0.01), output=tmp_path / "run" if stored else None)
    verdict = judge(run)
    assert verdict.word == POOR
    assert "'body' went through 'ground' by 0.32 s" in verdict.reasons[0]
    assert "give 'ground' a thickness" in verdict.reasons[0]
