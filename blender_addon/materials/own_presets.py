"""Material presets that the user has kept in files."""

import re
from pathlib import Path

import bpy

from ..base.enums import identifier

FOLDER = "stiction/material"
# What a preset sets to an item of an enumeration; version 0.1 wrote these in lower case.
_ITEM = re.compile(r"(\.law = ['\"])([a-z_]+)(['\"])")


def renew():
    """Bring presets up to date that an older version wrote: names of items are upper case."""
    for folder in bpy.utils.preset_paths(FOLDER):
        for path in Path(folder).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            newer = _ITEM.sub(lambda found: found[1] + identifier(found[2]) + found[3], text)
            if newer != text:
                path.write_text(newer, encoding="utf-8")


def register():
    """Renew what there is."""
    renew()


def unregister():
    """Nothing to take back."""
