"""Joints, ragdolls and robots."""

from . import adding, ragdoll
from .adding import draw_in_add

CLASSES = (*adding.CLASSES, *ragdoll.CLASSES)

__all__ = ["CLASSES", "draw_in_add"]
