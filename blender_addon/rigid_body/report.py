"""What an import says of every object."""

from dataclasses import dataclass, field

import bpy

TEXT = "Stiction Import"


@dataclass
class Entry:
    """Sentences on one object (or the world): what was taken as it is, what was changed, what was left out."""

    name: str
    taken: list = field(default_factory=list)
    changed: list = field(default_factory=list)
    left_out: list = field(default_factory=list)

    def say_keys(self, names):
        """Say that keys of these settings have no counterpart."""
        if names:
            self.left_out.append(f"keys of {', '.join(sorted(names))}: one value holds throughout")

    def lines(self):
        """Lines of the report."""
        parts = (("taken", self.taken), ("changed", self.changed), ("left out", self.left_out))
        rows = [f"    {label:9} {sentence}" for label, sentences in parts for sentence in sentences]
        return [self.name, *rows, ""]


def write_report(scene, entries):
    """Write the entries into the Text block."""
    text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
    text.clear()
    changed = sum(bool(entry.changed or entry.left_out) for entry in entries[1:])
    head = [f"Rigid Body of {scene.name}: {len(entries) - 1} objects, {changed} with something changed or left out", ""]
    text.write("\n".join(head + [line for entry in entries for line in entry.lines()]))
