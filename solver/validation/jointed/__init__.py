"""Mechanisms: pendulums, loops, machines and chains against closed forms and published numbers."""

from . import chains, linkages, machines

CASES = (*linkages.CASES, *machines.CASES, *chains.CASES)
