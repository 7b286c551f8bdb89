"""`stiction verify FILE.npz` judges trajectories of other programs, written here by hand."""

import json

import numpy as np
import pytest

from stiction.solver.cli import main
from stiction.solver.verify import NotVerifiable, verify
from stiction.solver.verify.explained import unexplained
from stiction.solver.verify.touching import Features, touching

H, G, MU, MASS, SIDE = 0.01, 10.0, 0.5, 2.0, 0.2
CLAIMS = {"m": 1e-6, "degrees": 1e-3, "rad": 1e-6, "1": 1e-6, "m/s": 2e-5, "J": 1e-6}
T = np.arange(11) * H
CONE, SLIDING = (f"velocities that no impulse {what} explains" for what in ("in friction cones", "by Coulomb's law"))
OVERLAP = "overlap of shapes"
GAIN = {"energy that a step gives", "energy above that of the start"}


def write(path, x, v, shape=None, claims=CLAIMS, scene=(), **arrays):
    """A block whose centre is at x (T,3) with velocities v (T,3), over a floor whose top is at z = 0."""
    states = {"position": np.zeros((len(x), 2, 3)), "orientation": np.tile([1.0, 0, 0, 0], (len(x), 2, 1)),
              "velocity": np.zeros((len(x), 2, 3)), "spin": np.zeros((len(x), 2, 3))}  # fmt: skip
    states["position"][:, 0, 2], states["position"][:, 1], states["velocity"][:, 1] = -0.5, x, v
    bodies = [{"name": "floor", "shapes": [{"type": "box", "sides": [8, 8, 1]}]},
              {"name": "block", "mass": MASS, "inertia": [0.01] * 3,
               "shapes": [shape or {"type": "box", "sides": [SIDE] * 3}]}]  # fmt: skip
    said = {"gravity": [0, 0, -G], "friction": MU, "bodies": bodies, "claims": claims, **dict(scene)}
    arrays = {"time": H * np.arange(len(x)), **states, **arrays}
    np.savez(path, scene=json.dumps(said), **{name: of for name, of in arrays.items() if of is not None})
    return path


def moving(x=0.0, z=0.0, u=0.0, w=0.0, height=SIDE / 2):
    """Positions and velocities (T,3) along x and z."""
    columns = np.broadcast_arrays(x, 0.0, z + np.full_like(T, height)), np.broadcast_arrays(u, 0.0, w + 0.0 * T)
    return [np.column_stack([np.broadcast_to(one, T.shape) for one in each]) for each in columns]


def failed(path):
    return {check["name"] for check in verify(path)["checks"] if not check["passed"]}


def found(path, name):
    return next(check["found"] for check in verify(path)["checks"] if check["name"] == name)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.npz"


def test_a_block_at_rest_passes(path):
    assert failed(write(path, *moving())) == set()
    assert verify(path)["missing"] == [("momentum and Coulomb's law of recorded impulses", "no contacts are given")]


def test_a_block_that_sinks_in_is_found(path):
    assert failed(write(path, *moving(z=-0.05 * T, w=-0.05))) == {OVERLAP}
    assert found(path, OVERLAP) == pytest.approx(0.05 * T[-1])


def test_a_block_that_gains_energy_is_found(path):
    """It rises: nothing pushes it that touches it no longer."""
    assert failed(write(path, *moving(z=2 * T, w=2.0))) == GAIN | {CONE, SLIDING}
    assert found(path, "energy that a step gives") == pytest.approx(MASS * G * 2 * H)
    assert found(path, CONE) == pytest.approx(G * H)


def braked(rate):
    return moving(x=2 * T - rate * T**2 / 2, u=2 - rate * T)


def test_a_slip_against_the_friction_cone_is_found(path):
    """It is braked by 0.8 of its weight, at a coefficient of 0.5: the cone is (0.8 - 0.5) cos(atan 0.5) away."""
    assert failed(write(path, *braked(0.8 * G))) == {CONE, SLIDING}
    assert found(path, CONE) == pytest.approx(0.3 * G * H / np.hypot(1, MU), rel=1e-6)
    assert failed(write(path, *braked(MU * G))) == set()


def test_friction_that_does_not_brake_what_slides_is_found(path):
    """Within the cone, but not at its edge: by 0.2 of the weight instead of 0.5."""
    assert failed(write(path, *braked(0.2 * G))) == {SLIDING}


def test_a_fall_from_rest_is_the_flight_that_it_is(path):
    fall = moving(z=1 - G * T**2 / 2, w=-G * T)
    assert failed(write(path, *fall)) == set()
    wrong = {CONE, SLIDING, "bodies move with their velocities in the mean"}
    assert failed(write(path, fall[0], 1.01 * fall[1])) >= wrong


