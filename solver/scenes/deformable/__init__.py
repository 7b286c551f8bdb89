"""Scenes with deformable bodies."""

from . import basics, beasts, composites, friction, indentation, jamming, materials, pneumatic, reduced, staggered2008

ENTRIES = (*basics.ENTRIES, *beasts.ENTRIES, *composites.ENTRIES, *friction.ENTRIES, *indentation.ENTRIES,
           *jamming.ENTRIES, *materials.ENTRIES, *pneumatic.ENTRIES, *reduced.ENTRIES,
           *staggered2008.ENTRIES)  # fmt: skip
