"""Throws: bodies thrown at a plate of 3 mm, and past its edge, each alone, with the default settings."""

from dataclasses import dataclass, replace

import numpy as np

from ..dynamics import rotation
from ..model import compile_scene
from ..scene import Body, Motion, Scene
from ..scenes.base import one_material
from ..shapes import Box, Mesh, generators
from ..simulation import options_for, step_settings, stepper

# Bodies of about a metre's half: full lengths [m].
SHAPES = {
    "box": lambda: Box((0.3, 0.3, 0.3)),
    "card": lambda: Box((0.4, 0.6, 0.003)),
    "jack": lambda: Mesh(*generators.jack(0.5, 0.1)),
    "chalice": lambda: Mesh(*generators.chalice(0.5)),
}
PLATE = 4.0
THICKNESS = 0.003
SLOWEST, FASTEST = 5.0, 50.0
LARGEST_SPIN = 60.0
# A point this far out of the underside of the plate has passed through it [m].
EMERGED = 1e-4


@dataclass(frozen=True)
class Target:
    """A body and the plate, compiled once for all its throws; surface (V,3) [m] of the body about its centre."""

    model: object
    state: object
    options: object
    surface: np.ndarray


@dataclass(frozen=True)
class Flight:
    """What became of a throw: the centre got below the plate; a part of the body did; hits: its velocity changed
    otherwise than by gravity; sunk [m]: how deep its lowest point was in the plate."""

    through: bool
    pierced: bool
    hits: bool
    sunk: float


def target(name, **changes):
    """Target of the body `name` of SHAPES; changes: SimulationOptions."""
    shape = SHAPES[name]()
    plate = Body("plate", Box((PLATE, PLATE, THICKNESS)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5 * THICKNESS))
    scene = Scene((plate, Body(name, shape)), one_material(), name=f"throw {name}")
    model, state = compile_scene(scene)
    return Target(model, state, options_for(scene, **changes), shape.surface()[0] - model.center_of_mass[1])


def throw(where, seed, beside=False):
    """Return the Flight number `seed`: 5 to 50 m/s, up to 60 rad/s, at the plate or 3 cm past its edge."""
    rng = np.random.default_rng([seed, int(beside)])
    speed, spin = rng.uniform(SLOWEST, FASTEST), rng.uniform(0.0, LARGEST_SPIN)
    turn = rng.normal(size=3)
    h, size = where.options.time_step, where.model.size[1]
    position, orientation, twist = where.state.position.copy(), where.state.orientation.copy(), np.zeros((2, 6))
    orientation[1] = rng.normal(size=4)
    orientation[1] /= np.linalg.norm(orientation[1])
    height = size + rng.uniform(0.05, 0.1) + rng.uniform(0.0, speed * h)
    position[1] = [*rng.uniform(-0.5, 0.5, 2), height]
    twist[1] = [*rng.uniform(-0.3, 0.3, 2) * speed, -speed, *spin * turn / np.linalg.norm(turn)]
    if beside:
        position[1, 0] = 0.5 * PLATE + size + 0.03
        twist[1, :2] = 0.0
    state = replace(where.state, position=position, orientation=orientation, twist=twist)
    return _followed(where, state, int(max(25.0, 2.0 * height / (speed * h)) if beside else 60))


def _followed(where, state, steps):
    """Step the throw on until it has left the middle of the plate."""
    options = where.options
    advance, settings = stepper(options), step_settings(options, where.model, state)
    through = pierced = hits = False
    sunk = 0.0
    for _ in range(steps):
        expected = state.twist[1, :3] + options.time_step * where.model.gravity
        state, _, _ = advance(where.model, state, settings)
        hits |= bool(np.linalg.norm(state.twist[1, :3] - expected) > 1e-9 * (1.0 + np.linalg.norm(expected)))
        points = where.surface @ rotation.matrix(state.orientation)[1].T + state.position[1]
        over = np.all(np.abs(points[:, :2]) < 0.5 * PLATE, axis=1)
        lowest = points[over, 2].min(initial=np.inf)
        sunk = max(sunk, -lowest)
        if lowest < -THICKNESS - EMERGED:
            through |= bool(state.position[1, 2] < 0.0)
            pierced |= bool(state.position[1, 2] >= 0.0)
        if np.abs(state.position[1, :2]).max() > 0.5 * PLATE - where.model.size[1] and not over.all():
            break
    return Flight(through, pierced and not through, hits, min(sunk, 1.0))


def count(name, throws, **changes):
    """(through, pierced, sunk, ghosts) of that many throws of a body at the plate and as many past it; sunk: the
    deepest of those that were stopped [m]."""
    where = target(name, **changes)
    at = [throw(where, seed) for seed in range(throws)]
    past = [throw(where, seed, beside=True) for seed in range(throws)]
    stopped = [flight.sunk for flight in at if not (flight.through or flight.pierced)]
    return (
        sum(flight.through for flight in at),
        sum(flight.pierced for flight in at),
        max(stopped, default=0.0),
        sum(flight.hits for flight in past),
    )
