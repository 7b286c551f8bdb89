"""Joints that cannot be are refused in a sentence that names joint, value and remedy."""

import pytest
from joint_scenes import anchor, cube, run, scene

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Joint, Motor


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (Joint("j", "hnge", ("world", "a")), ["'j'", "hnge", "hinge"]),
        (Joint("j", "hinge", ("world", "c")), ["no body 'c'", "world"]),
        (Joint("j", "hinge", ("a", "a")), ["itself"]),
        (Joint("j", "hinge", ("world", "ground")), ["moves freely"]),
        (Joint("j", "hinge", ("a",)), ["1 bodies"]),
        (Joint("j", "hinge", ("world", "a"), axis=(0, 0, 0)), ["axis", "length 0"]),
        (Joint("j", "hinge", ("world", "a"), limits=(1.0, -1.0)), ["1.0 to -1.0", "wrong way round"]),
        (Joint("j", "hinge", ("world", "a"), breaking=0.0), ["breaking", "more than 0"]),
        (Joint("j", "hinge", ("world", "a"), lead=0.1), ["lead", "does not belong"]),
        (Joint("j", "hinge", ("world", "a"), motor=Motor(float("nan"))), ["motor.velocity", "finite"]),
        (Joint("j", "hinge", ("world", "a"), friction={"z": 1.0}), ["friction has 'z'", "rz"]),
        (Joint("j", "ball", ("world", "a"), positions=((0, 0, 0), (0.01, 0, 0))), ["10 mm apart", "assemble"]),
        (Joint("j", "rope", ("world", "a"), positions=((0, 0, 0), (1, 0, 0)), length=0.5), ["0.5 m long", "1 m apart"]),
        (Joint("j", "rack", joints=("x", "y"), radius=1.0), ["no joint 'x'"]),
        (Joint("j", "screw", ("world", "a")), ["needs lead"]),
        (Joint("j", "universal", ("world", "a"), axis2=(0, 1, 1)), ["45 degrees", "90"]),
        (Joint("j", "generic", ("world", "a"), free=("q",)), ["'q'", "rx"]),
    ],
)
def test_refusals(joint, words):
    with pytest.raises(SceneError) as refusal:
        run(scene([cube("a", (0, 0, 0)), anchor()], [joint]), 0.01)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(("ratio", "refused"), [(0.99e6, False), (1.01e6, True)])
def test_joints_across_a_mass_ratio_of_a_million(ratio, refused):
    made = scene([cube("light", (0, 0, 0), mass=1e-3), cube("heavy", (0.3, 0, 0), mass=1e-3 * ratio)],
                 [Joint("j", "ball", ("light", "heavy"), (0.15, 0, 0))])  # fmt: skip
    if not refused:
        compile_scene(made)
        return
    with pytest.raises(SceneError, match="'j': joins 'heavy' of 1010 kg to 'light' of 0.001 kg, a ratio of 1.01e"):
        compile_scene(made)
