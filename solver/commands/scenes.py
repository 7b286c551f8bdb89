"""`stiction scenes`: the canonical scenes."""

from .common import DONE

HELP = "list the canonical scenes and what each shows"


def arguments(_command):
    """Takes none."""


def run(_options):
    """One line a canonical scene."""
    from ..scenes import SCENES

    width = max(map(len, SCENES), default=0)
    for name, entry in SCENES.items():
        print(f"{name:{width}}  {entry.description}")
    return DONE
