"""Bad mechanisms and robots: one sentence that names what is wrong, exit code 2; what moves is never refused."""

import dataclasses

import numpy as np
import pytest
from joint_scenes import anchor, cube, rod, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.cli import main
from stiction.solver.dynamics.jointed.start.mobility import held_fast, notes_of_motion
from stiction.solver.model import compile_scene
from stiction.solver.robots.bodies import load_urdf
from stiction.solver.scene import Joint, Keyed, Motor, Servo
from stiction.solver.scene_io.mesh_file import read_mesh
from stiction.solver.scene_io.scene_file import save_scene
from stiction.solver.scenes import build

X, Y, Z = np.eye(3)


def hinge(name, bodies, position=(0, 0, 0), axis=Z, **more):
    return Joint(name, "hinge", bodies, tuple(position), tuple(axis), **more)


def crank(angle, **motor):
    """Crank, rod and a slider along x, the motor in the slider."""
    pin = np.array([np.cos(angle), 0, np.sin(angle)])
    end = pin + [np.sqrt(4 - pin[2] ** 2), 0, -pin[2]]
    bodies = [rod("crank", (0, 0, 0), pin), rod("rod", pin, end), cube("slider", end)]
    joints = [hinge("a", ("world", "crank"), (0, 0, 0), Y), hinge("b", ("crank", "rod"), pin, Y),
              hinge("c", ("rod", "slider"), end, Y),
              Joint("guide", "slider", ("world", "slider"), tuple(end), (1, 0, 0), **motor)]  # fmt: skip
    return scene(bodies, joints)


def triangle(**more):
    """Two rods and the ground: no freedom left."""
    bodies = [rod("left", (0, 0, 0), (1, 0, 1)), rod("right", (1, 0, 1), (2, 0, 0))]
    return scene(bodies, [hinge("a", ("world", "left"), axis=Y, **more), hinge("b", ("left", "right"), (1, 0, 1), Y),
                          hinge("c", ("world", "right"), (2, 0, 0), Y)])  # fmt: skip


CROSSED = hinge("x", ("world", "a"), axis=X)
CONTRADICTING = [
    (scene([cube("a", (0, 0, 0))], [CROSSED, hinge("z", ("world", "a"), motor=Motor(2.0, 1.0))]),
     "joint 'z': its motor wants 2 rad/s, but joint 'x' holds it fast; remove one of them, or the drive"),
    (scene([cube("a", (0, 0, 0))], [CROSSED, hinge("z", ("world", "a"), servo=Servo(0.5, 100.0))]),
     "joint 'z': its servo wants 0.5 rad, but joint 'x' holds it fast"),
    (scene([cube("a", (0, 0, 0))], [CROSSED, hinge("z", ("world", "a"), motor=Motor(Keyed((0, 1), (0, 1)), 1.0))]),
     "joint 'z': its motor is to follow its keys, but joint 'x' holds it fast"),
    (triangle(motor=Motor(1.0, 2.0)), "joint 'a': its motor wants 1 rad/s, but joints 'b', 'c' hold it fast"),
    (scene([cube("a", (0, 0, 0))], [hinge("p", ("world", "a"), motor=Motor(1.0)),
                                    hinge("q", ("world", "a"), Z, motor=Motor(2.0))]),
     "joint 'p': its motor wants 1 rad/s, which the joints and the motor of 'q' do not allow"),
    (scene([cube("a", (0, 0, 0))], [Joint("stay", "distance", ("world", "a"), positions=((0, 0, 2), (0, 0, 0)),
                                          length=1.0, assemble=True),
                                    Joint("guide", "slider", ("world", "a"), (0, 0, 0), (1, 0, 0))]),
     "joints 'stay', 'guide': no pose of the bodies closes what is joined, 500 mm stay open"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "words"), CONTRADICTING)
def test_contradicting_joints_are_refused_by_name(made, words):
    with pytest.raises(SceneError) as told:
        compile_scene(made)
    assert words in str(told.value)


@pytest.mark.parametrize(
    "made",
    [
        crank(0.0, motor=Motor(1.0, 5.0)),  # At its dead point the slider has no velocity; a moment later it has.
        crank(0.7, motor=Motor(1.0)),
        build("bricard"), build("bennett"), build("door"), build("planetary_gear"), build("differential"),
        scene([cube("a", (0, 0, 0))], [hinge("p", ("world", "a"), motor=Motor(2.0)),
                                       hinge("q", ("world", "a"), Z, motor=Motor(2.0))]),
        scene([cube("a", (0, 0, 0))], [hinge("p", ("world", "a"), motor=Motor(2.0, 1.0)),
                                       hinge("q", ("world", "a"), Z, motor=Motor(1.0, 3.0))]),
        scene([cube("a", (0, 0, 0))], [CROSSED, hinge("z", ("world", "a"), motor=Motor(0.0, 1.0))]),
    ],
)  # fmt: skip
def test_what_moves_is_not_refused(made):
    compile_scene(made)


def test_a_truss_is_said_not_refused():
    """What is held fast by hinges is said; a pendulum hung from it moves; what is welded is meant to stand."""
    made = triangle()
    made = scene([*made.bodies, rod("bob", (1, 0, 1), (1, 0, 0)), cube("post", (5, 0, 0))],
                 [*made.joints, hinge("d", ("left", "bob"), (1, 0, 1), Y),
                  Joint("weld", "fixed", ("world", "post"), (5, 0, 0))])  # fmt: skip
    model, state = compile_scene(made)
    assert held_fast(model, state).fast.tolist() == [True, True, False, True]
    assert notes_of_motion(model, state) == [
        "2 of the jointed bodies cannot move, joints 'a', 'b', 'c' hold them fast: 'left', 'right'"
    ]
    free, state = compile_scene(crank(0.0))
    assert notes_of_motion(free, state) == []


