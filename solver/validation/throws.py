"""Throws: bodies thrown at a plate of 3 mm, and past its edge, with the default settings."""


import numpy as np

from ..base.records import record
from ..dynamics import rotation
from ..model import compile_scene
from ..scene import Body, Motion, Scene
from ..scenes.base import one_material
from ..shapes import Box, Mesh, generators
from ..simulation import options_for, step_settings, stepper
from .lines import Case, below, close

# Bodies of about half a metre [m].
SHAPES = {
    "box": lambda: Box((0.3, 0.3, 0.3)),
    "card": lambda: Box((0.4, 0.6, 0.003)),
    "jack": lambda: Mesh(*generators.jack(0.5, 0.1)),
    "chalice": lambda: Mesh(*generators.chalice(0.5)),
}
PLATE = 4.0
# Plates stand so far apart that no body comes near its neighbour's [m].
SPACING = 16.0
THICKNESS = 0.003
SLOWEST, FASTEST = 5.0, 50.0
LARGEST_SPIN = 60.0
# A point this far out of the underside of the plate has passed through it [m].
EMERGED = 1e-4
STEPS = 30


@record
class Flights:
    """What became of N throws, each (N,): through: the centre got below the plate; pierced: a part of the body did;
    hit: its velocity changed otherwise than by gravity; sunk [m]: how deep its lowest point was in the plate.
    substeps: the most substeps of a step; unresolved: steps that left a pair too deep."""

    through: np.ndarray
    pierced: np.ndarray
    hit: np.ndarray
    sunk: np.ndarray
    substeps: int
    unresolved: int


def thrown(name, seed, step, size, beside):
    """Start of throw `seed`: position, orientation, velocity, angular velocity.

    5 to 50 m/s, up to 60 rad/s, over the middle of the plate or to fall 3 cm past its edge.
    """
    rng = np.random.default_rng([list(SHAPES).index(name), seed, int(beside)])
    speed, spin = rng.uniform(SLOWEST, FASTEST), rng.uniform(0.0, LARGEST_SPIN)
    axis, orientation = rng.normal(size=3), rng.normal(size=4)
    position = np.array([*rng.uniform(-0.5, 0.5, 2), size + rng.uniform(0.05, 0.1) + rng.uniform(0.0, speed * step)])
    velocity = np.array([*rng.uniform(-0.3, 0.3, 2) * speed, -speed])
    if beside:
        position[0], velocity[:2] = 0.5 * PLATE + size + 0.03, 0.0
    return position, orientation / np.linalg.norm(orientation), velocity, spin * axis / np.linalg.norm(axis)


def volley(name, seeds, beside=False, **changes):
    """Return the Flights of body `name` of SHAPES, one a seed, each over a plate of its own; changes: options."""
    shape = SHAPES[name]()
    bodies = []
    for k in range(len(seeds)):
        place = (SPACING * (k % 32), SPACING * (k // 32))
        bodies.append(Body(f"plate{k}", Box((PLATE, PLATE, THICKNESS)), motion=Motion.STATIC,
                           position=(*place, -0.5 * THICKNESS)))  # fmt: skip
        bodies.append(Body(f"{name}{k}", shape, position=(*place, 1.0)))
    scene = Scene(tuple(bodies), one_material(), name=f"throws of a {name}")
    model, state = compile_scene(scene)
    options = options_for(scene, **changes)
    place = np.array([(*body.position[:2], 0.0) for body in bodies[1::2]])
    starts = [thrown(name, seed, options.time_step, model.size[1], beside) for seed in seeds]
    position, orientation, velocity, spin = (np.array(column) for column in zip(*starts, strict=True))
    state.position[1::2], state.orientation[1::2] = position + place, orientation
    state.twist[1::2] = np.hstack([velocity, spin])
    return _followed(model, state, options, place, shape.surface()[0] - model.center_of_mass[1])


def _followed(model, state, options, place, surface):
    """Flights of the bodies 1, 3, 5 ... over plates at `place` (N,3); surface (V,3) [m] of each about its centre."""
    advance, settings = stepper(options), step_settings(options, model, state)
    through, pierced, hit = (np.zeros(len(place), dtype=bool) for _ in range(3))
    sunk, substeps, unresolved = np.zeros(len(place)), 1, 0
    for _ in range(STEPS):
        expected = state.twist[1::2, :3] + options.time_step * model.gravity
        state, report, _ = advance(model, state, settings)
        hit |= np.linalg.norm(state.twist[1::2, :3] - expected, axis=1) > 1e-9 * FASTEST
        substeps, unresolved = max(substeps, report.substeps), unresolved + (report.unresolved > 0)
        center = state.position[1::2] - place
        points = np.einsum("bij,vj->bvi", rotation.matrix(state.orientation[1::2]), surface) + center[:, None]
        over = np.all(np.abs(points[:, :, :2]) < 0.5 * PLATE, axis=2)
        lowest = np.where(over, points[:, :, 2], np.inf).min(axis=1)
        # A body that slid over the edge may be below without having passed through.
        aboard = np.all(np.abs(center[:, :2]) < 0.5 * PLATE - model.size[1], axis=1)
        out = aboard & (lowest < -THICKNESS - EMERGED)
        through |= out & (center[:, 2] < 0.0)
        pierced |= out & (center[:, 2] >= 0.0)
        sunk = np.where(aboard, np.maximum(sunk, -lowest), sunk)
    return Flights(through, pierced & ~through, hit, sunk, substeps, unresolved)


def throws(count=20):
    """Bodies at 5 to 50 m/s and up to 60 rad/s: none passes through a 3 mm plate, pierces it, or is hit beside it."""
    lines = []
    for name in SHAPES:
        at, past = volley(name, range(count)), volley(name, range(count), beside=True)
        lines.append(close(f"{name}: through", 0, at.through.sum(), 0))
        lines.append(close(f"{name}: pierced", 0, at.pierced.sum(), 0))
        lines.append(close(f"{name}: ghost hits", 0, past.hit.sum(), 0))
        lines.append(below(f"{name}: deepest in the plate [m]", at.sunk.max(), THICKNESS, "m"))
    return lines


CASES = (Case("throws", "Flight and impact", throws),)
