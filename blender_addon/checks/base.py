"""What a check is, and what it finds."""

from collections.abc import Callable
from typing import NamedTuple

REFUSED, WARNING, ADVICE = "REFUSED", "WARNING", "ADVICE"


class Finding(NamedTuple):
    """One thing wrong with `names`, the objects it is about (the first is the one to repair).

    weight: REFUSED, a bake would end with it; WARNING, the motion will look wrong; ADVICE, it will be slow.
    """

    names: tuple
    text: str
    weight: str = WARNING


class Check(NamedTuple):
    """A kind of finding.

    find(scan) yields Findings, and None where it has worked for a while; repair(scene, objects, scan) changes objects
    it was found on and returns a sentence on what was done; repair_label: what the button says, before "for these 24".
    """

    key: str
    label: str
    find: Callable
    repair_label: str
    repair: Callable
