"""What a bake does in the window is cut in slices: no one of them holds it for long."""

import gc
import time

import numpy as np
import pytest
from marks import few
from mathutils import Euler

from stiction.blender_addon.bakers.own_poses import rotation_values
from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.base import transforms
from stiction.blender_addon.base.euler import ORDERS, euler_angles
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.running import run as runs

# Seconds of this thread's own time: what a person is promised, slow machines and Blender's own work included.
LONGEST = 0.2


def slices(steps):
    """(return value of a generator, seconds of its longest slice); what other tests left is not looked through for
    garbage meanwhile."""
    longest = 0.0
    gc.collect()
    gc.freeze()
    while True:
        start = time.thread_time()
        try:
            next(steps)
        except StopIteration as end:
            gc.unfreeze()
            return end.value, max(longest, time.thread_time() - start)
        longest = max(longest, time.thread_time() - start)


BAKES = [(*size, kind) for size in ((500, 120), (5, 6000)) for kind in ("KEYFRAMES", "INSTANCES")]


@pytest.mark.parametrize(("bodies", "frames", "kind"), few(BAKES, BAKES[0], BAKES[3]))
def test_no_slice_of_a_bake_holds_the_window(scene, add, fake_trajectory, tmp_path, kind, bodies, frames):
    mesh = add("b0").data
    for i in range(1, bodies):
        add(f"b{i:04d}", mesh=mesh, location=(i % 25 * 2, i // 25 * 2, 0))
    scene.frame_end, scene.stiction.bake_to, scene.stiction.cache = frames, kind, str(tmp_path)
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.folder = tmp_path
    for _ in range(2):
        # The second one clears the first.
        _, longest = slices(baking.bake_steps(scene, export, trajectory))
        assert longest < LONGEST
    steps = runs.begin_steps(scene)
    try:
        run, longest = slices(steps)
        assert longest < LONGEST
        run.job.cancel()
    finally:
        runs.jobs.stop_all()


def test_a_bake_that_is_given_up_leaves_the_scene_as_it_was(scene, add, fake_trajectory):
    ob = add("body", location=(1, 2, 3))
    export = export_scene(scene)
    baking.bake(scene, export, fake_trajectory(export))
    action = ob.animation_data.action
    steps = runs.begin_steps(scene)
    while ob.animation_data is not None and ob.animation_data.action is not None:
        next(steps)
    steps.close()
    assert ob.animation_data.action == action, "the bake that was lifted to read the scene is back"
    runs.jobs.stop_all()


def test_what_a_person_should_know_of_the_earlier_bake_is_told(scene, add, fake_trajectory, tmp_path):
    scene.stiction.cache, scene.frame_end = str(tmp_path), 4
    add("slab", kind="PASSIVE", location=(0, 0, -1))
    ob = add("body", location=(0, 0, 2))
    ob.keyframe_insert("location", frame=1)
    export = export_scene(scene)
    baking.bake(scene, export, fake_trajectory(export))
    scene.frame_set(1)
    ob.location.x = 5
    _, warnings = runs.simulate_and_bake(scene)
    assert any("'body': was moved after the bake, but its own action" in sentence for sentence in warnings)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_the_rotation_and_do_not_jump(order):
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(60, 4, 4)).cumsum(axis=0)
    # Straight up, where two of the angles are one.
    half = Euler((0, np.pi / 2, 0), "XYZ").to_quaternion()
    turns[30] = half
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    rotation = transforms.matrix_of_quaternion(turns)
    angles = euler_angles(rotation, order, np.zeros((4, 3)))
    for wanted, row in zip(rotation, angles, strict=True):
        for matrix, angle in zip(wanted, row, strict=True):
            assert np.abs(np.array(Euler(angle, order).to_matrix()) - matrix).max() < 5e-6
    assert np.abs(np.diff(angles, axis=0)).max() <= 2 * np.pi


def test_small_turns_change_euler_angles_little(scene, add):
    ob = add("body", rotation_mode="ZXY", rotation_euler=(7.0, 0.1, -6.5))
    first = np.array(ob.rotation_euler.to_quaternion())
    after = np.array(Euler((7.001, 0.1, -6.5), "ZXY").to_quaternion())
    (values,) = rotation_values([ob], transforms.continuous(np.array([first, after]))[:, None])
    assert np.abs(values - [(7.0, 0.1, -6.5), (7.001, 0.1, -6.5)]).max() < 1e-5


def states(objects):
    return [(ob.animation_data.action if ob.animation_data else None, tuple(ob.location), tuple(ob.rotation_euler),
             ob.stiction.record.baked) for ob in objects]  # fmt: skip


def test_no_slice_of_a_clear_holds_the_window(scene, add, fake_trajectory):
    mesh = add("b0").data
    for i in range(1, 300):
        add(f"b{i:04d}", mesh=mesh, location=(i % 25 * 2, i // 25 * 2, 0))
    scene.frame_end = 120
    export = export_scene(scene)
    before = states(scene.objects)
    baking.bake(scene, export, fake_trajectory(export))
    scene.frame_set(60)
    seen, steps = [], baking.clear_steps(scene)
    (count, notes), longest = slices(_kept(steps, seen))
    assert (count, notes) == (300, []) and longest < LONGEST
    assert (1, 300) in seen and (300, 300) in seen
    assert states(scene.objects) == before


def _kept(steps, seen):
    """As a generator, with what it yields kept."""
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return end.value
        yield seen[-1]


@pytest.mark.parametrize("done", [1, 2, 3, 4])
def test_a_clear_that_is_given_up_keeps_the_bake_or_ends(scene, add, fake_trajectory, done):
    """Closed while objects get back what is theirs, all wear the bake again; closed later, all of it is gone."""
    objects = [add(f"body {k}", location=(k, 2, 3)) for k in range(3)]
    objects[1].keyframe_insert("location", frame=1)
    before = states(objects)
    export = export_scene(scene)
    baking.bake(scene, export, fake_trajectory(export))
    scene.frame_set(7)
    baked = states(objects)
    steps = baking.clear_steps(scene)
    for _ in range(done):
        next(steps)
    steps.close()
    scene.frame_set(7)
    if done < 4:
        assert states(objects) == baked and scene.stiction.signature is not None
        baking.clear(scene)
    scene.frame_set(1)
    assert states(objects) == before and not baking.baked_objects(scene)
