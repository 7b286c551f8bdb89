"""Laws that hold for every scene: similarity, rotation, energy, determinism."""

from dataclasses import replace

import numpy as np

from ..scenes import build, scaled, turned
from ..scenes.base import axis_angle, rotation_matrix
from .lines import Case, below, close, word
from .run import run, unexplained


def similarity():
    """Lengths, times and masses scaled by powers of two scale every result by the same factors."""
    lines = []
    for name, seconds in (("cardhouse1", 1.0), ("drop10", 1.0), ("bouncing_ball", 1.5), ("arch20thin", 0.5)):
        base = run(build(name), seconds)
        for length, duration, mass in (
            (2.0**6, 2.0**3, 1.0),
            (2.0**-7, 2.0**-3, 1.0),
            (1.0, 1.0, 2.0**10),
            (1.0, 0.25, 1.0),
        ):
            scene = scaled(build(name), length, duration, mass)
            other = run(scene, seconds * duration, 0.01 * duration)
            error = np.abs(other.position / length - base.position).max()
            label = f"{name}: length x {length:g}, time x {duration:g}, mass x {mass:g}"
            lines.append(below(f"{label}: largest difference [base m]", error, 1e-9, "m"))
    return lines


def rotation():
    """A scene turned as a whole, gravity included, gives the turned result."""
    lines = []
    turn = axis_angle((1.0, 2.0, 0.5), 0.8)
    matrix = rotation_matrix(turn)
    for name, seconds, tolerance in (
        ("sliding_block", 1.2, 1e-6),
        ("cardhouse1", 2.0, 1e-5),
        ("topple_block", 1.0, 1e-6),
    ):
        base, other = run(build(name), seconds), run(turned(build(name), turn), seconds)
        error = np.abs(other.position[-1] @ matrix - base.position[-1]).max()
        lines.append(below(f"{name}: largest difference [m]", error, tolerance, "m"))
    return lines


def energy_ledger():
    """Kinetic + potential energy changes by friction work, impact loss and the work of removing overlap, to 1 %.

    Every run of every case is held to this (last line of each case); here are scenes that no other case runs.
    """
    lines = []
    for name, seconds, parameters in (
        ("bounce", 2.0, {}),
        ("arch20fail", 1.0, {}),
        ("cardhouse3", 2.0, {"friction": 0.15}),
        ("funnel500s", 1.0, {}),
        ("heavygrow", 1.0, {}),
    ):
        result = run(build(name, **parameters), seconds)
        lines.append(below(f"{name}: unexplained, in parts of the turnover", unexplained(result), 0.01))
    return lines


def islands():
    """Structures that do not touch do what each does alone: a dropped stack and a rocking block on one floor.

    Islands are solved one by one; what is left is the round-off of positions moved by 5 m.
    """
    alone = [build("drop10"), build("rocking_block", friction=0.5)]
    away = tuple(
        replace(body, name=f"{body.name} apart", position=(body.position[0], body.position[1] + 5.0, body.position[2]))
        for body in alone[1].bodies[1:]
    )
    both = run(replace(alone[0], bodies=(*alone[0].bodies, *away)), 1.5).position
    count, lines = len(alone[0].bodies), []
    for scene, found in zip(alone, (both[:, :count], both[:, count:] - [0.0, 5.0, 0.0]), strict=True):
        single = run(scene, 1.5).position[:, -found.shape[1] :]
        lines.append(below(f"{scene.name}: largest difference [m]", np.abs(found - single).max(), 1e-9, "m"))
    return lines


def determinism():
    """The same bits on a second run and with 1, 2 and 4 threads."""
    lines = []
    for name, seconds in (("drop10", 1.0), ("cardhouse3", 0.5), ("funnel500s", 0.3)):
        runs = [run(build(name), seconds, threads=threads) for threads in (1, 1, 2, 4)]
        same = all(np.array_equal(runs[0].position, other.position) for other in runs[1:])
        lines.append(word(f"{name}, {seconds} s, threads 1, 1, 2, 4", "same bits", "same bits" if same else "differs"))
    return lines


def schemes():
    """Steps of 10, 5 and 2.5 ms agree on what stands still: final rest of a dropped stack."""
    ends = [run(build("drop10"), 2.0, step).position[-1, :, 2] for step in (0.01, 0.005, 0.0025)]
    return [close("largest difference of a height [m]", 0, np.ptp(np.array(ends), axis=0).max(), 2e-5, "m")]


CASES = (
    Case("similarity", "Laws that hold everywhere", similarity),
    Case("rotation", "Laws that hold everywhere", rotation),
    Case("energy_ledger", "Laws that hold everywhere", energy_ledger),
    Case("islands", "Laws that hold everywhere", islands, quick=True),
    Case("determinism", "Laws that hold everywhere", determinism),
    Case("schemes", "Laws that hold everywhere", schemes),
)
