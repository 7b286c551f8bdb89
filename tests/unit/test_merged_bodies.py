"""Bodies that fixed joints hold to each other for good move as one, and frames tell of each."""

from dataclasses import replace

import numpy as np
import pytest

from stiction.solver.dynamics import rotation
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.runs.merging import merging_of
from stiction.solver.scene import Body, Joint, Motion, Scene
from stiction.solver.shapes import SHAPES, Part
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory

SETTINGS = {"time": 1.0, "time_step": 0.01}
TILT = (np.cos(0.4), 0.0, np.sin(0.4), 0.0)
FLOOR = Body("floor", SHAPES["box"]((8.0, 8.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5))
# Centres in the frame of the first, which is tilted; the last one is turned in it.
SIZES, PLACES = ((1.0, 0.2, 0.2), (0.2, 0.2, 0.8), (0.3, 0.3, 0.3)), ((0, 0, 0), (0.4, 0, 0.5), (-0.5, 0.1, 0.2))
TURNS = ((1.0, 0, 0, 0), (1.0, 0, 0, 0), (np.cos(0.3), np.sin(0.3), 0, 0))


def bracket(**more):
    """Three boxes that two fixed joints hold to each other, above a floor."""
    R = rotation.matrix(np.array([TILT]))[0]
    bodies = [
        Body(f"part{k}", SHAPES["box"](size), position=tuple((0, 0, 1.2) + R @ np.array(place)),
             orientation=tuple(rotation.multiply(np.array(TILT), np.array(turn, dtype=float))))
        for k, (size, place, turn) in enumerate(zip(SIZES, PLACES, TURNS, strict=True))
    ]  # fmt: skip
    joints = [Joint(f"weld{k}", "fixed", ("part0", f"part{k}"), bodies[k].position, **more) for k in (1, 2)]
    return Scene((FLOOR, *bodies), joints=tuple(joints), settings=SETTINGS)


def by_hand():
    """The same as one body of three parts."""
    parts = tuple(Part(SHAPES["box"](size), tuple(map(float, place)), tuple(map(float, turn)))
                  for size, place, turn in zip(SIZES, PLACES, TURNS, strict=True))  # fmt: skip
    body = Body("part0", SHAPES["compound"](parts), position=(0, 0, 1.2), orientation=TILT)
    return Scene((FLOOR, body), settings=SETTINGS)


def test_it_moves_as_one_body_made_by_hand_and_each_part_is_told():
    run, hand = simulate(bracket()), simulate(by_hand())
    first = hand.names.index("part0")
    assert np.abs(hand.positions[-1, first] - hand.positions[0, first]).max() > 0.3, "it falls and tips"
    for k in range(3):
        i = run.names.index(f"part{k}")
        R = rotation.matrix(hand.orientations[:, first])
        at = hand.positions[:, first] + R @ np.array(PLACES[k], dtype=float)
        np.testing.assert_allclose(run.positions[:, i], at, atol=1e-9)
        q = rotation.multiply(hand.orientations[:, first], np.broadcast_to(np.array(TURNS[k]), (len(at), 4)))
        np.testing.assert_allclose(run.orientations[:, i], q, atol=1e-9)
        omega = hand.angular_velocities[:, first]
        arm = run.center_of_mass[:, i] - hand.center_of_mass[:, first]
        np.testing.assert_allclose(run.velocities[:, i], hand.velocities[:, first] + np.cross(omega, arm), atol=1e-8)
        np.testing.assert_allclose(run.angular_velocities[:, i], omega, atol=1e-8)
    assert run.header["mass"][1:] == pytest.approx([1000 * np.prod(size) for size in SIZES])
    ends = [[run.names.index(name) for name in joint.bodies] for joint in bracket().joints]
    assert run.header["joint_bodies"] == ends
    assert any("3 bodies that fixed joints" in note for note in run.header["notes"])


def test_solved_one_by_one_it_moves_alike():
    free = simulate(bracket(), options_for(bracket(), time=0.3))
    each = simulate(bracket(), options_for(bracket(), time=0.3, merge_fixed=False))
    assert not any("move as one body" in note for note in each.header["notes"])
    assert np.isfinite(each.joints).all()
    np.testing.assert_allclose(free.positions, each.positions, atol=1e-9)


@pytest.mark.parametrize("output", [None, "run"])
@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, 0, 0)])
def test_joints_that_are_left_out_are_shut_and_tell_no_force(tmp_path, output, gravity):
    """At every frame, of steps one by one and of quiet ones."""
    run = simulate(replace(bracket(), gravity=gravity), output=output and tmp_path / output)
    joints = run.joints
    assert joints.shape == (len(run.times), 2, 11)
    assert np.isnan(joints[..., 4:10]).all()
    assert not joints[..., :4].any()


@pytest.mark.parametrize("more", [{"breaking": 1e9}, {"compliance": 1e-9}, {"switches": (5.0,)}])
def test_joints_that_may_give_way_are_kept(more):
    assert merging_of(bracket(**more)) is None


