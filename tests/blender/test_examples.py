"""The scenes to begin with: they bake without a word of warning, and do what they are for."""

import bpy
import numpy as np
import pytest

from stiction.blender_addon.checks import runner
from stiction.blender_addon.examples import EXAMPLES
from stiction.blender_addon.running import run as runs


@pytest.fixture
def example(scene, tmp_path, request):
    """A scene with an example in it."""
    scene.stiction.cache = str(tmp_path)
    assert bpy.ops.stiction.add_example(example=request.param) == {"FINISHED"}
    bpy.context.view_layer.update()
    return scene


@pytest.mark.parametrize("example", EXAMPLES, indirect=True)
def test_nothing_is_found_wrong_with_an_example(example):
    found, _ = runner.check_now(example)
    assert not [finding for kind in found.values() for finding in kind]


@pytest.mark.parametrize("example", ["wall"], indirect=True)
def test_wall_stands_until_the_ball_comes_and_not_after(example):
    example.frame_end = 30
    _, warnings = runs.simulate_and_bake(example)
    bricks = [ob for ob in example.objects if ob.name.startswith("Brick")]
    example.frame_set(1)
    start = np.array([ob.matrix_world.translation for ob in bricks])
    example.frame_set(9)
    before = np.array([ob.matrix_world.translation for ob in bricks])
    assert np.linalg.norm(before - start, axis=1).max() < 1e-3, "the ball is not there yet"
    example.frame_set(30)
    after = np.array([ob.matrix_world.translation for ob in bricks])
    assert (np.linalg.norm(after - start, axis=1) > 0.2).sum() > 5, "bricks have flown"
    assert example.objects["Ball"].matrix_world.translation.z > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("example", ["bowl"], indirect=True)
def test_monkeys_stay_in_the_bowl(example):
    example.frame_end = 100
    runs.simulate_and_bake(example)
    example.frame_set(100)
    low = [ob.matrix_world.translation.z for ob in example.objects if ob.name.startswith("Suzanne")]
    assert min(low) > 0.05
