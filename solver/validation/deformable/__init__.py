"""Cases of deformable bodies beside those of elastic.py: large strain, pressure, friction, actuators, momentum."""

from . import (
    actuators,
    beasts,
    composites,
    contact,
    elements,
    jamming,
    momentum,
    reduced,
    reduced_bends,
    reduced_chair,
    reduced_loads,
    reduced_sound,
    statics,
)

CASES = (*statics.CASES, *contact.CASES, *actuators.CASES, *elements.CASES, *momentum.CASES,
         *reduced.CASES, *reduced_bends.CASES, *reduced_loads.CASES, *reduced_sound.CASES,
         *reduced_chair.CASES, *composites.CASES, *jamming.CASES, *beasts.CASES)  # fmt: skip