def test_a_breaking_load_still_breaks():
    """A brick hangs from another that hangs from the world."""
    bodies = (Body("a", SHAPES["box"]((0.2,) * 3)), Body("b", SHAPES["box"]((0.2,) * 3), position=(0, 0, -0.3)))
    hung = Joint("hook", "ball", ("world", "a"), (0, 0, 0.1))

    def fallen(breaking):
        weld = Joint("weld", "fixed", ("a", "b"), (0, 0, -0.15), breaking=breaking)
        return 0.3 + simulate(Scene(bodies, joints=(hung, weld), settings=SETTINGS)).positions[-1, 1, 2]

    assert fallen(40.0) < -2.0, "8 kg weigh more"
    assert fallen(None) == pytest.approx(0.0, abs=1e-9)


def test_momenta_of_different_velocities_are_kept():
    """Discs that spin and fly apart: what the joints do to them in the first step."""
    bodies = (Body("a", SHAPES["box"]((0.2,) * 3), velocity=(1.0, 0, 0), angular_velocity=(0, 3.0, 1.0)),
              Body("b", SHAPES["box"]((0.1, 0.3, 0.2)), position=(0.5, 0, 0), velocity=(0, 2.0, 0)))  # fmt: skip
    scene = Scene(bodies, joints=(Joint("weld", "fixed", ("a", "b"), (0.25, 0, 0)),), gravity=(0, 0, 0),
                  settings={"time": 0.02, "time_step": 1e-4})  # fmt: skip
    one, each = simulate(scene), simulate(scene, options_for(scene, merge_fixed=False))
    np.testing.assert_allclose(one.velocities[-1], each.velocities[-1], atol=2e-3)
    np.testing.assert_allclose(one.angular_velocities[-1], each.angular_velocities[-1], atol=5e-3)


def test_a_different_material_stays_a_body_and_one_joint_between_two_is_enough():
    scene = bracket()
    table = MaterialTable((*scene.materials.materials, Material("ice", friction=0.0)))
    bodies = tuple(replace(body, material="ice") if body.name == "part2" else body for body in scene.bodies)
    more = Joint("again", "fixed", ("part1", "part2"), bodies[3].position)
    scene = replace(scene, bodies=bodies, materials=table, joints=(*scene.joints, more))
    merging = merging_of(scene)
    assert [body.name for body in merging.scene.bodies] == ["floor", "part0", "part2"]
    assert [joint.bodies for joint in merging.scene.joints] == [("part0", "part2")]
    assert merging.joint.tolist() == [-1, 0, -1]
    run = simulate(scene)
    assert run.joint_names == ("weld1", "weld2", "again")
    assert np.isfinite(run.joints[:, 1]).all()


def test_parts_that_leave_out_different_contacts_stay_bodies():
    """A wheel does not touch the part it is on, but may touch the other."""
    wheel = Body("wheel", SHAPES["sphere"](0.1), position=(0, 0, 1.2))
    scene = bracket()
    scene = replace(scene, bodies=(*scene.bodies, wheel), joints=(
        *scene.joints, Joint("axle", "hinge", ("part0", "wheel"), (0, 0, 1.2))))  # fmt: skip
    assert [body.name for body in merging_of(scene).scene.bodies] == ["floor", "part0", "part1", "wheel"]


def test_a_joint_within_a_group_keeps_its_bodies():
    scene = bracket()
    spring = Joint("hinge", "hinge", ("part1", "part2"), scene.bodies[3].position)
    assert merging_of(replace(scene, joints=(*scene.joints, spring))) is None


def test_stored_contacts_and_watchers_see_each_body(tmp_path):
    seen = set()
    simulate(bracket(), options_for(bracket(), time=0.05), watch=lambda done, state, *_: seen.add(len(state.position)))
    assert seen == {4}
    run = simulate(bracket(), options_for(bracket(), time=0.05, store_contacts=True), output=tmp_path / "run")
    assert np.isfinite(run.joints).all()


def test_a_run_goes_on_and_another_starts_from_its_end(tmp_path):
    whole = simulate(bracket(), output=tmp_path / "whole")
    simulate(bracket(), options_for(bracket(), time=0.5), output=tmp_path / "run")
    simulate(bracket(), output=tmp_path / "run", resume=True)
    run = Trajectory.load(tmp_path / "run")
    np.testing.assert_array_equal(run.positions, whole.positions)
    np.testing.assert_array_equal(run.steps["worst_body"], whole.steps["worst_body"])
    after = simulate(bracket(), options_for(bracket(), time=0.1), start=whole)
    np.testing.assert_allclose(after.positions[0], whole.positions[-1], atol=1e-12)


def test_many_bodies_with_redundant_joints_take_no_longer_than_one():
    """51 bricks in a row, each held to its neighbours and the next but one: 99 joints."""
    bricks = [Body(f"brick{k}", SHAPES["box"]((0.1, 0.1, 0.1)), position=(0.1 * k, 0, 0.3)) for k in range(51)]
    joints = [Joint(f"weld{k}-{k + d}", "fixed", (f"brick{k}", f"brick{k + d}"), (0.1 * k, 0, 0.3))
              for d in (1, 2) for k in range(51 - d)]  # fmt: skip
    floor = replace(FLOOR, shape=SHAPES["box"]((20.0, 8.0, 1.0)))
    scene = Scene((floor, *bricks), joints=tuple(joints), settings=SETTINGS)
    run = simulate(scene)
    assert len(joints) == 99
    assert run.steps["work"].max() < 51 * 4 * 200, "contacts relaxed in a step"
    assert run.steps["converged"].all()
    np.testing.assert_allclose(run.positions[-1, 1:, 2], 0.05, atol=1e-3)
