"""Bodies that enter and leave: gates, emitters, sinks, counters; stop rules; a run from the end of another."""

import dataclasses
import json

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.options import OptionError
from stiction.solver.scene import Body, Counter, Emitter, Gate, Motion, Scene, Sink
from stiction.solver.scene_io.scene_file import load_scene, save_scene
from stiction.solver.scenes.base import floor, one_material
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate
from stiction.solver.stepping.step_report import LEDGER

LID = Body("lid", Box((1.0, 1.0, 0.1)), motion=Motion.STATIC, position=(0.0, 0.0, 1.0))
BALL = Body("ball", Sphere(0.1), position=(0.0, 0.0, 1.2))
POUR = Emitter("pour", (Sphere(0.05), Box((0.1, 0.1, 0.1))), ((-0.3, -0.3, 1.5), (0.3, 0.3, 1.5)), 6, 20.0, seed=3)


def scene(**more):
    return Scene((floor(), LID, BALL), one_material(0.5), **more)


def run(made, time=1.0, **more):
    return simulate(made, options_for(made, time=time, time_step=0.005), **more)


def test_gate_opens_at_its_time_or_at_rest():
    late = run(scene(gates=(Gate("gate", "lid", 0.5),)))
    assert late.present[1].tolist() == [0.0, 0.5]
    fall = 0.5 * 9.81 * 0.5**2
    assert late.center_of_mass[-1, 2, 2] == pytest.approx(max(1.15 - fall, 0.1), abs=5e-3)
    # Free fall onto the lid takes 0.1 s; at rest a step later.
    at_rest = run(scene(gates=(Gate("gate", "lid", 0.9, speed=0.02),)))
    assert 0.09 < at_rest.present[1, 1] < 0.13


def test_what_left_changes_nothing():
    """A scene without the lid from the start moves like one whose gate opens at once, bit by bit."""
    gone = run(scene(gates=(Gate("gate", "lid", 0.0),)))
    never = run(Scene((floor(), BALL), one_material(0.5)))
    assert np.array_equal(gone.center_of_mass[:, 2], never.center_of_mass[:, 1])


def test_emitter_pours_on_time_and_by_its_seed():
    made = scene(emitters=(POUR,))
    first, again = run(made), run(made)
    entered = first.present[3:, 0]
    assert np.all(np.diff(entered) > 0) and entered[0] == 0.0 and entered[-1] == pytest.approx(0.25, abs=0.011)
    assert np.array_equal(first.center_of_mass, again.center_of_mass)
    other = run(scene(emitters=(dataclasses.replace(POUR, seed=4),)))
    assert not np.array_equal(first.center_of_mass[-1], other.center_of_mass[-1])
    assert first.names[3:] == tuple(f"pour.{k}" for k in range(6))
    # Nobody is poured into another.
    assert first.steps["overlap"].max() < 2e-3


def test_what_enters_and_leaves_is_a_term_of_the_ledger():
    sink = Sink("bin", ((-1, -1, 0.0), (1, 1, 0.5)))
    steps = run(scene(emitters=(POUR,), gates=(Gate("gate", "lid", 0.2),), sinks=(sink,))).steps
    assert (steps["brought_energy"] > 0).sum() >= 6 and (steps["brought_energy"] < 0).any()
    total = steps["kinetic"] + steps["potential"]
    balance = total - sum(np.cumsum(steps[name]) for name in LEDGER)
    assert np.ptp(balance) < 1e-6 * np.abs(total).max()


def test_what_is_not_turned_stands_as_given(tmp_path):
    half = np.sqrt(0.5)
    turned = dataclasses.replace(POUR, turned=False, orientations=((1.0, 0, 0, 0), (half, half, 0, 0)))
    save_scene(tmp_path / "scene.json", scene(emitters=(turned,)))
    model, state = compile_scene(load_scene(tmp_path / "scene.json"))
    for shape, orientation in zip(model.shapes[3:], state.orientation[3:], strict=True):
        expected = (1.0, 0, 0, 0) if isinstance(shape, Sphere) else (half, half, 0, 0)
        assert abs(np.dot(orientation, expected)) == pytest.approx(1.0, abs=1e-12)
    for wrong, sentence in ((((1.0, 0, 0, 0),), "has 1 orientations; give one for each of its 2 shapes"),
                            (((0.0, 0, 0, 0),) * 2, "orientations.0. is .*; give a quaternion")):  # fmt: skip
        with pytest.raises(SceneError, match=sentence):
            compile_scene(scene(emitters=(dataclasses.replace(turned, orientations=wrong),)))


def test_emitted_sizes_spread():
    made = scene(emitters=(dataclasses.replace(POUR, shapes=(Sphere(0.05),), count=60, size_spread=0.2),))
    radii = np.array([shape.radius for shape in compile_scene(made)[0].shapes[3:]])
    assert np.log(radii / 0.05).std() == pytest.approx(0.2, rel=0.35) and radii.max() <= 0.05 * np.exp(0.4) + 1e-12


def test_sink_takes_bodies_out():
    drained = run(scene(gates=(Gate("gate", "lid", 0.2),), sinks=(Sink("bin", ((-1, -1, 0.0), (1, 1, 0.5))),)))
    left = drained.present[2, 1]
    assert 0.2 < left < 0.8
    # From there it neither moves nor counts.
    after = drained.times > left + 0.006
    assert np.ptp(drained.center_of_mass[after, 2], axis=0).max() == 0.0
    assert drained.steps["contact_count"][-1] == 0


