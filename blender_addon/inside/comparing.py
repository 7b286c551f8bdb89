"""Results of a comparison of methods on one step, brought into Blender: a table in a Text block, a plot."""

import json

import bpy

from ...solver.methods import METHODS

TEXT = "Stiction Comparison"
# What is compared unless other methods are chosen: the best, the classic, and those of the papers.
USUAL = "accelerated,pgs,nncg,prox"


def known_methods(names):
    """Keys of a list by commas; SceneError for one that is no method."""
    from ...solver.base.refusal import SceneError

    keys = [name.strip() for name in names.split(",") if name.strip()]
    for key in keys:
        if key not in METHODS:
            raise SceneError(f"no method {key!r}; choose from {', '.join(METHODS)}")
    if not keys:
        raise SceneError(f"no method to compare; give keys with commas, of {', '.join(METHODS)}")
    return keys


def table(folder, step, frame):
    """Lines on what `compare` left in a folder."""
    curves = json.loads((folder / "compare.json").read_text(encoding="utf-8"))
    lines = [f"Methods on step {step} (frame {frame:g}): {curves[0]['problem']}", ""]
    lines.append(f"{'method':24} {'status':14} {'iterations':>10} {'residual m/s':>13} {'CPU s':>10}  note")
    for curve in sorted(curves, key=lambda curve: curve["residual"] if curve["residual"] is not None else 1e99):
        residual = "-" if curve["residual"] is None else f"{curve['residual']:.2e}"
        lines.append(
            f"{curve['method']:24} {curve['status']:14} {curve['iterations']:10d} {residual:>13} {curve['cpu_s']:10.4f}"
            f"  {curve['note']}".rstrip()
        )
    return lines


def keep(name, lines):
    """Write lines into the Text block `name`."""
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write("\n".join(lines) + "\n")
    return text
