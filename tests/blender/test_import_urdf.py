"""File > Import > URDF (Stiction): the solver's scene of the imported objects is that of the file."""

import bpy
import numpy as np
import pytest

from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.model import compile_scene
from stiction.solver.robots.bodies import load_urdf
from stiction.solver.scene_io.mesh_file import read_mesh

GRIPPER = """<robot name="gripper">
  <material name="blue"><color rgba="0.1 0.2 0.9 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.05"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry><material name="blue"/></visual>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="arm"><inertial><origin xyz="0.2 0.01 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0.0001" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.02" length="0.4"/></geometry></collision>
    <collision><origin xyz="0.4 0 0"/><geometry><box size="0.02 0.1 0.05"/></geometry></collision></link>
  <link name="left"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="right"><collision><geometry><box size="0.02 0.02 0.02"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.1" rpy="0.3 0 0.5"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="5" velocity="1"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="0.4 0.06 0"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/></joint>
  <joint name="grip2" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="0.4 -0.06 0"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/><mimic joint="grip"/></joint>
</robot>"""


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_the_imported_robot_is_that_of_the_file(scene, tmp_path, scale):
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", scale
    path = tmp_path / "gripper.urdf"
    path.write_text(GRIPPER)
    assert bpy.ops.stiction.import_urdf(filepath=str(path)) == {"FINISHED"}
    bpy.context.view_layer.update()
    theirs, ours = load_urdf(path, read_mesh, fixed_base=True), export_scene(scene).scene
    (a, start), (b, other) = compile_scene(theirs), compile_scene(ours)
    order = [b.names.index(name) for name in a.names]
    assert b.mass[order] == pytest.approx(a.mass, rel=1e-6)
    assert other.position[order] == pytest.approx(start.position, abs=1e-6)
    for k, i in enumerate(order):
        frames = [np.array(rotated(state.orientation[n])) for state, n in ((start, k), (other, i))]
        tensors = [R @ model.inertia[n] @ R.T for R, model, n in zip(frames, (a, b), (k, i), strict=True)]
        assert tensors[1] == pytest.approx(tensors[0], rel=1e-5, abs=1e-9)
    for one in theirs.joints:
        same = next(joint for joint in ours.joints if joint.name == one.name)
        assert same.type == one.type
        if not one.joints:
            assert same.bodies == one.bodies
            assert same.axis == pytest.approx(one.axis, abs=1e-6)
            assert same.position == pytest.approx(one.position, abs=1e-6)
            assert next(iter(same.limits.values())) == pytest.approx(one.limits, abs=1e-6)
    shoulder = next(joint for joint in ours.joints if joint.name == "shoulder")
    assert shoulder.friction == {"rz": pytest.approx(0.2)}
    assert shoulder.spring["rz"].damping == pytest.approx(0.1)
    assert scene.objects["base"].data.materials[0].diffuse_color[2] == pytest.approx(0.9)
    assert {("base", "right"), ("left", "right")} <= {tuple(sorted(pair)) for pair in ours.excluded_pairs}


def rotated(q):
    from mathutils import Quaternion

    return Quaternion(q).to_matrix()


def test_a_bad_file_is_one_sentence(scene, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(GRIPPER.replace("</robot>", ""))
    with pytest.raises(RuntimeError, match="not well-formed"):
        bpy.ops.stiction.import_urdf(filepath=str(path))
    assert not scene.objects
