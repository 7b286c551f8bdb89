"""URDF files: tree, masses, joints, notes on repairs, refusals."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.robots.bodies import load_urdf
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene_io.mesh_file import read_mesh
from stiction.solver.simulation import simulate

GRIPPER = """<robot name="gripper">
  <link name="base"><inertial><origin xyz="0 0 0.05" rpy="0 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.02" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.02" length="0.4"/></geometry></collision></link>
  <link name="left"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1" rpy="0 0 0.5"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="5" velocity="1"/>
    <dynamics damping="0.1"
    friction="0.2"/></joint> <joint name="grip" type="prismatic"><parent link="arm"/><child link="left"/><origin
    xyz="0.4 0.02 0"/> <axis xyz="0 1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/></joint>
  <joint name="grip2" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="0.4 -0.02 0"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/>
    <mimic joint="grip"
    multiplier="1"/></joint> <transmission name="t"/>
</robot>"""


def loaded(tmp_path, text, **options):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return load_urdf(path, read_mesh, **options)


def test_tree_masses_and_joints(tmp_path):
    made = loaded(tmp_path, GRIPPER, fixed_base=True)
    bodies = {body.name: body for body in made.bodies}
    assert bodies["arm"].position == pytest.approx((0, 0, 0.1))
    turned = np.array([np.cos(0.5), np.sin(0.5), 0]) * 0.4 + np.array([-np.sin(0.5), np.cos(0.5), 0]) * 0.02
    assert bodies["left"].position == pytest.approx((*turned[:2], 0.1), abs=1e-12)
    assert bodies["arm"].inertia[0] == pytest.approx([0.03, 0, 0]), "raised: 0.001 + 0.02 < 0.05"
    assert any("arm" in note and "moments" in note for note in made.notes)
    assert any("'right'" in note and "no mass" in note for note in made.notes)
    assert any("transmission" in note for note in made.notes)
    assert [joint.type for joint in made.joints] == ["hinge", "slider", "slider", "mimic"]
    assert made.joints[0].limits == (-1, 2)
    assert ("base", "arm") in made.excluded_pairs
    run = simulate(made, SimulationOptions(time=0.5))
    assert run.joints[..., 2:4].max() < 1e-8
    grip, grip2 = (run.joint_names.index(name) for name in ("grip", "grip2"))
    assert run.joints[-1, grip, 0] == pytest.approx(run.joints[-1, grip2, 0], abs=1e-8)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("</robot>", ""), ["not well-formed"]),
        (('child link="arm"', 'child link="leg"'), ["joint 'shoulder'", "no link 'leg'"]),
        (('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), ["'shoulder'", "length 0"]),
        (('<box size="0.1 0.1 0.1"/>', '<mesh filename="package://x/gone.stl"/>'), ["'base'", "gone.stl", "not there"]),
        (('type="revolute"', 'type="twisty"'), ["twisty", "revolute"]),
        (('<mass value="2"/>', '<mass value="heavy"/>'), ["'base'", "heavy"]),
        (('child link="right"', 'child link="left"'), ["two parents"]),
    ],
)
def test_refusals(tmp_path, change, words):
    with pytest.raises(SceneError) as told:
        loaded(tmp_path, GRIPPER.replace(*change))
    for word in words:
        assert word in str(told.value)


def test_dropped_on_a_floor_from_the_command_line(tmp_path):
    from stiction.solver.scenes.lookup import find_scene

    path = tmp_path / "robot.urdf"
    path.write_text(GRIPPER)
    made = find_scene(str(path))
    run = simulate(made, SimulationOptions(time=0.3))
    assert made.bodies[0].name == "floor"
    assert run.center_of_mass[-1, 1:, 2].min() > made.bodies[0].position[2] + 0.5
    assert run.joints[..., 2:4].max() < 1e-8


@pytest.mark.parametrize("name", ["package://hand/meshes/m.obj", "package:///hand/meshes/m.obj", "meshes/m.obj"])
def test_meshes_of_packages_are_searched_for_upwards(tmp_path, name):
    """With two slashes and with three, as Talos' files have them."""
    (tmp_path / "hand" / "meshes").mkdir(parents=True)
    corners = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "hand" / "meshes" / "m.obj").write_text(corners)
    made = loaded(tmp_path / "hand", GRIPPER.replace('<sphere radius="0.01"/>', f'<mesh filename="{name}"/>'))
    right = next(body for body in made.bodies if body.name == "right")
    assert right.mass == pytest.approx(1000.0 * 0.1**3 / 6, rel=1e-6)
