"""Mechanisms: pendulums, loops, machines and chains against closed forms and published numbers."""

from . import chains, driven_crank, linkages, machines, newton2019

CASES = (*linkages.CASES, *driven_crank.CASES, *machines.CASES, *chains.CASES, *newton2019.CASES)