SHAPES = {
    "sphere": ({"type": "sphere", "radius": 0.1}, 0.1),
    "capsule": ({"type": "capsule", "radius": 0.1, "length": 0.3, "orientation": [0.5**0.5, 0.5**0.5, 0, 0]}, 0.1),
    "cylinder": ({"type": "cylinder", "radius": 0.1, "length": 0.3}, 0.15),
    "lying cylinder": ({"type": "cylinder", "radius": 0.1, "length": 0.3, "orientation": [0.5**0.5, 0.5**0.5, 0, 0]},
                       0.1),
    "mesh": ({"type": "mesh", "vertices": [[0, 0, 0.3], [0.3, 0, -0.1], [-0.3, 0.3, -0.1], [-0.3, -0.3, -0.1]],
              "triangles": [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]}, 0.1),
}  # fmt: skip


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_of_each_kind_rest(path, kind):
    """Each stands on the floor, and none is pushed from above it."""
    shape, height = SHAPES[kind]
    assert failed(write(path, *moving(height=height), shape=shape)) == set()
    assert CONE in failed(write(path, *moving(height=height + 0.05), shape=shape))


@pytest.mark.parametrize(("angle", "stays"), [(0.4, True), (0.6, False)])
def test_a_block_that_stands_on_a_slope_is_explained_up_to_the_angle_of_friction(path, angle, stays):
    slope = [G * np.sin(angle), 0, -G * np.cos(angle)]
    left = found(write(path, *moving(), scene={"gravity": slope}), CONE)
    assert left == pytest.approx(0.0 if stays else H * G * np.sin(angle - np.arctan(MU)), abs=1e-4 * H * G)


def contacts(change=None, **more):
    """Arrays of the four corners of the block, each of which carries a quarter of its weight in every step."""
    corner = 0.5 * SIDE * np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]])
    step = np.repeat(np.arange(len(T) - 1), 4)
    out = {"contact_step": step, "contact_body": np.tile([0, 1], (len(step), 1)),
           "contact_point": np.tile(corner, (len(T) - 1, 1)), "contact_normal": np.tile([0.0, 0, 1], (len(step), 1)),
           "contact_impulse": np.tile([0, 0, MASS * G * H / 4], (len(step), 1))}  # fmt: skip
    if change:
        change(out)
    return out | more


def test_recorded_impulses_that_hold_a_block_pass(path):
    assert failed(write(path, *moving(), **contacts())) == set() and verify(path)["missing"] == []
    assert verify(path)["contacts"] == 40


