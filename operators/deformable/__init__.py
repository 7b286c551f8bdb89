"""Looking at deformable bodies before a bake: their tetrahedra, their modes."""

from . import modes, tetrahedra

CLASSES = (*tetrahedra.CLASSES, *modes.CLASSES)
