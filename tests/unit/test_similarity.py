"""Scenes of one sixty-fourth of the size, or sixty-four times it, go as they do at 1 m, to the bit.

Under the same gravity times go with the root of the size. Both factors are powers of two: all numbers keep digits, and
one length, time or force that is the same at every size, in whatever rule, would show.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from test_links_stay_linked import chain, spike_in_crack, spike_in_hole, whirled

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from links.chains import net
from marks import few

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Scene
from stiction.solver.scenes import build
from stiction.solver.scenes.base import scaled
from stiction.solver.simulation import options_for, simulate


def hanging_net():
    return Scene(tuple(net().bodies), MaterialTable((Material("default", 7800.0, 0.3),)), name="net")


SCENES = {
    "jerked": (lambda: chain(6, 12, 6, 10.0, 20.0)[0], 15),
    "net": (hanging_net, 20),
    "whirled": (whirled, 15),
    "spike_in_crack": (spike_in_crack, 60),
    "spike_in_hole": (spike_in_hole, 15),
    "arch": (lambda: build("arch"), 10),
    "dominoes": (lambda: build("dominoes"), 60),
    "bouncing_box": (lambda: build("bouncing_box"), 40),
}


def run(scene, size, steps):
    """(positions (F,R,3) in sizes, {field: (S,)} of the steps) of a scene made so large."""
    root = size**0.5
    made = scaled(scene, size, root, size**3)
    step = options_for(scene).time_step * root
    done = simulate(made, options_for(made, time=steps * step, time_step=step))
    return done.center_of_mass / size, done.steps


@pytest.mark.parametrize("name", few(SCENES, *SCENES.keys() - {"dominoes", "whirled"}))
def test_a_scene_is_the_same_at_every_size(name):
    made, steps = SCENES[name]
    scene = made()
    places, told = run(scene, 1.0, steps)
    assert np.abs(places[-1] - places[0]).max() > 0.0
    for size in (1.0 / 64.0, 64.0):
        other, others = run(scene, size, steps)
        np.testing.assert_array_equal(other, places)
        for field in ("substeps", "iterations", "contact_count", "unresolved"):
            np.testing.assert_array_equal(others[field], told[field], field)
