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
    assert [finding.names for finding in found["shear"]] == [("part",)]
    assert bpy.ops.stiction.repair(check="SHEAR") == {"FINISHED"}
    assert part.parent == whole and np.allclose(shown_vertices(part), before, atol=1e-5)
    assert not any(runner.check_now(scene)[0].values())
    assert len(export_scene(scene).scene.bodies[0].shape.parts) == 1


@pytest.mark.parametrize("key, primitive", [("SHEET", "plane"), ("OPEN_MESH", "monkey")])
def test_an_open_part_of_a_compound_is_found(scene, add, key, primitive):
    whole = add("whole", location=(0, 0, 3))
    getattr(bpy.ops.mesh, f"primitive_{primitive}_add")()
    part = bpy.context.object
    whole.stiction.shape, part.stiction.shape, part.parent = "COMPOUND", "MESH", whole
    bpy.context.view_layer.update()
    assert [finding.names for finding in runner.check_now(scene)[0][key.lower()]] == [(part.name,)]
    assert bpy.ops.stiction.repair(check=key) == {"FINISHED"}
    assert not any(finding.weight == "REFUSED" for found in runner.check_now(scene)[0].values() for finding in found)
    assert len(export_scene(scene).scene.bodies[0].shape.parts) == 1


def test_an_open_part_of_a_compound_is_taken_over(scene, tmp_path):
    """Suzanne's eyes are holes; as a Passive part of what moves she was left as she was, and the bake refused."""
    bpy.ops.mesh.primitive_cube_add()
    whole = bpy.context.object
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    whole.rigid_body.collision_shape = "COMPOUND"
    bpy.ops.mesh.primitive_monkey_add()
    part = bpy.context.object
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    part.rigid_body.collision_shape, part.parent = "MESH", whole
    bpy.ops.stiction.import_rigid_body()
    assert (part.stiction.type, part.stiction.shape) == ("NONE", "CONVEX_HULL")
    scene.frame_end, scene.stiction.cache = 3, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}


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
