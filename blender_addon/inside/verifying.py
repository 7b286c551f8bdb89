"""What the independent check of a run found, brought into Blender: a sentence for the panel, a table in a text."""

import json
from pathlib import Path

import bpy

from ...solver.base.wording import counted
from ...solver.verify import table
from .comparing import keep

TEXT = "Stiction Verification"
FILE = "verify.json"
HOLDS = "Verified"


def scene_of(folder):
    """The scene whose bake comes from the run in a folder; None where there is none any more."""
    shown = (scene for scene in bpy.data.scenes if scene.stiction.run)
    return next((scene for scene in shown if Path(bpy.path.abspath(scene.stiction.run)) == Path(folder)), None)


def sentence_of(found):
    """What the panel says of what `verify` returned."""
    checks = found["checks"]
    wrong = [check for check in checks if not check["passed"]]
    if not wrong:
        return f"{HOLDS}: all {len(checks)} checks hold in {counted(found['substeps'], 'substep')}"
    worst = wrong[0]
    where = f", {worst['where']}" if worst["where"] else ""
    number = f"{worst['found']:.2g} {worst['unit']} where {worst['allowed']:.2g} is allowed"
    more = f", and {counted(len(wrong) - 1, 'other check')}" if len(wrong) > 1 else ""
    return f"Not verified: {worst['name']}, {number} (step {worst['step']}{where}){more}"


def show(scene, folder):
    """Keep what the check of the run in a folder found; returns the sentence."""
    found = json.loads((Path(folder) / FILE).read_text(encoding="utf-8"))
    scene.stiction.verified = sentence_of(found)
    keep(TEXT, table(found))
    return scene.stiction.verified
