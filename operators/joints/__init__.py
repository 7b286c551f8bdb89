"""Joints, ragdolls and robots."""

from . import adding, import_urdf, ragdoll
from .adding import draw_in_add
from .import_urdf import draw_in_import

CLASSES = (*adding.CLASSES, *ragdoll.CLASSES, *import_urdf.CLASSES)

__all__ = ["CLASSES", "draw_in_add", "draw_in_import"]
