"""Mechanisms: scenes held together by joints."""

from . import chains, linkages, machines, snakes

ENTRIES = (*linkages.ENTRIES, *machines.ENTRIES, *chains.ENTRIES, *snakes.ENTRIES)
