"""Locks of the transform hold Active bodies along and about the axes of the world, as in Blender's own simulation."""

import bpy
import numpy as np
import pytest
from conftest import shown_poses
from tutorial import add as added
from tutorial import ground, key_places, key_setting

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.running.run import export_with_options

NONE, ALL = (False, False, False), (True, True, True)
FRAMES = 30


def locked(ob, places=NONE, turns=NONE):
    """The object with locks."""
    ob.lock_location, ob.lock_rotation = places, turns
    return ob


@pytest.fixture
def both(scene, tmp_path):
    """both(ob): an object's matrices (F,4,4) by Blender's own simulation and by ours."""
    scene.frame_end, scene.stiction.cache = FRAMES, str(tmp_path)

    def simulate(ob):
        theirs = shown_poses(scene, ob)
        scene.frame_set(1)
        bpy.ops.stiction.import_rigid_body()
        assert bpy.ops.stiction.bake() == {"FINISHED"}
        return theirs, shown_poses(scene, ob)

    return simulate


@pytest.mark.parametrize("places, turns", [((False, True, False), NONE), ((False, True, False), (True, False, True)),
                                           (NONE, ALL), (ALL, NONE), (ALL, ALL)])  # fmt: skip
def test_what_is_locked_stays_as_in_blenders_own(both, places, turns):
    ground()
    added("plane", "PASSIVE", size=4, at=(0, 0, 1), rotation=(0.5, 0.4, 0))
    cube = locked(added("cube", size=1, at=(0, 0, 3), rotation=(0, 0.3, 0)), places, turns)
    for moves in both(cube):
        way = np.ptp(moves[:, :3, 3], axis=0)
        assert np.all(way[np.array(places)] < 1e-6)
        assert (way.max() < 1e-6) == (places == ALL)
        if turns == ALL:
            assert np.ptp(moves[:, :3, :3], axis=0).max() < 1e-6
        if turns == (True, False, True):
            # About Y alone.
            assert np.ptp(moves[:, 1, :3], axis=0).max() < 1e-5 < np.ptp(moves[:, 0, 0])


def test_a_throw_keeps_its_locks(both):
    ground(60)
    cube = locked(added("cube", size=1, at=(0, 0, 1)), (False, True, False), ALL)
    key_places(cube, (1, (0, 0, 1)), (6, (1, 0, 1.6)), interpolation="LINEAR")
    key_setting(cube.rigid_body, "kinematic", (1, True), (6, True), (7, False))
    theirs, ours = both(cube)
    assert bpy.context.scene.stiction.worth == "good"
    assert np.abs(theirs - ours).max() < 0.05 < ours[-1, 0, 3] - 2


def test_a_lock_that_keys_change_before_is_said(scene, both):
    cube = locked(added("cube", size=1, at=(0, 0, 1)), (False, True, False))
    key_places(cube, (1, (0, 0, 1)), (6, (0, 1, 1)), interpolation="LINEAR")
    key_setting(cube.rigid_body, "kinematic", (1, True), (6, True), (7, False))
    both(cube)
    assert scene.stiction.worth == "usable"
    assert "its lock of Location Y does not hold it" in scene.stiction.verdict


def test_locks_hold_what_moves_alone(scene, add):
    locked(add("ground", kind="PASSIVE"), ALL, ALL)
    add("free", location=(0, 0, 3))
    locked(add("jelly", location=(0, 0, 6)), ALL).stiction.elastic.use = True
    held = locked(add("held", location=(3, 0, 3)), (True, False, False))
    (joint,) = export_with_options(scene).scene.joints
    assert (joint.bodies, joint.position, joint.free) == (("world", "held"), (3, 0, 3), ("y", "z", "rx", "ry", "rz"))
    before = signature(scene)
    held.lock_location[2] = True
    assert signature(scene) != before


def test_the_import_says_what_is_locked(scene):
    locked(added("cube", size=1), (False, True, False), (True, False, True))
    bpy.ops.stiction.import_rigid_body()
    assert "held by its locks of Location Y and Rotation X, Z" in bpy.data.texts["Stiction Import"].as_string()
