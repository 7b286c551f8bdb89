"""What operators do while a window lives on: words about the work, nothing that stands still, an end to all of it."""

import shutil
import sys
import time
from types import SimpleNamespace

import bpy
import pytest
from bpy_extras.io_utils import ExportHelper, ImportHelper
from hands import ESC, TIMER, Hands, Passing, in_slices_of
from panel_layout import draw_all

from stiction.blender_addon.base import events
from stiction.blender_addon.checks import runner, scan
from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs
from stiction.operators import _classes, bake, check, in_background
from stiction.operators.look_inside import STICTION_OT_plots
from stiction.operators.studies.study import STICTION_OT_study_run
from stiction.solver.meshes.mesh_prep import prepare_mesh
from stiction.solver.shapes import mesh


@pytest.fixture
def hands(extension, monkeypatch):
    """A window."""
    yield Hands(monkeypatch, bake, check, in_background)
    jobs.stop_all()
    bake.stop()


def test_writing_keys_tells_what_it_does(drop, hands, monkeypatch):
    in_slices_of(monkeypatch, 1e-4)
    hands.press(bake.STICTION_OT_bake)
    assert hands.wait() == {"FINISHED"}
    texts = [text for text in hands.workspace.texts if "writing" in text]
    assert any("cube" in text for text in texts), hands.workspace.texts
    assert not hands.manager.timers


def test_a_scene_that_is_deleted_ends_its_run(drop, hands):
    drop.frame_end = 100000
    other = bpy.data.scenes.new("Other")
    hands.press(bake.STICTION_OT_bake)
    deadline = time.monotonic() + 30.0
    while not jobs.running() and time.monotonic() < deadline:
        hands.event()
    assert jobs.running()
    bpy.data.scenes.remove(drop)
    assert hands.event() == {"CANCELLED"}
    assert not jobs.running() and not hands.manager.timers
    assert "deleted" in hands.said[-1][1]
    assert other.name == "Other"


def test_checking_many_bodies_lets_the_window_live(scene, add, hands, monkeypatch):
    mesh = add("b0").data
    for number in range(1, 300):
        add(f"b{number}", mesh=mesh, location=(2.0 * number, 0.0, 0.0))
    # One that overlaps another, and a frame at which nothing begins.
    add("deep", mesh=mesh, location=(0.2, 0.0, 0.0))
    scene.frame_set(7)
    in_slices_of(monkeypatch, 0.001)
    assert hands.press(check.STICTION_OT_check) == {"RUNNING_MODAL"}
    count = 0
    while hands.manager.handlers:
        start = time.thread_time()
        answer = hands.event()
        assert time.thread_time() - start < 0.2
        count += 1
    assert answer == {"FINISHED"} and count > 5 and scene.frame_current == 7
    assert "301 bodies checked, 1 finding" in hands.said[-1][1]
    assert any("checking" in text for text in hands.workspace.texts)


def test_a_check_of_large_meshes_waits_while_something_can_be_stopped(drop, hands, monkeypatch):
    """A slice of it takes seconds, and Cancel would wait for its end."""
    monkeypatch.setattr(scan, "MOST_TRIANGLES", 5)
    kept = []
    monkeypatch.setattr(runner, "keep", lambda *found: kept.append(found))
    drop.frame_end = 100000
    hands.press(bake.STICTION_OT_bake)
    while not jobs.running():
        hands.event()
    assert [runner._tick() for _ in range(3)] == [runner.LATER] * 3 and not kept
    jobs.current().cancel()
    assert hands.event() == {"CANCELLED"}
    while runner._tick() is not None:
        pass
    assert len(kept) == 1


def test_a_check_of_large_meshes_says_what_it_does_and_what_it_leaves_out(drop, hands, monkeypatch):
    """A Passive mesh of millions of triangles was welded for checks that then left it out; neither was said."""
    cube, ground = drop.objects["cube"], next(ob for ob in drop.objects if ob.stiction.type == "PASSIVE")
    cube.stiction.shape = ground.stiction.shape = "MESH"
    cube.location.z = 0.3
    monkeypatch.setattr(scan, "MOST_TRIANGLES", 5)
    welded = []
    monkeypatch.setattr(mesh, "prepare_mesh", lambda *given: welded.append(given) or prepare_mesh(*given))
    mesh._memory.clear()
    assert hands.press(check.STICTION_OT_check) == {"RUNNING_MODAL"}
    # The window draws before each of the two.
    assert any("the large mesh of cube" in text for text in hands.workspace.texts)
    assert hands.wait() == {"FINISHED"}
    assert len(welded) == 1, "the Active one, which has a mass"
    left_out = f"overlaps not looked for on 2 bodies of more than {scan.MOST_TRIANGLES:,} triangles"
    assert left_out in hands.said[-1][1]
    assert " ".join(left_out.split()[:4]) in " ".join(draw_all(bpy.context).labels)
    monkeypatch.setattr(scan, "MOST_TRIANGLES", 50_000)
    bpy.ops.stiction.check()
    assert {one.check for one in bpy.context.window_manager.stiction_findings.found} == {"overlapping"}
    assert "not looked for" not in " ".join(draw_all(bpy.context).labels)


def test_checks_stop_at_esc_and_the_scene_is_as_it_was(drop, hands, monkeypatch):
    bpy.ops.stiction.bake()
    drop.frame_set(6)
    height = drop.objects["cube"].matrix_world.translation.z
    in_slices_of(monkeypatch, 1e-4)
    hands.press(check.STICTION_OT_check)
    hands.event()
    assert hands.event(ESC) == {"CANCELLED"}
    bpy.context.view_layer.update()
    assert drop.frame_current == 6 and drop.objects["cube"].matrix_world.translation.z == height


