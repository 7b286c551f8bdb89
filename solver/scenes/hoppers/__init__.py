"""Hoppers of the studies: one grain thick, and square for bodies of several shapes."""

from .shapes import ENTRIES as SHAPES_ENTRIES
from .slot import ENTRIES as SLOT_ENTRIES

ENTRIES = (*SLOT_ENTRIES, *SHAPES_ENTRIES)
