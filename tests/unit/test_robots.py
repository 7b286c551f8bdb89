"""Robots beside pinocchio (extra `robots`): masses, tree, forward kinematics; and the files that people use."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.robots.bodies import load_urdf, merged, on_floor, robot_scene
from stiction.solver.robots.collada import read_collada
from stiction.solver.robots.hulls import MOST, hull_corners
from stiction.solver.robots.overlaps import apart
from stiction.solver.robots.urdf import read_urdf
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene_io.mesh_file import read_mesh
from stiction.solver.scenes.mechanisms.allegro import allegro_hand
from stiction.solver.simulation import simulate

# Every kind of joint, turned frames, products of inertia, a chain of fixed joints, a mimic with an offset.
ARM = """<robot name="arm">
  <link name="world"/>
  <link name="base"><inertial><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="3"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>
  <link name="turret"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lid"><inertial><origin xyz="0.1 0 0" rpy="0 0.5 0"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.0025" ixy="0" ixz="0.0001" iyz="0"/></inertial></link>
  <link name="camera"/>
  <link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.02" length="0.4"/></geometry></collision></link>
  <link name="left"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="stand" type="fixed"><parent link="world"/><child link="base"/>
    <origin xyz="0 0 0.2" rpy="0 0 1"/></joint>
  <joint name="yaw" type="continuous"><parent link="base"/><child link="turret"/>
    <origin xyz="0.1 0 0.3" rpy="0.2 -0.3 0.4"/><axis xyz="0 0 2"/></joint>
  <joint name="hood" type="fixed"><parent link="turret"/><child link="lid"/>
    <origin xyz="0 0.1 0.1" rpy="1 0 0"/></joint>
  <joint name="eye" type="fixed"><parent link="lid"/><child link="camera"/><origin xyz="0 0 0.1"/></joint>
  <joint name="shoulder" type="revolute"><parent link="lid"/><child link="arm"/>
    <origin xyz="0 0 0.1" rpy="0.7 0.8 0.9"/><axis xyz="1 1 0"/><limit lower="0.2" upper="2" effort="5" velocity="1"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="0.4 0.02 0" rpy="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.03" effort="5" velocity="1"/></joint>
  <joint name="grip2" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="0.4 -0.02 0"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="5" velocity="1"/>
    <mimic joint="grip" multiplier="0.5" offset="0.01"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def models():
    """URDF files of example-robot-data and pybullet_data, where they are installed."""
    found = []
    for place in sys.path:
        robots = Path(place) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        found += [robots / name for name in (
            "allegro_hand_description/urdf/allegro_right_hand.urdf", "talos_data/robots/talos_full_v2.urdf",
            "tiago_description/robots/tiago.urdf", "pr2_description/urdf/pr2.urdf",
            "ur_description/urdf/ur5_gripper.urdf", "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
            "so_arm_description/urdf/so101.urdf",
        )]  # fmt: skip
    spec = importlib.util.find_spec("pybullet_data")
    if spec is not None:
        data = Path(spec.origin).parent
        found += [data / name for name in ("franka_panda/panda.urdf", "xarm/xarm6_with_gripper.urdf", "a1/a1.urdf",
                                           "kuka_iiwa/model.urdf", "pr2_gripper.urdf")]  # fmt: skip
    return [path for path in found if path.is_file()]


