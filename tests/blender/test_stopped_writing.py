"""Esc while a bake is written, and how long the slices are in which that is done."""

import time

import bpy
import numpy as np
import pytest
from hands import ESC, Hands, in_slices_of

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.base import slices
from stiction.blender_addon.running import job as jobs
from stiction.blender_addon.running import run as runs
from stiction.operators import bake, clear


@pytest.fixture
def hands(extension, monkeypatch):
    """A window."""
    in_slices_of(monkeypatch, 1e-5)
    yield Hands(monkeypatch, bake, clear)
    jobs.stop_all()
    bake.stop()


def until_writing(hands):
    """Send the timer's events until the bake is being written."""
    deadline = time.monotonic() + 60.0
    while bake._work["work"].writing is None:
        assert time.monotonic() < deadline
        hands.event()
        time.sleep(0.001)


def keys(scene):
    """What stands in the curves of the cube's action, in a list."""
    data = scene.objects["cube"].animation_data
    return [] if data is None or data.action is None else [data.action.name, *data.action.frame_range]


@pytest.mark.parametrize("kind", ["KEYFRAMES", "INSTANCES"])
def test_esc_takes_back_what_is_written_wherever_that_stands(kind, drop, hands):
    drop.stiction.bake_to = kind
    own, after, answers = np.array(drop.objects["cube"].location), 0, []
    drop.frame_end = 12
    while not answers or answers[-1] == {"FINISHED"} and not baking.baked_objects(drop):
        hands.press(bake.STICTION_OT_bake)
        until_writing(hands)
        for _ in range(after):
            if hands.manager.handlers:
                hands.event()
        if not hands.manager.handlers:
            break
        answers.append(hands.event(ESC))
        after += 1
        assert "stopped while the bake was written" in hands.said[-1][1]
        assert not baking.baked_objects(drop) and not keys(drop) and not drop.stiction.signature
        assert np.allclose(drop.objects["cube"].location, own) and drop.objects["cube"].visible_get()
        assert not hands.manager.timers
    assert len(answers) > 5 and set(map(str, answers)) == {"{'FINISHED'}"}


def test_what_esc_took_back_can_be_written_later(drop, hands):
    drop.frame_end = 12
    hands.press(bake.STICTION_OT_bake)
    until_writing(hands)
    hands.event()
    hands.event(ESC)
    left = runs.find_unfinished(drop)
    assert left.frame_count == 12 and left.fits
    assert bpy.ops.stiction.bake_partial() == {"FINISHED"}
    assert keys(drop)[1:] == [1, 12] and runs.find_unfinished(drop) is None
    bpy.ops.stiction.clear()
    assert runs.find_unfinished(drop) is None, "a bake that was cleared is not offered"


def test_an_earlier_bake_that_is_still_there_stays(drop, hands):
    drop.frame_end = 12
    bpy.ops.stiction.bake()
    before = keys(drop), drop.stiction.run
    drop.objects["cube"].stiction.friction = 0.2
    hands.press(bake.STICTION_OT_bake)
    until_writing(hands)
    hands.event(ESC)
    assert (keys(drop), drop.stiction.run) == before and baking.baked_objects(drop)
    assert runs.find_unfinished(drop).frame_count == 12


@pytest.mark.parametrize("seconds", [0.0, 0.2, 3.0])
def test_a_slice_is_as_long_as_the_window_took(seconds, monkeypatch):
    clock = [10.0]
    monkeypatch.setattr(slices.time, "perf_counter", lambda: clock[0])
    some = slices.Slices()
    assert some.until(0.15) == clock[0] + 0.15
    some.leave()
    clock[0] += seconds
    assert some.until() - clock[0] == pytest.approx({0.0: slices.LEAST, 0.2: 0.2, 3.0: slices.MOST}[seconds])
