"""Scenes with deformable bodies."""

from . import basics, friction, indentation, materials, pneumatic, reduced

ENTRIES = (*basics.ENTRIES, *friction.ENTRIES, *indentation.ENTRIES, *materials.ENTRIES, *pneumatic.ENTRIES,
           *reduced.ENTRIES)  # fmt: skip