LAW = "Coulomb's law, with the velocities after a step"
WRONG = {
    "scaled": ("contact_impulse", 2, 1.01, "momentum of every body, with the recorded impulses"),
    "pulling": ("contact_impulse", 2, -1.0, "normal impulses push"),
    "beside": ("contact_point", 2, 0.01, "contacts lie on the surfaces of both bodies"),
    "slipping": ("contact_impulse", 0, 0.5, "friction is within its cone"),
    "leaning": ("contact_normal", 0, np.tan(0.1), "normals are those of faces, edges and corners"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_impulses_are_found(path, name):
    array, axis, amount, check = WRONG[name]

    def change(out):
        out[array][8, axis] = amount * (out[array][8, axis] if axis == 2 and array != "contact_point" else 1.0)
        out["contact_normal"][8] /= np.linalg.norm(out["contact_normal"][8])

    assert check in failed(write(path, *moving(), **contacts(change)))


def test_friction_that_pushes_what_stands_breaks_the_law(path):
    """Corners that are pushed along x by as much as others back: momentum and cones hold, and what slides is not."""
    def slides(out):
        out["contact_impulse"][:, 0] = MU * MASS * G * H / 4

    x, v = moving(x=T - MU * G * T**2 / 2, u=1 - MU * G * T)
    assert failed(write(path, x, v, **contacts(slides))) >= {LAW, "momentum of every body, with the recorded impulses"}

    def brakes(out):
        slides(out)
        out["contact_impulse"][:, 0] *= -1.0
        out["contact_point"][:, 0] += np.repeat(x[:-1, 0], 4)

    # The moment of friction about the centre is carried by the front corners.
    assert LAW not in failed(write(path, x, v, **contacts(brakes)))


def test_a_body_on_a_joint_is_held_by_what_the_joint_holds(path):
    joint = {"name": "pin", "type": "ball", "bodies": ["world", "block"], "anchors": [[0, 0, 1.1], [0, 0, 0]]}
    held = moving(z=1.0)
    assert failed(write(path, *held, scene={"joints": [joint]})) == set()
    assert CONE in failed(write(path, *held))
    slider = joint | {"type": "planar"}
    assert failed(write(path, *held, scene={"joints": [slider]})) == set()
    across = {"joints": [slider], "gravity": [G, 0, 0]}
    assert found(write(path, *held, scene=across), CONE) == pytest.approx(G * H)
    assert "gap of joint pin" in failed(write(path, *moving(z=0.9), scene={"joints": [joint]}))


@pytest.mark.parametrize("kind", ["fixed", "hinge", "slider", "cylindrical", "planar"])
def test_a_joint_that_holds_a_body_the_wrong_way_round_is_open(path, kind):
    """Turned by half a turn about x: the sines of all angles are 0, as of a joint that is closed."""
    joint = {"name": "pin", "type": kind, "bodies": ["world", "block"], "anchors": [[0, 0, 1.1], [0, 0, 0]]}
    turned = np.tile([1.0, 0, 0, 0], (len(T), 2, 1))
    turned[:, 1] = [0.0, 1.0, 0.0, 0.0]
    write(path, *moving(z=1.0), scene={"joints": [joint]}, orientation=turned)
    assert "angle of joint pin" in failed(path) and found(path, "angle of joint pin") == pytest.approx(np.pi)


def test_what_is_not_given_is_named_and_the_rest_is_found(path):
    write(path, *moving(z=-0.05 * T, w=-0.05), velocity=None, spin=None)
    assert failed(path) == {OVERLAP}
    assert [name for name, _ in verify(path)["missing"]] == [
        "motion, impulses, friction", "energy", "momentum and Coulomb's law of recorded impulses"]  # fmt: skip
    joints = {"joints": [{"name": "rope", "type": "rope", "bodies": ["world", "block"], "anchors": [[0, 0, 1]] * 2,
                          "motor": True}]}  # fmt: skip
    said = dict(verify(write(path, *moving(), scene=joints))["missing"])
    assert "rope" in said["gap of joint rope"] and "motors work: rope" in said["energy"]


def test_without_claims_it_measures_and_exits_0(path, capsys):
    assert main(["verify", str(write(path, *moving(z=-0.05 * T, w=-0.05), claims={}))]) == 0
    assert "overlap of shapes: 0.005 m" in capsys.readouterr().out
    assert main(["verify", str(write(path, *moving(z=-0.05 * T, w=-0.05)))]) == 1
    said = capsys.readouterr().out
    assert "FAIL overlap of shapes: 0.005 m, allowed 1e-06" in said and "no contacts are given" in said
    assert main(["verify", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["steps"] == 10


BAD = {
    "position": ({"position": np.zeros((11, 3, 3))}, "'position' is"),
    "infinite": ({"time": np.append(T[:-1], np.inf)}, "'time' at .* is inf"),
    "backwards": ({"time": T[::-1]}, "time does not rise"),
    "spin": ({"spin": None}, "one of velocity and spin alone"),
    "unknown": ({"forces": T}, "not known: forces"),
    "step": (contacts(contact_step=np.full(40, 10)), "is 10.*, not a whole number within 0 and 9"),
    "shape": ({"scene": {"bodies": [{"name": "a", "mass": 1, "shapes": [{"type": "cone"}]}]}}, "shape 'cone'"),
    "inertia": ({"scene": {"bodies": [{"name": "a", "mass": 1.0}]}}, "body 'a' has no 'inertia'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused(path, name):
    given, sentence = BAD[name]
    with pytest.raises(NotVerifiable, match=sentence):
        verify(write(path, *moving(), **given))


def test_what_is_no_trajectory_is_refused(path, capsys):
    path.write_text("no archive")
    assert main(["verify", str(path)]) == 2
    assert "is no trajectory" in capsys.readouterr().err


def features(shape, position, orientation=(1.0, 0, 0, 0)):
    solid = {"position": [0.0, 0, 0], "orientation": [1.0, 0, 0, 0], **shape}
    return Features(solid).at(np.array(position, dtype=float), np.array(orientation, dtype=float))


def test_crossing_rods_touch_once_between_them():
    rod = {"type": "capsule", "radius": 0.05, "length": 1.0, "orientation": [0.5**0.5, 0.5**0.5, 0, 0]}
    low, high = features(rod, [0, 0, 0]), features(rod, [0, 0, 0.102], [0.5**0.5, 0, 0, 0.5**0.5])
    point, normal, gap = touching(low, high, 0.01)
    assert point == pytest.approx(np.array([[0, 0, 0.051]])) and normal == pytest.approx(np.array([[0, 0, 1]]))
    assert gap == pytest.approx([0.002])


def test_the_best_impulse_is_the_projection_onto_the_cone():
    """Of one contact of a unit mass, whose columns are the axes."""
    rng, axes = np.random.default_rng(0), np.eye(3)[None]
    for b in rng.standard_normal((50, 3)):
        n, f = b[0], np.linalg.norm(b[1:])
        inside = f <= MU * n
        away = 0.0 if inside else np.linalg.norm(b) if n <= -MU * f else (f - MU * n) / np.hypot(1, MU)
        left = unexplained(b, axes, np.array([MU]), np.zeros((3, 0)))
        assert np.linalg.norm(left) == pytest.approx(away, abs=2e-4 * np.linalg.norm(b))