def assert_as_pinocchio(path):
    """Masses, tree and forward kinematics at three random poses, to 1e-10."""
    pin = pytest.importorskip("pinocchio", reason="no pinocchio: pip install stiction[robots]")
    robot, model = read_urdf(path, read_mesh), pin.buildModelFromUrdf(str(path))
    groups, owner = merged(robot, robot.poses(robot.values()))
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    assert {joint.name for joint in moving} == set(list(model.names)[1:])
    for joint in moving:
        number, group = model.getJointId(joint.name), groups[owner[joint.child]]
        inertia = model.inertias[number]
        assert abs(group.mass - inertia.mass) < 1e-10
        above = owner[joint.parent]
        parent = model.names[model.parents[number]]
        ours = next((one.name for one in moving if owner[one.child] == above), "universe")
        assert parent == ours, joint.name
        # An inertia without a mass is left out, and said so.
        empty = any(not robot.links[name].mass and np.any(robot.links[name].inertia) for name in group.links)
        if group.mass and not empty:
            assert np.abs(group.center - inertia.lever).max() < 1e-10
            assert np.abs(group.inertia - inertia.inertia).max() < 1e-10
    rng, data = np.random.default_rng(1), model.createData()
    for _ in range(3):
        values = {joint.name: float(rng.uniform(-1, 1)) for joint in moving if joint.moves}
        q = pin.neutral(model)
        for name, value in values.items():
            joint = model.joints[model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        pin.framesForwardKinematics(model, data, q)
        for name, (place, turn) in robot.poses(values).items():
            there = data.oMf[model.getFrameId(name, pin.FrameType.BODY)]
            assert np.abs(there.translation - place).max() < 1e-10
            assert np.abs(there.rotation - turn).max() < 1e-10


def test_as_pinocchio(arm):
    assert_as_pinocchio(arm)


@pytest.mark.parametrize("path", models() or [None], ids=lambda path: path.stem if path else "none")
def test_files_that_people_use(path):
    """Each loads; compiles; is as pinocchio has it."""
    if path is None:
        pytest.skip("no robots: pip install stiction[robots]")
    made = load_urdf(path, read_mesh, fixed_base=True)
    model, _ = compile_scene(made)
    assert np.isfinite(model.mass).all()
    assert_as_pinocchio(path)


def test_the_allegro_hand_of_the_scene_is_that_of_its_file():
    """Joints, limits, masses and shapes; frames of all links in random poses."""
    path = next((path for path in models() if path.stem == "allegro_right_hand"), None)
    if path is None:
        pytest.skip("no robots: pip install stiction[robots]")
    theirs, ours = read_urdf(path, read_mesh), allegro_hand()
    assert list(ours.links) == list(theirs.links)
    for name, link in ours.links.items():
        other = theirs.links[name]
        assert link.mass == other.mass, name
        assert [(part.shape, part.position) for part in link.parts] == [
            (part.shape, pytest.approx(part.position, abs=1e-12)) for part in other.parts
        ]
    limits = {joint.name: (joint.limits, joint.effort) for joint in theirs.joints if joint.moves}
    assert {joint.name: (joint.limits, joint.effort) for joint in ours.joints if joint.moves} == limits
    rng = np.random.default_rng(2)
    values = {name: float(rng.uniform(*bounds)) for name, (bounds, _) in limits.items()}
    wanted = theirs.poses(values)
    for name, (place, turn) in ours.poses(values).items():
        assert np.abs(place - wanted[name][0]).max() < 1e-8
        assert np.abs(turn - wanted[name][1]).max() < 1e-8


def test_tree_poses_and_merged_links(arm):
    robot = read_urdf(arm, read_mesh)
    values = robot.values({"grip": 0.02})
    assert values == pytest.approx({"yaw": 0.0, "shoulder": 0.2, "grip": 0.02, "grip2": 0.02})
    made = load_urdf(arm, read_mesh, pose={"grip": 0.02})
    assert [body.name for body in made.bodies] == ["world", "turret", "arm", "left", "right"]
    # It fell, and the robot hung on the ground: joints mean that by the name of this body.
    assert made.bodies[0].motion == "static"
    assert made.bodies[1].mass == pytest.approx(2.5)
    joints = {joint.name: joint for joint in made.joints}
    assert joints["shoulder"].limits == pytest.approx((0.0, 1.8))
    assert joints["grip2"].limits == pytest.approx((-0.02, 0.02))
    assert joints["grip2 mimic"].ratio == 0.5
    assert any("begins at 0.2" in note for note in made.notes)
    assert any("3 links of fixed joints" in note for note in made.notes)
    assert joints["yaw"].axis == pytest.approx(robot.poses(values)["turret"][1][:, 2])
    run = simulate(made, SimulationOptions(time=0.2))
    assert run.joints[..., 2:4].max() < 1e-8


def test_servos_go_to_their_targets_as_hard_as_the_effort_allows(arm):
    robot = read_urdf(arm, read_mesh)
    made = robot_scene(robot, True, {"shoulder": 0.5}, {"shoulder": 1.0}, stiffness=1e5, damping=100.0)
    shoulder = next(joint for joint in made.joints if joint.name == "shoulder")
    assert (shoulder.servo.target, shoulder.servo.max) == (pytest.approx(0.5), 5.0)
    with pytest.raises(SceneError, match="stiffness"):
        robot_scene(robot, targets={"shoulder": 1.0})
    with pytest.raises(SceneError, match="'elbow'"):
        robot_scene(robot, targets={"elbow": 1.0}, stiffness=1.0)
    with pytest.raises(SceneError, match="'elbow'"):
        load_urdf(arm, read_mesh, pose={"elbow": 1.0})
    with pytest.raises(SceneError, match="outside its limits"):
        load_urdf(arm, read_mesh, pose={"shoulder": 3.0})


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#n" offset="1"/>
      <vcount>3 3</vcount><p>0 0 2 0 1 0 0 1 1 1 3 1</p></polylist>
    <triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><translate>2 0 0</translate><rotate>0 0 1 90</rotate>
    <scale>3 3 3</scale><node><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
</COLLADA>"""


def test_collada(tmp_path):
    """A tetrahedron of 3 cm, turned by a quarter, moved by 2 cm, y up."""
    path = tmp_path / "part.dae"
    path.write_text(DAE)
    vertices, triangles = read_collada(path)
    corners = np.unique(np.round(vertices, 12), axis=0)
    assert corners == pytest.approx(np.array([[-0.01, 0, 0], [0.02, -0.03, 0], [0.02, 0, 0], [0.02, 0, 0.03]]))
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.03**3 / 6)
    path.write_text(DAE.replace("0 0 0 1 0 0", "0 0 zero 1 0 0"))
    with pytest.raises(SceneError, match=r"part\.dae.*convert"):
        read_collada(path)


def test_round_hulls_get_few_corners_and_flat_ones_are_refused():
    rng = np.random.default_rng(3)
    ball = rng.normal(size=(4000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    corners = hull_corners(ball, "link 'ball'")
    assert 100 < len(corners) <= MOST
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert (directions @ corners.T).max(axis=1).min() > 0.98
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)] + [[0.5, 0.5, 0.5]])
    assert len(hull_corners(cube, "")) == 8
    with pytest.raises(SceneError, match="link 'plate'"):
        hull_corners(cube * [1, 1, 0], "link 'plate'")


def test_a_mass_without_inertia_takes_that_of_its_shape(tmp_path):
    text = """<robot name="r"><link name="ball"><inertial><mass value="2"/></inertial>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
    path = tmp_path / "r.urdf"
    path.write_text(text)
    made = load_urdf(path, read_mesh)
    assert np.diag(made.bodies[0].inertia) == pytest.approx([0.4 * 2 * 0.01] * 3, rel=1e-9)
    assert any("no inertia" in note for note in made.notes)
    run = simulate(on_floor(made), SimulationOptions(time=0.2))
    assert run.center_of_mass[-1, 1, 2] == pytest.approx(run.center_of_mass[0, 1, 2], abs=2e-3)


def test_pairs_that_overlap_at_the_start_do_not_touch(tmp_path):
    """Grandparent and grandchild, drawn into each other; the floor is still met."""
    box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{box}</link>' for name in "abc")
    joints = "".join(f'''<joint name="{a}{b}" type="revolute"><parent link="{a}"/><child link="{b}"/>
                     <origin xyz="0.05 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'''
                     for a, b in ("ab", "bc"))  # fmt: skip
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    made = apart(load_urdf(path, read_mesh))
    assert ("a", "c") in made.excluded_pairs
    assert any("1 pairs overlap" in note and "a and c" in note for note in made.notes)
    run = simulate(on_floor(made), SimulationOptions(time=0.3))
    assert np.abs(run.center_of_mass[-1, 1:, 2] - run.center_of_mass[0, 1:, 2]).max() < 5e-3
