"""Moments of inertia that no body has are simulated as given, and said."""

import numpy as np
import pytest

from stiction.solver.scene import Body, Scene
from stiction.solver.scene_io.shape_notes import inertia_notes
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]


def body(name, inertia):
    return Body(name, Box((0.1, 0.1, 0.1)), mass=1.0, inertia=inertia)


@pytest.mark.parametrize("moments", [(1.0, 1.0, 10.0), (1e-3, 3e-3, 4.1e-3)])
@pytest.mark.parametrize("full", [False, True])
def test_what_no_body_has_is_named(moments, full):
    given = TURN @ np.diag(moments) @ TURN.T if full else moments[::-1]
    made = Scene((body("a", given), body("b", given), body("c", (1.0, 1.0, 2.0)), body("d", None)))
    (note,) = inertia_notes(made)
    assert note.startswith("'a', 'b': no body has moments of inertia of") and "more than the others together" in note
    assert note in simulate(made, SimulationOptions(time=0.01)).header["notes"]


def test_a_flat_plate_is_a_body():
    """The largest moment of what is flat is the sum of the others."""
    assert inertia_notes(Scene((body("a", TURN @ np.diag((1.0, 2.0, 3.0)) @ TURN.T), body("b", (1.0, 2.0, 3.0))))) == []
