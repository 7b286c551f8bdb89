"""Mechanisms: pendulums, loops, machines and chains against closed forms and published numbers."""

from . import chains, linkages, machines, newton2019

CASES = (*linkages.CASES, *machines.CASES, *chains.CASES, *newton2019.CASES)
