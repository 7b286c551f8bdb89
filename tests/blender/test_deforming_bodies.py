"""Bodies whose mesh an animation deforms: what the buttons of their findings leave behind."""

import bpy
import numpy as np
import pytest
from conftest import CUBE, shown_vertices
from deforming_bodies import posed, sculpted


def test_capsules_on_bones_move_with_them_and_are_as_thick_as_the_mesh(scene, add):
    posed(scene, add)
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="POSED")
    capsule = scene.objects["rig leg"]
    assert scene.objects["body"].stiction.type == "NONE"
    assert (capsule.stiction.type, capsule.stiction.kinematic) == ("PASSIVE", True)
    # The corners of the cube are half a diagonal from the bone.
    assert max(vertex.co.x for vertex in capsule.data.vertices) == pytest.approx(np.sqrt(0.5), rel=1e-3)
    bone = scene.objects["rig"].pose.bones["leg"]
    for frame in (1, 20):
        scene.frame_set(frame)
        np.testing.assert_allclose(capsule.matrix_world, scene.objects["rig"].matrix_world @ bone.matrix, atol=1e-5)


def test_the_first_shape_is_kept_and_the_old_mesh_stays_in_the_file(scene, add):
    sculpted(scene, add)
    body, before = scene.objects["body"], scene.objects["body"].data
    scene.frame_set(15)
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="DEFORMING")
    assert scene.frame_current == 15 and before.use_fake_user
    np.testing.assert_allclose(shown_vertices(body), CUBE, atol=1e-6)
