"""The verdict at the end of a run: words that fit the numbers, each with where and what to do, kept in a Text block."""

import re
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector
from panel_layout import draw_all

from stiction.blender_addon.inside import verdict as verdicts
from stiction.blender_addon.joints.adding import add_joint
from stiction.blender_addon.running import command_line
from stiction.solver.stepping.step_report import StepReport

READING = SimpleNamespace(frame_start=1, fps=24.0)


def run_of(count=40, tolerance=0.0, motion=("dynamic", "static"), **changes):
    """Frames of a made-up run of two bodies, one of radius 0.5 m, with other values in some steps."""
    steps = {name: np.zeros(count) for name in StepReport._fields}
    steps["time"] = np.arange(1, count + 1) / 96
    steps["converged"] += 1
    steps["substeps"] += 1
    fault = changes.pop("fault", "")
    for name, (row, value) in changes.items():
        steps[name][row] = value
    header = {"options": {"tolerance": tolerance, "steps_per_frame": 4, "store_contacts": False, "time_step": 1 / 96},
              "tolerance": 1e-6, "wall_s": 1.5, "mass": [1.0, 0.0], "gravity": [0, 0, -9.81],
              "size": [0.5, 9.0], "motion": list(motion), "names": ["ball", "floor"],
              "notes": [fault] if fault else []}  # fmt: skip
    header |= {"fault": fault} if fault else {}
    places = np.zeros((count // 4 + 1, 2, 3))
    places[:, 0, 2] = np.arange(count // 4 + 1)
    turns = np.tile([1.0, 0, 0, 0], (count // 4 + 1, 2, 1))
    return SimpleNamespace(steps=steps, header=header, names=("ball", "floor"), times=np.arange(count // 4 + 1) / 24,
                           positions=places, orientations=turns, folder=None,
                           joint_names=())  # fmt: skip


def test_good_run_is_called_good():
    verdict = verdicts.judge(run_of(residual=([3], 5e-3)), READING)
    assert verdict.word == verdicts.GOOD
    assert verdict.sentence == "Result is good"


@pytest.mark.parametrize(
    ("residual", "words"),
    [(1e-6, "forces exact"), (5e-3, "forces nearly exact"), (8e-2, "forces inexact in 1 of 40 steps")],
)
def test_the_line_says_how_exact_forces_are_without_a_unit(residual, words):
    line = verdicts.judge(run_of(residual=([3], residual), contact_count=([3], 4), overlap=([3], 2e-4)), READING).line
    assert line == f"40 steps, up to 4 contacts, {words}, overlap 0.2 mm (not seen), 1.5 s"


def test_a_run_without_contacts_has_no_forces_to_speak_of():
    assert verdicts.judge(run_of(), READING).line == "40 steps, no contacts, 1.5 s"


@pytest.mark.parametrize(
    ("changes", "word", "said"),
    [
        ({"converged": ([7], 0), "residual": ([7], 8e-2)}, "poor", "speeds by up to 80 mm/s at frame 3.0 (step 8)"),
        ({"residual": ([7], 8e-2)}, "poor", "speeds by up to 80 mm/s at frame 3.0 (step 8)"),
        ({"overlap": ([3], 0.015)}, "usable", "15 mm, 3% of the smallest one's radius, at frame 2.0"),
        ({"overlap": ([3], 0.1)}, "poor", "100 mm, 20%"),
        ({"unresolved": ([5], 2), "overlap": ([5], 0.03)}, "usable",
         "1 of 40 steps left bodies in each other, by up to 30 mm"),
        ({"kinetic": ([30], 5.0), "impact_loss": ([10], -6.0)}, "poor", "11 J appeared from nowhere by frame 8.8"),
        ({"kinetic": (slice(30, 40), 0.3), "potential": (slice(20), 6.0), "impact_loss": ([20], -6.0)}, "usable",
         "0.3 J appeared from nowhere by frame 8.8 (step 31), 2.5% of"),
        ({"kinetic": (slice(1, 40, 2), 6.3), "potential": (slice(0, 40, 2), 6.0)}, "usable",
         "0.3 J appeared from nowhere by frame 1.5 (step 2), 5.0% of"),
        ({"kinetic": (slice(30, 40), 5.3), "potential": (slice(10), 6.0)}, "poor",
         "5.3 J appeared from nowhere by frame 8.8 (step 31), 88.3% of"),
        ({"fault": "step 41 went wrong: use other keys"}, "poor", "it ended at frame 11.0: step 41 went wrong"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_place_and_remedy(changes, word, said):
    verdict = verdicts.judge(run_of(**changes), READING)
    assert verdict.word == word
    assert said in verdict.notes[0]
    assert "use " in verdict.notes[0], "every reason has a remedy"
    assert verdict.sentence.startswith(f"Result is {word}: ")


def test_one_bad_step_of_many_is_usable():
    verdict = verdicts.judge(run_of(400, converged=([7], 0), residual=([7], 1e-3)), READING)
    assert verdict.word == "usable"


def test_a_limit_of_work_at_a_residual_that_nobody_sees_is_no_fault():
    assert verdicts.judge(run_of(converged=([7], 0), residual=([7], 2e-5)), READING).word == "good"


def test_what_no_motion_takes_apart_is_no_fault_where_nobody_sees_it():
    assert verdicts.judge(run_of(unresolved=([5], 2), overlap=([5], 2e-4)), READING).word == "good"


def test_stated_tolerance_is_judged_by_itself():
    verdict = verdicts.judge(run_of(tolerance=1e-6, residual=([5], 1e-3)), READING)
    assert "1 of 40 steps missed the tolerance 1.0e-06 m/s" in verdict.notes[0]


def with_keys(speed, **changes):
    """A run whose second body is Animated and moves at a speed [m/s]."""
    frames = run_of(motion=("dynamic", "kinematic"), **changes)
    frames.positions[:, 1, 0] = speed * frames.times
    return frames


def test_energy_that_an_animated_body_brings_is_no_fault():
    assert verdicts.judge(with_keys(1.0, kinetic=([30], 5.0)), READING).word == "good"
    lifted = {"potential": (slice(10, 30), 1e4), "kinetic": ([39], 9e3)}
    assert verdicts.judge(with_keys(1.0, **lifted), READING).word == "good", "what keys lift may fall"


def test_an_explosion_beside_keys_is_poor():
    """A body of 1 kg at 40 km/s, whose keys are at 0.3 m/s; its speed makes no residual good."""
    flown = {"kinetic": (slice(30, 40), 8e8), "residual": ([30], 10.0)}
    verdict = verdicts.judge(with_keys(0.3, **flown), READING)
    assert verdict.word == "poor"
    assert "J appeared from nowhere by frame 8.8" in "\n".join(verdict.notes)
    assert "contact forces of 1 of 40 steps are inexact, which changes speeds by up to 10 m/s" in verdict.notes[0]


def test_an_explosion_without_keys_does_not_excuse_its_residual():
    verdict = verdicts.judge(run_of(kinetic=(slice(30, 40), 8e8), residual=([30], 10.0)), READING)
    assert verdict.word == "poor"
    assert "inexact in 1 of 40 steps" in verdicts.judge(
        run_of(contact_count=([3], 4), kinetic=(slice(30, 40), 8e8), residual=([30], 10.0)), READING
    ).line  # fmt: skip


def test_energy_that_nobody_sees_is_no_word():
    """4.45e-13 J where nothing else was exchanged: 100 % of nothing."""
    assert verdicts.judge(run_of(kinetic=([30], 4.45e-13)), READING).word == "good"


def still(gravity, **changes):
    """A run in which nothing moves."""
    frames = run_of(**changes)
    frames.positions[:], frames.header["gravity"] = frames.positions[:1], gravity
    return frames


@pytest.mark.parametrize(("gravity", "why"), [((0, 0, 0), "there is no gravity"), ((0, 0, -9.81), "joints hold all")])
def test_a_run_in_which_nothing_moves_says_so(gravity, why):
    verdict = verdicts.judge(still(gravity), READING)
    assert verdict.word == "usable"
    assert f"nothing moved, although nothing touches 'ball': {why}" in verdict.notes[0]
    assert verdicts.judge(still(gravity, contact_count=(slice(40), 4)), READING).word == "good", "it lies on something"


def test_a_motor_that_moves_nothing_is_named():
    frames = run_of()
    frames.joint_names, frames.header["motors"] = ("door", "wheel"), ["wheel"]
    frames.joints = np.zeros((len(frames.times), 2, 11))
    verdict = verdicts.judge(frames, READING)
    assert verdict.word == "usable"
    assert "the motor of joint 'wheel' moved nothing" in verdict.notes[0]
    frames.joints[:, 1, 0] = frames.times
    assert verdicts.judge(frames, READING).word == "good"


def test_report_names_steps_and_bodies():
    frames = run_of(
        residual=([7], 8e-2), overlap=([3], 0.1), converged=([7], 0.0), worst_body=([7], 0), worst_other=([7], 1)
    )
    lines = verdicts.report("Scene", verdicts.judge(frames, READING), ["a parent shears it"], frames, READING)
    text = "\n".join(lines)
    assert "3. a parent shears it" in text
    worst = next(line for line in lines if line.startswith("      8 "))
    assert "8.00e-02" in worst
    assert "ball (fastest)" in worst
    assert any(line.startswith("      4 ") and "100" in line for line in lines)
    assert lines[-1].startswith("   frame 3.00, step 8, to 0.0833333 s at 'ball' and 'floor': residual 0.08 m/s")


def test_report_says_what_acted_and_where():
    frames = run_of()
    frames.header["events"] = ["late_contacts", "minimum_norm", "sleeping"]
    frames.event_records = np.array([[3, 1, 4, -1], [8, 0, 2, 0], [9, 0, 5, 0], [9, 1, 4, -1]], dtype=float)
    lines = verdicts.report("Scene", verdicts.judge(frames, READING), [], frames, READING)
    first = lines.index("Mechanisms that acted") + 2
    assert [line.split() for line in lines[first : first + 3]] == [
        ["late", "contacts", "7", "2", "5", "3.25", "ball"], ["minimum", "norm", "8", "2", "4", "1.75"], [],
    ]  # fmt: skip


def test_bake_keeps_verdict_and_report(scene, add, tmp_path):
    add("slab", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    add("cube", location=(0, 0, 0.3))
    scene.frame_end, scene.stiction.cache = 6, str(tmp_path)
    scene.stiction.simulation.store_contacts = True
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert scene.stiction.worth == "poor"
    drawn = draw_all(bpy.context)
    assert "stiction.plots" in drawn.operators and "stiction.stress" not in drawn.operators, "nothing is deformable"
    assert not [label for label in drawn.labels if "m/s" in label and "mm/s" not in label], "no figure without words"
    assert "overlapped by up to" in scene.stiction.verdict
    text = bpy.data.texts[verdicts.TEXT].as_string()
    assert "'cube' and 'slab' overlap by" in text or "'slab' and 'cube' overlap by" in text
    assert "cube, slab" in text or "slab, cube" in text, "the bodies of the deepest overlap are named"
    assert re.search(r"\n +penetration correction +\d+ +\d+ +\d+ +[\d.]+  cube\n", text)
    assert any("Result is poor" in label for label in draw_all(bpy.context).labels)
    assert bpy.ops.stiction.open_report() == {"FINISHED"}
    bpy.ops.stiction.clear()
    assert scene.stiction.verdict == ""


def keyed(ob, moves):
    """An Animated object, keyed to move by {frame: vector}."""
    begin = ob.location.copy()
    for frame, move in moves.items():
        ob.location = begin + Vector(move)
        ob.keyframe_insert("location", frame=frame)
    ob.stiction.kinematic = True


@pytest.mark.slow
def test_a_body_jammed_by_keys_is_named(scene, add, tmp_path):
    post = add("post", kind="PASSIVE", scale=(0.1, 0.1, 0.1), location=(-3, 0, 0))
    plank = add("plank", scale=(1, 0.2, 0.2))
    press = add("press", scale=(0.5, 0.5, 0.5), location=(0.1, 0, 0.4), rotation_euler=(0, 0.05, 0))
    keyed(press, {1: (0, 0, 0), 13: (0, 0, -0.3)})
    # One frame later it ends, for what is pressed out would come to any speed.
    scene.frame_end, scene.stiction.cache = 4, str(tmp_path)
    bpy.context.view_layer.update()
    add_joint(scene, "slider", (post, plank), (0, 0, 0), "X")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert scene.stiction.worth == "poor"
    said = scene.stiction.verdict
    assert re.search(r"at frame [3-5]\.\d", said) and "'plank' and 'press'" in said
    assert "change the keys of 'press'" in said


@pytest.mark.slow
def test_keys_that_nothing_can_follow_leave_a_poor_bake_with_frame_and_names(scene, add, tmp_path):
    """Two links that hang between a wall and a hand, which pulls them further than they reach."""
    turn = np.arcsin(0.6)
    ends = [add("wall", kind="PASSIVE", scale=(0.1, 0.1, 0.1), location=(-0.1, 0, 0))]
    ends += [add("link 0", scale=(0.9, 0.1, 0.1), location=(0.4, 0, -0.3), rotation_euler=(0, turn, 0))]
    ends += [add("link 1", scale=(0.9, 0.1, 0.1), location=(1.2, 0, -0.3), rotation_euler=(0, -turn, 0))]
    ends += [add("hand", scale=(0.1, 0.1, 0.1), location=(1.7, 0, 0))]
    keyed(ends[-1], {1: (0, 0, 0), 5: (0, 0, 0), 20: (0.8, 0, 0)})
    scene.frame_end, scene.stiction.cache = 20, str(tmp_path / "cache")
    bpy.context.view_layer.update()
    for k, place in enumerate([(0, 0, 0), (0.8, 0, -0.6), (1.6, 0, 0)]):
        add_joint(scene, "ball", ends[k : k + 2], place, "X")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert scene.stiction.worth == "poor"
    said = scene.stiction.verdict
    assert "harder than anything can yield" in said
    assert "'hand'" in said and "'link " in said
    assert "Result is poor: it ended at frame " in said
    link = scene.objects["link 0"]
    assert link.animation_data is not None, "what there is of the run is baked"
    scene.frame_set(20)
    assert np.abs(np.array(link.matrix_world.translation) - [0.4, 0, -0.3]).max() < 0.5
    assert command_line.run(["simulate", "--output", str(tmp_path / "run")]) == 1


def test_a_mesh_far_too_stiff_is_not_good_and_one_a_bit_too_stiff_is_told():
    run = run_of()
    for stiff, word in ((0.2, "good"), (1.5, "usable")):
        run.header["mesh_error"] = {"ball": {"stiff": stiff, "nodes": 4, "time": 0.125}}
        verdict = verdicts.judge(run, READING)
        assert verdict.word == word
        assert [note for note in verdict.notes if "its mesh is" in note] == [
            f"body 'ball': its mesh is {100 * stiff:.0f} % too stiff for the loads it has at frame 4.0, where it is "
            "deformed most: set Elements to Accurate"
        ]
