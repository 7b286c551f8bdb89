"""Bodies that bend far, thrown together, as the dinosaurs of Staggered Projections (2008)."""

import numpy as np

from ...scenes.deformable.beasts import beasts as scene
from ..lines import Case, below
from .elastic import CHAPTER, stepped


def beasts():
    """Four beasts of modal derivatives and mu = .5 are thrown together and end in a pile that is at rest: after 10 s
    nothing of their kinetic energy is left; no step gains energy beyond what solves leave open or ends overlapped."""
    _, _, reports = stepped(scene(), 10.0, 5e-3)
    kinetic = np.array([one.kinetic for one in reports])
    energy = np.array([one.kinetic + one.potential + one.elastic for one in reports])
    return [
        below("kinetic energy after 10 s, in parts of the first", kinetic[-1] / kinetic[0], 1e-6),
        below("most energy gained in a step, in parts of all", np.diff(energy).max() / energy[0], 1e-6),
        below("overlap [m]", max(one.overlap for one in reports), 1e-4, "m"),
        below("steps not accepted, in parts", 1.0 - np.mean([one.converged for one in reports]), 0.01),
    ]


CASES = (Case("beasts", CHAPTER, beasts, False),)
