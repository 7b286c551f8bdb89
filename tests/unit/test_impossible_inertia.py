"""Moments of inertia that no body has are refused, but for what rounding makes of those that one has."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.shapes import Box

TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]


def body(inertia):
    return Scene((Body("a", Box((0.1, 0.1, 0.1)), mass=1.0, inertia=inertia),))


@pytest.mark.parametrize("moments", [(1.0, 1.0, 10.0), (1e-3, 3e-3, 4.2e-3)])
@pytest.mark.parametrize("full", [False, True])
def test_what_no_body_has_is_refused(moments, full):
    """They were taken as given, with a note in the report."""
    given = TURN @ np.diag(moments) @ TURN.T if full else moments[::-1]
    said = ", ".join(f"{moment:.4g}" for moment in moments)
    remedy = f"at most {moments[0] + moments[1]:.4g}"
    with pytest.raises(SceneError, match=f"body 'a': inertia has principal moments {said} kg m.2, .*{remedy}.*shape"):
        compile_scene(body(given))


@pytest.mark.parametrize("moments", [(1.0, 2.0, 3.0), (0.083, 0.083, 0.167), (1.3, 1.3, 2.65)])
def test_a_flat_plate_is_a_body(moments):
    """The largest moment of what is flat is the sum of the others, of which users round all three."""
    compile_scene(body(moments))
    compile_scene(body(TURN @ np.diag(moments) @ TURN.T))
