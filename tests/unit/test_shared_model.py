"""A Model is constant: runs do not change it, and threads may share one."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from soft_scenes import FLOOR, cube
from soft_scenes import scene as soft_scene

from stiction.solver.scene import Body, Motion
from stiction.solver.scenes.granular import concave_pile
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import compiled, options_for, step_settings, stepper


def many():
    """220 balls on a floor, pairs of them close to each other."""
    at = [(0.5 * (i % 20) + 0.3 * (i % 2), 0.5 * (i // 20), 0.1) for i in range(220)]
    balls = [Body(f"ball {i}", Sphere(0.1), position=x) for i, x in enumerate(at)]
    ground = Body("ground", Box((40.0, 40.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    return soft_scene(ground, *balls)


def steps_of(scene, model, state, count, push):
    """The State after some steps of a run whose bodies begin with another velocity."""
    options = options_for(scene, threads=1)
    state.twist = np.where(model.inverse_mass[:, None] > 0, state.twist + push, state.twist)
    settings, step = step_settings(options, model, state), stepper(options)
    for _ in range(count):
        state, _, _ = step(model, state, settings)
    return state


def contents(thing, path="model", found=None):
    """{path: array bytes or plain value} of all that hangs on a thing, in names, tuples, lists and dictionaries."""
    found = {} if found is None else found
    if isinstance(thing, np.ndarray):
        found[path] = thing.dtype.str, thing.tobytes()
    elif isinstance(thing, (int, float, str, bool)):
        found[path] = thing
    elif isinstance(thing, (tuple, list)):
        for number, part in enumerate(thing):
            contents(part, f"{path}[{number}]", found)
    elif isinstance(thing, dict):
        for name, part in thing.items():
            contents(part, f"{path}[{name!r}]", found)
    elif hasattr(thing, "__dict__") and not callable(thing):
        contents(vars(thing), path, found)
    return found


def assert_constant(scene, count):
    model, state = compiled(scene, options_for(scene))
    before = contents(model)
    assert len(before) > 50
    steps_of(scene, model, state, count, 0.1)
    after = contents(model)
    changed = [path for path, value in before.items() if after.get(path) != value]
    assert changed == []


def test_a_run_changes_nothing_of_its_model():
    # More than 200 bodies: the broad phase keeps pairs from one search to the next.
    assert_constant(many(), 3)
    assert_constant(concave_pile(20), 3)


def test_a_run_of_deformable_bodies_changes_nothing_of_its_model():
    assert_constant(soft_scene(FLOOR, cube("soft")), 2)


def test_two_threads_share_a_model():
    scene = many()
    model, _ = compiled(scene, options_for(scene))
    pushes = (0.0, 0.3)

    def run(push):
        _, state = compiled(scene, options_for(scene))
        return steps_of(scene, model, state, 4, push)

    alone = [run(push) for push in pushes]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(run, pushes))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.position, other.position)
        np.testing.assert_array_equal(one.twist, other.twist)
