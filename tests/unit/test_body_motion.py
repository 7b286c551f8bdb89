"""What a body brings of its own: the decay of its velocity, and beginning asleep."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.scene_io.scene_file import load_scene, save_scene, scene_digest
from stiction.solver.shapes import SHAPES
from stiction.solver.simulation import simulate

FLOOR = Body("floor", SHAPES["box"]((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5))


def sphere(name, place, **settings):
    return Body(name, SHAPES["sphere"](0.1), position=place, **settings)


def run(bodies, time, gravity=(0.0, 0.0, -9.81), joints=(), **options):
    scene = Scene(bodies=tuple(bodies), gravity=gravity, joints=tuple(joints))
    return simulate(scene, SimulationOptions(time=time, time_step=0.005, **options))


def column(trajectory, name):
    return trajectory.positions[:, trajectory.names.index(name)]


def test_velocity_decays_at_the_bodys_own_rate():
    flying = {"velocity": (1.0, 0.0, 0.0)}
    bodies = [sphere("own", (0, 0, 0), damping=(2.0, 0.0), **flying), sphere("common", (0, 1, 0), **flying),
              sphere("none", (0, 2, 0), damping=(0.0, 0.0), **flying)]  # fmt: skip
    ends = run(bodies, 0.5, gravity=(0, 0, 0), linear_damping=0.5)
    # v = v0 exp(-c t), so x = (1 - exp(-c t)) / c; the scheme's own error at 5 ms is below 0.1 %.
    for name, rate in (("own", 2.0), ("common", 0.5)):
        assert column(ends, name)[-1, 0] == pytest.approx((1 - np.exp(-rate * 0.5)) / rate, rel=1e-3)
    assert column(ends, "none")[-1, 0] == pytest.approx(0.5, abs=1e-12)


def test_spin_decays_apart_from_flight():
    body = sphere("ball", (0, 0, 0), damping=(0.0, 3.0), velocity=(1, 0, 0), angular_velocity=(0, 0, 2.0))
    end = run([body], 0.4, gravity=(0, 0, 0))
    assert column(end, "ball")[-1, 0] == pytest.approx(0.4, abs=1e-12)
    angle = 2 * np.arccos(abs(end.orientations[-1, 0, 0]))
    assert angle == pytest.approx(2.0 * (1 - np.exp(-1.2)) / 3.0, rel=1e-3)


def test_asleep_until_touched():
    """Two balls hang; one falls on the first, which falls then; the other stays to the bit."""
    bodies = [FLOOR, sphere("struck", (0, 0, 1.0), asleep=True), sphere("far", (3, 0, 1.0), asleep=True),
              sphere("falling", (0, 0, 1.5))]  # fmt: skip
    done = run(bodies, 0.6)
    struck, far = column(done, "struck"), column(done, "far")
    # The gap of 0.3 m is closed after 0.247 s.
    assert (struck[: int(0.24 / 0.005)] == struck[0]).all()
    assert struck[-1, 2] < 0.9
    assert (far == far[0]).all()


def test_bodies_on_a_floor_begin_asleep_and_need_no_option():
    bodies = [FLOOR, *(sphere(f"ball {k}", (0.5 * k, 0, 0.1), asleep=True) for k in range(3)),
              sphere("rolling", (-0.5, 0, 0.1), velocity=(2.0, 0, 0))]  # fmt: skip
    done = run(bodies, 0.6)
    moved = [np.ptp(column(done, f"ball {k}")[:, 0]) for k in range(3)]
    assert moved[0] > 0.05, "struck"
    assert moved[2] < moved[0]


def test_what_joints_connect_wakes_together():
    pair = Joint("rod", "fixed", ("a", "b"), position=(0.25, 0, 1.0))
    bodies = [sphere("a", (0, 0, 1.0), asleep=True), sphere("b", (0.5, 0, 1.0), asleep=True),
              sphere("falling", (0, 0, 1.5))]  # fmt: skip
    done = run(bodies, 0.5, joints=[pair])
    assert (column(done, "b")[:40] == column(done, "b")[0]).all()
    assert column(done, "b")[-1, 2] < 0.95
    bodies[1] = sphere("b", (0.5, 0, 1.0))
    assert column(run(bodies, 0.1, joints=[pair]), "a")[-1, 2] < 0.99, "one awake keeps the other awake"


def test_files_keep_them_and_those_without_are_as_before(tmp_path):
    plain = Scene(bodies=(FLOOR, sphere("ball", (0, 0, 1))))
    told = Scene(bodies=(FLOOR, sphere("ball", (0, 0, 1), damping=(0.1, 0.2), asleep=True)))
    save_scene(tmp_path / "plain.json", plain)
    save_scene(tmp_path / "told.json", told)
    assert "damping" not in (tmp_path / "plain.json").read_text()
    assert "asleep" not in (tmp_path / "plain.json").read_text()
    again = load_scene(tmp_path / "told.json")
    assert (tuple(again.bodies[1].damping), again.bodies[1].asleep) == ((0.1, 0.2), True)
    assert scene_digest(plain) != scene_digest(told)


@pytest.mark.parametrize(("settings", "said"), [
    ({"damping": (-1.0, 0.0)}, r"body 'ball': damping is \[-1.0, 0.0\] 1/s; give two rates of at least 0"),
    ({"damping": (np.nan, 0.0)}, "body 'ball': damping"),
    ({"asleep": True, "velocity": (1, 0, 0)}, "body 'ball': begins asleep but has a velocity"),
    ({"asleep": True, "motion": Motion.STATIC}, "body 'ball': begins asleep but is static"),
])  # fmt: skip
def test_refusals(settings, said):
    with pytest.raises(SceneError, match=said):
        run([sphere("ball", (0, 0, 1), **settings)], 0.01)
