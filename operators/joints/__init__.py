"""Joints, ragdolls, ropes and robots."""

from . import adding, import_urdf, ragdoll, rope
from .adding import draw_in_add
from .import_urdf import draw_in_import

CLASSES = (*adding.CLASSES, *ragdoll.CLASSES, *rope.CLASSES, *import_urdf.CLASSES)

__all__ = ["CLASSES", "draw_in_add", "draw_in_import"]
