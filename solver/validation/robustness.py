"""What users do to a simulator: overlapping starts, moving supports, long rests, steps of any length."""

from dataclasses import replace

import numpy as np

from ..scene import Body, KeyedPoses, Motion, Scene
from ..scenes import build
from ..scenes.base import box, floor, one_material
from ..shapes import Box
from .lines import Case, below, close, largest, word
from .run import run, verdict

G = 9.81


def initial_overlap():
    """Bodies that overlap at the start are moved apart; the removal gives no kinetic energy and ends at contact."""
    lines = []
    for sink in (0.01, 0.1, 0.25):
        cubes = tuple(box(f"box{i}", (0.5,) * 3, (0.0, 0.0, 0.25 + i * 0.5 - (i + 1) * sink)) for i in range(3))
        result = run(Scene((floor(), *cubes), one_material(0.5), name="overlapping"), 4.0)
        speed = np.abs(result.twist[:, 1:]).max()
        lines.append(below(f"overlap {sink} m at three contacts: largest speed ever [m/s]", speed, 0.1, "m/s"))
        lines.append(below("  overlap after 4 s [m]", result.overlap(), 1e-4, "m"))
        heights = result.position[-1, 1:, 2] - (0.25 + 0.5 * np.arange(3))
        lines.append(below("  height off the stack's [m]", largest(heights), 1e-3, "m"))
    return lines


def belt(speed=1.0, friction=0.3, time=2.0):
    """Scene: a block set down on a kinematic belt that moves at `speed` [m/s]."""
    times = np.array([0.0, time])
    positions = np.array([[0.0, 0.0, -0.1], [speed * time, 0.0, -0.1]])
    keys = KeyedPoses(times, positions, np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    base = Body("belt", Box((20.0, 2.0, 0.2)), motion=Motion.KINEMATIC, position=(0.0, 0.0, -0.1), keys=keys)
    return Scene((base, box("block", (0.4, 0.4, 0.1), (0.0, 0.0, 0.05))), one_material(friction), name="belt")


def moving_support():
    """A belt at v brings a block up to v at mu g; the block falls back by v^2/(2 mu g) and then rides along."""
    result = run(belt(), 1.5)
    slip = result.position[:, 1, 0] - result.position[:, 0, 0]
    return [
        close("falls back by [m]", 1 / (2 * 0.3 * G), slip[0] - slip[-1], 1e-4, "m"),
        close("speed of the block at the end [m/s]", 1.0, result.twist[-1, 1, 0], 1e-8, "m/s"),
        below("creep on the belt over the last second [m]", largest(slip[50:] - slip[-1]), 1e-8, "m"),
    ]


def any_step():
    """The same structures stand at steps from 2.5 to 20 ms."""
    lines = []
    for name, size in (("cardhouse3", 0.6), ("arch20thin", 0.23), ("heavy4096", 1.0)):
        for step in (0.0025, 0.02):
            found, _ = verdict(build(name), size, 2.0, step)
            lines.append(word(f"{name}, h = {step * 1e3:g} ms", "stands", found))
    found, _ = verdict(build("arch20fail"), 0.18, 2.0, 0.02)
    lines.append(word("arch20fail, h = 20 ms", "falls", found))
    return lines


def shaken():
    """Structures started with every body displaced by up to 0.1 mm still stand: no knife edge in the exact start."""
    lines = []
    for name, size in (("cardhouse3", 0.6), ("arch20", 0.4), ("stack10", 0.5)):
        for seed in range(3):
            rng = np.random.default_rng(seed)
            scene = build(name)
            bodies = tuple(
                b
                if b.motion != Motion.DYNAMIC
                else replace(b, position=tuple(b.position + rng.uniform(-1, 1, 3) * 1e-4))
                for b in scene.bodies
            )
            found, _ = verdict(replace(scene, bodies=bodies), size, 4.0)
            lines.append(word(f"{name}, seed {seed}", "stands", found))
    return lines


CASES = (
    Case("initial_overlap", "Robustness", initial_overlap),
    Case("moving_support", "Robustness", moving_support, quick=True),
    Case("any_step", "Robustness", any_step),
    Case("shaken", "Robustness", shaken),
)
