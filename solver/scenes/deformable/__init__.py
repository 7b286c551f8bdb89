"""Scenes with deformable bodies."""

from . import basics, friction, indentation

ENTRIES = (*basics.ENTRIES, *friction.ENTRIES, *indentation.ENTRIES)