@pytest.mark.slow
def test_what_works_in_the_background_says_so_when_pressed_again(drop, hands):
    bpy.ops.stiction.bake()
    assert hands.press(STICTION_OT_plots) == {"RUNNING_MODAL"}
    assert in_background.background.at_work() == ["Plot Run"]
    assert hands.press(STICTION_OT_plots) == {"CANCELLED"}
    assert hands.said[-1] == ("INFO", "Plot Run: at work already")
    assert hands.wait() == {"FINISHED"}
    assert hands.said[-1][0] != "ERROR" and "nothing" not in hands.said[-1][1]
    assert not in_background.background.at_work()


def test_a_run_that_is_removed_while_it_is_plotted_is_said_in_words(drop, hands):
    bpy.ops.stiction.bake()
    assert hands.press(STICTION_OT_plots) == {"RUNNING_MODAL"}
    shutil.rmtree(drop.stiction.run)
    assert hands.wait() == {"CANCELLED"}
    kind, said = hands.said[-1]
    assert kind == "ERROR" and said.startswith("Plot Run: the run it looked into was removed meanwhile")
    assert not in_background.background.at_work()


def test_a_bake_that_fails_while_it_is_written_is_a_step_of_undo(drop, hands, monkeypatch):
    """Blender would go back to memory that was freed: something was made that no step holds."""

    def half(run):
        bpy.data.objects.new("half", None)
        yield "half"
        raise runs.JobFailed("no space is left")

    monkeypatch.setattr(runs, "finish_steps", half)
    hands.press(bake.STICTION_OT_bake)
    assert hands.wait() == {"FINISHED"}
    assert hands.said[-1] == ("ERROR", "no space is left")


def test_what_is_read_later_is_read_no_more_when_switched_off(drop, monkeypatch, extension):
    monkeypatch.setattr(runs, "bpy", Passing(bpy, app=Passing(bpy.app, background=False)))
    runs.unfinished(drop)
    assert bpy.app.timers.is_registered(runs._find_later)
    extension.unregister()
    try:
        assert not bpy.app.timers.is_registered(runs._find_later)
    finally:
        extension.register()


def test_events_of_a_check_reach_nobody_else(scene, add, hands, monkeypatch):
    add("a")
    in_slices_of(monkeypatch, 1e-4)
    hands.press(check.STICTION_OT_check)
    assert hands.event(TIMER) == {"RUNNING_MODAL"}
    hands.wait()
    assert runner.shows_start(scene)


@pytest.mark.slow
def test_switched_off_at_work_everything_can_be_pressed_again(drop, hands, monkeypatch, extension):
    in_slices_of(monkeypatch, 1e-4)
    bpy.ops.stiction.bake()
    drop.frame_set(6)
    assert hands.press(STICTION_OT_plots) == {"RUNNING_MODAL"}
    assert hands.press(check.STICTION_OT_check) == {"RUNNING_MODAL"}
    extension.unregister()
    extension.register()
    # Blender drops the operators of a class that is unregistered.
    hands.manager.handlers.clear()
    assert not hands.manager.timers and drop.frame_current == 6
    assert not in_background.background.at_work()
    assert hands.press(check.STICTION_OT_check) == {"RUNNING_MODAL"}
    assert hands.press(STICTION_OT_plots) == {"RUNNING_MODAL"}
    hands.wait()


WAITING = [cls for cls in _classes() if hasattr(cls, "modal") or issubclass(cls, (ExportHelper, ImportHelper))]


@pytest.mark.parametrize("cls", WAITING, ids=[cls.__name__ for cls in WAITING])
def test_none_begins_to_wait_where_one_that_was_unregistered_is_still_held(cls, drop, monkeypatch):
    """Blender 4.3 crashes there, see tests/gui/switching.py."""
    modules = {base.__module__ for base in cls.__mro__ if "invoke" in vars(base) and base.__module__.startswith("stic")}
    hands = Hands(monkeypatch, *(sys.modules[name] for name in modules))
    hands.context.window = SimpleNamespace(modal_operators=[bpy.context.scene, None])
    assert hands.press(cls) == {"CANCELLED"}
    said = f"the extension was switched off at work a moment ago; press {cls.bl_label} again"
    assert hands.said == [("ERROR", said)] and not hands.manager.handlers and not hands.manager.timers


def test_an_operator_that_is_alive_keeps_none_from_waiting(drop, hands):
    hands.context.window = SimpleNamespace(modal_operators=[bpy.context.scene], screen=SimpleNamespace(areas=()))
    assert hands.press(bake.STICTION_OT_bake) == {"RUNNING_MODAL"}
    assert hands.wait() == {"FINISHED"}


def test_windows_get_events_until_they_hold_none_that_was_unregistered(hands, monkeypatch):
    window, looks = SimpleNamespace(modal_operators=[None]), []
    hands.manager.windows = [window]
    timers = SimpleNamespace(register=lambda look, **_: looks.append(look))
    monkeypatch.setattr(events, "bpy", Passing(bpy, context=hands.context, app=Passing(bpy.app, timers=timers)))
    events.drop()
    assert len(hands.manager.timers) == 1 and looks[0]() is not None and hands.manager.timers
    window.modal_operators.clear()
    assert looks[0]() is None and not hands.manager.timers
    events.drop()
    assert len(looks) == 1


def test_a_study_that_waits_leaves_no_timer_when_switched_off(hands, extension):
    assert events.begin(STICTION_OT_study_run, hands.context, 1.0) == {"RUNNING_MODAL"} and hands.manager.timers
    extension.unregister()
    extension.register()
    assert not hands.manager.timers
