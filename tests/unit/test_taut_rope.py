"""A rope of rods in a straight line between two fixed points can carry nothing across itself: it hangs in the slack it
is given, nothing of it grows, and no joint is said to carry forces that nothing asks for. A heavy weight on a long
light chain does ask."""

import numpy as np
import pytest
from joint_scenes import G, cube, rod, run, scene

from stiction.solver.dynamics.jointed.start.slack import SWING
from stiction.solver.scene import Joint

DENSE = 1000.0


def rope(rods, tail, size):
    """`rods` rods in a straight line between two fixed points `size` [m] apart, and `tail` more behind them."""
    length, count = size / rods, rods + tail
    places = [(k * length, 0.0, 0.0) for k in range(count + 1)]
    bodies = [rod(f"l{k}", places[k], places[k + 1], mass=DENSE * length**3, thick=0.1 * length) for k in range(count)]
    joints = [Joint(f"j{k}", "ball", (f"l{k - 1}", f"l{k}"), places[k]) for k in range(1, count)]
    ties = [Joint("first", "ball", ("world", "l0"), places[0]),
            Joint("last", "ball", ("world", f"l{rods - 1}"), places[rods])]  # fmt: skip
    return scene(bodies, [*joints, *ties])


@pytest.mark.parametrize(("rods", "tail", "size", "steps"), [(3, 0, 1e-3, 2), (3, 5, 1.0, 9), (5, 5, 100.0, 2)])
def test_a_rope_that_begins_straight_stays_taut(rods, tail, size, steps):
    """In steps of a part of sqrt(size/g), a rope's own time, whatever its size; at most 20 times its weight pulls."""
    h, sag, fastest, pull = 0.03 * np.sqrt(size / G), [], [], []

    def look(_, state, report):
        sag.append(np.abs(state.position[:rods, 2]).max())
        fastest.append(np.linalg.norm(state.twist[:rods, :3], axis=1).max())
        pull.append(np.abs(state.joints.load[:, :3]).max() / h)

    done = run(rope(rods, tail, size), steps * h, h, look)
    assert max(sag) < 1.1 * SWING * size * np.sqrt(0.375 / rods)
    assert max(fastest) < 0.1 * np.sqrt(G * size)
    assert done.gap < 1e-6 * size
    assert max(pull) < 20.0 * DENSE * (size / rods) ** 3 * rods * G


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_a_heavy_weight_hangs_on_a_hundred_light_links(kind):
    """Of 9e5 times a link's mass: its whole weight is at every joint in one short step, which nothing has to cut."""
    links, length, mass, h = 100, 0.1, 0.01, 1e-5
    places = [(0.0, 0.0, -k * length) for k in range(links + 1)]
    bodies = [rod(f"l{k}", places[k], places[k + 1], mass=mass, thick=0.01) for k in range(links)]
    bodies.append(cube("weight", places[-1], mass=9e5 * mass))
    names = ["world", *(body.name for body in bodies)]
    joints = [Joint(f"j{k}", kind, (names[k], names[k + 1]), places[k], (0, 1, 0)) for k in range(links + 1)]
    done = run(scene(bodies, joints), h, h)
    load = done.state.joints.load[:, 2] / h
    above = mass * G * (9e5 + np.arange(links, -1, -1))
    np.testing.assert_allclose(np.abs(load), above, rtol=1e-6)
    assert done.reports[0].substeps == 1


@pytest.mark.parametrize("heavy", [1.0, 1000.0])
def test_a_hundred_hinges_held_level_across_their_axes(heavy):
    """A beam of 100 links, soft across as it is in numbers: its wall carries the weight of all, and its moment."""
    links, length, mass, h = 100, 0.1, 0.01, 1e-3
    places = [(k * length, 0.0, 0.0) for k in range(links + 1)]
    bodies = [rod(f"l{k}", places[k], places[k + 1], mass=mass, thick=0.01) for k in range(links)]
    bodies.append(cube("end", places[-1], mass=heavy * mass))
    names = ["world", *(body.name for body in bodies)]
    joints = [Joint(f"j{k}", "hinge", (names[k], names[k + 1]), places[k], (0, 0, 1)) for k in range(links + 1)]
    done = run(scene(bodies, joints), h, h)
    load = np.abs(done.state.joints.load[0]) / h
    np.testing.assert_allclose(load[2], mass * G * (links + heavy), rtol=1e-4)
    np.testing.assert_allclose(load[4], mass * G * length * links * (0.5 * links + heavy), rtol=1e-4)
