"""The scenes of the gallery that take least, with few frames; `make other-people` bakes them all."""

import pytest
from gallery import SCENES
from tutorial import Film

QUICKEST = ("drop_cube", "drop_uv_sphere", "drop_cone", "throw_by_dynamic", "animated_pusher", "conveyor", "lift",
            "turntable", "ramp_with_a_kicker", "balls_on_a_wire")  # fmt: skip


def test_there_are_forty():
    assert len(SCENES) >= 40


@pytest.mark.parametrize("name", QUICKEST)
def test_it_is_taken_and_comes_out_right(scene, tmp_path, name):
    frames, build = SCENES[name]
    holds = build()
    film = Film(scene, tmp_path, frames)
    assert holds(film)
    assert scene.stiction.worth != "POOR"
    assert film.overlap < 2e-3
