"""URDF files that other readers forgive: taken all the same, each kind of repair named once."""

from dataclasses import replace

import numpy as np
import pytest
from test_urdf import GRIPPER, loaded

from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.simulation import simulate

PENDULUM = """<robot name="pendulum">
  <link name="hook"/>
  <link name="bob"><inertial><origin xyz="0.3 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.3 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="spherical"><parent link="hook"/><child link="bob"/><origin xyz="0 0 1"/></joint>
</robot>"""

PLANE = """<robot name="plane">
  <link name="ground"><inertial><mass value="0"/></inertial>
    <collision><geometry><plane normal="{normal}"/></geometry></collision></link>
  <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="free" type="floating"><parent link="ground"/><child link="ball"/><origin xyz="0 0 0.5"/></joint>
</robot>"""

REPAIRS = {
    "commas": (('xyz="0 0 0.1" rpy="0 0 0.5"', 'xyz="0, 0, 0.1" rpy="0,0,0.5"'), "2 vectors written with commas"),
    "a fourth number": (('xyz="0 0 0.1" rpy', 'xyz="0 0 0.1 7" rpy'), "1 vector of more than three numbers"),
    "blank lines": (("<robot", '\n \n<?xml version="1.0" encoding="utf-8"?>\n<robot'), "blank lines before the XML"),
    "a mark of order": (("<robot", '\ufeff<?xml version="1.0"?><robot'), ""),
    "a trailing point": (('value="2"', 'value="2.0."'), "1 number cut behind the number"),
    "a unit": (('value="2"', 'value=" 2kg"'), "1 number cut behind the number"),
    "a zero byte": (("</robot>", "</robot>\r\n\0"), "'\\x00' after the XML is skipped"),
    "a namespace": (("<robot", '<robot xmlns="http://drake.mit.edu"'), "the namespace of its elements is left out"),
    "limits the wrong way round": (('lower="-1" upper="2"', 'lower="2" upper="-1"'), "lower limit 2 is above"),
    "optenv": (('value="2"', 'value="$(optenv STICTION_NO_SUCH 2)"'), "1 $(optenv ...) replaced"),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_what_others_forgive_is_taken_and_named_once(tmp_path, name):
    change, words = REPAIRS[name]
    given = GRIPPER.replace(*change, 1)
    assert given != GRIPPER
    made, plain = loaded(tmp_path, given), loaded(tmp_path, GRIPPER)
    for one, other in zip(made.bodies, plain.bodies, strict=True):
        assert (one.position, one.orientation, one.mass) == (other.position, other.orientation, other.mass)
    more = [note for note in made.notes if note not in plain.notes]
    assert len(more) == bool(words) and all(words in note for note in more)


def test_optenv_takes_the_variable_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("STICTION_MASS", "3")
    made = loaded(tmp_path, GRIPPER.replace('value="2"', 'value="$(optenv STICTION_MASS 2)"'))
    assert made.bodies[0].mass == 3.0


def test_a_flat_mesh_is_made_as_thick_as_pybullet_makes_it(tmp_path):
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 0.1 0 0\nv 0.1 0.2 0\nv 0 0.2 0\nf 1 2 3\nf 1 3 4\n")
    made = loaded(tmp_path, GRIPPER.replace('<sphere radius="0.01"/>', '<mesh filename="m.obj"/>'))
    right = next(body for body in made.bodies if body.name == "right")
    assert right.mass == pytest.approx(1000.0 * 0.1 * 0.2 * 2e-3, rel=1e-6)
    assert "link 'right': its mesh is flat, and is made 2 mm thick" in made.notes


def test_a_scale_of_one_number_holds_along_all_axes(tmp_path):
    corners = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "m.obj").write_text(corners)
    made = loaded(tmp_path, GRIPPER.replace('<sphere radius="0.01"/>', '<mesh filename="m.obj" scale="2"/>'))
    right = next(body for body in made.bodies if body.name == "right")
    assert right.mass == pytest.approx(1000.0 * 0.2**3 / 6, rel=1e-6)
    assert any("1 vector of one number" in note for note in made.notes)


def test_a_spherical_joint_swings_in_every_plane(tmp_path):
    made = loaded(tmp_path, PENDULUM, fixed_base=True)
    assert [joint.type for joint in made.joints] == ["ball"]
    bob = next(body for body in made.bodies if body.name == "bob")
    bob = replace(bob, velocity=(0.0, 0.6, 0.0), angular_velocity=(0.0, 0.0, 2.0))
    run = simulate(replace(made, bodies=(made.bodies[0], bob)), SimulationOptions(time=0.5))
    arms = np.linalg.norm(run.center_of_mass[:, 1] - (0, 0, 1), axis=1)
    assert np.abs(arms - 0.3).max() < 1e-6
    assert np.ptp(run.center_of_mass[:, 1], axis=0).min() > 0.05


@pytest.mark.parametrize("normal", ["0 0 1", "0 0.6 0.8"])
def test_a_plane_is_the_ground(tmp_path, normal):
    made = loaded(tmp_path, PLANE.format(normal=normal))
    run = simulate(replace(made, excluded_pairs=()), SimulationOptions(time=0.6))
    up = np.array(normal.split(), dtype=float)
    assert run.center_of_mass[-1, 1] @ up == pytest.approx(0.1, abs=1e-4)
    assert np.abs(run.positions[:, 0]).max() < 1e-12
    assert sum("plane" in note for note in made.notes) == 1
