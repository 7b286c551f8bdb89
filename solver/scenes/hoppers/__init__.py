"""Hoppers of the studies: one grain thick, with a flat floor, and square for bodies of several shapes."""

from .shapes import ENTRIES as SHAPES_ENTRIES
from .silo import ENTRIES as SILO_ENTRIES
from .slot import ENTRIES as SLOT_ENTRIES

ENTRIES = (*SLOT_ENTRIES, *SILO_ENTRIES, *SHAPES_ENTRIES)
