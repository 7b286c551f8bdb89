"""`stiction verify FILE.npz` refuses a file that is damaged, or says what is not known, and names what is wrong."""

import json

import numpy as np
import pytest

from stiction.solver.verify import NotVerifiable, verify

T = 4
TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
NAN = float("nan")


@pytest.fixture
def write(tmp_path):
    """What writes two floating bodies and a wall, with changes of the scene, of the second body, and of arrays."""

    def write(scene=(), body=(), without=(), **arrays):
        shape = {"type": "box", "sides": [0.2, 0.2, 0.2]}
        one = {"mass": 1.0, "inertia": [0.01] * 3, "shapes": [shape]}
        bodies = [{"name": "wall", "shapes": [shape]}, {"name": "a"} | one | dict(body), {"name": "b"} | one]
        said = {"gravity": [0, 0, 0], "bodies": bodies, "claims": {"m": 1e-6}} | dict(scene)
        for key in without:
            bodies[1].pop(key, None)
        x = np.zeros((T, 3, 3))
        x[:, 1, 0], x[:, 2, 0] = 2.0, 4.0
        own = {"time": 0.1 * np.arange(T), "position": x, "orientation": np.tile([1.0, 0, 0, 0], (T, 3, 1)),
               "velocity": 0 * x, "spin": 0 * x} | arrays  # fmt: skip
        path = tmp_path / "run.npz"
        np.savez(path, scene=json.dumps(said), **{name: of for name, of in own.items() if of is not None})
        return path

    return write


def shape(**given):
    return {"body": {"shapes": [given]}}


def joint(**given):
    own = {"name": "pin", "type": "ball", "bodies": ["a", "b"], "anchors": [[1, 0, 0], [-1, 0, 0]]}
    return {"scene": {"joints": [own | given]}}


def contact(**given):
    own = {"step": [0], "body": [[1, 2]], "point": [[3, 0, 0]], "normal": [[1, 0, 0]], "impulse": [[0, 0, 0]]}
    return {f"contact_{name}": np.array(of) for name, of in (own | given).items()}


