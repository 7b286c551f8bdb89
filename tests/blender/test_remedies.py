"""What scenes of others were refused for, without a button that mends it."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

from stiction.blender_addon.checks import runner
from stiction.blender_addon.exporting.export import export_scene


def test_a_sheared_part_of_a_compound_is_found_and_stays_a_part(scene, add):
    """Its parent was found to be refused, and nothing was."""
    whole = add("whole", location=(0, 0, 3), scale=(1, 2, 0.5))
    whole.stiction.shape = "COMPOUND"
    part = add("part", kind="NONE", location=(0, 1, 0), rotation_euler=(0.5, 0.4, 0.3))
    part.parent = whole
    bpy.context.view_layer.update()
    before = shown_vertices(part)
    found = runner.check_now(scene)[0]
    assert [finding.names for finding in found["shear"]] == [("part", "whole")]
    assert bpy.ops.stiction.repair(check="SHEAR") == {"FINISHED"}
    assert part.parent == whole and np.allclose(shown_vertices(part), before, atol=1e-5)
    assert not any(runner.check_now(scene)[0].values())
    assert len(export_scene(scene).scene.bodies[0].shape.parts) == 1


@pytest.mark.parametrize("threshold", [0.0, 1e6])
def test_a_constraint_that_breaks_by_any_load_does_not_hold(scene, add, tmp_path, threshold):
    """Breakable with a threshold of 0 ended the bake."""
    hook, body = add("hook", kind="PASSIVE", location=(0, 0, 3)), add("body", location=(0, 0, 1))
    joint = bpy.data.objects.new("joint", None)
    scene.collection.objects.link(joint)
    bpy.context.view_layer.objects.active = joint
    bpy.ops.rigidbody.world_add()
    with bpy.context.temp_override(object=joint, active_object=joint, selected_objects=[joint]):
        bpy.ops.rigidbody.constraint_add(type="FIXED")
    own = joint.rigid_body_constraint
    own.object1, own.object2, own.use_breaking, own.breaking_threshold = hook, body, True, threshold
    scene.frame_end, scene.stiction.cache = 12, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(12)
    assert (body.matrix_world.translation.z < 0.5) == (threshold == 0.0)