def test_a_run_is_stopped_in_the_middle():
    stopped = run(scene(), watch=lambda done, *_: "enough" if done == 50 else None)
    assert (stopped.stopped, stopped.complete, stopped.times[-1]) == ("enough", True, 0.25)


def test_memory_and_folder_hold_the_same(tmp_path):
    made = scene(gates=(Gate("gate", "lid", 0.3),), emitters=(POUR,))
    kept, written = run(made), run(made, output=tmp_path / "run")
    assert np.array_equal(kept.center_of_mass, written.center_of_mass)
    assert np.array_equal(kept.present, written.present)
    assert all(np.array_equal(kept.steps[key], written.steps[key]) for key in kept.steps if key != "solve_s")


def test_resumed_run_with_gate_and_emitter_has_the_same_bits(tmp_path):
    made = scene(gates=(Gate("gate", "lid", 0.3),), emitters=(POUR,))
    count = iter(range(1000))
    run(made, output=tmp_path / "run", cancelled=lambda: next(count) == 80)
    resumed = run(made, output=tmp_path / "run", resume=True)
    assert np.array_equal(resumed.center_of_mass, run(made).center_of_mass)


def test_a_run_on_its_way_tells_who_is_there(tmp_path):
    """As one that was killed does: nothing is written at its end."""
    told = {}

    def look(done, total, report):
        told[done] = json.loads((tmp_path / "run" / "header.json").read_text()).get("present", {})

    made = scene(emitters=(POUR,))
    simulate(made, options_for(made, time=0.3, time_step=0.01), output=tmp_path / "run", progress=look)
    # The first is there from the start, which needs no word; the others wait for their time.
    assert [len(told[done]) for done in (1, 12, 30)] == [5, 5, 5]
    assert [sum(entry is not None for entry, _ in told[done].values()) for done in (1, 12, 30)] == [0, 2, 5]


def test_a_run_starts_from_the_end_of_another():
    whole = run(scene(), time=1.0)
    half = run(scene(), time=0.5)
    rest = run(scene(), time=0.5, start=half)
    assert np.array_equal(rest.center_of_mass[-1], whole.center_of_mass[-1])
    # With other friction and without the lid: the ball begins where it was.
    changed = dataclasses.replace(scene(gates=(Gate("gate", "lid", 0.0),)), materials=one_material(0.1))
    begun = run(changed, time=0.1, start=half)
    assert np.array_equal(begun.center_of_mass[0, 2], half.center_of_mass[-1, 2])
    assert begun.center_of_mass[-1, 2, 2] < half.center_of_mass[-1, 2, 2] - 0.04


def test_scene_file_round_trip(tmp_path):
    sink = Sink("bin", ((-1.0, -1.0, 0.0), (1.0, 1.0, 0.5)))
    made = scene(gates=(Gate("gate", "lid", 0.3, 0.02),), emitters=(POUR,), sinks=(sink,),
                 counters=(Counter("out", (0.0, 0.0, 0.5)),))  # fmt: skip
    save_scene(tmp_path / "scene.json", made)
    read = load_scene(tmp_path / "scene.json")
    assert (read.gates, read.emitters, read.counters, read.sinks) == (
        made.gates, made.emitters, made.counters, made.sinks
    )  # fmt: skip


@pytest.mark.parametrize(("more", "words"), [
    ({"gates": (Gate("g", "door"),)}, "gate 'g': no body 'door'"),
    ({"gates": (Gate("g", "ball"),)}, "gate 'g': body 'ball' moves freely"),
    ({"gates": (Gate("g", "lid", -1.0),)}, "gate 'g': time is -1.0"),
    ({"emitters": (dataclasses.replace(POUR, shapes=()),)}, "emitter 'pour': has no shapes"),
    ({"emitters": (dataclasses.replace(POUR, rate=0.0),)}, "emitter 'pour': rate is 0.0"),
    ({"emitters": (dataclasses.replace(POUR, weights=(1.0,)),)}, "give one for each of its 2 shapes"),
    ({"emitters": (dataclasses.replace(POUR, box=((1, 1, 1), (0, 0, 0))),)}, "the lower one first"),
    ({"sinks": (Sink("s", ((0, 0), (1, 1))),)}, "sink 's': box is"),
    ({"sinks": (Sink("s", ((0, 0, 0), (1, 1, 0))),)}, "to [1.0, 1.0, 0.0] has no room"),
])  # fmt: skip
def test_refuses(more, words):
    with pytest.raises(SceneError) as refusal:
        compile_scene(scene(**more))
    assert words in str(refusal.value)


def test_refuses_sleep():
    made = scene(emitters=(POUR,))
    with pytest.raises(OptionError, match="leave it off"):
        simulate(made, options_for(made, time=0.1, sleeping=True))


@pytest.mark.parametrize(("name", "value"), [("seed", -1), ("seed", 2**64), ("count", 10**20)])
def test_numbers_that_no_emitter_can_use_are_refused(name, value):
    """They ended in an error of the generator of random numbers."""
    made = scene(emitters=(dataclasses.replace(POUR, **{name: value}),))
    with pytest.raises(SceneError, match=f"emitter '{POUR.name}': {name} is {value}; give a whole number from"):
        simulate(made, options_for(made, time=0.1))


def test_scene_file_names_the_wrong_key(tmp_path):
    data = {"stiction_scene": 1, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}],
            "gates": [{"name": "g", "body": "a", "speeed": 1}]}  # fmt: skip
    (tmp_path / "s.json").write_text(json.dumps(data))
    with pytest.raises(SceneError, match=r"scene.gates\[0\].speeed: unknown key"):
        load_scene(tmp_path / "s.json")