@pytest.mark.parametrize("passing", [{"breaking": 5.0}, {"switches": (0.5,)}])
def test_what_joints_hold_for_a_while_is_neither_said_nor_refused(passing):
    """A catapult's lock, keyed off or broken, beside its motor."""
    lock = Joint("lock", "fixed", ("world", "a"), (0, 0, 0), **passing)
    made = scene([cube("a", (0, 0, 0))], [hinge("p", ("world", "a"), motor=Motor(2.0)), lock])
    assert notes_of_motion(*compile_scene(made)) == []
    held = scene(made.bodies, [made.joints[0], dataclasses.replace(lock, breaking=None, switches=())])
    with pytest.raises(SceneError, match="its motor wants 2 rad/s"):
        compile_scene(held)


BODIES = [cube("a", (0, 0, 0)), anchor(), cube("speck", (0, 0, 0), mass=1e-4)]
SCENES = {
    "axis": (hinge("j", ("world", "a"), axis=(0, 0, 0)), "axis is [0, 0, 0], of length 0"),
    "apart": (Joint("j", "ball", ("world", "a"), positions=((0, 0, 0), (0.01, 0, 0))), "10 mm apart at the start"),
    "missing": (hinge("j", ("world", "nobody")), "no body 'nobody'"),
    "same": (hinge("j", ("a", "a")), "joins 'a' to itself"),
    "limits": (hinge("j", ("world", "a"), limits=(1.0, -1.0)), "limits are 1.0 to -1.0, the wrong way round"),
    "breaking": (hinge("j", ("world", "a"), breaking=0.0), "breaking is 0.0 N"),
    "rope": (Joint("j", "rope", ("world", "a"), positions=((0, 0, 3), (0, 0, 0)), length=1.0), "1.0 m long but"),
    "masses": (Joint("j", "ball", ("a", "speck")), "a ratio of 1e+07"),
}


def told_once(path, words, capsys):
    """The command line refuses a file in one sentence with exit code 2."""
    assert main(["simulate", str(path), "--time", "0.01"]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert "\n" not in said


@pytest.mark.parametrize("case", SCENES)
def test_the_command_line_says_it_in_one_sentence(case, tmp_path, capsys):
    joint, words = SCENES[case]
    bodies = [cube("a", (0, 0, 0), mass=1e3), *BODIES[1:]] if case == "masses" else BODIES
    save_scene(tmp_path / "scene.json", scene(bodies, [joint]))
    told_once(tmp_path / "scene.json", words, capsys)


def test_contradiction_on_the_command_line(tmp_path, capsys):
    save_scene(tmp_path / "scene.json", CONTRADICTING[0][0])
    told_once(tmp_path / "scene.json", CONTRADICTING[0][1], capsys)


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="{}" iyy="0.01" izz="0.01"/></inertial>{}</link>'
ROBOTS = {
    "not well-formed": ("<robot><link></robot>", "not well-formed XML"),
    "missing mesh": ('<robot name="r"><link name="a"><collision><geometry><mesh filename="gone.stl"/></geometry>'
                     "</collision></link></robot>", "mesh 'gone.stl' is not there"),
    "no link": ('<robot name="r"/>', "has no link"),
    "negative mass": ('<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>',
                      "mass is -1.0 kg"),
}  # fmt: skip


@pytest.mark.parametrize("case", ROBOTS)
def test_robots_that_cannot_be_read(case, tmp_path, capsys):
    text, words = ROBOTS[case]
    (tmp_path / "r.urdf").write_text(text)
    told_once(tmp_path / "r.urdf", words, capsys)


def test_an_impossible_inertia_is_repaired_and_said(tmp_path):
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{LINK.format("a", 0.5, box)}</robot>')
    made = load_urdf(tmp_path / "r.urdf", read_mesh)
    low, middle, high = np.linalg.eigvalsh(made.bodies[0].inertia)
    assert low + middle >= high * (1 - 1e-12)
    assert any("'a'" in note and "inertia" in note for note in made.notes)


@pytest.mark.parametrize("kind, way, said", [("hinge", (0.5, 1.0), "0.5 rad"), ("slider", (-0.3, -0.1), "0.1 m"),
                                             ("hinge", (0.0, 1.0), ""), ("slider", (None, 0.0), "")])  # fmt: skip
def test_limits_that_the_start_is_outside_are_said(kind, way, said):
    """Where limits count from the start, a door given those of its angle in the world is elsewhere in one step."""
    joint = Joint("door", kind, ("world", "leaf"), axis=(0.0, 1.0, 0.0), limits=way)
    told = notes_of_motion(*compile_scene(scene([cube("leaf", (1.0, 0.0, 0.0))], [joint])))
    assert [f"'door': outside the limits at the start, by up to {said}" in note for note in told] == [True] * bool(said)


def test_a_joint_that_holds_nothing_is_simulated():
    """As Blender adds a Generic constraint: no axis of it is limited."""
    joint = Joint("loose", "generic", ("world", "leaf"), free=("x", "y", "z", "rx", "ry", "rz"))
    assert notes_of_motion(*compile_scene(scene([cube("leaf", (1.0, 0.0, 0.0))], [joint]))) == []