BAD = {
    "scene: unknown": ({"scene": {"gravitation": 1}}, "the scene has 'gravitation', which is not known"),
    "scene: bodies": ({"scene": {"bodies": None}}, "'bodies' of the scene is None, not a list"),
    "scene: none moves": ({"without": ("mass",), "scene": {"bodies": [{"name": "a"}]}}, "no body has a 'mass'"),
    "gravity": ({"scene": {"gravity": [0, 0, NAN]}}, r"'gravity' of the scene is \[0, 0, nan\], not 3 finite numbers"),
    "friction": ({"scene": {"friction": -0.1}}, "'friction' of the scene is -0.1, not .* of 0 or more"),
    "friction: one-sided": ({"scene": {"friction": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}}, "the same for a and b"),
    "claims: unit": ({"scene": {"claims": {"mm": 1.0}}}, "'claims' of the scene has 'mm', which is not known"),
    "claims: value": ({"scene": {"claims": {"m": NAN}}}, "'m' of 'claims' of the scene is nan"),
    "when": ({"scene": {"when": 1.5}}, "'when' of the scene is 1.5, not from 0 to 1"),
    "reach": ({"scene": {"reach": "far"}}, "'reach' of the scene is 'far', not a finite number"),
    "excluded: world": ({"scene": {"excluded": [["world", "a"]]}}, "the list of bodies has no 'world'"),
    "excluded: one": ({"scene": {"excluded": ["a", "b"]}}, "'excluded' of the scene has 'a', not two bodies"),
    "body: unknown": ({"body": {"maas": 1}}, "body 'a' has 'maas', which is not known"),
    "body: name twice": ({"body": {"name": "b"}}, "have the name 'b'"),
    "body: name world": ({"body": {"name": "world"}}, "have the name 'world'"),
    "body: name": ({"body": {"name": 3}}, "'name' of a body is 3, not a text"),
    "mass: negative": ({"body": {"mass": -1.0}}, "'mass' of body 'a' is -1.0, not a finite number above 0"),
    "mass: text": ({"body": {"mass": "1"}}, "'mass' of body 'a' is '1', not a finite number above 0"),
    "inertia: none": ({"without": ("inertia",)}, "body 'a' has no 'inertia'"),
    "inertia: negative": ({"body": {"inertia": [1, 1, -1]}}, "'inertia' of body 'a' is .*, not symmetric with moments"),
    "inertia: oblique": ({"body": {"inertia": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}}, "not symmetric with moments"),
    "shape: unknown": (shape(type="box", sides=[1] * 3, pos=[0] * 3), "the box of body 'a' has 'pos', which is not"),
    "shape: none": (shape(type="capsule", radius=0.1), "the capsule of body 'a' has no 'length'"),
    "shape: sides": (shape(type="box", sides=[1, 0, 1]), r"is \[1, 0, 1\], not 3 finite numbers above 0"),
    "shape: turn": (shape(type="box", sides=[1] * 3, orientation=[2, 0, 0, 0]), "'orientation' of the box .* length 1"),
    "mesh: row": (shape(type="mesh", vertices=TETRAHEDRON, triangles=[[0, 1, 4]]), "not rows of vertices, from 0 to 3"),
    "mesh: open": (shape(type="mesh", vertices=TETRAHEDRON, triangles=FACES[:3]), "body 'a' is not closed"),
    "mesh: inwards": (shape(type="mesh", vertices=TETRAHEDRON, triangles=np.flip(FACES, 1).tolist()), "clockwise"),
    "joint: unknown": (joint(limits=[0, 1]), "joint 'pin' has 'limits', which is not known"),
    "joint: one body": (joint(bodies=["a"]), r"'bodies' of joint 'pin' is \['a'\], not a list of 2"),
    "joint: itself": (joint(bodies=["a", "a"]), "not two bodies, or one and 'world'"),
    "joint: anchors": (joint(anchors=[[0, 0, 0]]), "'anchors' of joint 'pin' is .* not 2 x 3 finite numbers"),
    "joint: frames": (joint(frames=(2 * np.tile(np.eye(3), (2, 1, 1))).tolist()), "not of right-handed axes"),
    "time: text": ({"time": np.arange(T).astype(str)}, "'time' is <U.* of 4, not numbers"),
    "time: complex": ({"time": np.arange(T) + 0j}, "'time' is complex128 of 4, not numbers"),
    "orientation: scaled": ({"orientation": np.full((T, 3, 4), 1.0)}, r"at \[0, 0\] is .*, not of length 1"),
    "orientation: zero": ({"orientation": np.zeros((T, 3, 4))}, r"'orientation' at \[0, 0\] is .*, not of length"),
    "position: huge": ({"position": np.full((T, 3, 3), 1e300)}, r"'position' at \[0, 0, 0\] is 1e\+300, not finite"),
    "contact: step": (contact(step=[0.5]), r"'contact_step' at \[0\] is 0.5, not a whole number within 0 and 2"),
    "contact: body": (contact(body=[[1, 1]]), "contacts of a body with itself"),
    "contact: normal": (contact(normal=[[0, 0, 0]]), r"'contact_normal' at \[0\] is .*, not of length 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit_is_refused_by_name(write, name):
    given, sentence = BAD[name]
    with pytest.raises(NotVerifiable, match=sentence) as refused:
        verify(write(**given))
    assert "\n" not in str(refused.value) and str(refused.value).endswith("docs/verify.md has the format")


@pytest.mark.parametrize("left", [0, 10, 200, -10])
def test_a_file_cut_off_is_refused(write, left):
    path = write()
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(NotVerifiable, match="is no trajectory"):
        verify(path)


def test_a_changed_byte_and_an_array_alone_are_refused(write):
    path = write()
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 255
    path.write_bytes(data)
    with pytest.raises(NotVerifiable, match="is no trajectory"):
        verify(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(NotVerifiable, match="is no trajectory"):
        verify(path)


def test_a_folder_is_a_run_whatever_its_name(tmp_path):
    (tmp_path / "run.npz").mkdir()
    with pytest.raises(NotVerifiable, match="has no header.json"):
        verify(tmp_path / "run.npz")


def test_single_precision_is_as_good(write):
    single = {name: np.load(write())[name].astype(np.float32) for name in ("time", "position", "orientation")}
    assert verify(write(**single))["passed"]
