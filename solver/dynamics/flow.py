"""What a Scene says of bodies that enter and leave it, as arrays: gates, emitters and sinks, checked.

All their bodies are in the Model from the start; State.present says which take part, see stepping/flow_step.py.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..base.refusal import SceneError, finite, vector
from ..scene import Body, Motion
from ..shapes.scaling import scaled_shape


class Release(NamedTuple):
    """A gate: number of its body, the time [s] at which it goes at the latest, the speed [m/s] of all moving bodies
    below which it goes earlier, or nan."""

    body: int
    time: float
    speed: float


class Pour(NamedTuple):
    """An emitter: numbers (N,) of its bodies in their order, times (N,) [s] at which they are due, and the places
    (N,16,3) [m] of their frames that are tried in turn."""

    bodies: np.ndarray
    due: np.ndarray
    places: np.ndarray


class Flow(NamedTuple):
    """What acts between the steps of a Model; sinks (S,2,3) [m]: low and high corners."""

    releases: tuple
    pours: tuple
    sinks: np.ndarray


def poured(scene):
    """The scene with the bodies of its emitters added, each at the first of its places; these and counters checked."""
    bodies = []
    for counter in scene.counters:
        _check_counter(counter)
    for emitter in scene.emitters:
        _check_emitter(emitter)
        places = _places(emitter)
        for k, (number, size, turn) in enumerate(draws(emitter)):
            shape = emitter.shapes[number]
            bodies.append(
                Body(
                    f"{emitter.name}.{k}", shape if size == 1.0 else scaled_shape(shape, size), emitter.material,
                    position=tuple(places[k, 0].tolist()), orientation=tuple(turn.tolist()),
                    velocity=tuple(emitter.velocity),
                )
            )  # fmt: skip
    return replace(scene, bodies=(*scene.bodies, *bodies)) if bodies else scene


def draws(emitter):
    """What is random of each body of an Emitter: [(number of its shape, size, orientation (4,)), ...]."""
    rng, found = np.random.default_rng([emitter.seed, 1]), []
    weights = None if emitter.weights is None else np.asarray(emitter.weights) / np.sum(emitter.weights)
    given = np.array(emitter.orientations or len(emitter.shapes) * [(1.0, 0.0, 0.0, 0.0)], dtype=float)
    for _ in range(emitter.count):
        number = int(rng.choice(len(emitter.shapes), p=weights))
        size = float(np.exp(emitter.size_spread * np.clip(rng.normal(), -2.0, 2.0)))
        turn = rng.normal(size=4) if emitter.turned else given[number]
        found.append((number, size, turn / np.linalg.norm(turn)))
    return found


def _places(emitter):
    """Places (count,16,3) [m] of an emitter's bodies, tried in turn before one has to wait for the next step: its own
    seed, so that they do not depend on the shapes."""
    low, high = np.asarray(emitter.box, dtype=float)
    return np.random.default_rng([emitter.seed, 0]).uniform(low, high, (emitter.count, 16, 3))


def _check_emitter(emitter):
    who = f"emitter {emitter.name!r}"
    if not emitter.shapes:
        raise SceneError(f"{who}: has no shapes; give at least one")
    if not isinstance(emitter.count, int | np.integer) or emitter.count < 1:
        raise SceneError(f"{who}: count is {emitter.count!r}; give a whole number of at least 1")
    _corners(who, emitter.box)
    for label, value, low in (("rate", emitter.rate, 1e-9), ("start", emitter.start, 0.0),
                              ("size_spread", emitter.size_spread, 0.0)):  # fmt: skip
        if not finite(value) or value < low:
            raise SceneError(f"{who}: {label} is {value!r}; give a number of at least {low:g}")
    if emitter.weights is not None and (
        len(emitter.weights) != len(emitter.shapes) or min(emitter.weights) < 0 or not sum(emitter.weights) > 0
    ):
        raise SceneError(
            f"{who}: weights are {list(emitter.weights)}; give one for each of its {len(emitter.shapes)} shapes, "
            "none below 0 and one above"
        )
    if emitter.orientations is not None:
        if len(emitter.orientations) != len(emitter.shapes):
            raise SceneError(f"{who}: has {len(emitter.orientations)} orientations; give one for each of its "
                             f"{len(emitter.shapes)} shapes")  # fmt: skip
        for k, turn in enumerate(emitter.orientations):
            if not np.linalg.norm(vector(who, f"orientations[{k}]", turn, 4)) > 0:
                raise SceneError(f"{who}: orientations[{k}] is {list(turn)!r}; give a quaternion w, x, y, z")
    vector(who, "velocity", emitter.velocity, 3, "m/s")


def _check_counter(counter):
    who = f"counter {counter.name!r}"
    vector(who, "point", counter.point, 3, "m")
    if not vector(who, "normal", counter.normal, 3).any():
        raise SceneError(f"{who}: normal is {list(counter.normal)}; give the direction that counts as through")


def _corners(who, box):
    """Low and high corner (2,3) of a box; SceneError if it is none."""
    corners = np.asarray(box, dtype=float)
    if corners.shape != (2, 3) or not finite(corners) or np.any(corners[0] > corners[1]):
        raise SceneError(f"{who}: box is {np.asarray(box).tolist()}; give two corners [m], the lower one first")
    return corners


def flow_of(scene, poured_scene):
    """The Flow of a Scene and the first State.present (R,2) of the same with its emitters' bodies; (None, empty) if
    nothing enters or leaves."""
    if not (scene.gates or scene.emitters or scene.sinks):
        return None, np.zeros((0, 2))
    number = {body.name: i for i, body in enumerate(poured_scene.bodies)}
    present = np.tile([0.0, np.inf], (len(number), 1))
    pours, at = [], len(scene.bodies)
    for emitter in scene.emitters:
        bodies = np.arange(at, at + emitter.count)
        present[bodies, 0], at = np.inf, at + emitter.count
        due = emitter.start + np.arange(emitter.count) / emitter.rate
        pours.append(Pour(bodies, due, _places(emitter)))
    sinks = [_corners(f"sink {sink.name!r}", sink.box) for sink in scene.sinks]
    for sink, (low, high) in zip(scene.sinks, sinks, strict=True):
        if np.any(low == high):
            raise SceneError(f"sink {sink.name!r}: box from {low.tolist()} to {high.tolist()} has no room for anything "
                             "to come into; move its corners apart [m]")  # fmt: skip
    releases = tuple(_release(gate, number, scene) for gate in scene.gates)
    return Flow(releases, tuple(pours), np.array(sinks).reshape(-1, 2, 3)), present


def _release(gate, number, scene):
    who = f"gate {gate.name!r}"
    if gate.body not in number:
        raise SceneError(f"{who}: no body {gate.body!r}; correct the name or remove the gate")
    if scene.bodies[number[gate.body]].motion == Motion.DYNAMIC:
        raise SceneError(f"{who}: body {gate.body!r} moves freely; make it static or kinematic")
    if not finite(gate.time) or gate.time < 0:
        raise SceneError(f"{who}: time is {gate.time!r}; give a number of at least 0 [s]")
    if gate.speed is not None and (not finite(gate.speed) or gate.speed <= 0):
        raise SceneError(f"{who}: speed is {gate.speed!r}; give a number above 0 [m/s] or leave it out")
    return Release(number[gate.body], float(gate.time), np.nan if gate.speed is None else float(gate.speed))
