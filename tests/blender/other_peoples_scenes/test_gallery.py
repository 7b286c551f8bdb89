"""The scenes of the gallery by name: those that take least always, the others with `make test-long`.

`make other-people` measures them beside Blender's own simulation.
"""

from pathlib import Path

import numpy as np
import pytest
from gallery import SCENES
from tutorial import Film

from stiction.blender_addon.base.steps import exhausted
from stiction.blender_addon.running.frames import RunFrames

QUICKEST = ("drop_cube", "drop_uv_sphere", "drop_cone", "throw_by_dynamic", "animated_pusher", "conveyor", "lift",
            "turntable", "ramp_with_a_kicker", "balls_on_a_wire")  # fmt: skip


def test_there_are_forty():
    assert len(SCENES) >= 40


def filmed(scene, folder, name):
    """The Film of a scene of the gallery that is as it should be, and no poor one."""
    frames, build = SCENES[name]
    holds = build()
    film = Film(scene, folder, frames)
    assert holds(film)
    assert scene.stiction.worth.lower() in ("good", "usable")
    return film


@pytest.mark.parametrize("name", QUICKEST)
def test_it_is_taken_and_comes_out_right(scene, tmp_path, name):
    assert filmed(scene, tmp_path, name).overlap < 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SCENES if name not in QUICKEST])
def test_the_others_too(scene, tmp_path, name):
    filmed(scene, tmp_path, name)


@pytest.mark.parametrize("name", ["car", "motor_car"])
def test_a_car_is_made_in_quiet_steps(scene, tmp_path, name):
    """Wheels that stand on two edges each say nearly the same twice; sweeps alone creep there."""
    frames, build = SCENES[name]
    build()
    Film(scene, tmp_path, frames)
    found = exhausted(RunFrames(Path(scene.stiction.run)).load_steps())
    quiet = found.event_records[:, 1] == found.header["events"].index("quiet_steps")
    assert len(np.unique(found.event_records[quiet, 0])) > 0.9 * len(found.steps["time"])
