"""Scenes to begin with, at a click. A new one is a file here and a line in EXAMPLES."""

from . import bowl, hopper, wall

EXAMPLES = {example.key: example for example in (wall.EXAMPLE, bowl.EXAMPLE, hopper.EXAMPLE)}
