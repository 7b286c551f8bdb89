"""Thin bodies that may move many times their thickness in a step: right, but steps are subdivided for them."""

from math import ceil, sqrt

import numpy as np

from .base import ADVICE, Check, Finding

# Moves of so many thicknesses in a step are worth a word.
MOVES = 10.0
MOST_STEPS = 100


def fastest(subject, lowest, gravity):
    """Speed [m/s] a body may get: its own, and a free fall to the lowest body."""
    fall = max(0.0, float(subject.bounds[0, 2]) - lowest)
    return sqrt(float(np.dot(subject.body.velocity, subject.body.velocity)) + 2 * gravity * fall)


def find(scan):
    """Yield a Finding for every such body; what has no thickness is refused, or gets one from its shape."""
    subjects = scan.accepted()
    if not subjects:
        return
    lowest = min(float(subject.bounds[0, 2]) for subject in subjects)
    for subject in subjects:
        if not subject.dynamic:
            continue
        thickness, speed = subject.thickness, fastest(subject, lowest, scan.gravity)
        if 0 < MOVES * thickness < speed * scan.step:
            text = (
                f"is {1e3 * thickness:.3g} mm thin and may reach {speed:.3g} m/s, "
                f"{1e3 * speed * scan.step:.3g} mm a step: steps are subdivided for it"
            )
            yield Finding((subject.name,), text, ADVICE)


def more_steps(scene, objects, scan):
    """Raise Steps per Frame until the objects move no more than MOVES thicknesses in a step."""
    lowest = min(float(subject.bounds[0, 2]) for subject in scan.accepted())
    subjects = [scan.subjects[ob.name] for ob in objects]
    ways = ((fastest(subject, lowest, scan.gravity) * scan.step, subject.thickness) for subject in subjects)
    factor = max(way / (MOVES * thickness) for way, thickness in ways)
    old = scene.stiction.steps_per_frame
    scene.stiction.steps_per_frame = max(old, min(MOST_STEPS, ceil(old * factor)))
    capped = f", {MOST_STEPS} at most" if old * factor > MOST_STEPS else ""
    return f"Steps per Frame is now {scene.stiction.steps_per_frame}{capped}"


CHECK = Check("thin", "Thin and fast", find, "Raise Steps per Frame", more_steps)
