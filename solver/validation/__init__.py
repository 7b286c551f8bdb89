"""Validation: every case compares the simulator with a closed form, a theorem or a published number.

CASES maps a case's key to its Case; `python -m stiction.solver.validation` runs them.
"""

from . import (
    covariance,
    criteria,
    deformable,
    flight,
    hopper,
    jointed,
    masonry,
    mechanisms,
    robustness,
    sliding,
    spinning,
    structures,
    throws,
)
from .deformable import elastic

CASES = {
    case.key: case
    for chapter in (
        flight, throws, sliding, spinning, structures, masonry, criteria, covariance, robustness, hopper, elastic,
        jointed, mechanisms, deformable,
    )
    for case in chapter.CASES
}
