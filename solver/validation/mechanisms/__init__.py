"""Grips and mechanisms by contact against closed forms."""

from . import grasping, machines

CASES = (*grasping.CASES, *machines.CASES)
