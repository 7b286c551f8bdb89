"""Scenes with deformable bodies."""

from . import basics, friction

ENTRIES = (*basics.ENTRIES, *friction.ENTRIES)
