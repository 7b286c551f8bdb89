"""Scenes with deformable bodies."""

from . import basics

ENTRIES = basics.ENTRIES
